//! Random operations on a `ZSet`, in both encodings and across conversions between them, compared with a
//! sorted vector.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};
use zset_core::redis::{AddFlags, AddOptions, Added};
use zset_core::{Encoding, ListpackLimits, PackedZSet, Score, ZSet, rdb};

/// Longer inputs find no more than further inputs do.
const MOST_OPERATIONS: usize = 80;

/// A member from a small range, so that members collide, or any member; some are texts of integers.
#[derive(Arbitrary, Clone, Debug)]
enum Member {
    Few(u8),
    Integer(i64),
    Long(u8),
    Any(Vec<u8>),
}

impl Member {
    fn bytes(self) -> Vec<u8> {
        match self {
            Member::Few(number) => (number % 32).to_string().into_bytes(),
            Member::Integer(integer) => integer.to_string().into_bytes(),
            Member::Long(len) => vec![b'x'; len.into()],
            Member::Any(bytes) => bytes,
        }
    }
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Number {
    Few(i8),
    Any(f64),
    Infinite(bool),
}

impl Number {
    fn score(self) -> Score {
        let number = match self {
            Number::Few(number) => f64::from(number % 4),
            Number::Any(number) => number,
            Number::Infinite(true) => f64::INFINITY,
            Number::Infinite(false) => f64::NEG_INFINITY,
        };
        Score::new(number).unwrap_or_default()
    }
}

#[derive(Arbitrary, Debug)]
enum Operation {
    Add(Member, Number, [bool; 5]),
    Increment(Member, Number),
    Run { first: u8, len: u8, score: Number, step: i8 },
    Remove(Member),
    PopMin(u8),
    PopMax(u8),
    RemoveRangeByRank(Bound<u8>, Bound<u8>),
    DrainByRank(Bound<u8>, Bound<u8>),
    SplitOff(u8),
    RemoveRangeByScore(Bound<Number>, Bound<Number>),
    RemoveRangeByLex(Bound<Member>, Bound<Member>),
    Retain(u8),
    Promote,
    ShrinkToFit,
    DumpAndRestore,
    Clear,
    RangeByRank(Bound<u8>, Bound<u8>),
    RangeByScore(Bound<Number>, Bound<Number>),
    RangeByLex(Bound<Member>, Bound<Member>),
    Scan { count: u8, cursor: u64 },
}

fn score_range(start: Bound<Number>, end: Bound<Number>) -> (Bound<Score>, Bound<Score>) {
    (start.map(Number::score), end.map(Number::score))
}

type Elements = Vec<(Vec<u8>, Score)>;

/// The set, a copy in a fixed buffer while it is a listpack, and a vector.
struct Subjects {
    set: ZSet,
    packed: Option<PackedZSet<[u8; 1500]>>,
    naive: Elements,
}

impl Subjects {
    fn new(limits: ListpackLimits) -> Self {
        let packed = PackedZSet::with_storage([0; 1500]).ok();
        Subjects { set: ZSet::with_limits(limits), packed, naive: Vec::new() }
    }

    fn sort(&mut self) {
        self.naive.sort_by(|(m, s), (n, t)| match s.cmp(t) {
            Ordering::Equal => m.cmp(n),
            order => order,
        });
    }

    /// Removes the elements for which `taken` returns true, and returns them.
    fn take(&mut self, mut taken: impl FnMut(usize, &[u8], Score) -> bool) -> Elements {
        let (mut out, mut rank) = (Elements::new(), 0);
        self.naive.retain(|(member, score)| {
            let is_taken = taken(rank, member, *score);
            rank += 1;
            if is_taken {
                out.push((member.clone(), *score));
            }
            !is_taken
        });
        out
    }

    fn score(&self, member: &[u8]) -> Option<Score> {
        self.naive.iter().find(|(other, _)| other == member).map(|&(_, score)| score)
    }

    fn put(&mut self, member: &[u8], score: Score) {
        self.naive.retain(|(other, _)| other != member);
        self.naive.push((member.to_vec(), score));
        self.sort();
    }

    fn add(&mut self, member: &[u8], score: Score, options: AddOptions, flags: AddFlags) {
        let old = self.score(member);
        let new = if flags.incr {
            old.map_or(Some(score), |old| old.checked_add(score.get()).ok())
        } else {
            Some(score)
        };
        let blocked = match (old, new) {
            (None, _) => flags.xx,
            (Some(_), _) if flags.nx => true,
            (Some(old), Some(new)) => flags.gt && new <= old || flags.lt && new >= old,
            (Some(_), None) => false,
        };
        let added = self.set.add(member, score, options);
        match (blocked, new) {
            (true, _) => assert_eq!(added, Ok(Added::Blocked)),
            (false, None) => assert!(added.is_err()),
            (false, Some(new)) => {
                assert_eq!(added.unwrap().score(), Some(new));
                assert_eq!(added.unwrap().is_inserted(), old.is_none());
                assert_eq!(added.unwrap().is_changed(), old != Some(new));
                self.put(member, new);
            }
        }
        // If the buffer is full, the call leaves it unchanged, and the comparison with it ends.
        if let Some(packed) = &mut self.packed {
            let before = packed.clone();
            match packed.try_add(member, score, options) {
                Err(zset_core::redis::AddError::Full(_)) => {
                    assert_eq!(packed.as_listpack(), before.as_listpack());
                    self.packed = None;
                }
                other => assert_eq!(other.ok(), added.ok()),
            }
        }
    }

    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Add(member, score, [nx, xx, gt, lt, incr]) => {
                let flags = AddFlags { nx, xx, gt, lt, ch: false, incr };
                match AddOptions::from_flags(flags) {
                    Ok(options) => self.add(&member.bytes(), score.score(), options, flags),
                    Err(_) => assert!(nx && xx || u8::from(nx) + u8::from(gt) + u8::from(lt) > 1),
                }
            }
            Operation::Increment(member, by) => {
                let flags = AddFlags { incr: true, ..AddFlags::default() };
                self.add(&member.bytes(), by.score(), AddOptions::new().incr(), flags);
            }
            Operation::Run { first, len, score, step } => {
                for i in 0..len {
                    let member = format!("{}", i32::from(first) + i32::from(i) * i32::from(step));
                    let score = score.score();
                    self.add(member.as_bytes(), score, AddOptions::new(), AddFlags::default());
                }
            }
            Operation::Remove(member) => {
                let member = member.bytes();
                assert_eq!(self.set.remove(&member), self.score(&member));
                self.packed.as_mut().map(|packed| packed.remove(&member));
                self.naive.retain(|(other, _)| *other != member);
            }
            Operation::PopMin(count) => {
                let expected = self.take(|rank, _, _| rank < count.into());
                let popped = self.set.pop_min(count.into());
                assert!(popped.into_iter().map(|(m, s)| (m.to_vec(), s)).eq(expected));
                self.packed
                    .as_mut()
                    .map(|packed| packed.remove_range_by_rank(..usize::from(count)));
            }
            Operation::PopMax(count) => {
                let len = self.naive.len();
                let mut expected = self.take(|rank, _, _| rank + usize::from(count) >= len);
                expected.reverse();
                let popped = self.set.pop_max(count.into());
                assert!(popped.into_iter().map(|(m, s)| (m.to_vec(), s)).eq(expected));
                if let Some(packed) = &mut self.packed {
                    (0..count).for_each(|_| _ = packed.pop_last_with(|_, _| ()));
                }
            }
            Operation::RemoveRangeByRank(start, end) => {
                let range = (start.map(usize::from), end.map(usize::from));
                let removed = self.take(|rank, _, _| range.contains(&rank)).len();
                assert_eq!(self.set.remove_range_by_rank(range), removed);
                self.packed.as_mut().map(|packed| packed.remove_range_by_rank(range));
            }
            Operation::DrainByRank(start, end) => {
                let range = (start.map(usize::from), end.map(usize::from));
                let removed = self.take(|rank, _, _| range.contains(&rank));
                let drained = self.set.drain_by_rank(range);
                assert!(drained.map(|(m, s)| (m.to_vec(), s)).eq(removed));
                self.packed.as_mut().map(|packed| packed.remove_range_by_rank(range));
            }
            Operation::SplitOff(at) => {
                let at = usize::from(at);
                let removed = self.take(|rank, _, _| rank >= at);
                let upper = self.set.split_off_by_rank(at);
                upper.check();
                assert!(upper.iter().map(|(m, s)| (m.to_vec(), s)).eq(removed));
                self.packed.as_mut().map(|packed| packed.remove_range_by_rank(at..));
            }
            Operation::RemoveRangeByScore(start, end) => {
                let range = score_range(start, end);
                let removed = self.take(|_, _, score| range.contains(&score)).len();
                assert_eq!(self.set.remove_range_by_score(range), removed);
                self.packed.as_mut().map(|packed| packed.remove_range_by_score(range));
            }
            Operation::Retain(divisor) => {
                let divisor = usize::from(divisor).max(1);
                self.take(|_, member, _| member.len() % divisor == 0);
                self.set.retain(|member, _| member.len() % divisor != 0);
                if let Some(packed) = &mut self.packed {
                    packed.retain(|member, _| member.len() % divisor != 0);
                }
            }
            Operation::Promote => self.set.promote(),
            Operation::ShrinkToFit => self.set.shrink_to_fit(),
            Operation::DumpAndRestore => {
                let restored = rdb::restore_with_limits(&rdb::dump(&self.set), self.set.limits());
                self.set = restored.expect("a dump of our own");
            }
            Operation::Clear => {
                self.set.clear();
                self.naive.clear();
                self.packed.as_mut().map(PackedZSet::clear);
            }
            operation => self.ask(operation),
        }
    }

    fn ask(&mut self, operation: Operation) {
        match operation {
            Operation::RangeByRank(start, end) => {
                let range = (start.map(usize::from), end.map(usize::from));
                let ranked = self.naive.iter().enumerate().filter(|(rank, _)| range.contains(rank));
                assert!(same(self.set.range_by_rank(range), ranked.map(|(_, element)| element)));
            }
            Operation::RangeByScore(start, end) => {
                let range = score_range(start, end);
                let expected = self.naive.iter().filter(|(_, score)| range.contains(score));
                assert!(same(self.set.range_by_score(range), expected.clone()));
                assert_eq!(self.set.count_by_score(range), expected.count());
            }
            Operation::RangeByLex(start, end) => self.lex(start, end, false),
            Operation::RemoveRangeByLex(start, end) => self.lex(start, end, true),
            Operation::Scan { count, cursor } => {
                self.set.scan(cursor, count.into());
                let (mut next, mut seen) = (0, Elements::new());
                loop {
                    let (after, page) = self.set.scan(next, count.into());
                    seen.extend(page.into_iter().map(|(m, s)| (m.to_vec(), s)));
                    if after == 0 {
                        break;
                    }
                    next = after;
                }
                seen.sort();
                let mut all = self.naive.clone();
                all.sort();
                assert_eq!(seen, all);
            }
            _ => unreachable!("all others change the set"),
        }
    }

    fn lex(&mut self, start: Bound<Member>, end: Bound<Member>, is_removing: bool) {
        let (start, end) = (start.map(Member::bytes), end.map(Member::bytes));
        let range = (start.as_ref().map(|m| &m[..]), end.as_ref().map(|m| &m[..]));
        let is_uniform = self.naive.windows(2).all(|pair| pair[0].1 == pair[1].1);
        if !is_uniform {
            // Which elements is unspecified, but not how many.
            let len = self.set.range_by_lex(range).count();
            assert_eq!(self.set.count_by_lex(range), len);
            return;
        }
        let expected = self.naive.iter().filter(|(member, _)| range.contains(&&member[..]));
        assert!(same(self.set.range_by_lex(range), expected.clone()));
        let len = expected.count();
        assert_eq!(self.set.count_by_lex(range), len);
        if is_removing {
            assert_eq!(self.set.remove_range_by_lex(range), len);
            self.packed.as_mut().map(|packed| packed.remove_range_by_lex(range));
            self.naive.retain(|(member, _)| !range.contains(&&member[..]));
        }
    }

    fn check(&self) {
        self.set.check();
        assert!(same(self.set.iter(), self.naive.iter()));
        assert!(same(self.set.iter().rev(), self.naive.iter().rev()));
        for (rank, (member, score)) in self.naive.iter().enumerate() {
            assert_eq!(self.set.rank(member), Some(rank));
            assert_eq!(self.set.score(member), Some(*score));
        }
        if let Some(packed) = &self.packed {
            packed.check();
            assert!(same(packed.iter(), self.naive.iter()));
        }
    }
}

/// Compares the elements of a set with the expected ones.
fn same<'a, 'b>(
    elements: impl Iterator<Item = (zset_core::Member<'a>, Score)>,
    expected: impl Iterator<Item = &'b (Vec<u8>, Score)>,
) -> bool {
    elements.map(|(member, score)| (member.to_vec(), score)).eq(expected.cloned())
}

fuzz_target!(|input: (u8, u8, Vec<Operation>)| {
    let (entries, value, operations) = input;
    let limits = ListpackLimits {
        max_listpack_entries: [0, 1, 4, 128][usize::from(entries % 4)],
        max_listpack_value: [4, 64][usize::from(value % 2)],
    };
    let mut subjects = Subjects::new(limits);
    for operation in operations.into_iter().take(MOST_OPERATIONS) {
        let was = subjects.set.encoding();
        let may_go_back = matches!(operation, Operation::Clear | Operation::DumpAndRestore);
        subjects.apply(operation);
        subjects.check();
        let is = subjects.set.encoding();
        assert!(was == Encoding::Listpack || is == Encoding::Skiplist || may_go_back);
    }
});
