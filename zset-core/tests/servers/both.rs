//! [`Both`]: a server and a database of ours that do the same commands.

use std::panic::{AssertUnwindSafe, catch_unwind};

use zset_core::ListpackLimits;

use crate::answer::Answer;
use crate::client::Reply;
use crate::command::{Command, command};
use crate::front_end::Database;
use crate::server::Server;

/// The limits of Redis, and ones that let few elements or short members be in a listpack.
pub(crate) const LIMITS: [ListpackLimits; 5] =
    [limits(128, 64), limits(0, 64), limits(1, 64), limits(4, 64), limits(128, 4)];

const fn limits(max_listpack_entries: usize, max_listpack_value: usize) -> ListpackLimits {
    // Not a literal, should the type get a field.
    let mut limits = ListpackLimits { max_listpack_entries: 0, max_listpack_value: 0 };
    limits.max_listpack_entries = max_listpack_entries;
    limits.max_listpack_value = max_listpack_value;
    limits
}

pub(crate) struct Both<'s> {
    pub(crate) server: &'s mut Server,
    pub(crate) ours: Database,
}

/// A command that they answer differently.
pub(crate) struct Mismatch {
    /// The command's index among those that were done.
    pub(crate) index: usize,
    pub(crate) command: Command,
    /// None: it panicked.
    pub(crate) ours: Option<Answer>,
    pub(crate) theirs: Reply,
}

impl<'s> Both<'s> {
    /// Starts with no keys.
    pub(crate) fn new(server: &'s mut Server, limits: ListpackLimits) -> Both<'s> {
        let (entries, value) = (limits.max_listpack_entries, limits.max_listpack_value);
        server.order(&command!["FLUSHALL"]);
        server.order(&command!["CONFIG", "SET", "zset-max-listpack-entries", entries.to_string()]);
        server.order(&command!["CONFIG", "SET", "zset-max-listpack-value", value.to_string()]);
        let ours = Database::new(limits, server.kind);
        Both { server, ours }
    }

    /// Does the commands, and finds the first that the two answer differently. The encoding of what
    /// a command writes is compared behind it.
    pub(crate) fn compare(&mut self, commands: &[Command]) -> Result<(), Mismatch> {
        let mut done = Vec::new();
        let mut indexes = Vec::new();
        let mut answers = Vec::new();
        for (index, command) in commands.iter().enumerate() {
            let encoding = command.written_key().map(|key| command!["OBJECT", "ENCODING", key]);
            for command in [command.clone()].into_iter().chain(encoding) {
                answers.push(self.run(&command));
                done.push(command);
                indexes.push(index);
            }
            if answers.iter().any(Option::is_none) {
                break;
            }
        }

        let replies = self.server.ask_all(&done);
        for (((command, index), ours), theirs) in
            done.into_iter().zip(indexes).zip(answers).zip(replies)
        {
            let agree = |ours: &Answer| ours.agrees_with(&theirs, self.server.kind);
            if !ours.as_ref().is_some_and(agree) {
                return Err(Mismatch { index, command, ours, theirs });
            }
        }
        Ok(())
    }

    /// Compares all that is in the sets.
    pub(crate) fn compare_sets(&mut self) -> Result<(), Mismatch> {
        let elements = |key| command!["ZRANGE", key, "0", "-1", "WITHSCORES"];
        let commands: Vec<Command> = self.ours.keys().map(elements).collect();
        self.compare(&commands)
    }

    fn run(&mut self, command: &Command) -> Option<Answer> {
        // A panic is shown with the commands that lead to it; what it leaves is not used.
        catch_unwind(AssertUnwindSafe(|| self.ours.run(command))).ok()
    }

    /// Does one command.
    ///
    /// # Panics
    ///
    /// If the two answer differently.
    #[track_caller]
    pub(crate) fn agree(&mut self, command: &Command) {
        if let Err(Mismatch { command, ours, theirs, .. }) =
            self.compare(std::slice::from_ref(command))
        {
            panic!("{command}\n  ours: {ours:?}\ntheirs: {theirs:?}");
        }
    }
}
