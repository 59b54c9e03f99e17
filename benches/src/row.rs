//! The rows of the table that the program prints.

use crate::workload::Operation;

/// A row: what it shows for each contender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// The time of an operation, in nanoseconds.
    Time(Operation),
    /// The heap memory of a set after the load, in bytes an element.
    Memory,
}

impl Row {
    /// All rows, from top to bottom.
    pub const ALL: [Row; 9] = [
        Row::Time(Operation::Insert),
        Row::Time(Operation::Update),
        Row::Time(Operation::SmallStep),
        Row::Time(Operation::Score),
        Row::Time(Operation::Rank),
        Row::Time(Operation::Select),
        Row::Time(Operation::Range),
        Row::Time(Operation::PopFirst),
        Row::Memory,
    ];

    /// Returns the name that `--ops` takes.
    pub fn name(self) -> &'static str {
        match self {
            Row::Time(Operation::Insert) => "insert",
            Row::Time(Operation::Update) => "update",
            Row::Time(Operation::SmallStep) => "small-step",
            Row::Time(Operation::Score) => "score",
            Row::Time(Operation::Rank) => "rank",
            Row::Time(Operation::Select) => "select",
            Row::Time(Operation::Range) => "range",
            Row::Time(Operation::PopFirst) => "pop-first",
            Row::Memory => "memory",
        }
    }

    /// Returns the row with this name.
    pub fn from_name(name: &str) -> Option<Row> {
        Row::ALL.into_iter().find(|row| row.name() == name)
    }

    /// Returns the head of the row in a table.
    pub fn label(self) -> &'static str {
        match self {
            Row::Time(Operation::SmallStep) => "small step",
            Row::Time(Operation::Range) => "100 by score",
            Row::Time(Operation::PopFirst) => "pop first",
            Row::Memory => "memory, bytes/entry",
            Row::Time(_) => self.name(),
        }
    }
}
