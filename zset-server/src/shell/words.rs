//! [`Word`]: the words that the shell understands in addition to commands.

/// A word of the shell.
#[derive(Debug)]
pub(super) struct Word {
    /// In lowercase.
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
    pub(super) summary: &'static str,
    pub(super) kind: WordKind,
}

/// The action of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Help,
    Show,
    Clear,
    Leave,
}

/// All words.
pub(super) static WORDS: &[Word] = &[
    Word {
        name: "show",
        arguments: "key [LIMIT count]",
        summary: "Draws how a sorted set is stored.",
        kind: WordKind::Show,
    },
    Word {
        name: "help",
        arguments: "[command | @group]",
        summary: "Says how a command is written.",
        kind: WordKind::Help,
    },
    Word {
        name: "?",
        arguments: "[command | @group]",
        summary: "Says how a command is written.",
        kind: WordKind::Help,
    },
    Word { name: "clear", arguments: "", summary: "Clears the screen.", kind: WordKind::Clear },
    Word { name: "quit", arguments: "", summary: "Leaves.", kind: WordKind::Leave },
    Word { name: "exit", arguments: "", summary: "Leaves.", kind: WordKind::Leave },
];

impl Word {
    /// Returns the word with a name, ignoring case.
    pub(super) fn find(name: &[u8]) -> Option<&'static Word> {
        WORDS.iter().find(|word| word.name.as_bytes().eq_ignore_ascii_case(name))
    }
}
