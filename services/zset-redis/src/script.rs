//! Scripts and script calls, for every kind of connection.

use redis::{Cmd, ErrorKind, RedisError, Value, make_extension_error};

use crate::Failure;

/// The largest number that scripts can add exactly: 142 years in microseconds.
pub(crate) const MOST: u64 = (1 << 52) - 1;

pub(crate) const NANOS_PER_MICRO: u64 = 1000;

/// A Lua script, with the hash that identifies it on a server.
#[derive(Debug)]
pub(crate) struct Script {
    source: String,
    hash: String,
    /// The script to call if the server refuses this one because it accepts no writes.
    if_refused: Option<Box<IfRefused>>,
}

#[derive(Debug)]
struct IfRefused {
    script: Script,
    /// Returns whether a reply of that script may replace the reply of the refused one.
    is_valid: fn(&Value) -> bool,
}

impl Script {
    /// Returns a script that needs memory.
    pub(crate) fn writing(source: &str) -> Script {
        // The first line declares that the script writes. So a replica refuses to run it, and in a
        // cluster replies with the address of its primary, which clients follow. Without this line,
        // a replica would run the script until the first write fails, and clients would not notice
        // after a failover that the server is no longer the primary.
        Script::declared("#!lua", source)
    }

    /// Returns a script that frees memory, even if it needs a little memory to do so. It also runs
    /// while memory is full.
    pub(crate) fn freeing(source: &str) -> Script {
        Script::declared("#!lua flags=allow-oom", source)
    }

    /// Returns a script that writes nothing. It also runs while memory is full or replicas are
    /// missing.
    pub(crate) fn reading(source: &str) -> Script {
        // A replica would run a script that declares `no-writes`. So call the script without this
        // declaration first, and the one with it only after a primary has refused the first.
        Script::freeing(source).or_if_refused(Script::without_writes(source), |_| true)
    }

    /// Returns a script that declares `no-writes`, which replicas run as well.
    pub(crate) fn without_writes(source: &str) -> Script {
        Script::declared("#!lua flags=no-writes", source)
    }

    /// Sets another script to call, with the same keys and arguments, if the server refuses this
    /// one because it accepts no writes. If the reply of the other script is not valid, the call
    /// fails with the first error.
    pub(crate) fn or_if_refused(mut self, script: Script, is_valid: fn(&Value) -> bool) -> Script {
        self.if_refused = Some(Box::new(IfRefused { script, is_valid }));
        self
    }

    fn declared(first_line: &str, source: &str) -> Script {
        let source = format!("{first_line}\n{source}");
        let hash = redis::Script::new(&source).get_hash().to_owned();
        Script { source, hash, if_refused: None }
    }
}

/// Defines a script for each operation of a type: the contents of `$begin.lua`, then those of the
/// operation's file in the same folder. `$kind` is a constructor of [`Script`].
macro_rules! scripts {
    ($folder:literal, $begin:literal: $($NAME:ident $kind:ident $name:literal),*) => {
        mod scripts {
            use std::sync::LazyLock;

            use crate::script::Script;

            $(pub(super) static $NAME: LazyLock<Script> = LazyLock::new(|| {
                Script::$kind(concat!(
                    include_str!(concat!("scripts/", $folder, "/", $begin, ".lua")),
                    include_str!(concat!("scripts/", $folder, "/", $name, ".lua")),
                ))
            });)*
        }
    };
}

pub(crate) use scripts;

/// A script call. All keys must have the same hash tag. `E` is the error of an invalid argument.
#[derive(Debug)]
pub(crate) struct Call<E> {
    script: &'static Script,
    keys: Vec<Vec<u8>>,
    arguments: Vec<Vec<u8>>,
    /// The error of an invalid argument: the call is not sent.
    invalid: Option<E>,
}

impl<E> Call<E> {
    pub(crate) fn new(script: &'static Script, keys: Vec<Vec<u8>>) -> Self {
        Call { script, keys, arguments: Vec::new(), invalid: None }
    }

    pub(crate) fn argument(mut self, argument: impl Into<Vec<u8>>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn number(self, number: impl Into<u64>) -> Self {
        self.argument(number.into().to_string())
    }

    /// Adds a number. If it is an error, the call returns that instead of being sent.
    pub(crate) fn try_number(mut self, number: Result<u64, E>) -> Self {
        match number {
            Ok(number) => self.number(number),
            Err(error) => {
                self.invalid.get_or_insert(error);
                self
            }
        }
    }

    /// Returns the call, or the error of an invalid argument.
    pub(crate) fn checked(mut self) -> Result<Self, E> {
        self.invalid.take().map_or(Ok(self), Err)
    }

    /// Returns the command that runs the script if the server has it; usually the only round trip.
    pub(crate) fn by_hash(&self) -> Cmd {
        self.command("EVALSHA", self.script.hash.as_bytes())
    }

    /// Returns the command for a server that [does not know](crate::error::is_unknown) the hash:
    /// it runs the script, and keeps it.
    ///
    /// Unlike `SCRIPT LOAD`, it has keys, so a cluster client sends it to the right server.
    pub(crate) fn by_source(&self) -> Cmd {
        self.command("EVAL", self.script.source.as_bytes())
    }

    /// If the error is that the server refuses writes, returns the call to make instead, and a
    /// function that returns whether a reply to it is valid for this call.
    pub(crate) fn if_refused(&self, error: &RedisError) -> Option<(Self, fn(&Value) -> bool)> {
        let IfRefused { script, is_valid } = self.script.if_refused.as_deref()?;
        if !matches!(error.code(), Some("OOM" | "NOREPLICAS" | "MISCONF")) {
            return None;
        }
        let (keys, arguments) = (self.keys.clone(), self.arguments.clone());
        Some((Call { script, keys, arguments, invalid: None }, *is_valid))
    }

    fn command(&self, name: &str, script: &[u8]) -> Cmd {
        let mut command = redis::cmd(name);
        command.arg(script).arg(self.keys.len()).arg(&self.keys).arg(&self.arguments);
        command
    }

    /// Adds the command that failed to an error: EVALSHA, EVAL, or a command within the script.
    ///
    /// If a command within the script fails, servers report only its line. An error that cannot be
    /// decoded is attributed to EVALSHA: servers quote the first arguments, which are the script
    /// for EVAL, but may be binary for EVALSHA.
    pub(crate) fn explained(&self, failure: Failure) -> Failure {
        match explained("EVALSHA", failure) {
            Failure::Redis(error) => Failure::Redis(self.in_script(&error).unwrap_or(error)),
            failure => failure,
        }
    }

    /// If a command within the script failed, returns an error that names it, e.g. for a missing
    /// permission or a key of another type.
    fn in_script(&self, error: &RedisError) -> Option<RedisError> {
        // Servers end the error with `script: on @user_script:LINE.`, and Redis adds the script's
        // hash before `on`.
        let (message, trace) = error.detail()?.rsplit_once(" script: ")?;
        let (_, line) = trace.split_once("on @user_script:")?;
        // An error that Lua itself raises starts with the script and the line, and names no
        // command.
        if message.starts_with("user_script:") {
            return None;
        }
        let line: usize = line.trim_end_matches('.').parse().ok()?;
        let before = self.script.source.split_inclusive('\n').take(line.checked_sub(1)?);
        let source = &self.script.source[before.map(str::len).sum()..];
        let (command, source) =
            source.split_once("call(")?.1.split_once('\'')?.1.split_once('\'')?;
        let mut words = source.split(|byte: char| byte != '_' && !byte.is_ascii_alphanumeric());
        // In the source, the variable that holds a key is named after the last part of that key.
        let suffix = format!(":{}", words.find(|word| !word.is_empty())?.to_lowercase());
        let key = self.keys.iter().find(|key| key.ends_with(suffix.as_bytes()));
        let mut detail = format!("{message}: {command}");
        if let Some(key) = key {
            detail.extend([" ", &String::from_utf8_lossy(key)]);
        }
        Some(match error.kind() {
            kind @ ErrorKind::Server(_) => (kind, "a command of a script failed", detail).into(),
            _ => make_extension_error(error.code()?.to_owned(), Some(detail)),
        })
    }
}

/// If the server does not know the command, e.g. since it was renamed or disabled, returns an error
/// that names it.
///
/// Servers copy the arguments into that error, which makes it unreadable if they are binary, and
/// discloses the caller's keys if they are not.
pub(crate) fn explained(command: &str, failure: Failure) -> Failure {
    let Failure::Redis(error) = failure else { return failure };
    let detail = error.detail().unwrap_or_default();
    let unknown = match error.kind() {
        ErrorKind::Parse => format!("unknown command '{command}', in an unreadable reply"),
        ErrorKind::Server(_) if detail.starts_with("unknown command") => {
            detail.split(", with args").next().unwrap_or(detail).to_owned()
        }
        _ => return Failure::Redis(error),
    };
    let cause = "server has no such command, or it was renamed or disabled";
    Failure::Redis((error.kind(), cause, unknown).into())
}

#[cfg(test)]
mod tests {
    use redis::ServerErrorKind::{
        BusyLoading, ClusterDown, MasterDown, NoPerm, NoScript, ReadOnly, ResponseError, TryAgain,
    };

    use super::*;

    /// The command is in the third line: `Script::writing` adds the first one.
    fn call() -> Call<Failure> {
        let source = "local JOBS = KEYS[1]\nreturn redis.call('HGET', JOBS, ARGV[1])\n";
        let keys = [b"queue:{a}:due".to_vec(), b"queue:{a}:jobs".to_vec()];
        Call::new(Box::leak(Box::new(Script::writing(source))), keys.to_vec())
    }

    fn error(kind: ErrorKind, detail: &str) -> Failure {
        Failure::Redis((kind, "reply", detail.to_owned()).into())
    }

    #[test]
    fn errors_keep_their_kind() {
        for kind in [BusyLoading, NoScript, ReadOnly, MasterDown, TryAgain, ClusterDown, NoPerm] {
            for detail in ["any", "any script: 0123, on @user_script:3."] {
                let explained = call().explained(error(kind.into(), detail));
                let Failure::Redis(explained) = explained else { panic!("{explained}") };
                assert_eq!(explained.kind(), kind.into());
            }
        }
        assert!(matches!(call().explained(Failure::Timeout), Failure::Timeout));
    }

    #[test]
    fn an_error_in_a_script_names_the_command_and_the_key() {
        for trace in ["script: 0123, on @user_script:3.", "script: on @user_script:3."] {
            let explained = call().explained(error(ResponseError.into(), &format!("no {trace}")));
            assert!(explained.to_string().ends_with("no: HGET queue:{a}:jobs"), "{explained}");
        }
    }

    #[test]
    fn an_error_without_the_line_of_a_command_is_unchanged() {
        for detail in [
            "user_script:3: attempt to index a nil value script: 0123, on @user_script:3.",
            "no script: 0123, on @user_script:99.",
            "no script: 0123, on @user_script:0.",
            "no script: 0123, on @user_script:x.",
            "no script: 0123",
        ] {
            let explained = call().explained(error(ResponseError.into(), detail));
            assert!(explained.to_string().ends_with(detail), "{explained}");
        }
    }

    #[test]
    fn the_error_of_an_unknown_command_has_no_arguments() {
        let detail = "unknown command 'EVALSHA', with args beginning with: '01' '1' 'a:{ann}:b'";
        let explained = call().explained(error(ResponseError.into(), detail)).to_string();
        assert!(explained.ends_with("unknown command 'EVALSHA'"), "{explained}");
    }
}
