//! The list of commands in `docs/redis.md`.

use std::collections::BTreeSet;

use super::arity::commands;

const DOCS: &str = include_str!("../../../../docs/redis.md");

#[test]
fn the_docs_list_exactly_the_commands_that_exist() {
    let (_, list) = DOCS.split_once("\n## Commands\n").expect("the page has a list");
    let (list, _) = list.split_once("\n## ").expect("a section follows");
    let listed: Vec<_> = list.split('`').skip(1).step_by(2).map(str::to_ascii_lowercase).collect();
    let existing: BTreeSet<_> =
        commands().iter().map(|command| command.name.replace('|', " ")).collect();
    let missing: Vec<_> = existing.iter().filter(|name| !listed.contains(name)).collect();
    let unknown: Vec<_> = listed.iter().filter(|name| !existing.contains(*name)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
    assert_eq!(listed.len(), existing.len(), "a command is listed twice");
}
