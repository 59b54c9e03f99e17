//! Tests adding members with each combination of options, and the results returned.

use test_support::zset::score;
use zset_core::redis::{AddFlags, AddOptions, AddOptionsError, Added};
use zset_core::{PackedZSet, ZSet};

type Method = fn(AddOptions) -> AddOptions;

/// Returns all 64 combinations of flags.
fn all_flags() -> impl Iterator<Item = AddFlags> {
    (0..64_u8).map(|bits| AddFlags {
        nx: bits & 1 != 0,
        xx: bits & 2 != 0,
        gt: bits & 4 != 0,
        lt: bits & 8 != 0,
        ch: bits & 16 != 0,
        incr: bits & 32 != 0,
    })
}

#[test]
fn contradicting_flags_are_rejected() {
    for flags in all_flags() {
        let AddFlags { nx, xx, gt, lt, .. } = flags;
        // Redis checks for conflicts in this order.
        let error = if nx && xx {
            Some(AddOptionsError::NxAndXx)
        } else if [gt, lt, nx].into_iter().filter(|flag| *flag).count() > 1 {
            Some(AddOptionsError::GtLtAndNx)
        } else {
            None
        };
        assert_eq!(AddOptions::from_flags(flags).err(), error, "{flags:?}");
    }
    assert_eq!(
        AddOptionsError::NxAndXx.to_string(),
        "XX and NX options at the same time are not compatible"
    );
    assert_eq!(
        AddOptionsError::GtLtAndNx.to_string(),
        "GT, LT, and/or NX options at the same time are not compatible"
    );
}

#[test]
fn builder_methods_in_any_order_equal_the_flags() {
    for flags in all_flags() {
        let Ok(options) = AddOptions::from_flags(flags) else { continue };
        let methods: [(bool, Method); 6] = [
            (flags.nx, AddOptions::nx),
            (flags.xx, AddOptions::xx),
            (flags.gt, AddOptions::gt),
            (flags.lt, AddOptions::lt),
            (flags.ch, AddOptions::ch),
            (flags.incr, AddOptions::incr),
        ];
        let methods: Vec<_> = methods.iter().filter(|(set, _)| *set).map(|(_, m)| *m).collect();
        let forward = methods.iter().fold(AddOptions::new(), |options, method| method(options));
        assert_eq!(forward, options, "{flags:?}");
        let backward = methods.iter().rfold(AddOptions::new(), |options, method| method(options));
        assert_eq!(backward, options, "{flags:?}");
    }
    assert_eq!(AddOptions::from_flags(AddFlags::default()), Ok(AddOptions::default()));
}

#[test]
fn a_builder_method_replaces_contradicting_options() {
    let new = AddOptions::new;
    assert_eq!(new().xx().gt().nx(), new().nx());
    assert_eq!(new().nx().xx(), new().xx());
    assert_eq!(new().nx().gt(), new().gt());
    assert_eq!(new().gt().lt(), new().lt());
    assert_eq!(new().xx().gt().lt(), new().xx().lt());
    assert_eq!(new().ch().incr().nx().lt(), new().lt().incr().ch());
}

/// The effect of each option on an addition to a set in which `old` has score 5: the result, and
/// the counts without and with CH.
#[test]
fn each_option_behaves_as_in_zadd() {
    use Added::{Blocked, Inserted, Unchanged, Updated};
    let five = score(5.0);
    let inserted = |new| (Inserted { score: score(new) }, 1, 1);
    let updated = |new| (Updated { old: five, score: score(new) }, 0, 1);
    let unchanged = (Unchanged { score: five }, 0, 0);
    let blocked = (Blocked, 0, 0);
    let none = AddOptions::new();
    let table = [
        // Each row has the options, the result of adding `new`, and the results of setting `old` to
        // the scores 4, 5 and 6.
        (none, [inserted(5.0), updated(4.0), unchanged, updated(6.0)]),
        (none.nx(), [inserted(5.0), blocked, blocked, blocked]),
        (none.xx(), [blocked, updated(4.0), unchanged, updated(6.0)]),
        (none.gt(), [inserted(5.0), blocked, blocked, updated(6.0)]),
        (none.lt(), [inserted(5.0), updated(4.0), blocked, blocked]),
        (none.xx().gt(), [blocked, blocked, blocked, updated(6.0)]),
        (none.xx().lt(), [blocked, updated(4.0), blocked, blocked]),
    ];
    for (options, expected) in table {
        for is_increment in [false, true] {
            // Returns the argument that results in the score `new`. With INCR, that is the
            // difference from the old score, 5.
            let given = |new: f64| score(if is_increment { new - 5.0 } else { new });
            let options = if is_increment { options.incr() } else { options };
            let mut set = ZSet::from([("old", five)]);
            set.promote();
            let additions =
                [("new", five), ("old", given(4.0)), ("old", given(5.0)), ("old", given(6.0))];
            for ((member, given), (added, count, changed)) in additions.into_iter().zip(expected) {
                let mut packed = PackedZSet::new();
                packed.try_insert("old", five).unwrap();
                assert_eq!(packed.try_add(member, given, options), Ok(added), "{options:?}");
                let mut set = set.clone();
                assert_eq!(set.add(member, given, options), Ok(added), "{options:?}");
                assert!(packed.iter().eq(&set));

                assert_eq!(added.count(options), count);
                assert_eq!(added.count(options.ch()), changed);
                assert_eq!(added.is_inserted(), count == 1);
                assert_eq!(added.is_changed(), changed == 1);
                let answered = added.score();
                assert_eq!(answered, if added == Blocked { None } else { set.score(member) });
            }
        }
    }
}
