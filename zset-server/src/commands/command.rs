//! COMMAND: the list of commands.

use crate::command::{Command, Context, Handlers, Replied};
use crate::error::CommandError;
use crate::resp::Replies;

pub(super) const HANDLERS: Handlers = &[
    ("command", |context, _| describe_all(context)),
    ("command|count", |context, _| context.count(Command::all().count())),
    ("command|info", info),
    ("command|docs", docs),
];

/// The handler of a command with subcommands, which its arity makes unreachable.
pub(super) fn container(_: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    Err(CommandError::SYNTAX)
}

/// Lists the subcommands of a command.
pub(super) fn help(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let command = Command::find(arguments[0]).ok_or(CommandError::SYNTAX)?;
    let (subcommands, replies) = (&command.subcommands, &mut *context.replies);
    replies.array(1 + 2 * subcommands.len());
    let name = command.name.to_ascii_uppercase();
    replies.status(&format!("{name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"));
    for subcommand in subcommands {
        replies.status(&subcommand.name[command.name.len() + 1..].to_ascii_uppercase());
        replies.status(&format!("    {}", subcommand.summary));
    }
    Ok(())
}

fn describe_all(context: &mut Context<'_>) -> Replied {
    context.replies.array(Command::all().count());
    Command::all().for_each(|command| describe(context.replies, command));
    Ok(())
}

fn info(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let names = &arguments[2..];
    if names.is_empty() {
        return describe_all(context);
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
            Some(command) => describe(replies, command),
            None => replies.null(),
        }
    }
    Ok(())
}

/// Writes the entry of a command in COMMAND INFO.
fn describe(replies: &mut Replies, command: &Command) {
    let flags = &command.flag_names;
    replies.array(10);
    replies.bulk(command.name.as_bytes());
    replies.integer(command.arity.into());
    replies.set(flags.len());
    for flag in flags {
        replies.status(flag);
    }
    for position in command.keys {
        replies.integer(position.into());
    }
    // The ACL categories, the tips and the key specifications, for which clients of a cluster ask.
    for _ in 0..3 {
        replies.set(0);
    }
    let subcommands = &command.subcommands;
    replies.array(subcommands.len());
    for subcommand in subcommands {
        describe(replies, subcommand);
    }
}

fn docs(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
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
        let subcommands = &command.subcommands;
        replies.bulk(command.name.as_bytes());
        replies.map(3 + usize::from(!subcommands.is_empty()));
        let texts =
            [("summary", command.summary), ("since", command.since), ("group", command.group)];
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
