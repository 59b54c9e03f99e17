//! Tests the standard traits of sets, members and iterators.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use zset_core::redis::packed_zset::Iter as PackedIter;
use zset_core::redis::zset;
use zset_core::{
    ByteString, Encoding, ListpackLimits, Member, PackedZSet, Score, TryReserveError, ZSet,
};

#[test]
fn types_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<ZSet>();
    check::<PackedZSet<Vec<u8>>>();
    check::<PackedZSet<[u8; 8]>>();
    check::<PackedZSet<&mut [u8]>>();
    check::<PackedIter<'_>>();
    check::<zset::Iter<'_>>();
    check::<zset::IntoIter>();
    check::<zset::ExtractIf<'_, fn(&[u8], Score) -> bool>>();
    check::<Member<'_>>();
    check::<ByteString>();
}

#[test]
fn views_are_covariant() {
    fn shorten_iter<'a>(iter: zset::Iter<'static>) -> zset::Iter<'a> {
        iter
    }
    fn shorten_member<'a>(member: Member<'static>) -> Member<'a> {
        member
    }
    let _: fn(zset::Iter<'static>) -> zset::Iter<'_> = shorten_iter;
    assert_eq!(shorten_member(Member::from(&b"a"[..])), "a");
}

#[test]
fn a_set_collects_anything_that_is_bytes() {
    let one = Score::from(1);
    let texts = ZSet::from([("b", one), ("a", one)]);
    let strings: ZSet = [("a".to_string(), one), ("b".to_string(), one)].into_iter().collect();
    let bytes: ZSet = [(b"a".to_vec(), one), (b"b".to_vec(), one)].into_iter().collect();
    let mut arrays = ZSet::default();
    arrays.extend([(b"b", one), (b"a", one)]);
    let mut members =
        ZSet::with_limits(ListpackLimits { max_listpack_entries: 1, ..ListpackLimits::default() });
    members.extend(&texts);
    let owned: ZSet = members.clone().into_iter().collect();
    let (vector, map) = (Vec::from(texts.clone()), BTreeMap::from(texts.clone()));
    let mut copies = ZSet::new();
    copies.extend(&map);
    let converted = [ZSet::from(vector), ZSet::from(map), copies];
    for set in [&strings, &bytes, &arrays, &members, &owned].into_iter().chain(&converted) {
        assert_eq!(*set, texts);
    }
    assert_eq!((members.encoding(), owned.encoding()), (Encoding::Skiplist, Encoding::Listpack));
    let twice = ZSet::from([("a", one), ("a", Score::ZERO)]);
    assert_eq!(twice, ZSet::from([("a", Score::ZERO)]), "the last score wins");
}

#[test]
fn sets_are_equal_if_their_elements_are() {
    let set = ZSet::from([("a", Score::from(1)), ("10", Score::from(2))]);
    let mut other =
        ZSet::with_limits(ListpackLimits { max_listpack_entries: 0, max_listpack_value: 0 });
    other.extend([("10", Score::from(3)), ("x", Score::ZERO), ("a", Score::from(1))]);
    assert_ne!(set, other);
    other.insert("10", Score::from(2));
    assert_ne!(set, other);
    other.remove("x");
    assert_eq!(set, other, "limits and encodings do not matter");
    assert_eq!(other, set);
    let hashes = RandomState::new();
    assert_eq!(hashes.hash_one(&set), hashes.hash_one(&other));
    other.insert("a", Score::from(2));
    assert_ne!(set, other);
    assert_ne!(hashes.hash_one(&set), hashes.hash_one(&other));
    assert!(set < other, "the lowest element decides");

    let mut packed = PackedZSet::with_storage([0; 40]).unwrap();
    packed.try_insert("10", Score::from(2)).unwrap();
    let mut vector = PackedZSet::new();
    assert_ne!(packed, vector);
    vector.try_insert("10", Score::from(2)).unwrap();
    assert_eq!(packed, vector, "the storage does not matter");
    vector.try_insert("10", Score::from(3)).unwrap();
    assert_ne!(packed, vector);
    assert_eq!(PackedZSet::default(), PackedZSet::new());
    assert_eq!(PackedZSet::with_array([0; 9]), PackedZSet::new());
    assert_eq!(ZSet::from(&packed), ZSet::from([("10", Score::from(2))]));
}

#[test]
fn a_clone_is_independent() {
    let mut set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
    for _ in 0..2 {
        let mut clone = set.clone();
        assert_eq!((&clone, clone.encoding()), (&set, set.encoding()));
        clone.insert("c", Score::ZERO);
        clone.remove("a");
        clone.check();
        set.check();
        assert_eq!((set.len(), set.score("a")), (2, Some(Score::from(1))));
        set.promote();
    }
}

#[test]
fn members_compare_and_hash_as_bytes() {
    let set = ZSet::from([("17", Score::ZERO), ("a", Score::from(1)), ("-5", Score::from(2))]);
    let members: Vec<Member<'_>> = set.iter().map(|(member, _)| member).collect();
    assert_eq!(members[0], "17");
    assert_eq!(members[0], Member::from(&b"17"[..]), "an integer equals its decimal text");
    assert_eq!(members[1], b"a");
    assert_eq!(members[2], &b"-5"[..]);
    assert_eq!((members[2].len(), members[2].as_ref()), (2, &b"-5"[..]));
    assert!(members[2] < members[0] && members[0] < members[1], "the order is by bytes");
    let hashed: HashSet<Member<'_>> = members.iter().copied().collect();
    assert!(hashed.contains(&b"17"[..]) && hashed.contains(&Member::from(&b"-5"[..])));

    let owned: HashSet<ByteString> =
        members.iter().map(|member| ByteString::from(&**member)).collect();
    assert!(owned.contains(&b"a"[..]));
    let long = ByteString::from("a member that is too long to be kept inline");
    assert_eq!(Vec::from(long.clone()), long.to_vec());
    let (shorter, longer) = (ByteString::from("a"), ByteString::from("aa"));
    assert!(shorter < longer);
}

#[test]
fn errors_describe_the_failure() {
    let full = PackedZSet::with_storage([0; 6]).unwrap_err();
    assert_eq!(full, TryReserveError::BufferFull);
    let mut set = ZSet::from([("a", Score::INFINITY)]);
    let incr = zset_core::redis::AddOptions::new().incr();
    let error = set.try_add("a", Score::NEG_INFINITY, incr).unwrap_err();
    assert_eq!(error.to_string(), "score is not a number");
    let error = zset_core::redis::ScoreRange::parse(b"a", b"1").unwrap_err();
    assert_eq!(error.to_string(), "min or max is not a float");
}
