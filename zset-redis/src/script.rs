//! Scripts, and calls of them: what is sent, whatever the connection.

use redis::{Cmd, ErrorKind, RedisError, ServerErrorKind};

/// A Lua script with the hash by which a server knows it.
#[derive(Debug)]
pub(crate) struct Script {
    source: String,
    hash: String,
}

impl Script {
    pub(crate) fn new(source: &str) -> Script {
        // The first line declares the script to write. A replica then replies with the address of its
        // primary, which cluster clients follow. Otherwise it would run the script, and fail at the first
        // write, and after a failover clients would not notice that the server is no longer the primary.
        let source = format!("#!lua\n{source}");
        let hash = redis::Script::new(&source).get_hash().to_owned();
        Script { source, hash }
    }
}

/// A call of a script. All keys must have the same hash tag.
#[derive(Debug)]
pub(crate) struct Call {
    script: &'static Script,
    keys: Vec<Vec<u8>>,
    arguments: Vec<Vec<u8>>,
}

impl Call {
    pub(crate) fn new(script: &'static Script) -> Call {
        Call { script, keys: Vec::new(), arguments: Vec::new() }
    }

    pub(crate) fn key(&mut self, key: Vec<u8>) {
        self.keys.push(key);
    }

    pub(crate) fn argument(&mut self, argument: impl Into<Vec<u8>>) {
        self.arguments.push(argument.into());
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.argument(number.to_string());
    }

    /// Returns the command for a server that has the script: nearly always the only round trip.
    pub(crate) fn by_hash(&self) -> Cmd {
        self.command("EVALSHA", self.script.hash.as_bytes())
    }

    /// Returns the command for a server that replies [`is_unknown`] to the hash: it runs the script, and
    /// keeps it.
    ///
    /// Unlike `SCRIPT LOAD`, it has keys, so a cluster client sends it to the right server.
    pub(crate) fn by_source(&self) -> Cmd {
        self.command("EVAL", self.script.source.as_bytes())
    }

    fn command(&self, name: &str, script: &[u8]) -> Cmd {
        let mut command = redis::cmd(name);
        command.arg(script).arg(self.keys.len()).arg(&self.keys).arg(&self.arguments);
        command
    }
}

/// Returns whether a server does not have the script: it has restarted, its scripts were flushed, or it
/// has become the primary.
pub(crate) fn is_unknown(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// Returns whether an error is a server's refusal to run anything: it has become a replica, or has
/// not loaded its data yet. A new connection may reach the primary.
pub(crate) fn is_refusal(error: &RedisError) -> bool {
    use ServerErrorKind::{BusyLoading, MasterDown, ReadOnly};
    matches!(error.kind(), ErrorKind::Server(BusyLoading | MasterDown | ReadOnly))
}

/// Returns whether an error is the reply of a server that can be asked again over the same
/// connection.
pub(crate) fn is_reply(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension) && !is_refusal(error)
}
