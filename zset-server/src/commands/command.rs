//! COMMAND: the list of commands.

use crate::command::{Command, Finds, KeySpec};
use crate::engine::Context;
use crate::error::CommandError;
use crate::glob;
use crate::resp::Replies;

pub(super) const COMMANDS: &[Command] =
    &[Command::plain("command", -1, "Tells of all commands.", tell_all)];

pub(super) const SUBCOMMANDS: &[Command] = &[
    Command::plain("command|count", 2, "Returns the number of commands.", count),
    Command::plain("command|info", -2, "Tells of some commands, or of all.", info),
    Command::plain("command|docs", -2, "Returns what commands are good for.", docs),
    Command::plain("command|list", -2, "Returns the names of commands.", list),
    Command::plain("command|getkeys", -3, "Returns the keys among arguments.", get_keys),
    Command::plain("command|help", 2, "Lists the subcommands.", help),
];

/// The handler of a command with subcommands, which its arity makes unreachable.
pub(super) fn container(_: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    Err(CommandError::Syntax)
}

/// Lists the subcommands of a command.
pub(super) fn help(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let command = Command::find(arguments[0]).ok_or(CommandError::Syntax)?;
    let (subcommands, replies) = (command.subcommands(), &mut *context.replies);
    replies.array(1 + 2 * subcommands.len());
    let name = command.name.to_ascii_uppercase();
    replies.status(&format!("{name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"));
    for subcommand in subcommands {
        replies.status(&subcommand.name[command.name.len() + 1..].to_ascii_uppercase());
        replies.status(&format!("    {}", subcommand.summary));
    }
    Ok(())
}

fn tell_all(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.array(Command::all().count());
    for command in Command::all() {
        tell(context.replies, command);
    }
    Ok(())
}

fn count(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.count(Command::all().count());
    Ok(())
}

fn info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let names = &arguments[2..];
    if names.is_empty() {
        return tell_all(context, arguments);
    }
    let replies = &mut *context.replies;
    replies.array(names.len());
    for name in names {
        // A short name can produce a reply of several kilobytes, so the reply may exceed the client's
        // limit.
        if replies.is_cut() {
            break;
        }
        match Command::find_nested(name) {
            Some(command) => tell(replies, command),
            None => replies.null(),
        }
    }
    Ok(())
}

/// Writes the entry of a command in COMMAND INFO.
fn tell(replies: &mut Replies, command: &Command) {
    let details = command.details();
    replies.array(10);
    replies.bulk(command.name.as_bytes());
    replies.integer(command.arity.into());
    replies.set(details.flags.len());
    for flag in &details.flags {
        replies.status(flag);
    }
    let (first, last, step) = command.keys;
    for place in [first, last, step] {
        replies.integer(place.into());
    }
    replies.set(details.categories.len());
    for category in &details.categories {
        replies.status(&format!("@{category}"));
    }
    replies.set(details.tips.len());
    for tip in &details.tips {
        replies.bulk(tip.as_bytes());
    }
    replies.set(details.keys.len());
    for keys in &details.keys {
        tell_keys(replies, keys);
    }
    let subcommands = command.subcommands();
    replies.array(subcommands.len());
    for subcommand in subcommands {
        tell(replies, subcommand);
    }
}

fn tell_keys(replies: &mut Replies, keys: &KeySpec) {
    replies.map(3);
    replies.bulk(b"flags");
    replies.set(keys.flags.len());
    for flag in &keys.flags {
        replies.status(flag);
    }
    let places = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    tell_search(replies, "begin_search", "index", &[("index", places(keys.begin))]);
    match keys.finds {
        Finds::Range { last, step, limit } => {
            let spec = [("lastkey", last), ("keystep", places(step)), ("limit", limit)];
            tell_search(replies, "find_keys", "range", &spec);
        }
        Finds::Number { index, first, step } => {
            let spec = [("keynumidx", index), ("firstkey", first), ("keystep", step)];
            tell_search(replies, "find_keys", "keynum", &spec.map(|(name, at)| (name, places(at))));
        }
    }
}

fn tell_search(replies: &mut Replies, name: &str, kind: &str, spec: &[(&str, i64)]) {
    replies.bulk(name.as_bytes());
    replies.map(2);
    replies.bulk(b"type");
    replies.bulk(kind.as_bytes());
    replies.bulk(b"spec");
    replies.map(spec.len());
    for (name, number) in spec {
        replies.bulk(name.as_bytes());
        replies.integer(*number);
    }
}

fn docs(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let names = &arguments[2..];
    let commands: Vec<&Command> = if names.is_empty() {
        Command::all().collect()
    } else {
        names.iter().filter_map(|name| Command::find_nested(name)).collect()
    };
    document(context.replies, &commands);
    Ok(())
}

fn document(replies: &mut Replies, commands: &[&Command]) {
    replies.map(commands.len());
    for command in commands {
        let details = command.details();
        let subcommands = command.subcommands();
        replies.bulk(command.name.as_bytes());
        replies.map(3 + usize::from(!subcommands.is_empty()));
        let texts =
            [("summary", command.summary), ("since", details.since), ("group", details.group)];
        for (name, text) in texts {
            replies.bulk(name.as_bytes());
            replies.bulk(text.as_bytes());
        }
        if !subcommands.is_empty() {
            replies.bulk(b"subcommands");
            document(replies, &subcommands.iter().collect::<Vec<_>>());
        }
    }
}

fn list(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let all =
        || Command::all().flat_map(|command| std::iter::once(command).chain(command.subcommands()));
    let is_word = |argument: &[u8], word: &str| argument.eq_ignore_ascii_case(word.as_bytes());
    let names: Vec<&str> = match arguments[2..] {
        [] => Command::all().map(|command| command.name).collect(),
        [filter, kind, by] if is_word(filter, "filterby") => {
            let is_listed: &dyn Fn(&Command) -> bool = if is_word(kind, "module") {
                &|_| false
            } else if is_word(kind, "aclcat") {
                &|command| command.details().categories.iter().any(|name| is_word(by, name))
            } else if is_word(kind, "pattern") {
                &|command| glob::matches(&by.to_ascii_lowercase(), command.name.as_bytes())
            } else {
                return Err(CommandError::Syntax);
            };
            all().filter(|command| is_listed(command)).map(|command| command.name).collect()
        }
        _ => return Err(CommandError::Syntax),
    };
    context.replies.array(names.len());
    for name in names {
        context.replies.bulk(name.as_bytes());
    }
    Ok(())
}

fn get_keys(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let arguments = &arguments[2..];
    let command =
        Command::named_by(arguments).map_err(|_| CommandError::err("Invalid command specified"))?;
    let details = command.details();
    if details.keys.is_empty() {
        return Err(CommandError::err("The command has no key arguments"));
    }
    if !command.takes(arguments.len()) {
        return Err(CommandError::err("Invalid number of arguments specified for command"));
    }
    let mut places = Vec::new();
    for keys in &details.keys {
        let invalid = || CommandError::err("Invalid arguments specified for command");
        places.extend(keys.places(arguments).ok_or_else(invalid)?);
    }
    context.replies.array(places.len());
    for place in places {
        context.replies.bulk(arguments[place]);
    }
    Ok(())
}
