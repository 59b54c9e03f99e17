//! Tests when a set changes its encoding, and what stays the same.

use zset_core::redis::AddOptions;
use zset_core::redis::rdb;
use zset_core::{Encoding, ListpackLimits, Score, SortedSet, ZSet};

use Encoding::{Listpack, Skiplist};

fn limited(max_listpack_entries: usize, max_listpack_value: usize) -> ZSet {
    ZSet::with_limits(ListpackLimits { max_listpack_entries, max_listpack_value })
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn default_limits_match_redis() {
    let mut set = ZSet::new();
    assert_eq!(set.limits(), ListpackLimits { max_listpack_entries: 128, max_listpack_value: 64 });
    for i in 0..128_u32 {
        set.insert(i.to_string(), Score::from(i));
        assert_eq!(set.encoding(), Listpack);
    }
    let mut other = ZSet::new();
    other.append(&mut set.clone());
    assert_eq!(other.encoding(), Listpack);
    set.insert("7", Score::from(1000));
    assert_eq!(set.encoding(), Listpack, "an update adds no member");
    set.check();
    set.insert("128", Score::from(1));
    assert_eq!(set.encoding(), Skiplist);
    assert_eq!(set.as_sorted_set().map(SortedSet::len), Some(129));
    set.check();

    let mut set = ZSet::new();
    set.insert("x".repeat(64), Score::ZERO);
    assert_eq!(set.encoding(), Listpack);
    set.insert("x".repeat(65), Score::ZERO);
    assert_eq!((set.encoding(), set.len()), (Skiplist, 2));
    set.check();
}

#[test]
fn a_numeric_member_is_as_long_as_its_text() {
    let mut set = limited(128, 4);
    set.insert("1234", Score::ZERO);
    assert_eq!(set.encoding(), Listpack);
    set.insert("-1234", Score::ZERO);
    assert_eq!(set.encoding(), Skiplist, "even though it is shorter as an integer");
}

#[test]
fn check_accepts_a_set_whose_limits_were_lowered() {
    let element = |i: u32| (format!("member {i}"), Score::from(i));
    // Each function is called on a listpack of ten members whose limits were lowered. It returns
    // another set.
    let calls: [fn(&mut ZSet) -> ZSet; 14] = [
        |set| set.clone(),
        |set| {
            set.insert("member 3", Score::NEG_INFINITY);
            set.clone()
        },
        |set| set.split_off_by_rank(4),
        |set| set.split_off_by_score(Score::from(7)),
        |set| set.drain_by_rank(2..4).collect(),
        |set| set.drain().collect(),
        |set| rdb::restore_with_limits(&rdb::dump(set), set.limits()).unwrap(),
        |set| std::mem::take(set),
        |set| {
            set.remove("member 3");
            set.drain_by_rank(8..).collect()
        },
        |set| {
            set.retain(|member, _| member != b"member 3");
            set.extract_if(|_, score| score > Score::from(5)).collect()
        },
        |set| {
            set.append(&mut ZSet::new());
            ZSet::from([("a", Score::ZERO)])
        },
        |set| {
            let mut other = set.clone();
            other.set_limits(ListpackLimits::default());
            set.append(&mut other);
            other
        },
        |set| {
            let mut other = ZSet::new();
            other.append(set);
            other
        },
        |set| {
            set.shrink_to_fit();
            set.increment("member 3", 0.5).unwrap();
            set.update("member 4", |_| Score::INFINITY);
            set.clone()
        },
    ];
    for call in calls {
        for (max_listpack_entries, max_listpack_value) in [(3, 64), (128, 2), (0, 0), (9, 7)] {
            let mut set: ZSet = (0..10).map(element).collect();
            set.set_limits(ListpackLimits { max_listpack_entries, max_listpack_value });
            set.check();
            let mut other = call(&mut set);
            for set in [&mut set, &mut other] {
                set.check();
                set.set_limits(ListpackLimits { max_listpack_entries: 1, max_listpack_value: 1 });
                set.check();
                // New limits take effect when the next new member is inserted.
                set.insert("new", Score::ZERO);
                assert_eq!(set.encoding(), Skiplist);
                set.check();
            }
        }
    }
}

#[test]
fn a_stored_member_is_borrowed_from_the_set_in_both_encodings() {
    for members in [&["", "7", "-12", "007", "ann"][..], &["a", "m", "z"]] {
        let elements = members.iter().map(|member| (member, Score::from(member.len() as u32)));
        let mut set: ZSet = elements.collect();
        for _ in 0..2 {
            for member in members {
                let passed = String::from(*member);
                let (stored, score) = set.get(&passed).unwrap();
                // The stored member does not borrow the passed one.
                drop(passed);
                assert_eq!((&*stored, Some(score)), (member.as_bytes(), set.score(member)));
            }
            assert!(set.get("absent").is_none());
            set.promote();
        }
    }
}

#[test]
fn the_capacity_of_a_listpack_is_its_length() {
    let mut set = ZSet::new();
    for i in 0..5_u32 {
        assert_eq!(set.capacity(), set.len());
        set.insert(i.to_string(), Score::from(i));
    }
    set.reserve(100);
    assert_eq!((set.encoding(), set.capacity()), (Listpack, 5));
    set.reserve(1000);
    assert_eq!(set.encoding(), Skiplist);
    assert!(set.capacity() >= 1005);
}

#[test]
fn with_limits_of_zero_the_first_member_promotes() {
    for mut set in [limited(0, 64), limited(128, 0)] {
        assert_eq!(set.encoding(), Listpack, "an empty set is still a listpack");
        set.add("a", Score::ZERO, AddOptions::new().xx()).unwrap();
        assert_eq!(set.encoding(), Listpack);
        set.insert("a", Score::ZERO);
        assert_eq!(set.encoding(), Skiplist);
        set.check();
    }
    let mut set = limited(128, 0);
    set.insert("", Score::ZERO);
    assert_eq!(set.encoding(), Listpack, "the empty member fits the limit of 0");
}

/// Each element takes two entries in the listpack, whose header counts up to 65534.
#[test]
#[cfg_attr(miri, ignore = "40000 members take minutes under Miri")]
fn a_listpack_may_have_more_members_than_its_header_can_count() {
    let mut skiplist = ZSet::new();
    skiplist.extend((0..40_000_u32).map(|i| (format!("{i:05}"), Score::from(i))));
    assert_eq!(skiplist.encoding(), Skiplist);
    let limits = limited(usize::MAX, usize::MAX).limits();
    let mut set = ZSet::from_sorted_iter_with_limits(&skiplist, limits).unwrap();
    assert_eq!((set.encoding(), set.len()), (Listpack, 40_000));
    assert_eq!(set, skiplist);
    assert_eq!(set.rev_rank("00000"), Some(39_999));
    assert_eq!(set.get_by_rank(39_999).map(|(member, _)| member.to_vec()), Some(b"39999".to_vec()));
    set.insert("new", Score::from(5));
    set.insert("39999", Score::NEG_INFINITY);
    assert_eq!((set.len(), set.rank("39999"), set.rank("new")), (40_001, Some(0), Some(7)));
    assert_eq!(set.drain_by_rank(101..).len(), 39_900);
    assert_eq!((set.len(), set.iter().count()), (101, 101));
    set.check();
    set.promote();
    assert_eq!(set.len(), 101);
}

#[test]
fn a_set_built_from_sorted_elements_has_the_right_encoding() {
    let element = |i: u32| (i.to_string(), Score::from(i));
    for (len, encoding) in [(0, Listpack), (1, Listpack), (128, Listpack), (129, Skiplist)] {
        if cfg!(miri) && len > 1 {
            continue;
        }
        let set = ZSet::from_sorted_iter((0..len).map(element)).unwrap();
        set.check();
        assert_eq!((set.encoding(), set.limits()), (encoding, ListpackLimits::default()));
        assert_eq!(set, (0..len).map(element).collect());
    }
    let long = ZSet::from_sorted_iter([("x".repeat(65), Score::ZERO)]).unwrap();
    assert_eq!(long.encoding(), Skiplist);

    let refused = |elements: [(&str, u8); 3]| {
        ZSet::from_sorted_iter(elements.map(|(member, score)| (member, Score::from(score))))
    };
    assert!(refused([("9", 0), ("a", 0), ("10", 1)]).is_ok());
    for elements in [
        [("9", 0), ("10", 0), ("a", 1)],
        [("a", 1), ("b", 0), ("c", 2)],
        [("a", 0), ("a", 0), ("b", 1)],
        [("a", 0), ("b", 1), ("a", 2)],
    ] {
        assert!(refused(elements).is_err(), "{elements:?}");
    }
}

#[test]
fn encodings_print_as_in_object_encoding() {
    assert_eq!(format!("{Listpack} {Skiplist}"), "listpack skiplist");
}
