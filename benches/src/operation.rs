//! What is done to the sets.

/// An operation whose time is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Inserts in a random order, from the empty set to `n` elements.
    Insert,
    /// The score of a random member.
    Score,
    /// The rank of a random member.
    Rank,
    /// The element at a random rank.
    Select,
    /// The first 10 elements from a random score on.
    TenByScore,
    /// The first 100.
    HundredByScore,
    /// The first 1000.
    ThousandByScore,
    /// 100 elements from a random rank on.
    HundredByRank,
    /// How many elements lie between two random scores.
    Count,
    /// All elements, in order; the time of one.
    Iterate,
    /// A random member's score moves a little, as when a player wins a few points.
    SmallStep,
    /// A random member's score grows, by up to a tenth of the whole range.
    Increment,
    /// A random member gets a random new score.
    Update,
    /// Four reads of a score to one update, of members of which few are asked for often.
    Mix,
    /// A new last element is inserted and the first one removed.
    SlidingWindow,
    /// Removes the first element, until half of the set is left.
    PopFirst,
    /// Inserts in the order of the set, from the empty set to `n` elements.
    Append,
    /// A set of all elements at once, in a random order.
    BulkUnsorted,
    /// A set of all elements at once, in the order of the set.
    BulkSorted,
    /// The half of the elements moves to a set of the other half.
    Union,
    /// 100 elements from a random member on, where all scores are equal.
    ByMember,
}

impl Operation {
    /// All of them. The first ones work on one set, in an order in which each finds what it needs: the
    /// load, then what only reads, so that the figures for reading do not depend on which writes are
    /// measured. Those from [`Append`](Self::Append) on make their own set.
    pub const ALL: [Operation; 21] = [
        Operation::Insert,
        Operation::Score,
        Operation::Rank,
        Operation::Select,
        Operation::TenByScore,
        Operation::HundredByScore,
        Operation::ThousandByScore,
        Operation::HundredByRank,
        Operation::Count,
        Operation::Iterate,
        Operation::SmallStep,
        Operation::Increment,
        Operation::Update,
        Operation::Mix,
        Operation::SlidingWindow,
        Operation::PopFirst,
        Operation::Append,
        Operation::BulkUnsorted,
        Operation::BulkSorted,
        Operation::Union,
        Operation::ByMember,
    ];

    /// Returns the name that the command line takes.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Insert => "insert",
            Operation::Score => "score",
            Operation::Rank => "rank",
            Operation::Select => "select",
            Operation::TenByScore => "10-by-score",
            Operation::HundredByScore => "100-by-score",
            Operation::ThousandByScore => "1000-by-score",
            Operation::HundredByRank => "100-by-rank",
            Operation::Count => "count",
            Operation::Iterate => "iterate",
            Operation::SmallStep => "small-step",
            Operation::Increment => "increment",
            Operation::Update => "update",
            Operation::Mix => "mix",
            Operation::SlidingWindow => "window",
            Operation::PopFirst => "pop",
            Operation::Append => "append",
            Operation::BulkUnsorted => "bulk",
            Operation::BulkSorted => "bulk-sorted",
            Operation::Union => "union",
            Operation::ByMember => "by-member",
        }
    }

    /// Returns the operation with this name.
    pub fn from_name(name: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Returns the head of its row in a table.
    pub fn label(self) -> &'static str {
        match self {
            Operation::TenByScore => "10 by score",
            Operation::HundredByScore => "100 by score",
            Operation::ThousandByScore => "1000 by score",
            Operation::HundredByRank => "100 by rank",
            Operation::Count => "count by score",
            Operation::Iterate => "iterate, an element",
            Operation::SmallStep => "small step",
            Operation::Mix => "Zipf mix, 80 % reads",
            Operation::SlidingWindow => "sliding window",
            Operation::PopFirst => "pop first",
            Operation::BulkUnsorted => "bulk, unsorted, an element",
            Operation::BulkSorted => "bulk, sorted, an element",
            Operation::Union => "union of halves, an element",
            Operation::ByMember => "100 by member",
            _ => self.name(),
        }
    }

    /// Returns whether it leaves the set as it was.
    pub fn only_reads(self) -> bool {
        matches!(
            self,
            Operation::Score
                | Operation::Rank
                | Operation::Select
                | Operation::TenByScore
                | Operation::HundredByScore
                | Operation::ThousandByScore
                | Operation::HundredByRank
                | Operation::Count
                | Operation::Iterate
                | Operation::ByMember
        )
    }

    /// Returns whether it needs to know how many elements are below another one.
    pub fn needs_ranks(self) -> bool {
        matches!(
            self,
            Operation::Rank | Operation::Select | Operation::HundredByRank | Operation::Count
        )
    }

    /// Returns whether it makes a set of its own, and changes none.
    pub fn makes_its_own_set(self) -> bool {
        self as usize >= Operation::Append as usize
    }
}
