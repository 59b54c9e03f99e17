//! Compares the layout that a set reports with the elements of the set.

use proptest::prelude::*;
use zset_core::SortedSet;
use zset_core::layout::Node;

use super::LEAF;

/// Checks a node and its descendants; returns their elements in order.
fn elements_below(node: Node<'_, u16, u16>) -> Vec<(u16, u16)> {
    let mut elements = Vec::new();
    if node.level() == 0 {
        assert_eq!(node.children().len(), 0);
        elements.extend(node.elements().map(|(member, score)| (*member, *score)));
        let back: Vec<_> = node.elements().rev().map(|(member, score)| (*member, *score)).collect();
        assert!(back.iter().rev().eq(&elements));
    } else {
        assert_eq!(node.elements().count(), 0);
        assert!((2..=node.capacity()).contains(&node.children().len()));
        let spans: usize = node.children().map(|child| child.span()).sum();
        assert_eq!(spans, node.span());
        for child in node.children() {
            assert_eq!(child.level() + 1, node.level());
            elements.extend(elements_below(child));
        }
    }
    assert_eq!(elements.len(), node.span());
    elements
}

fn check(set: &SortedSet<u16, u16>) {
    let root = set.root();
    assert_eq!(root.span(), set.len());
    assert!(set.iter().map(|(member, score)| (*member, *score)).eq(elements_below(root)));
    let dict = set.dict_layout();
    assert_eq!(dict.len, set.len());
    assert!(dict.buckets >= dict.len || dict.tables == 0);
    assert!(dict.directory == 0 || dict.directory >= dict.tables);
    assert!(dict.allocation_size <= set.allocation_size());
}

proptest! {
    #![proptest_config(crate::config(64, 2))]

    #[test]
    fn spans_count_the_elements_below(
        pairs in proptest::collection::vec((any::<u16>(), 0..500u16), 0..if cfg!(miri) { 200 } else { 5000 }),
        removed in any::<u16>(),
    ) {
        let mut set = SortedSet::new();
        for &(member, score) in &pairs {
            set.insert(member, score);
        }
        check(&set);
        set.retain(|member, _| member % 7 > removed % 7);
        check(&set);
    }
}

#[test]
fn a_list_has_an_index_once_it_has_two_leaves() {
    let mut set = SortedSet::new();
    for i in 0..LEAF as u16 {
        set.insert(i, i);
    }
    assert_eq!(set.root().level(), 0);
    set.insert(u16::MAX, 0);
    let root = set.root();
    assert_eq!((root.level(), root.children().len()), (1, 2));
    let mut ids: Vec<_> = root.children().map(|leaf| leaf.id()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [0, 1]);
}
