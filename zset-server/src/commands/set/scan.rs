//! SSCAN.

use crate::commands::arguments::{Page, cursor};
use crate::engine::Context;
use crate::error::CommandError;
use crate::glob;
use crate::keyspace::{Bytes, Set, page};

pub(super) fn sscan(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let &[_, key, start, ref options @ ..] = arguments else { return Err(CommandError::Syntax) };
    let start = cursor(start)?;
    let (mut next, mut members): (_, Vec<&Bytes>) = (0, Vec::new());
    // If the key does not exist, the options are not checked.
    if let Some(set) = context.state.keyspace.get::<Set>(key)? {
        let Page { count, pattern } = Page::parse(options, |_| Err(CommandError::Syntax))?;
        let places = page(set.len(), start, count);
        next = places.start;
        members.extend(places.rev().filter_map(|place| set.get_index(place)));
        members.retain(|member| pattern.is_none_or(|pattern| glob::matches(pattern, member)));
    }
    context.replies.array(2);
    context.replies.text(format_args!("{next}"));
    context.replies.array(members.len());
    for member in members {
        context.replies.bulk(member);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn what_stays_is_returned_though_members_come_and_go() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let mut run = |line: &str| ask(&mut engine, &mut client, line);
        for member in 0..1000 {
            run(&format!("SADD key stays:{member} goes:{member}"));
        }
        let (mut cursor, mut seen, mut pages) = ("0".to_owned(), BTreeSet::new(), 0);
        loop {
            let page = run(&format!("SSCAN key {cursor} COUNT 20"));
            let texts: Vec<_> = page.lines().filter(|line| !line.starts_with(['*', '$'])).collect();
            seen.extend(texts[1..].iter().map(|member| (*member).to_owned()));
            texts[0].clone_into(&mut cursor);
            if cursor == "0" {
                break;
            }
            for member in (10 * pages)..(10 * pages + 10) {
                run(&format!("SREM key goes:{member} goes:{}", 999 - member));
                run(&format!("SADD key comes:{member}"));
            }
            pages += 1;
        }
        assert!(pages > 30, "{pages} pages");
        for member in 0..1000 {
            assert!(seen.contains(&format!("stays:{member}")), "{member}");
        }
    }
}
