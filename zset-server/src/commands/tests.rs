//! Tests of the table of commands.

use super::HANDLERS;
use crate::command::Command;

fn all_nested() -> impl Iterator<Item = &'static Command> {
    Command::all().flat_map(|command| std::iter::once(command).chain(&command.subcommands))
}

#[test]
fn each_command_is_found_by_its_name_in_any_case() {
    for command in all_nested() {
        let found = Command::find_nested(command.name.to_ascii_uppercase().as_bytes());
        assert!(found.is_some_and(|found| found.name == command.name), "{}", command.name);
    }
    assert!(Command::find(b"client|id").is_none(), "a subcommand is not a command");
    assert!(Command::find(&[b'x'; 1000]).is_none());
}

#[test]
fn each_command_has_one_handler() {
    let mut handled: Vec<_> = HANDLERS.iter().copied().flatten().map(|(name, _)| *name).collect();
    let needs = |command: &&Command| {
        let is_generic = command.name.ends_with("|help") || !command.subcommands.is_empty();
        !is_generic || command.name == "command"
    };
    let mut needed: Vec<_> = all_nested().filter(needs).map(|command| command.name).collect();
    handled.sort_unstable();
    needed.sort_unstable();
    assert_eq!(handled, needed);
}
