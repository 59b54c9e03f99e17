//! Every command, with too few arguments and with too many.

use super::reply::Reply;
use super::server::{Kind, Server};
use super::{Ours, Row};

/// A command, or a subcommand as `client|id`, and its number of arguments: the fewest if below zero.
pub(crate) struct Command {
    pub(crate) name: String,
    arity: i8,
}

/// Returns all commands that we have, as COMMAND tells of them.
pub(crate) fn commands() -> Vec<Command> {
    let reply = Ours::new().ask("COMMAND");
    let mut commands = Vec::new();
    add(&Reply::parse(&reply).expect("it is whole").0, &mut commands);
    assert!(commands.len() > 100, "{}", commands.len());
    commands
}

/// Adds the commands of a list, with their subcommands.
fn add(list: &Reply<'_>, commands: &mut Vec<Command>) {
    let Reply::List(_, list) = list else { panic!("no list: {list:?}") };
    for command in list {
        let Reply::List(_, parts) = command else { panic!("no command: {command:?}") };
        let [Reply::Text(_, name), Reply::Line(b':', arity), .., subcommands] = &**parts else {
            panic!("no command: {parts:?}")
        };
        let text = |bytes| std::str::from_utf8(bytes).expect("names are texts");
        let arity = text(arity).parse().expect("a small number");
        commands.push(Command { name: text(name).to_owned(), arity });
        add(subcommands, commands);
    }
}

impl Command {
    /// Returns requests for it that have too few or too many arguments.
    fn refused(&self) -> impl Iterator<Item = String> {
        let number = usize::from(self.arity.unsigned_abs());
        let words: Vec<_> = self.name.split('|').map(str::to_owned).collect();
        let refused = (words.len()..number + 3).filter(move |len| match self.arity {
            ..0 => *len < number,
            _ => *len != number,
        });
        refused.map(move |len| {
            let mut words = words.clone();
            // In whatever case.
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
fn every_command_says_that_its_arguments_are_too_few_or_too_many() {
    let commands = commands();
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(mut server) = Server::start(kind) else { continue };
        let mut ours = Ours::new();
        let mut failures = Vec::new();
        for command in &commands {
            let info = server.ask(&format!("COMMAND INFO {}", command.name));
            // It came later, or is nobody else's.
            if matches!(&*info, b"*1\r\n*-1\r\n" | b"*1\r\n$-1\r\n") {
                continue;
            }
            for request in command.refused() {
                failures.extend(Row::parse(&request).check(&mut server, &mut ours).err());
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
