//! Tests the order of equal elements in a list. The module `types` runs random sequences on lists.

use zset_core::SkipList;

use crate::labelled::Labelled;

#[test]
fn equal_elements_stay_in_insertion_order() {
    let len: u32 = if cfg!(miri) { 50 } else { 200 };
    let mut list = SkipList::new();
    for tag in 0..len {
        list.insert(Labelled(1, tag), 0);
        list.insert(Labelled(0, tag), 0);
    }
    let tags = |number| list.iter().filter(move |(m, _)| m.0 == number).map(|(m, _)| m.1);
    assert!(tags(0).eq(0..len) && tags(1).eq(0..len));
    assert_eq!(
        list.rank(&Labelled(1, 7), &0),
        Some(len as usize),
        "the first of the equal elements"
    );
    assert_eq!(list.get(&Labelled(1, 7), &0).map(|(member, _)| member.1), Some(0));
    assert_eq!(list.remove(&Labelled(1, 7), &0).map(|(member, _)| member.1), Some(0));
}
