//! Calls each method of another collection that the table names.

use indexmap::{IndexMap, IndexSet};
use priority_queue::{DoublePriorityQueue, PriorityQueue};
use std::collections::{BTreeMap, BTreeSet};

use super::{Names, called, names_of};

pub(crate) fn called() -> Names {
    names_of([
        ("BTreeMap", btree_map()),
        ("BTreeSet", btree_set()),
        ("IndexMap", index_map()),
        ("IndexSet", index_set()),
        ("PriorityQueue", priority_queue()),
        ("DoublePriorityQueue", double_priority_queue()),
    ])
}

#[expect(clippy::incompatible_msrv, reason = "tests may need a newer Rust than the library")]
fn btree_map() -> Vec<&'static str> {
    called! {
        BTreeMap<u8, char>: ; BTreeMap::from([(1, 'a'), (2, 'b')]);
        insert(3, 'c'),
        entry(1),
        get(&1),
        get_key_value(&1),
        get_mut(&1),
        contains_key(&1),
        first_key_value(),
        last_key_value(),
        first_entry(),
        last_entry(),
        pop_first(),
        pop_last(),
        remove(&1),
        remove_entry(&1),
        retain(|_, _| true),
        extract_if(.., |_, _| true),
        split_off(&2),
        append(&mut BTreeMap::new()),
        clear(),
        len(),
        is_empty(),
        iter(),
        range(1..),
        range_mut(1..),
        iter_mut(),
        values_mut(),
        keys(),
        values(),
        into_keys(),
        into_values(),
    }
}

fn btree_set() -> Vec<&'static str> {
    let other = BTreeSet::from([2]);
    called! {
        BTreeSet<u8>: ; BTreeSet::from([1, 2]);
        get(&1),
        contains(&1),
        replace(1),
        union(&other),
        intersection(&other),
        difference(&other),
        symmetric_difference(&other),
        is_subset(&other),
        is_superset(&other),
        is_disjoint(&other),
    }
}

fn index_map() -> Vec<&'static str> {
    called! {
        IndexMap<u8, char>: ; IndexMap::from([(1, 'a'), (2, 'b')]);
        insert(3, 'c'),
        entry(1),
        get(&1),
        get_key_value(&1),
        get_mut(&1),
        get_full(&1),
        get_full_mut(&1),
        get_disjoint_mut([&1, &2]),
        contains_key(&1),
        get_index_of(&1),
        get_index(0),
        get_range(0..1),
        first(),
        last(),
        first_entry(),
        last_entry(),
        pop(),
        pop_if(|_, _| true),
        shift_remove(&1),
        shift_remove_entry(&1),
        shift_remove_index(0),
        drain(..),
        retain(|_, _| true),
        extract_if(.., |_, _| true),
        split_off(1),
        append(&mut IndexMap::new()),
        reserve(1),
        try_reserve(1),
        capacity(),
        shrink_to_fit(),
        clear(),
        len(),
        is_empty(),
        iter(),
        iter_mut(),
        values_mut(),
        keys(),
        values(),
        into_keys(),
        into_values(),
    }
}

fn index_set() -> Vec<&'static str> {
    let other = IndexSet::from([2]);
    called! {
        IndexSet<u8>: ; IndexSet::from([1, 2]);
        get(&1),
        contains(&1),
        replace(1),
        union(&other),
        intersection(&other),
        difference(&other),
        symmetric_difference(&other),
        is_subset(&other),
        is_superset(&other),
        is_disjoint(&other),
    }
}

fn priority_queue() -> Vec<&'static str> {
    called! {
        PriorityQueue<u8, u8>: ; PriorityQueue::from_iter([(1, 10), (2, 20)]);
        push(3, 30),
        push_increase(1, 30),
        push_decrease(1, 5),
        change_priority(&1, 30),
        change_priority_by(&1, |priority| *priority += 1),
        get_priority(&1),
        get(&1),
        get_mut(&1),
        contains(&1),
        peek(),
        pop(),
        pop_if(|_, _| true),
        remove(&1),
        drain(),
        retain(|_, _| true),
        extract_if(|_, _| true),
        append(&mut PriorityQueue::new()),
        reserve(1),
        try_reserve(1),
        capacity(),
        shrink_to_fit(),
        clear(),
        len(),
        is_empty(),
        into_sorted_iter(),
    }
}

fn double_priority_queue() -> Vec<&'static str> {
    called! {
        DoublePriorityQueue<u8, u8>: ; DoublePriorityQueue::from_iter([(1, 10), (2, 20)]);
        peek_min(),
        peek_max(),
        pop_min(),
        pop_max(),
        pop_min_if(|_, _| true),
        pop_max_if(|_, _| true),
    }
}
