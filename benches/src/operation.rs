//! The measured operations.

/// A measured operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Inserts in random order, from the empty set up to `n` elements.
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
    /// All elements, in order; the time per element.
    Iterate,
    /// Moves a random member's score a little, as when a player wins a few points.
    SmallStep,
    /// Increases a random member's score by up to a tenth of the whole range.
    Increment,
    /// Gives a random member a random new score.
    Update,
    /// Four score lookups to one update, with Zipf-distributed members.
    Mix,
    /// Inserts a new last element and removes the first one.
    SlidingWindow,
    /// Removes the first element until half of the set remains.
    PopFirst,
    /// Inserts in set order, from the empty set up to `n` elements.
    Append,
    /// Builds a set from all elements at once, in random order.
    BulkUnsorted,
    /// Builds a set from all elements at once, in set order.
    BulkSorted,
    /// Moves half of the elements into a set of the other half.
    Union,
    /// 100 elements from a random member on, where all scores are equal.
    ByMember,
}

/// All operations in the order of the enum, with their names on the command line and in tables.
const ROWS: [(Operation, &str, &str); 21] = [
    (Operation::Insert, "insert", "insert"),
    (Operation::Score, "score", "score"),
    (Operation::Rank, "rank", "rank"),
    (Operation::Select, "select", "select"),
    (Operation::TenByScore, "10-by-score", "10 by score"),
    (Operation::HundredByScore, "100-by-score", "100 by score"),
    (Operation::ThousandByScore, "1000-by-score", "1000 by score"),
    (Operation::HundredByRank, "100-by-rank", "100 by rank"),
    (Operation::Count, "count", "count by score"),
    (Operation::Iterate, "iterate", "iterate, an element"),
    (Operation::SmallStep, "small-step", "small step"),
    (Operation::Increment, "increment", "increment"),
    (Operation::Update, "update", "update"),
    (Operation::Mix, "mix", "Zipf mix, 80 % reads"),
    (Operation::SlidingWindow, "window", "sliding window"),
    (Operation::PopFirst, "pop", "pop first"),
    (Operation::Append, "append", "append"),
    (Operation::BulkUnsorted, "bulk", "bulk, unsorted, an element"),
    (Operation::BulkSorted, "bulk-sorted", "bulk, sorted, an element"),
    (Operation::Union, "union", "union of halves, an element"),
    (Operation::ByMember, "by-member", "100 by member"),
];

impl Operation {
    /// All operations. Those before [`Append`](Self::Append) work on one set, in an order that
    /// gives each the state it needs: first the load, then the reads, so that the results for reads
    /// do not depend on which writes are measured. Those from [`Append`](Self::Append) on build
    /// their own set.
    pub const ALL: [Operation; ROWS.len()] = {
        let mut all = [Operation::Insert; ROWS.len()];
        let mut place = 0;
        while place < all.len() {
            all[place] = ROWS[place].0;
            place += 1;
        }
        all
    };

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        ROWS[self as usize].1
    }

    /// Returns the label of its row in a table.
    pub fn label(self) -> &'static str {
        ROWS[self as usize].2
    }

    /// Returns the operation with this name.
    pub fn from_name(name: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Returns whether the operation leaves the set unchanged.
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

    /// Returns whether the operation needs ranks.
    pub fn needs_ranks(self) -> bool {
        matches!(
            self,
            Operation::Rank | Operation::Select | Operation::HundredByRank | Operation::Count
        )
    }

    /// Returns whether the operation builds a set of its own and leaves the given one unchanged.
    pub fn makes_its_own_set(self) -> bool {
        self as usize >= Operation::Append as usize
    }
}
