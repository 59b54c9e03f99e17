//! Calls each public method of the types.

use rand::{SeedableRng, rngs::SmallRng};
use std::hash::RandomState;

use zset_core::redis::AddOptions;
use zset_core::{
    FixedSortedSet, Listpack, ListpackLimits, PackedZSet, Score, SkipList, SortedMap, SortedSet,
    ZSet,
};

use zset_core::fixed_sorted_set::FixedHashBuilder;

use super::{Names, called, names_of};

pub(crate) fn called() -> Names {
    names_of([
        ("SkipList", skip_list()),
        ("SortedSet", sorted_set()),
        ("SortedSet", set_with_default_hasher()),
        ("SortedMap", sorted_map()),
        ("ZSet", zset()),
        ("PackedZSet", packed_zset()),
        ("PackedZSet", packed_zset_with_array()),
        ("FixedSortedSet", fixed_sorted_set()),
    ])
}

fn rng() -> SmallRng {
    SmallRng::seed_from_u64(7)
}

fn skip_list() -> Vec<&'static str> {
    called! {
        SkipList<&'static str, i64>: new(), with_capacity(10), from_rng(&mut rng());
        SkipList::from_iter([("a", 1), ("b", 2)]);
        insert("c", 3),
        try_insert("c", 3),
        first(),
        last(),
        get_by_rank(1),
        get("a", &1),
        contains("a", &1),
        rank("a", &1),
        iter(),
        range((&1, "a")..),
        range_by_rank(..1),
        range_by_score(1..),
        range_by_member(&1, "a"..),
        count_by_score(1..),
        remove("a", &1),
        remove_by_rank(1),
        pop_first(),
        pop_last(),
        pop_first_if(|_, _| true),
        pop_last_if(|_, _| true),
        remove_range((&1, "a")..),
        remove_range_by_rank(..1),
        remove_range_by_score(..1),
        remove_range_by_member(&1, "a"..),
        drain(),
        drain_range((&1, "a")..),
        drain_by_rank(..1),
        drain_by_score(1..),
        drain_by_member(&1, "a"..),
        retain(|_, _| true),
        extract_if(|_, _| true),
        split_off_by_rank(1),
        append(&mut SkipList::new()),
        split_off_by_score(&2),
        clear(),
        len(),
        is_empty(),
        capacity(),
        reserve(10),
        try_reserve(10),
        shrink_to_fit(),
        allocation_size(),
    }
}

fn sorted_set() -> Vec<&'static str> {
    let other = SortedSet::from([("b", 3)]);
    called! {
        SortedSet<&'static str, i64, RandomState>:
        with_hasher(RandomState::new()),
        with_capacity_and_hasher(10, RandomState::new()),
        from_sorted_iter([("a", 1)]);
        SortedSet::from_iter([("a", 1), ("b", 2)]);
        hasher(),
        insert("c", 3),
        try_insert("c", 3),
        insert_max("a", 3),
        insert_min("a", 3),
        replace("a", 3),
        set_score("a", 3),
        update("a", |score| score + 1),
        try_update("a", |score| score + 1),
        increment("a", 1),
        try_increment("a", 1),
        entry("a"),
        entry_ref("a"),
        first_entry(),
        last_entry(),
        score("a"),
        scores(["a", "b"]),
        get("a"),
        contains("a"),
        rank("a"),
        rev_rank("a"),
        first(),
        last(),
        get_by_rank(1),
        iter(),
        range((&1, "a")..),
        range_by_rank(..1),
        range_by_score(1..),
        range_by_member(&1, "a"..),
        count_by_score(1..),
        remove("a"),
        remove_entry("a"),
        remove_by_rank(1),
        pop_first(),
        pop_last(),
        pop_first_if(|_, _| true),
        pop_last_if(|_, _| true),
        remove_range((&1, "a")..),
        remove_range_by_rank(..1),
        remove_range_by_score(..1),
        remove_range_by_member(&1, "a"..),
        drain(),
        drain_range((&1, "a")..),
        drain_by_rank(..1),
        drain_by_score(1..),
        drain_by_member(&1, "a"..),
        retain(|_, _| true),
        extract_if(|_, _| true),
        append(&mut SortedSet::new()),
        split_off_by_rank(1),
        split_off_by_score(&2),
        clear(),
        len(),
        is_empty(),
        capacity(),
        reserve(10),
        try_reserve(10),
        shrink_to_fit(),
        allocation_size(),
        union(&other),
        intersection(&other),
        difference(&other),
        symmetric_difference(&other),
        union_with(&other, |a, b| a + b),
        intersection_with(&other, |a, b| a + b),

        is_subset(&other),
        is_superset(&other),
        is_disjoint(&other),
    }
}

fn set_with_default_hasher() -> Vec<&'static str> {
    called! {
        SortedSet<&'static str>:
        new(),
        with_capacity(10),
        from_rng(&mut rng());
        SortedSet::from([("a", Score::ZERO)]);
    }
}

fn sorted_map() -> Vec<&'static str> {
    let mut names = called! {
        SortedMap<&'static str, char, u32>: new(), with_capacity(10), from_rng(&mut rng());
        SortedMap::from([("a", 'x', 1)]);
    };
    names.extend(called! {
        SortedMap<&'static str, char, i64, RandomState>:
        with_hasher(RandomState::new()),
        with_capacity_and_hasher(10, RandomState::new()),
        from_sorted_iter([("a", 'x', 1)]);
        SortedMap::from_iter([("a", 'x', 1), ("b", 'y', 2)]);
        hasher(),
        insert("c", 'z', 3),
        try_insert("c", 'z', 3),
        insert_max("a", 'z', 3),
        insert_min("a", 'z', 3),
        set_score("a", 2),
        update("a", |_, score| score + 1),
        try_update("a", |_, score| score + 1),
        replace("a", 'z', 3),
        increment("a", 1, || 'z'),
        try_increment("a", 1, || 'z'),
        entry("a"),
        entry_ref("a"),
        first_entry(),
        last_entry(),
        score("a"),
        scores(["a", "b"]),
        get("a"),
        get_key_value("a"),
        get_mut("a"),
        get_full("a"),
        get_full_mut("a"),
        get_disjoint_mut(["a", "b"]),
        iter_mut(),
        values_mut(),
        range_mut((&1, "a")..),
        range_by_rank_mut(..1),
        range_by_score_mut(1..),
        keys(),
        values(),
        into_keys(),
        into_values(),
        contains_key("a"),
        rank("a"),
        rev_rank("a"),
        first(),
        last(),
        get_by_rank(1),
        iter(),
        range((&1, "a")..),
        range_by_rank(..1),
        range_by_score(1..),
        range_by_key(&1, "a"..),
        count_by_score(1..),
        remove("a"),
        remove_entry("a"),
        remove_by_rank(1),
        pop_first(),
        pop_last(),
        pop_first_if(|_, _, _| true),
        pop_last_if(|_, _, _| true),
        remove_range((&1, "a")..),
        remove_range_by_rank(..1),
        remove_range_by_score(..1),
        remove_range_by_key(&1, "a"..),
        drain(),
        drain_range((&1, "a")..),
        drain_by_rank(..1),
        drain_by_score(1..),
        drain_by_key(&1, "a"..),
        retain(|_, _, _| true),
        extract_if(|_, _, _| true),
        append(&mut SortedMap::new()),
        split_off_by_rank(1),
        split_off_by_score(&2),
        clear(),
        len(),
        is_empty(),
        capacity(),
        reserve(10),
        try_reserve(10),
        shrink_to_fit(),
        allocation_size(),
    });
    names
}

fn zset() -> Vec<&'static str> {
    let one = Score::from(1);
    called! {
        ZSet:
        new(),
        with_limits(ListpackLimits::default()),
        from_sorted_iter([("a", Score::ZERO)]),
        from_sorted_iter_with_limits([("a", Score::ZERO)], ListpackLimits::default());
        ZSet::from([("a", one), ("b", Score::from(2))]);
        limits(),
        set_limits(ListpackLimits::default()),
        encoding(),
        promote(),
        try_promote(),
        as_listpack(),
        insert("c", one),
        try_insert("c", one),
        add("c", one, AddOptions::new()),
        try_add("c", one, AddOptions::new()),
        update("a", |score| score),
        try_update("a", |score| score),
        increment("a", 1.0),
        try_increment("a", 1.0),
        score("a"),
        scores(["a", "b"]),
        get("a"),
        contains("a"),
        rank("a"),
        rev_rank("a"),
        first(),
        last(),
        get_by_rank(1),
        iter(),
        range((one, &b"a"[..])..),
        range_by_rank(..1),
        range_by_score(one..),
        range_by_member(one, &b"a"[..]..),
        range_by_lex(&b"a"[..]..),
        count_by_score(one..),
        count_by_lex(&b"a"[..]..),
        remove("a"),
        remove_by_rank(1),
        pop_first(),
        pop_last(),
        pop_first_if(|_, _| true),
        pop_last_if(|_, _| true),
        remove_range((one, &b"a"[..])..),
        remove_range_by_rank(..1),
        remove_range_by_score(..one),
        remove_range_by_member(one, &b"a"[..]..),
        remove_range_by_lex(..&b"b"[..]),
        drain(),
        drain_range((one, &b"a"[..])..),
        drain_by_rank(..1),
        drain_by_score(one..),
        drain_by_member(one, &b"a"[..]..),
        retain(|_, _| true),
        extract_if(|_, _| true),
        append(&mut ZSet::new()),
        split_off_by_rank(1),
        split_off_by_score(one),
        scan(0, 10),
        clear(),
        len(),
        is_empty(),
        sample(&mut rng(), 1),
        sample_with_replacement(&mut rng(), 1),
        capacity(),
        reserve(10),
        try_reserve(10),
        shrink_to_fit(),
        allocation_size(),
    }
}

fn packed_zset() -> Vec<&'static str> {
    let one = Score::from(1);
    called! {
        PackedZSet<Vec<u8>>:
        new(),
        with_storage(Vec::new()),
        from_listpack(Listpack::new());
        PackedZSet::new();
        as_listpack(),
        into_listpack(),
        try_insert("a", one),
        try_add("a", one, AddOptions::new()),
        try_update("a", |score| score),
        try_increment("a", 1.0),
        score("a"),
        scores(["a", "b"]),
        get("a"),
        contains("a"),
        rank("a"),
        rev_rank("a"),
        first(),
        last(),
        get_by_rank(1),
        iter(),
        range((one, &b"a"[..])..),
        range_by_rank(..1),
        range_by_score(one..),
        range_by_member(one, &b"a"[..]..),
        range_by_lex(&b"a"[..]..),
        count_by_score(one..),
        count_by_lex(&b"a"[..]..),
        remove("a"),
        pop_first_with(|_, _| ()),
        pop_last_with(|_, _| ()),
        remove_range((one, &b"a"[..])..),
        remove_range_by_rank(..1),
        remove_range_by_score(..one),
        remove_range_by_member(one, &b"a"[..]..),
        remove_range_by_lex(..&b"b"[..]),
        retain(|_, _| true),
        clear(),
        len(),
        is_empty(),
        shrink_to_fit(),
    }
}

fn packed_zset_with_array() -> Vec<&'static str> {
    called! { PackedZSet<[u8; 64]>: with_array([0; 64]); PackedZSet::with_array([0; 64]); }
}

fn fixed_sorted_set() -> Vec<&'static str> {
    let mut set = FixedSortedSet::<&str, i64, 4>::new();
    set.try_insert("a", 1).expect("there is room");
    called! {
        FixedSortedSet<&'static str, i64, 4>: new(), with_hasher(FixedHashBuilder);
        set;
        hasher(),
        try_insert("c", 3),
        insert_or_evict_first("c", 3),
        insert_or_evict_last("c", 3),
        update("a", |score| score + 1),
        try_increment("a", 1),
        score("a"),
        get("a"),
        contains("a"),
        rank("a"),
        rev_rank("a"),
        first(),
        last(),
        get_by_rank(1),
        iter(),
        range((&1, "a")..),
        range_by_rank(..1),
        range_by_score(1..),
        range_by_member(&1, "a"..),
        count_by_score(1..),
        remove("a"),
        remove_entry("a"),
        remove_by_rank(1),
        pop_first(),
        pop_last(),
        pop_first_if(|_, _| true),
        pop_last_if(|_, _| true),
        remove_range((&1, "a")..),
        remove_range_by_rank(..1),
        remove_range_by_score(..1),
        remove_range_by_member(&1, "a"..),
        retain(|_, _| true),
        clear(),
        len(),
        is_empty(),
        is_full(),
        capacity(),
    }
}
