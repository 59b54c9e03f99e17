//! Tests failing allocations and memory use of a `ZSet`. Every allocation of a write fails in turn,
//! including those of a promotion.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use zset_core::redis::AddOptions;
use zset_core::redis::rdb::{self, RestoreError};
use zset_core::{
    ByteString, Encoding, Listpack, ListpackLimits, PackedZSet, Score, TryReserveError, ZSet,
};

use crate::counting::{Total, counted, failing_after, has_failed};
use crate::failures::{Subject, fail_in_turn, message, of_memory};

/// Returns a member that needs its own allocation in the skip-list encoding.
fn member(i: u32) -> String {
    format!("a member that is not kept inline {i}")
}

fn limited(max_listpack_entries: usize, max_listpack_value: usize) -> ZSet {
    ZSet::with_limits(ListpackLimits { max_listpack_entries, max_listpack_value })
}

/// Returns a listpack with `len` members, the most that its limits allow.
fn at_the_limit(len: u32) -> ZSet {
    let mut set = limited(len as usize, 64);
    set.extend((0..len).map(|i| (member(i), Score::from(i))));
    assert_eq!(set.encoding(), Encoding::Listpack);
    set
}

impl Subject for ZSet {
    fn verify(&self) {
        self.check();
    }

    fn encoded(&self) -> Option<(Encoding, Vec<u8>)> {
        let bytes = self.as_listpack().map(|list| list.as_bytes().to_vec());
        Some((self.encoding(), bytes.unwrap_or_default()))
    }

    fn allocations() -> Box<dyn Iterator<Item = usize>> {
        Box::new(0..)
    }
}

impl Subject for PackedZSet<Vec<u8>> {
    fn verify(&self) {
        self.check();
    }

    fn encoded(&self) -> Option<(Encoding, Vec<u8>)> {
        Some((Encoding::Listpack, self.as_listpack().as_bytes().to_vec()))
    }
}

/// The lengths at which a set is promoted.
const LENS: &[u32] = if cfg!(miri) { &[0, 3] } else { &[0, 1, 4, 63, 64, 65, 128] };

#[test]
fn a_failed_promotion_by_member_count_leaves_the_listpack() {
    let new = member(u32::MAX);
    for &len in LENS {
        let set = at_the_limit(len);
        for score in [Score::NEG_INFINITY, Score::from(len / 2), Score::INFINITY] {
            let failed = fail_in_turn(&set, |set| set.try_insert(&new, score));
            // A promotion allocates each member, the list, the dict, and the box around them.
            assert!(failed > len as usize + 3, "{failed} failed");
            for options in [AddOptions::new().nx(), AddOptions::new().incr().gt()] {
                let add = |set: &mut ZSet| of_memory(set.try_add(&new, score, options));
                assert_eq!(fail_in_turn(&set, add), failed);
            }
        }
        let increment = |set: &mut ZSet| of_memory(set.try_increment(&new, 1.5));
        assert!(fail_in_turn(&set, increment) > len as usize + 3);
        assert!(fail_in_turn(&set, |set| set.try_reserve(1000)) > len as usize + 3);
    }
}

#[test]
fn a_failed_promotion_on_demand_or_by_a_long_member_leaves_the_listpack() {
    let long = "x".repeat(65);
    for &len in LENS {
        let mut set = at_the_limit(len);
        set.set_limits(ListpackLimits::default());
        let failed = fail_in_turn(&set, |set| set.try_insert(&long, Score::ZERO));
        assert!(failed > len as usize + 3, "{failed} failed");
        let failed = fail_in_turn(&set, ZSet::try_promote);
        assert!(failed > len as usize, "{failed} failed");
        let mut promoted = set.clone();
        promoted.promote();
        let failed = fail_in_turn(&promoted, ZSet::try_promote);
        assert_eq!(failed, 0, "the set is already promoted");
    }
}

#[test]
fn a_listpack_that_cannot_grow_is_unchanged() {
    let mut failed = 0;
    let mut set = ZSet::new();
    for i in 0..if cfg!(miri) { 5 } else { 60 } {
        set.shrink_to_fit();
        // Inserts a new member, then gives an old member longer scores, which move it to either
        // end.
        let new = member(i);
        failed += fail_in_turn(&set, |set| set.try_insert(&new, Score::from(i)));
        set.insert(&new, Score::from(i));
        set.shrink_to_fit();
        let old = member(i / 2);
        let half = Score::new(f64::from(i) + 0.5).unwrap();
        for score in [half, Score::NEG_INFINITY, Score::INFINITY] {
            failed += fail_in_turn(&set, |set| set.try_insert(&old, score));
            let incr = AddOptions::new().incr();
            failed += fail_in_turn(&set, |set| of_memory(set.try_add(&old, score, incr)));
        }
        assert_eq!(set.encoding(), Encoding::Listpack);
    }
    assert!(failed >= 5, "{failed} failed");
}

#[test]
fn a_skip_list_that_cannot_grow_is_unchanged() {
    let lens: &[u32] = if cfg!(miri) { &[4] } else { &[0, 4, 8, 16, 64, 128, 500] };
    for &len in lens {
        let mut set = ZSet::new();
        set.promote();
        set.extend((0..len).map(|i| (member(i), Score::from(10 * i))));
        let (new, old) = (member(len), member(len / 3));
        for score in [Score::NEG_INFINITY, Score::from(5 * len + 5), Score::INFINITY] {
            let failed = fail_in_turn(&set, |set| set.try_insert(&new, score));
            assert!(failed > 0, "the member itself allocates");
            fail_in_turn(&set, |set| set.try_insert(&old, score));
        }
    }
}

#[test]
fn a_packed_set_that_cannot_grow_is_unchanged() {
    let mut original = PackedZSet::new();
    for i in 0..if cfg!(miri) { 4 } else { 40 } {
        original.try_insert(member(i), Score::from(i)).unwrap();
        original.shrink_to_fit();
        let (new, old) = (member(u32::MAX), member(i / 2));
        for score in [Score::NEG_INFINITY, Score::from(99_999), Score::INFINITY] {
            assert!(fail_in_turn(&original, |set| set.try_insert(&old, score)) > 0);
            assert!(fail_in_turn(&original, |set| set.try_update(&old, |_| score)) > 0);
            assert!(fail_in_turn(&original, |set| set.try_insert(&new, score)) > 0);
        }
    }
}

#[test]
fn a_listpack_without_memory_is_unchanged() {
    let mut list = Listpack::new();
    for i in 0..20 {
        list.shrink_to_fit();
        let before = list.as_bytes().to_vec();
        let full = Err(TryReserveError::AllocError);
        assert_eq!(failing_after(0, || list.try_push_back("some text")), full);
        assert_eq!(failing_after(0, || list.try_push_back(i)), full);
        assert_eq!(list.as_bytes(), before);
        list.check();
        list.try_push_back("short").unwrap();
    }
}

#[test]
fn a_failed_shrink_to_fit_of_a_listpack_keeps_the_buffer() {
    let mut list = Listpack::new();
    let mut set = PackedZSet::new();
    let mut zset = ZSet::new();
    for i in 0..5 {
        list.try_push_back(member(i).as_str()).unwrap();
        set.try_insert(member(i), Score::from(i)).unwrap();
        zset.insert(member(i), Score::from(i));
    }
    let before = (list.clone(), set.clone(), zset.clone());
    let allocated = zset.allocation_size();
    failing_after(0, || list.shrink_to_fit());
    failing_after(0, || set.shrink_to_fit());
    failing_after(0, || zset.shrink_to_fit());
    assert_eq!((&list, &set, &zset), (&before.0, &before.1, &before.2));
    assert_eq!(zset.allocation_size(), allocated);
    assert!(list.into_storage().capacity() > before.0.as_bytes().len());

    set.check();
    zset.shrink_to_fit();
    let listpack = zset.as_listpack().expect("five members are a listpack");
    assert_eq!(zset.allocation_size(), listpack.as_bytes().len());
    // No unused memory is left, so `shrink_to_fit` allocates nothing.
    assert_eq!(counted(|| zset.shrink_to_fit()).1.calls, 0);
    // A listpack that never had an entry has no buffer.
    assert_eq!(counted(|| ZSet::new().shrink_to_fit()).1.calls, 0);
}

#[test]
fn a_byte_string_of_a_vector_with_spare_capacity_panics_without_memory() {
    for len in [23, 24, 100] {
        let mut bytes = Vec::with_capacity(2 * len);
        bytes.resize(len, b'x');
        let exact = bytes.clone();
        let result = failing_after(0, || std::panic::catch_unwind(move || ByteString::from(bytes)));
        match result {
            Ok(string) => assert!(len <= 23 && *string == *exact, "short strings are inline"),
            panicked => {
                assert_eq!(
                    (message(panicked), len > 23),
                    ("memory allocation failed".into(), true)
                );
            }
        }
        // A vector without spare capacity is converted without an allocation.
        let (string, total) = counted(|| ByteString::from(exact));
        assert_eq!((string.len(), total.calls), (len, 0));
    }
}

#[test]
fn a_new_set_allocates_nothing_and_a_small_one_allocates_once() {
    assert_eq!(counted(ZSet::new).1.calls, 0);
    assert_eq!(counted(|| ZSet::new().remove("a")).1.calls, 0);
    assert_eq!(counted(|| PackedZSet::new().score("a")).1.calls, 0);
    let mut set = ZSet::new();
    let add = || (0..3_u32).for_each(|i| _ = set.insert(i.to_be_bytes(), Score::from(i)));
    let ((), total) = counted(add);
    assert!(total.live <= 64 && total.calls <= 2, "{total:?}");
}

#[test]
fn a_set_in_a_buffer_never_allocates() {
    let ((), total) = counted(|| {
        let mut set = PackedZSet::with_storage([0; 300]).unwrap();
        for i in 0..9_u8 {
            set.try_insert([b'a' + i; 9], Score::from(i)).unwrap();
            set.try_increment([b'0' + i], 0.1).unwrap();
        }
        assert!(set.try_insert([b'x'; 300], Score::ZERO).is_err());
        assert_eq!(set.pop_first_with(|member, _| member.len()), Some(9));
        assert_eq!((set.iter().count(), set.rank("0")), (17, Some(0)));
        assert_eq!(set.range_by_score(Score::from(1)..).len(), 8);
        set.retain(|member, _| member.len() == 9);
        assert_eq!(set.remove_range_by_rank(1..), 7);
        set.clear();
    });
    assert_eq!(total, Total { calls: 0, bytes: 0, live: 0, largest: 0 });
}

/// Verifies that a set reports exactly the bytes it has allocated.
#[test]
fn the_allocation_size_is_exact() {
    let lens: &[u32] = if cfg!(miri) { &[0, 3, 20] } else { &[0, 1, 3, 64, 128, 129, 1000, 5000] };
    for &len in lens {
        let (mut set, Total { mut live, .. }) = counted(|| {
            let mut set = if len == 20 { limited(10, 64) } else { ZSet::new() };
            for i in 0..len {
                let text = member(i);
                // Every other member is short enough to be stored inline.
                let skipped = if i % 2 == 0 { 0 } else { text.len() - 9 };
                set.insert(&text[skipped..], Score::from(i));
            }
            set
        });
        let assert_exact = |set: &ZSet, live: isize| {
            assert_eq!(isize::try_from(set.allocation_size()), Ok(live), "{} members", set.len());
        };
        assert_exact(&set, live);
        let (clone, total) = counted(|| set.clone());
        assert_exact(&clone, total.live);
        let mut change = |operation: &dyn Fn(&mut ZSet)| {
            live += counted(|| operation(&mut set)).1.live;
            assert_exact(&set, live);
        };
        change(&|set| _ = set.remove_range_by_rank(..set.len() / 3));
        change(&|set| set.shrink_to_fit());
        change(&|set| _ = set.insert([b'y'; 60], Score::ZERO));
        change(&|set| set.promote());
        change(&|set| set.shrink_to_fit());
        change(&|set| _ = set.pop_last());
        change(&|set| set.clear());
        assert_eq!(live, 0);
    }
}

/// The insertion that allocates most splits the dict's first table and adds a chunk of leaves.
#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn no_insertion_allocates_much_at_once() {
    const BOUND: usize = 384 << 10;
    let mut set = ZSet::new();
    for i in 0..40_000_u32 {
        let text = member(i);
        let (_, total) = counted(|| set.insert(&text, Score::from(i % 1000)));
        assert!(total.bytes <= BOUND, "{total:?} at {i}");
    }
}

#[test]
fn appending_a_skip_list_copies_no_members() {
    let mut other: ZSet = (0..200).map(|i| (member(i), Score::from(i))).collect();
    let ((), total) = counted(|| ZSet::new().append(&mut other));
    assert!(total.calls < 200 && other.is_empty(), "{total:?}");
}

/// Returns payloads of `len` elements, as a list of elements and as a listpack, ordered by neither
/// score nor member.
fn unordered_payloads(len: usize) -> [Vec<u8>; 2] {
    let mut elements = vec![5];
    rdb::write_length(len, &mut elements);
    let mut list = Listpack::new();
    for i in 0..len {
        let (member, score) = (member((i * 7 % len) as u32), (i * 3 % len) as u32);
        rdb::write_string(member.as_bytes(), &mut elements);
        elements.extend(f64::from(score).to_le_bytes());
        list.try_push_back(member.as_bytes()).unwrap();
        list.try_push_back(score.to_string().as_bytes()).unwrap();
    }
    let mut packed = vec![17];
    rdb::write_string(list.as_bytes(), &mut packed);
    for payload in [&mut elements, &mut packed] {
        rdb::seal(payload);
    }
    [elements, packed]
}

#[test]
fn a_failed_allocation_while_restoring_in_another_order_is_reported() {
    let len = if cfg!(miri) { 11 } else { 200 };
    for payload in unordered_payloads(len) {
        assert_eq!(rdb::restore(&payload).unwrap().len(), len);
        let mut failures = 0;
        for succeeding in 0.. {
            let result = failing_after(succeeding, || rdb::restore(&payload));
            if !has_failed() {
                break;
            }
            failures += 1;
            assert_eq!(result, Err(RestoreError::Memory(TryReserveError::AllocError)));
        }
        assert!(failures > len, "{failures}");
    }
}

#[test]
fn restoring_allocates_in_proportion_to_the_payload() {
    let len: u16 = if cfg!(miri) { 100 } else { 60_000 };
    let mut payloads: Vec<_> = unordered_payloads(if cfg!(miri) { 11 } else { 1000 }).into();
    // Returns a payload of elements that are as short as possible. Their scores are infinite. In
    // the payloads below, the members are one empty string, repeated, or distinct integers.
    let shortest = |elements: &mut dyn Iterator<Item = Vec<u8>>| {
        let elements: Vec<_> = elements.collect();
        let mut payload = vec![3];
        rdb::write_length(elements.len(), &mut payload);
        payload.extend(elements.concat());
        rdb::seal(&mut payload);
        payload
    };
    payloads.push(shortest(&mut (0..len).map(|_| vec![0, 255])));
    payloads.push(shortest(&mut (0..len).map(|i| {
        let [low, high] = i.wrapping_mul(31).to_le_bytes();
        vec![0xC1, low, high, 255]
    })));
    for payload in payloads {
        let (result, total) = counted(|| rdb::restore(&payload));
        let is_repeated = result == Err(RestoreError::DuplicateMember { rank: 1 });
        assert!(result.is_ok() || is_repeated, "{result:?}");
        assert!(
            total.bytes < 64 * payload.len() + (1 << 12),
            "{total:?} for {} bytes",
            payload.len()
        );
    }
}

/// Returns a payload with one element, whose compressed member claims to have this length.
fn compressed(bytes: &[u8], len: usize) -> Vec<u8> {
    let mut payload = vec![3];
    rdb::write_length(1, &mut payload);
    payload.push(0xC3);
    rdb::write_length(bytes.len(), &mut payload);
    rdb::write_length(len, &mut payload);
    payload.extend(bytes);
    payload.extend(b"\x011"); // the score, 1
    rdb::seal(&mut payload);
    payload
}

#[test]
fn a_claim_of_more_elements_than_fit_in_the_payload_allocates_nothing() {
    // Two elements have at least 18 bytes.
    let mut payload = [&[5, 2][..], &[0; 17]].concat();
    rdb::seal(&mut payload);
    let (result, total) = counted(|| rdb::restore(&payload));
    assert_eq!((result, total.calls), (Err(RestoreError::Truncated), 0));
}

#[test]
fn a_small_sample_needs_memory_for_its_own_elements_only() {
    let set = at_the_limit(100);
    let (len, total) = counted(|| set.sample(&mut SmallRng::seed_from_u64(1), 3).len());
    assert!(len == 3 && total.bytes < 400, "{total:?}");
}

#[test]
fn a_compressed_string_expands_to_88_times_its_size_and_a_wrong_claim_allocates_little() {
    // A compressed string: one byte, followed by references that each repeat it 264 times.
    let references = if cfg!(miri) { 30 } else { 3_000 };
    let bytes = [&[0, b'a'][..], &[0xE0, 0xFF, 0].repeat(references)].concat();
    let set = rdb::restore(&compressed(&bytes, 1 + 264 * references)).unwrap();
    assert_eq!(set.first().unwrap().0.len(), 1 + 264 * references);
    let literals = [0, b'a'].repeat(references);
    for (bytes, len) in [(&bytes, 88 * bytes.len() + 1), (&bytes, 263), (&literals, 1)] {
        let payload = compressed(bytes, len);
        let (result, total) = counted(|| rdb::restore(&payload));
        assert_eq!(result.unwrap_err(), RestoreError::Compression);
        assert!(total.bytes < 1 << 10, "{total:?}");
    }
}
