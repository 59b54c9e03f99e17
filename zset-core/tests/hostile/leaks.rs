//! Tests leaked iterators: members may leak with the iterator, but none is dropped twice, and the
//! set stays valid.

use std::mem::forget;

use crate::subject::{Collection, Member, check, count_leaks, count_members, filled, numbers};
use crate::{LEAF, cutting, unless_miri};

const LEN: u32 = LEAF + unless_miri(40, 8);

#[test]
fn a_leaked_drain_leaves_the_set_empty() {
    for taken in [0, 1, LEAF, LEN] {
        let leaked = count_leaks(|| {
            let mut set = filled(LEN);
            let mut drain = set.drain();
            assert_eq!(drain.by_ref().take(taken as usize).count(), taken as usize);
            forget(drain);
            check(&set);
            assert!(set.is_empty());
            set.use_again();
        });
        assert_eq!(leaked, i64::from(LEN - taken));
    }
}

#[test]
fn a_leaked_drain_leaves_the_set_without_the_range() {
    for (start, end) in cutting::RUNS {
        for taken in [0, 1, (end - start) / 2] {
            let leaked = count_leaks(|| {
                let mut set = filled(cutting::LEN);
                let mut drain = set.drain_by_rank(start..end);
                drain.by_ref().take(taken).for_each(drop);
                forget(drain);
                check(&set);
                let kept = (0..cutting::LEN).filter(|&i| !(start..end).contains(&(i as usize)));
                assert!(numbers(&set).eq(kept));
                set.use_again();
            });
            assert_eq!(usize::try_from(leaked), Ok(end - start - taken));
        }
    }
}

#[test]
#[allow(clippy::forget_non_drop, reason = "leaking is safe because no drop is needed")]
fn a_leaked_extract_if_leaves_the_remaining_elements() {
    for taken in [0, 1, LEAF, LEN - 1] {
        count_members(|| {
            let mut set = filled(LEN);
            let mut extract = set.extract_if(|_, _| true);
            assert_eq!(extract.by_ref().take(taken as usize).count(), taken as usize);
            forget(extract);
            check(&set);
            assert!(numbers(&set).eq(taken..LEN));
            set.use_again();
        });
    }
}

#[test]
fn a_leaked_owning_iterator_leaks_only_its_elements() {
    let leaked = count_leaks(|| {
        let set = filled(LEN);
        let mut elements = set.into_iter();
        assert_eq!(elements.by_ref().rev().take(70).count(), 70);
        forget(elements);
    });
    assert_eq!(leaked, i64::from(LEN - 70));
}

#[test]
fn leaked_entries_change_nothing() {
    let leaked = count_leaks(|| {
        let mut set = filled(LEN);
        forget(set.entry(Member::new(5)));
        forget(set.entry(Member::new(5000)));
        check(&set);
        assert_eq!(set.len(), LEN as usize);
        set.use_again();
    });
    assert!(leaked <= 1, "a vacant entry may leak its member");
}
