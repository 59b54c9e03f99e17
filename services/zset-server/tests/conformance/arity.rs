//! Tests every command with too few and too many arguments, and the list of commands in
//! `docs/redis.md`.

use std::collections::BTreeSet;

use super::process::{Reply, Server};
use super::{Ours, Row};

/// A command, or a subcommand such as `client|id`. A negative arity is the minimum.
pub(crate) struct Command {
    pub(crate) name: String,
    arity: i8,
}

/// Returns all commands that COMMAND lists.
pub(crate) fn commands() -> Vec<Command> {
    let reply = Ours::new().ask("COMMAND");
    let listed = Reply::of(&reply).listed_commands().into_iter();
    let commands: Vec<_> = listed.map(|(name, arity)| Command { name, arity }).collect();
    assert!(commands.len() > 80, "{}", commands.len());
    commands
}

impl Command {
    /// Returns requests with too few or too many arguments.
    fn wrong_requests(&self) -> impl Iterator<Item = String> {
        let number = usize::from(self.arity.unsigned_abs());
        let words: Vec<_> = self.name.split('|').map(str::to_owned).collect();
        let wrong = (words.len()..number + 3).filter(move |len| match self.arity {
            ..0 => *len < number,
            _ => *len != number,
        });
        wrong.map(move |len| {
            let mut words = words.clone();
            // Vary the case of the name, which is not case-sensitive.
            match len % 3 {
                0 => words[0].make_ascii_uppercase(),
                1 => words[0][..1].make_ascii_uppercase(),
                _ => {}
            }
            words.resize(len, "x".to_owned());
            words.join(" ")
        })
    }
}

#[test]
fn every_command_with_a_wrong_number_of_arguments_is_an_error() {
    let commands = commands();
    for mut server in Server::all() {
        let mut ours = Ours::new();
        let mut failures = Vec::new();
        for command in &commands {
            let info = server.ask(&format!("COMMAND INFO {}", command.name));
            // Skip a command that the other server lacks.
            if matches!(&*info, b"*1\r\n*-1\r\n" | b"*1\r\n$-1\r\n") {
                continue;
            }
            // This server's SET has no options (see `docs/redis.md`), so its errors for too many
            // arguments differ. Skip these requests.
            let is_other =
                |request: &String| command.name != "set" || request.len() < "set x x".len();
            for request in command.wrong_requests().filter(is_other) {
                failures.extend(Row::parse(&request).check(&mut server, &mut ours).err());
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}

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
