//! [`Both`]: runs the same commands in the engine and in another server.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zset_core::ListpackLimits;

use super::command::{Command, command};
use super::ours::Ours;
use super::process::{Kind, Reply, Server};
use super::sample::{Elements, Sample};
use super::score::is_same;

/// Redis's default limits, and limits under which even small sets or sets of short members are skip
/// lists.
pub(crate) const LIMITS: [ListpackLimits; 5] =
    [limits(128, 64), limits(0, 64), limits(1, 64), limits(4, 64), limits(128, 4)];

const fn limits(max_listpack_entries: usize, max_listpack_value: usize) -> ListpackLimits {
    ListpackLimits { max_listpack_entries, max_listpack_value }
}

/// The engine and another server. Both use RESP3, in which scores have their own type.
pub(crate) struct Both<'s> {
    pub(crate) server: &'s mut Server,
    pub(crate) ours: Ours,
    pub(crate) limits: ListpackLimits,
    /// The keys of skip lists that may still be listpacks in Redis, which does not check the
    /// arguments of ZADD before it adds members.
    promoted: BTreeSet<Vec<u8>>,
}

/// A command with different replies.
pub(crate) struct Mismatch {
    /// The index of the command among those that were compared.
    pub(crate) index: usize,
    pub(crate) command: Command,
    /// The engine's reply; `None` if it panicked.
    pub(crate) ours: Option<Vec<u8>>,
    pub(crate) theirs: Vec<u8>,
}

impl Mismatch {
    /// Returns the command and both replies as text.
    pub(crate) fn report(&self) -> String {
        let Mismatch { command, ours, theirs, .. } = self;
        let ours = ours.as_ref().map_or("a panic".to_owned(), |ours| Reply::of(ours).to_string());
        format!("{command}\n  ours: {ours}\ntheirs: {}", Reply::of(theirs))
    }
}

/// A command that the engine has run.
struct Call {
    index: usize,
    command: Command,
    sample: Option<Sample>,
    reply: Option<Vec<u8>>,
}

impl<'s> Both<'s> {
    /// Removes all keys, sets the limits, and selects RESP3.
    pub(crate) fn new(server: &'s mut Server, limits: ListpackLimits) -> Both<'s> {
        let mut both = Both { server, ours: Ours::new(), limits, promoted: BTreeSet::new() };
        let ListpackLimits { max_listpack_entries: entries, max_listpack_value: value } = limits;
        let config = format!("zset-max-listpack-entries {entries} zset-max-listpack-value {value}");
        for line in ["HELLO 3", "FLUSHALL", &format!("CONFIG SET {config}")] {
            for reply in both.run(line) {
                assert!(!reply.starts_with(b"-"), "{line}: {}", reply.escape_ascii());
            }
        }
        both
    }

    /// Runs commands and returns the first with different replies. After a command that writes, the
    /// encodings of its key are compared too.
    pub(crate) fn compare(&mut self, commands: &[Command]) -> Result<(), Mismatch> {
        let mut calls: Vec<Call> = Vec::new();
        for (index, command) in commands.iter().enumerate() {
            let encoding = command.written_key().map(|key| command!["OBJECT", "ENCODING", key]);
            for command in [command.clone()].into_iter().chain(encoding) {
                let sample = Sample::key(&command).map(|key| self.elements(key));
                let sample = sample.map(|elements| Sample::new(&command, elements));
                // `AssertUnwindSafe` is justified, because the engine is not used again after a
                // panic.
                let run = AssertUnwindSafe(|| self.ours.run(&command));
                let reply = catch_unwind(run).ok();
                calls.push(Call { index, command, sample, reply });
            }
            if calls.iter().any(|call| call.reply.is_none()) {
                break;
            }
        }
        let commands: Vec<_> = calls.iter().map(|call| call.command.clone()).collect();
        let replies = self.server.run_all(&commands);
        for (call, theirs) in calls.into_iter().zip(replies) {
            if !self.agrees(&call, &theirs) {
                let Call { index, command, reply, .. } = call;
                return Err(Mismatch { index, command, ours: reply, theirs });
            }
        }
        Ok(())
    }

    fn agrees(&mut self, call: &Call, theirs: &[u8]) -> bool {
        let Some(ours) = &call.reply else { return false };
        let (kind, ours, theirs) = (self.server.kind, Reply::of(ours), Reply::of(theirs));
        if kind == Kind::Redis && self.is_promoted_by(&call.command) {
            self.promoted.insert(call.command.words()[1].clone());
        }
        if let [name, _, key] = call.command.words()
            && name == b"OBJECT"
        {
            return self.agrees_on_encoding(key, &ours, &theirs);
        }
        match &call.sample {
            Some(sample) if !matches!(ours, Reply::Line(b'-', _)) => {
                [ours, theirs].iter().all(|reply| sample.could_be(reply, kind))
            }
            _ => is_same(&ours, &theirs, kind),
        }
    }

    /// Returns whether the arguments of a command promote a set, even if it adds no member.
    fn is_promoted_by(&self, command: &Command) -> bool {
        let mut members = command.added_members();
        members.len() > self.limits.max_listpack_entries
            || members.any(|member| member.len() > self.limits.max_listpack_value)
    }

    fn agrees_on_encoding(&mut self, key: &[u8], ours: &Reply<'_>, theirs: &Reply<'_>) -> bool {
        if ours == theirs {
            self.promoted.remove(key);
            return true;
        }
        let encodings = [ours.to_string(), theirs.to_string()];
        self.promoted.contains(key) && encodings == ["\"skiplist\"", "\"listpack\""]
    }

    /// Returns the elements of a set in the engine.
    pub(crate) fn elements(&mut self, key: &[u8]) -> Elements {
        let reply = self.ours.run(&command!["ZRANGE", key, "0", "-1", "WITHSCORES"]);
        let pairs = Reply::of(&reply).into_parts().into_iter().map(|pair| {
            let pair: [_; 2] = pair.into_parts().try_into().expect("a pair");
            let [member, score] = pair.map(|text| text.into_text().to_vec());
            (member, score)
        });
        pairs.collect()
    }

    /// Runs a command in both; returns the engine's reply and the other server's.
    pub(crate) fn run(&mut self, command: impl Into<Command>) -> [Vec<u8>; 2] {
        let command = command.into();
        [self.ours.run(&command), self.server.run(&command)]
    }

    /// Like [`run`](Self::run), with the replies as strings.
    pub(crate) fn show(&mut self, line: &str) -> [String; 2] {
        self.run(line).map(|reply| Reply::of(&reply).to_string())
    }

    /// Runs a command. Panics if the replies differ.
    #[track_caller]
    pub(crate) fn agree(&mut self, command: impl Into<Command>) {
        self.agree_all([command]);
    }

    /// Runs commands. Panics if a reply differs.
    #[track_caller]
    pub(crate) fn agree_all<C: Into<Command>>(&mut self, commands: impl IntoIterator<Item = C>) {
        let commands: Vec<_> = commands.into_iter().map(Into::into).collect();
        if let Err(mismatch) = self.compare(&commands) {
            panic!("{}", mismatch.report());
        }
    }
}
