//! `fixed` compares `FixedSortedSet` with the fixed-capacity collections of the crate `heapless`.
//!
//! Members and scores are random, and few scores are equal. A single collection is so small that
//! branch predictors could learn its comparisons. Therefore, many collections are filled and
//! emptied one after the other, each with different elements.

use std::hint::black_box;
use std::iter;

use heapless::binary_heap::{self, BinaryHeap};
use heapless::index_map::FnvIndexMap;
use heapless::sorted_linked_list::{self, SortedLinkedList};
use rand::RngExt;
use zset_core::FixedSortedSet;

use crate::comparison::{Comparison, Contender, Operation, Plan, build, calls};
use crate::measure::{Measured, Rounds, as_f64, contents, each, sum, to_peers};
use crate::options::{Common, MAX_CALLS, within};
use crate::random::{generator, repeat};
use crate::record::Record;

/// The name of the tables.
pub(crate) const TABLE: &str = "FixedSortedSet";

/// The legend of the tables.
pub const LEGEND: &str = "\
Members and scores are u32. Insert includes making the value; remove and pop empty it. A dash: the peer
cannot do that, or only with a copy of its elements. Where it scans all elements, its time includes that.
";

/// What to measure.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Calls in a round, 1 to 100000000; rounded up to fill whole sets.
    // The default is so low that other processes rarely interrupt a round, even of the slowest
    // contender.
    #[arg(long, default_value_t = 3_000, value_parser = within(1, MAX_CALLS))]
    pub calls: usize,
    /// What most commands have.
    #[command(flatten)]
    pub common: Common,
}

/// Measures a table for each capacity.
pub fn measure(options: &Options) -> Vec<Record> {
    [of::<16>(options), of::<64>(options), of::<256>(options), of::<1024>(options)].concat()
}

/// Measures the table of a capacity, with the sizes of the types.
fn of<const N: usize>(options: &Options) -> Vec<Record> {
    let table = table::<N>();
    let plan = Plan { count: options.calls, ..table.plan(N, options.common.rounds_or(101)) };
    let bytes = [
        size_of::<ZsetFixed<N>>(),
        size_of::<Heap<N>>(),
        size_of::<LinkedList<N>>(),
        size_of::<IndexMap<N>>(),
    ];
    let bytes = Rounds(vec![bytes.map(|bytes| Some(as_f64(bytes))).into()]);
    let what = ("size_of, bytes", "bytes");
    [table.measure(&plan), bytes.records((TABLE, N), what, &table.names(), to_peers(1))].concat()
}

/// Returns the table of a capacity.
pub fn table<const N: usize>() -> Comparison {
    let contenders = vec![
        contender::<ZsetFixed<N>, N>(),
        contender::<Heap<N>, N>(),
        contender::<LinkedList<N>, N>(),
        contender::<IndexMap<N>, N>(),
    ];
    Comparison::new(TABLE, Workload::<N>::new, contenders)
}

/// A member with its score.
pub type Element = (u32, u32);

/// Members with scores, in fixed memory.
///
/// Each contender implements every operation in the best way that its public API allows without a
/// copy of its elements, even if that is a scan: at these sizes a scan may be fast enough. The
/// workload never inserts a member twice, since some contenders would store it twice.
pub trait Fixed: Sized + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that the contender does not support. The tables show a dash for them, and the
    /// methods that they need are never called.
    const LACKS: &'static [&'static str] = &[];

    /// Returns an empty value.
    fn new() -> Self;

    /// Inserts a new member; there is room.
    fn insert(&mut self, member: u32, score: u32);

    /// Removes and returns the first element by `(score, member)`.
    fn pop_first(&mut self) -> Option<Element>;

    /// Returns the score of a member.
    fn score(&self, member: u32) -> Option<u32>;

    /// Returns the number of elements before a member by `(score, member)`.
    fn rank(&self, member: u32) -> Option<usize>;

    // The defaults of the following methods are for contenders that do not support them.

    /// Updates the score of a member, which is present.
    fn update(&mut self, _member: u32, _score: u32) {}

    /// Removes a member, and returns its score.
    fn remove(&mut self, _member: u32) -> Option<u32> {
        None
    }

    /// Returns the first `n` elements in order.
    fn first(&self, _n: usize) -> impl Iterator<Item = Element> {
        iter::empty()
    }
}

// The operations that at least one contender does not support.
const UPDATE: &str = "update of a score";
const REMOVE: &str = "remove a member";
const FIRST_TEN: &str = "the ten smallest in order";

/// Returns a contender with the operations that it offers.
pub fn contender<C: Fixed, const N: usize>() -> Contender<Workload<N>> {
    let operations: [Operation<Workload<N>, C>; _] = [
        // Creates empty collections and fills them.
        build("insert up to N", |it| {
            let mut last = C::new();
            let measured = Measured::of(it.fills.len() * N, || {
                for elements in &it.fills {
                    last = black_box(filled(elements));
                }
                0
            });
            (measured, last)
        }),
        calls("score of a member", |it, set, most| {
            each(&it.asked, most, |(member, _)| set.score(*member).map_or(0, u64::from))
        }),
        calls(UPDATE, |it, set, most| {
            each(&it.asked, most, |(member, score)| {
                set.update(*member, *score);
                0
            })
        }),
        // Removes all members of full collections, in the order of their insertion.
        build(REMOVE, |it| it.empty_all(|set: &mut C, it| set.remove(it).map_or(0, u64::from))),
        build("pop the smallest", |it| {
            it.empty_all(|set: &mut C, _| set.pop_first().map_or(0, digest))
        }),
        calls(FIRST_TEN, |it, set, most| {
            each(&it.asked, most, |_| sum(black_box(&*set).first(10).map(digest)))
        }),
        calls("rank of a member", |it, set, most| {
            each(&it.asked, most, |(member, _)| set.rank(*member).unwrap_or(0) as u64)
        }),
    ];
    let load = |it: &Workload<N>| filled(&it.fills[0]);
    let contents = |_: &_, mut last: C| contents(iter::from_fn(|| last.pop_first()).map(digest));
    Contender::new(C::NAME, load, contents, operations).only(|label| !C::LACKS.contains(&label))
}

/// The elements of one round, and the arguments of all operations.
pub struct Workload<const N: usize> {
    /// The elements of each collection, members and scores.
    fills: Vec<[Element; N]>,
    /// Members of the first collection, with new scores.
    asked: Vec<Element>,
}

impl<const N: usize> Workload<N> {
    /// Generates the workload for about this many calls, deterministically for each `seed`.
    pub fn new(calls: usize, seed: u64) -> Self {
        let mut rng = generator(seed);
        let mut fill = || {
            // Multiplying by an odd factor maps distinct numbers to distinct members.
            let (first, factor) = (rng.random::<u32>(), rng.random::<u32>() | 1);
            let mut members = (first..=u32::MAX).chain(0..first);
            [(); N].map(|()| {
                let number = members.next().map_or(0, |number| number.wrapping_mul(factor));
                (number, rng.random())
            })
        };
        let fills = repeat(calls.div_ceil(N), &mut fill);
        let asked = repeat(calls, || (fills[0][rng.random_range(0..N)].0, rng.random()));
        Workload { fills, asked }
    }

    /// Builds a full collection from each of the fills, and times how long it takes to empty all of
    /// them, with one call per member.
    fn empty_all<C: Fixed>(&self, take: impl Fn(&mut C, u32) -> u64) -> (Measured, C) {
        let mut all: Vec<C> = self.fills.iter().map(|elements| filled(elements)).collect();
        let measured = Measured::of(self.fills.len() * N, || {
            let calls = all.iter_mut().zip(&self.fills);
            let of_one = |(set, elements): (&mut C, &[Element; N])| {
                sum(elements.iter().map(|&(member, _)| take(set, member)))
            };
            black_box(sum(calls.map(of_one)))
        });
        (measured, all.pop().unwrap_or_else(C::new))
    }
}

fn filled<C: Fixed, const N: usize>(elements: &[Element; N]) -> C {
    let mut set = C::new();
    for &(member, score) in elements {
        set.insert(member, score);
    }
    set
}

fn digest((member, score): Element) -> u64 {
    u64::from(member) << 32 | u64::from(score)
}

/// The subject.
pub type ZsetFixed<const N: usize> = FixedSortedSet<u32, u32, N>;

/// A heap, whose elements other than the first are found by scans and cannot be changed.
pub type Heap<const N: usize> = BinaryHeap<Element, binary_heap::Min, N>;

/// A list with links of two bytes, like the slot numbers of the subject.
pub type LinkedList<const N: usize> = SortedLinkedList<Element, sorted_linked_list::Min, N, u16>;

/// A hash table, which has no order by score.
pub type IndexMap<const N: usize> = FnvIndexMap<u32, u32, N>;

impl<const N: usize> Fixed for ZsetFixed<N> {
    const NAME: &'static str = "zset";

    fn new() -> Self {
        FixedSortedSet::new()
    }

    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.try_insert(member, score);
        debug_assert_eq!(inserted, Ok(None));
    }

    fn pop_first(&mut self) -> Option<Element> {
        self.pop_first()
    }

    fn score(&self, member: u32) -> Option<u32> {
        self.score(&member).copied()
    }

    fn rank(&self, member: u32) -> Option<usize> {
        self.rank(&member)
    }

    fn update(&mut self, member: u32, score: u32) {
        self.update(&member, |_| score);
    }

    fn remove(&mut self, member: u32) -> Option<u32> {
        self.remove(&member)
    }

    fn first(&self, n: usize) -> impl Iterator<Item = Element> {
        self.iter().take(n).map(|(&member, &score)| (member, score))
    }
}

/// The methods that are the same for the heap and the list.
macro_rules! same_methods {
    () => {
        fn insert(&mut self, member: u32, score: u32) {
            let inserted = self.push((score, member));
            debug_assert_eq!(inserted, Ok(()));
        }

        fn pop_first(&mut self) -> Option<Element> {
            self.pop().map(|(score, member)| (member, score))
        }

        fn score(&self, member: u32) -> Option<u32> {
            self.iter().find(|element| element.1 == member).map(|element| element.0)
        }
    };
}

impl<const N: usize> Fixed for Heap<N> {
    const NAME: &'static str = "BinaryHeap";
    const LACKS: &'static [&'static str] = &[UPDATE, REMOVE, FIRST_TEN];

    same_methods!();

    fn new() -> Self {
        BinaryHeap::new()
    }

    fn rank(&self, member: u32) -> Option<usize> {
        let element = (self.score(member)?, member);
        Some(self.iter().filter(|other| **other < element).count())
    }
}

impl<const N: usize> Fixed for LinkedList<N> {
    const NAME: &'static str = "SortedLinkedList";

    same_methods!();

    fn new() -> Self {
        SortedLinkedList::new_u16()
    }

    fn rank(&self, member: u32) -> Option<usize> {
        self.iter().position(|element| element.1 == member)
    }

    fn update(&mut self, member: u32, score: u32) {
        if let Some(mut element) = self.find_mut(|element| element.1 == member) {
            element.0 = score;
            element.finish();
        }
    }

    fn remove(&mut self, member: u32) -> Option<u32> {
        Some(self.find_mut(|element| element.1 == member)?.pop().0)
    }

    fn first(&self, n: usize) -> impl Iterator<Item = Element> {
        self.iter().take(n).map(|&(score, member)| (member, score))
    }
}

impl<const N: usize> Fixed for IndexMap<N> {
    const NAME: &'static str = "FnvIndexMap";
    const LACKS: &'static [&'static str] = &[FIRST_TEN];

    fn new() -> Self {
        FnvIndexMap::new()
    }

    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.insert(member, score);
        debug_assert_eq!(inserted, Ok(None));
    }

    fn pop_first(&mut self) -> Option<Element> {
        let (&member, &score) = self.iter().min_by_key(|(member, score)| (**score, **member))?;
        self.swap_remove(&member);
        Some((member, score))
    }

    fn score(&self, member: u32) -> Option<u32> {
        self.get(&member).copied()
    }

    fn rank(&self, member: u32) -> Option<usize> {
        let element = (self.score(member)?, member);
        Some(self.iter().filter(|(member, score)| (**score, **member) < element).count())
    }

    fn update(&mut self, member: u32, score: u32) {
        if let Some(old) = self.get_mut(&member) {
            *old = score;
        }
    }

    fn remove(&mut self, member: u32) -> Option<u32> {
        self.swap_remove(&member)
    }
}
