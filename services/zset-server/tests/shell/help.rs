//! Compares the syntax shown by HELP with the syntax that the server accepts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use test_support::documentation::{files, has_extension};
use zset_server::{Client, Engine, Replies};

use crate::reply::Reply;
use crate::running::answer;

/// A command or a subcommand.
struct Command {
    /// The name; a subcommand is named like `client id`.
    name: String,
    /// The number of arguments, including the name; if negative, the minimum number.
    arity: i8,
    /// The arguments as HELP shows them.
    arguments: String,
}

impl Command {
    /// Returns all commands of the server and their subcommands.
    fn all() -> Vec<Command> {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let reply = ask(&mut engine, &mut client, "COMMAND");
        let listed = Reply::of(reply.as_bytes()).listed_commands().into_iter();
        let mut commands: Vec<_> = listed
            .map(|(name, arity)| {
                let name = name.replace('|', " ");
                Command { name, arity, arguments: String::new() }
            })
            .collect();
        // The shell has its own QUIT, so HELP does not show the syntax of the server's QUIT.
        commands.retain(|command| command.name != "quit");
        let script: Vec<_> = commands.iter().map(|it| format!("HELP {}\n", it.name)).collect();
        let shown = answer(&script.concat());
        let mut lines = shown.lines().filter(|line| !line.starts_with(' '));
        for command in &mut commands {
            let line = lines.next().expect("each command has help");
            let arguments = line.strip_prefix(&command.name.to_ascii_uppercase());
            arguments.expect("it begins with the name").trim().clone_into(&mut command.arguments);
        }
        assert!(commands.len() > 80);
        commands
    }

    /// Returns whether the command accepts this number of arguments, including its name.
    fn takes(&self, words: usize) -> bool {
        let number = usize::from(self.arity.unsigned_abs());
        if self.arity < 0 { words >= number } else { words == number }
    }

    fn len_of_name(&self) -> usize {
        self.name.split(' ').count()
    }
}

/// Returns the reply to a line of words.
fn ask(engine: &mut Engine, client: &mut Client, line: &str) -> String {
    let words: Vec<_> = line.split(' ').map(str::as_bytes).collect();
    let mut replies = Replies::default();
    engine.execute(client, &words, &mut replies);
    String::from_utf8_lossy(replies.bytes()).into_owned()
}

#[test]
fn each_command_has_a_syntax_that_matches_its_arity() {
    for command in Command::all() {
        let arguments = &command.arguments;
        let is_fixed = command.arity > 0;
        assert_eq!(is_fixed, !arguments.contains('['), "{}: {arguments}", command.name);
        if is_fixed {
            // A choice between literal words is a single argument.
            let bars = arguments.matches(" | ").count();
            let words = command.len_of_name() + arguments.split_whitespace().count() - 2 * bars;
            assert!(command.takes(words), "{}: {arguments}", command.name);
        }
    }
}

/// Returns the lines that a syntax describes: the shortest one, then one for each option and
/// choice. A `...` is ignored.
fn lines_of(syntax: &str) -> Vec<Vec<&str>> {
    let mut rest = syntax;
    let lines = sequences(&mut rest);
    assert!(rest.is_empty(), "{syntax}: unmatched bracket at {rest}");
    lines.into_iter().next().expect("there is one alternative").clone()
}

/// Parses alternatives up to a closing bracket, which is not consumed. Returns the lines of each
/// alternative.
fn sequences<'a>(rest: &mut &'a str) -> Vec<Vec<Vec<&'a str>>> {
    let mut alternatives = vec![vec![vec![]]];
    loop {
        *rest = rest.trim_start();
        let lines = match rest.chars().next() {
            None | Some(']' | '>') => return alternatives,
            Some('|') => {
                *rest = &rest[1..];
                alternatives.push(vec![vec![]]);
                continue;
            }
            Some(bracket @ ('[' | '<')) => {
                *rest = &rest[1..];
                let inner = sequences(rest);
                let closing = if bracket == '[' { ']' } else { '>' };
                *rest = rest.strip_prefix(closing).expect("brackets match");
                let absent = if bracket == '[' { vec![vec![]] } else { vec![] };
                absent.into_iter().chain(inner.into_iter().flatten()).collect()
            }
            Some(_) => {
                let end = rest.find([' ', ']', '>', '[', '<']).unwrap_or(rest.len());
                let (word, behind) = rest.split_at(end);
                *rest = behind;
                if word == "..." {
                    continue;
                }
                vec![vec![word]]
            }
        };
        let before = alternatives.pop().expect("there is an alternative");
        let extended = |line: &Vec<&'a str>, with: &Vec<&'a str>| [&line[..], with].concat();
        let shortest = before.iter().map(|line| extended(line, &lines[0]));
        let others = lines[1..].iter().map(|with| extended(&before[0], with));
        alternatives.push(shortest.chain(others).collect());
    }
}

#[test]
fn a_syntax_is_expanded_to_lines() {
    let lines = |syntax| lines_of(syntax).iter().map(|line| line.join(" ")).collect::<Vec<_>>();
    assert_eq!(lines(""), [""]);
    assert_eq!(lines("key [key ...]"), ["key", "key key"]);
    assert_eq!(lines("a <B | C [d]> [E | F g]"), ["a B", "a C", "a C d", "a B E", "a B F g"]);
    assert_eq!(lines("[a [B [c]]] d"), ["d", "a d", "a B d", "a B c d"]);
}

fn is_literal(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '-')
}

/// A word that is no option or subcommand of any command.
const NONSENSE: &str = "NOSUCH";

/// A server to test a command. The key `1` has a value of the type that the command needs.
struct Server<'a> {
    engine: Engine,
    client: Client,
    command: &'a Command,
}

impl<'a> Server<'a> {
    fn of(command: &'a Command) -> Self {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let value = match &*command.name {
            "get" | "set" => "SET 1 1",
            "sadd" | "smembers" => "SADD 1 1",
            _ => "ZADD 1 1 1",
        };
        ask(&mut engine, &mut client, value);
        Server { engine, client, command }
    }

    /// Runs the command, with placeholders among the arguments replaced. Then restores the keys,
    /// unless an error has left them unchanged.
    fn reply(&mut self, arguments: &[&str]) -> String {
        let keys = arguments.iter().filter(|word| **word == "key").count().to_string();
        let words = arguments.iter().map(|word| match *word {
            word if is_literal(word) => word,
            "protover" => "2",
            "numkeys" => keys.as_str(),
            _ => "1",
        });
        let line: Vec<_> = self.command.name.split(' ').chain(words).collect();
        let reply = ask(&mut self.engine, &mut self.client, &line.join(" "));
        if !reply.starts_with('-') {
            *self = Server::of(self.command);
        }
        reply
    }
}

#[test]
fn what_help_shows_is_accepted() {
    for command in &Command::all() {
        let mut server = Server::of(command);
        for line in lines_of(&command.arguments) {
            if !command.takes(line.len() + command.len_of_name()) {
                continue;
            }
            let shown = format!("{} {}", command.name, line.join(" "));
            let actual = server.reply(&line);
            assert_ne!(actual, "-ERR syntax error\r\n", "{shown}");
            for (index, literal) in line.iter().enumerate().filter(|(_, word)| is_literal(word)) {
                let mut other = line.clone();
                other[index] = NONSENSE;
                let other = server.reply(&other).replace(NONSENSE, literal);
                assert_ne!(actual, other, "{literal} is any word: {shown}");
            }
        }
    }
}

/// Returns all words that commands may compare with an argument, in uppercase.
fn vocabulary() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands");
    for path in files(&folder).into_iter().filter(|path| has_extension(path, "rs")) {
        let text = fs::read_to_string(path).expect("they can be read");
        let literals = text.split('"').map(str::to_ascii_uppercase);
        words.extend(literals.filter(|word| !word.is_empty() && is_literal(word)));
    }
    assert!(words.contains("NOSCORES") && words.contains("NX"));
    words
}

/// Words that HELP does not show, because the command has its own error for them.
const NOT_SHOWN: [(&str, &str); 4] = [
    ("zscan", "NOVALUES"),
    ("zrangebylex", "WITHSCORES"),
    ("zrevrangebylex", "WITHSCORES"),
    ("zrevrange", "LIMIT"),
];

#[test]
fn what_is_accepted_is_shown_by_help() {
    let commands = Command::all();
    let vocabulary = vocabulary();
    // The last words of choices, such as `MAX` in `<MIN | MAX>`.
    let choices = vocabulary.iter().filter(|word| {
        commands.iter().any(|command| command.arguments.contains(&format!("{word}>")))
    });
    let choices: Vec<_> = choices.map(String::as_str).map(|value| vec![value]).collect();
    let values = [&[vec![], vec!["1"], vec!["1", "1"]], &choices[..]].concat();
    let mut missing = Vec::new();
    for command in commands.iter().filter(|command| command.arity < 0) {
        let syntax = &*command.arguments;
        // Skip a container: its subcommands are tested as separate commands.
        if syntax.trim_start_matches('[').starts_with("subcommand") {
            continue;
        }
        let lines = lines_of(syntax);
        let is_shown = |word| lines.iter().flatten().any(|shown| *shown == word);
        // Also use lines with optional arguments, because some options are valid only after such an
        // argument.
        let options = |line: &[&str]| line.iter().filter(|word| is_literal(word)).count();
        let plain = lines.iter().filter(|line| options(line) == options(&lines[0]));
        let splits = plain.flat_map(|line| (0..=line.len()).map(|middle| line.split_at(middle)));
        let mut server = Server::of(command);
        for ((before, behind), values) in
            splits.flat_map(|split| values.iter().map(move |values| (split, values)))
        {
            let mut with = |word| server.reply(&[before, &[word], values, behind].concat());
            let other = with(NONSENSE);
            // Skip a place where any word is valid.
            if !other.starts_with('-') {
                continue;
            }
            for word in vocabulary.iter().map(String::as_str) {
                let is_known = with(word) != other.replace(NONSENSE, word);
                if is_known && !is_shown(word) && !NOT_SHOWN.contains(&(&*command.name, word)) {
                    missing.push((&*command.name, word, values));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
