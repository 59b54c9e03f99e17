//! Calls each method that the guide's table names for other collections.

use indexmap::{IndexMap, IndexSet};
use priority_queue::{DoublePriorityQueue, PriorityQueue};
use std::collections::{BTreeMap, BTreeSet};

use super::Names;

/// Calls methods on clones of a value; returns their names.
macro_rules! called {
    ($type:ty: $value:expr; $($method:ident($($argument:expr),*)),* $(,)?) => {{
        let value: $type = $value;
        $(let _ = value.clone().$method($($argument),*);)*
        vec![$(stringify!($method)),*]
    }};
}

pub(crate) fn called() -> Names {
    let sets = [("BTreeSet", btree_set()), ("IndexSet", index_set())];
    let maps = [("BTreeMap", btree_map()), ("IndexMap", index_map())];
    let queues =
        [("PriorityQueue", priority_queue()), ("DoublePriorityQueue", double_priority_queue())];
    let owned = |methods: Vec<&str>| methods.into_iter().map(str::to_string).collect();
    let all = sets.into_iter().chain(maps).chain(queues);
    all.map(|(name, methods)| (name.to_string(), owned(methods))).collect()
}

#[expect(clippy::incompatible_msrv, reason = "tests may need a newer Rust than the library")]
fn btree_map() -> Vec<&'static str> {
    called! {
        BTreeMap<u8, char>: BTreeMap::from([(1, 'a'), (2, 'b')]);
        insert(3, 'c'), entry(1), first_entry(), last_entry(),
        get(&1), get_key_value(&1), get_mut(&1), contains_key(&1),
        first_key_value(), last_key_value(), range(1..), range_mut(1..),
        pop_first(), pop_last(), remove(&1), remove_entry(&1),
        retain(|_, _| true), extract_if(.., |_, _| true),
        split_off(&2), append(&mut BTreeMap::new()), clear(),
        len(), is_empty(), iter(), iter_mut(), values_mut(),
        keys(), values(), into_keys(), into_values(),
    }
}

fn btree_set() -> Vec<&'static str> {
    let other = BTreeSet::from([2]);
    called! {
        BTreeSet<u8>: BTreeSet::from([1, 2]);
        get(&1), contains(&1), replace(1),
        union(&other), intersection(&other), difference(&other), symmetric_difference(&other),
        is_subset(&other), is_superset(&other), is_disjoint(&other),
    }
}

fn index_map() -> Vec<&'static str> {
    called! {
        IndexMap<u8, char>: IndexMap::from([(1, 'a'), (2, 'b')]);
        insert(3, 'c'), entry(1), first_entry(), last_entry(),
        get(&1), get_key_value(&1), get_mut(&1), get_full(&1), get_full_mut(&1),
        get_disjoint_mut([&1, &2]), contains_key(&1),
        get_index_of(&1), get_index(0), get_range(0..1), get_range_mut(0..1), first(), last(),
        pop(), pop_if(|_, _| true),
        shift_remove(&1), shift_remove_entry(&1), shift_remove_index(0),
        drain(..), retain(|_, _| true), extract_if(.., |_, _| true),
        split_off(1), append(&mut IndexMap::new()), clear(),
        reserve(1), try_reserve(1), capacity(), shrink_to_fit(),
        len(), is_empty(), iter(), iter_mut(), values_mut(),
        keys(), values(), into_keys(), into_values(),
    }
}

fn index_set() -> Vec<&'static str> {
    let other = IndexSet::from([2]);
    called! {
        IndexSet<u8>: IndexSet::from([1, 2]);
        get(&1), contains(&1), replace(1),
        union(&other), intersection(&other), difference(&other), symmetric_difference(&other),
        is_subset(&other), is_superset(&other), is_disjoint(&other),
    }
}

fn priority_queue() -> Vec<&'static str> {
    called! {
        PriorityQueue<u8, u8>: PriorityQueue::from_iter([(1, 10), (2, 20)]);
        push(3, 30), push_increase(1, 30), push_decrease(1, 5),
        change_priority(&1, 30), change_priority_by(&1, |priority| *priority += 1),
        get_priority(&1), get(&1), get_mut(&1), contains(&1), peek(), peek_mut(), iter_mut(),
        pop(), pop_if(|_, _| true), remove(&1),
        drain(), retain(|_, _| true), extract_if(|_, _| true),
        append(&mut PriorityQueue::new()), clear(),
        reserve(1), try_reserve(1), capacity(), shrink_to_fit(),
        len(), is_empty(), into_sorted_iter(), into_vec(),
    }
}

fn double_priority_queue() -> Vec<&'static str> {
    called! {
        DoublePriorityQueue<u8, u8>: DoublePriorityQueue::from_iter([(1, 10), (2, 20)]);
        peek_min(), peek_max(), peek_min_mut(), peek_max_mut(), pop_min(), pop_max(),
        pop_min_if(|_, _| true), pop_max_if(|_, _| true),
    }
}
