//! Tests ranges that span several scores, and removals by rank, in a packed set and in both
//! encodings of `ZSet`.

use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::RangeBounds;
use test_support::zset::{Element, drive, plain, score};
use zset_core::{PackedZSet, Score};

use crate::both_encodings;

/// Elements in runs of equal scores. Some members are integers.
const ELEMENTS: [(&str, f64); 9] = [
    ("10", -1.5),
    ("a", -1.5),
    ("", 0.0),
    ("10000", 0.0),
    ("9", 0.0),
    ("b", 0.0),
    ("ab", 2.0),
    ("c", 2.0),
    ("7", f64::INFINITY),
];

fn elements() -> Vec<Element> {
    ELEMENTS.map(|(member, number)| (member.as_bytes().to_vec(), number)).to_vec()
}

/// Bounds at every element, and at members and scores that do not occur.
fn bounds() -> Vec<Bound<(f64, &'static [u8])>> {
    let there = ELEMENTS.map(|(member, number)| (number, member.as_bytes()));
    let absent: [(f64, &[u8]); 6] = [
        (0.0, b"1"),
        (0.0, b"zz"),
        (1.0, b""),
        (2.0, b"aa"),
        (f64::NEG_INFINITY, b"a"),
        (9.0, b""),
    ];
    let mut bounds = vec![Unbounded];
    for at in there.into_iter().chain(absent) {
        bounds.extend([Included(at), Excluded(at)]);
    }
    bounds
}

fn scored(bound: Bound<(f64, &[u8])>) -> Bound<(Score, &[u8])> {
    bound.map(|(number, member)| (score(number), member))
}

#[test]
fn ranges_between_all_bounds() {
    let mut packed = PackedZSet::with_storage([0; 128]).unwrap();
    for (member, number) in ELEMENTS {
        packed.try_insert(member, score(number)).unwrap();
    }
    let [listpack, skiplist] = both_encodings(&packed);
    assert!(packed.iter().map(plain).eq(elements()));
    for start in bounds() {
        for end in bounds() {
            let contains = |(member, number): &Element| {
                (scored(start), scored(end)).contains(&(score(*number), member.as_slice()))
            };
            let expected: Vec<Element> = elements().into_iter().filter(contains).collect();
            let range = (scored(start), scored(end));
            drive(packed.range(range), &expected, 0b0110);
            drive(listpack.range(range), &expected, 0b1001);
            drive(skiplist.range(range), &expected, 0b0101);
        }
    }
    assert_eq!(packed.range(..).len(), ELEMENTS.len());
}
