//! SHOW: a drawing of how a sorted set is stored.

mod listpack;
mod skip_list;
mod text;

use super::style::Style;
use crate::error::CommandError;
use crate::keyspace::{Keyspace, Value};
use crate::resp::parse_integer;

/// Draws the value of a key, given the arguments of SHOW: `key [LIMIT count]`. The limit is the number of
/// leaves, or of members of a listpack, to draw: half of them from the start, half from the end.
pub(super) fn show(
    arguments: &[Vec<u8>],
    keyspace: &Keyspace,
    style: Style,
) -> Result<String, CommandError> {
    let (key, limit) = match arguments {
        [] => return Err(CommandError::wrong_arity("show")),
        [key] => (key, None),
        [key, option, count] if option.eq_ignore_ascii_case(b"limit") => {
            let count = parse_integer(count).ok_or(CommandError::NOT_AN_INTEGER)?;
            let limit = usize::try_from(count);
            (key, Some(limit.map_err(|_| CommandError::err("LIMIT can't be negative"))?))
        }
        _ => return Err(CommandError::SYNTAX),
    };
    let name = text::quoted(key);
    match keyspace.value(key) {
        None => Err(CommandError::err("no such key")),
        Some(Value::String(string)) => {
            let bytes = text::count(string.len(), "byte");
            Ok(format!("{name} is a string of {bytes}: {}\n", text::quoted(string)))
        }
        Some(Value::Set(set)) => {
            let members = text::count(set.len(), "member");
            Ok(format!("{name} is a set of {members} without scores, in a hash table\n"))
        }
        Some(Value::SortedSet(set)) => {
            let members = text::count(set.len(), "member");
            let heading = format!("{name} is a {} of {members}", set.encoding());
            let mut out = format!("{}\n\n", style.heading(&heading));
            if let Some(list) = set.as_listpack() {
                listpack::draw(list, set.limits(), limit, &mut out);
            }
            if let Some(sorted) = set.as_sorted_set() {
                skip_list::draw(sorted, set.allocation_size(), limit, &mut out);
            }
            Ok(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use zset_core::{ListpackLimits, Score, ZSet};

    use super::*;

    fn drawn(set: ZSet, key: &[u8], limit: usize) -> String {
        let mut keyspace = Keyspace::default();
        keyspace.set(key, Value::SortedSet(set));
        let arguments = [key.to_vec(), b"limit".to_vec(), limit.to_string().into_bytes()];
        show(&arguments, &keyspace, Style::Plain).expect("the key exists")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_set_is_drawn_without_control_characters(
            elements in vec((vec(any::<u8>(), 0..80), any::<i32>()), 1..400),
            key in vec(any::<u8>(), 0..80),
            limit in 0..40usize,
            max_listpack_entries in prop_oneof![Just(0), Just(1000)],
        ) {
            let limits = ListpackLimits { max_listpack_entries, ..ListpackLimits::default() };
            let mut set = ZSet::with_limits(limits);
            for (member, score) in &elements {
                set.insert(member, Score::from(*score));
            }
            let members = text::count(set.len(), "member");
            let picture = drawn(set, &key, limit);
            prop_assert!(!picture.contains(|sign: char| sign.is_control() && sign != '\n'));
            prop_assert!(picture.lines().next().unwrap_or_default().ends_with(&members));
        }

        #[test]
        fn shown_and_hidden_elements_add_up(
            len in 65..3000u32,
            limit in 0..50usize,
        ) {
            let mut set = ZSet::new();
            for number in 0..len {
                set.insert(number.to_string(), Score::from(number.reverse_bits()));
            }
            set.promote();
            let picture = drawn(set, b"k", limit);
            let number = |line: &str, end: &str| -> Option<u32> {
                line.split_once(end)?.0.rsplit(' ').next()?.parse().ok()
            };
            let shown: Vec<_> =
                picture.lines().filter_map(|line| number(line, " of 64 elements")).collect();
            let hidden = picture.lines().filter(|line| line.contains("not shown"));
            let hidden: u32 = hidden.filter_map(|line| number(line, " element")).sum();
            prop_assert_eq!(shown.iter().sum::<u32>() + hidden, len);
            prop_assert!(shown.len() <= limit);
        }
    }
}
