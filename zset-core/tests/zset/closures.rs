//! Tests panicking closures: the set is unchanged, except that decisions made before the panic take
//! effect.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use zset_core::redis::AddOptions;
use zset_core::redis::listpack::Storage;
use zset_core::{Encoding, PackedZSet, Score, ZSet};

use crate::both_encodings;

const LEN: u32 = if cfg!(miri) { 4 } else { 70 };

/// The panic payload. Unwinding with it bypasses the panic hook, so nothing is printed.
struct Stop;

/// Runs an operation whose closure unwinds with `Stop`.
fn stopped<T>(operation: impl FnOnce() -> T) {
    match catch_unwind(AssertUnwindSafe(operation)) {
        Ok(_) => panic!("the closure was not called"),
        Err(stop) if stop.is::<Stop>() => {}
        Err(other) => resume_unwind(other),
    }
}

fn stop() -> ! {
    resume_unwind(Box::new(Stop))
}

fn member(i: u32) -> String {
    if i % 2 == 0 { format!("{i}") } else { format!("member {i}") }
}

fn samples() -> [ZSet; 2] {
    both_encodings((0..LEN).map(|i| (member(i), Score::from(10 * i))))
}

/// Verifies that a set is valid and usable.
fn use_again(mut set: ZSet) {
    set.check();
    set.insert("new", Score::from(15));
    set.update(member(0), |_| Score::INFINITY);
    set.remove("new");
    set.check();
    while set.pop_first().is_some() {}
    set.check();
}

#[test]
fn a_panicking_update_leaves_the_score() {
    for mut set in samples() {
        let before = set.clone();
        for i in [0, LEN / 2, LEN - 1] {
            stopped(|| set.update(member(i), |_| stop()));
            set.check();
            assert_eq!(set, before);
            assert_eq!(set.as_listpack(), before.as_listpack());
        }
        assert_eq!(set.update("absent", |_| stop()), None, "the closure is not called");
        use_again(set);
    }
}

#[test]
fn a_panicking_retain_keeps_its_earlier_decisions() {
    for calls in (0..LEN).step_by(if cfg!(miri) { 2 } else { 1 }) {
        for mut set in samples() {
            let mut expected = set.clone();
            expected.retain(|member, score| score >= Score::from(10 * calls) || member.len() < 4);
            let mut seen = 0..calls;
            stopped(|| set.retain(|m, _| if seen.next().is_some() { m.len() < 4 } else { stop() }));
            assert_eq!(set, expected, "after {calls} calls");
            use_again(set);
        }
    }
}

#[test]
fn extract_if_continues_after_the_element_at_which_it_panicked() {
    for calls in (0..LEN).step_by(if cfg!(miri) { 2 } else { 7 }) {
        for mut set in samples() {
            let panics = Score::from(10 * calls);
            let mut expected = set.clone();
            expected.retain(|member, score| score == panics || member.len() >= 4);
            let is_extracted = |m: &[u8], score| if score == panics { stop() } else { m.len() < 4 };
            let mut extract = set.extract_if(is_extracted);
            stopped(|| extract.by_ref().count());
            assert_eq!(extract.size_hint(), (0, Some((LEN - calls - 1) as usize)));
            extract.for_each(drop);
            assert_eq!(set, expected, "at element {calls}");
            use_again(set);
        }
    }
}

#[test]
fn a_panic_while_extending_keeps_earlier_elements() {
    for mut set in samples() {
        let elements = (0..9).map(|i| if i < 5 { (member(LEN + i), Score::ZERO) } else { stop() });
        stopped(|| set.extend(elements));
        set.check();
        assert_eq!(set.len(), LEN as usize + 5);
        use_again(set);
    }
    // With a limit of four entries, the fifth element promotes the set.
    let limits = zset_core::ListpackLimits { max_listpack_entries: 4, ..Default::default() };
    let mut set = ZSet::with_limits(limits);
    let elements = (0..9).map(|i| if i < 5 { (member(i), Score::ZERO) } else { stop() });
    stopped(|| set.extend(elements));
    assert_eq!((set.len(), set.encoding()), (5, Encoding::Skiplist));
    use_again(set);
}

/// A member whose `as_ref` unwinds.
struct Unreadable;

impl AsRef<[u8]> for Unreadable {
    fn as_ref(&self) -> &[u8] {
        stop()
    }
}

#[test]
fn a_panicking_member_leaves_the_set_unchanged() {
    for mut set in samples() {
        let before = set.clone();
        stopped(|| set.insert(Unreadable, Score::ZERO));
        stopped(|| set.increment(Unreadable, 1.0));
        stopped(|| set.remove(Unreadable));
        stopped(|| set.update(Unreadable, |score| score));
        stopped(|| set.score(Unreadable));
        stopped(|| set.scores([Unreadable]).next());
        stopped(|| set.add(Unreadable, Score::ZERO, AddOptions::new().gt()));
        stopped(|| set.try_increment(Unreadable, 1.0));
        stopped(|| set.try_update(Unreadable, |score| score));
        set.check();
        assert_eq!(set, before);
    }
}

/// Runs panicking closures on a packed set in one kind of storage.
fn packed<B: Storage + Clone>(storage: &B) {
    let mut set = PackedZSet::with_storage(storage.clone()).unwrap();
    for i in 0..5 {
        set.try_insert(member(i), Score::from(10 * i)).unwrap();
    }
    let before = set.clone();
    for i in 0..5 {
        stopped(|| set.try_update(member(i), |_| stop()));
        stopped(|| set.pop_first_with(|_, _| stop()));
        stopped(|| set.pop_last_with(|_, _| stop()));
        assert_eq!(set.as_listpack(), before.as_listpack());
        assert_eq!(set.as_listpack().as_bytes(), before.as_listpack().as_bytes());

        let mut trial = before.clone();
        let mut seen = 0..i;
        stopped(|| trial.retain(|_, _| seen.next().is_none() && stop()));
        trial.check();
        assert!(trial.iter().eq(before.range_by_rank(i as usize..)), "the first {i} are removed");
    }
    assert_eq!(set.pop_first_with(|member, _| member.to_vec()), Some(b"0".to_vec()));
    assert_eq!(set.pop_last_with(|_, score| score), Some(Score::from(40)));
    set.check();
}

#[test]
fn a_panicking_closure_leaves_a_packed_set_unchanged() {
    packed(&Vec::new());
    packed(&[0_u8; 100]);
}
