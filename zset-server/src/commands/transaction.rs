//! MULTI, EXEC, DISCARD, WATCH and UNWATCH.

use crate::client::Transaction;
use crate::command::{Command, Context, Handlers, Replied};
use crate::error::CommandError;

pub(super) const HANDLERS: Handlers = &[
    ("multi", |context, _| {
        context.client.transaction = Some(Transaction::default());
        context.ok()
    }),
    ("exec", exec),
    ("discard", discard),
    ("watch", watch),
    ("unwatch", |context, _| {
        context.client.unwatch_all(&mut context.state.keyspace);
        context.ok()
    }),
];

/// The overhead of a watched key, counted once for the client and once for the keyspace, in bytes.
const WATCH_BYTES: usize = 48;

fn exec(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    let transaction = context.client.transaction.take();
    let transaction = transaction.ok_or_else(|| CommandError::err("EXEC without MULTI"))?;
    let is_unchanged = context.client.unwatch_all(&mut context.state.keyspace);
    if transaction.is_broken {
        let text = "EXECABORT Transaction discarded because of previous errors.";
        return Err(CommandError::new(text));
    }
    if !is_unchanged {
        context.replies.null_array();
        return Ok(());
    }
    context.replies.array(transaction.commands.len());
    context.client.is_executing = true;
    for arguments in &transaction.commands {
        let arguments: Vec<_> = arguments.iter().map(Vec::as_slice).collect();
        let before = context.replies.bytes().len();
        // It was checked when it was queued.
        let called = Command::of(&arguments).and_then(|command| command.call(context, &arguments));
        if let Err(error) = called {
            context.replies.truncate(before);
            context.replies.error_bytes(error.bytes());
        }
    }
    context.client.is_executing = false;
    Ok(())
}

fn discard(context: &mut Context<'_>, _: &[&[u8]]) -> Replied {
    if context.client.transaction.is_none() {
        return Err(CommandError::err("DISCARD without MULTI"));
    }
    context.client.abandon(&mut context.state.keyspace);
    context.ok()
}

fn watch(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let Context { state, client, .. } = context;
    let bytes = |key: &&[u8]| 2 * (key.len() + WATCH_BYTES);
    let new = arguments[1..].iter().filter(|key| !client.watched.contains_key(**key));
    if client.watched_bytes.saturating_add(new.map(bytes).sum()) > state.max_left {
        return Err(CommandError::err("too many keys are watched"));
    }
    for key in &arguments[1..] {
        // Watching a key twice would require unwatching it twice.
        if !client.watched.contains_key(*key) {
            client.watched.insert((*key).into(), state.keyspace.watch(key));
            client.watched_bytes += bytes(key);
        }
    }
    context.ok()
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn a_transaction_that_is_too_large_is_discarded() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        engine.state.max_left = 1000;
        ask(&mut engine, &mut client, "MULTI");
        let replies: Vec<_> =
            (0..10).map(|_| ask(&mut engine, &mut client, "SET key value")).collect();
        assert_eq!(replies.iter().filter(|it| *it == "+QUEUED\r\n").count(), 9);
        assert!(replies.contains(&"-ERR the transaction is too large\r\n".to_owned()));
        let transaction = client.session().transaction.as_ref().map(|it| it.commands.capacity());
        assert_eq!(transaction, Some(0), "a broken transaction stores nothing");
        let reply = ask(&mut engine, &mut client, "EXEC");
        assert!(reply.starts_with("-EXECABORT "), "{reply}");
        assert_eq!(ask(&mut engine, &mut client, "DBSIZE"), ":0\r\n");
    }

    #[test]
    fn the_memory_of_watched_keys_is_bounded() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        engine.state.max_left = 1000;
        let mut watch = |key: usize| ask(&mut engine, &mut client, &format!("WATCH {key}"));
        let refused = (0..100).map(&mut watch).filter(|reply| reply.starts_with('-')).count();
        assert_eq!(refused, 90);
        assert_eq!(watch(0), "+OK\r\n", "the key is already watched");
        ask(&mut engine, &mut client, "UNWATCH");
        assert_eq!(ask(&mut engine, &mut client, "WATCH 99"), "+OK\r\n");
    }

    #[test]
    fn hundreds_of_thousands_of_keys_can_be_watched() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let keys: Vec<_> = (0..300_000).map(|key| key.to_string()).collect();
        let line = format!("WATCH {}", keys.join(" "));
        for _ in 0..2 {
            assert_eq!(ask(&mut engine, &mut client, &line), "+OK\r\n");
        }
        assert_eq!(client.session().watched.len(), keys.len());
        engine.leave(&mut client);
        assert_eq!(client.session().watched_bytes, 0);
    }
}
