//! Types that work without an allocator. None is linked: a use of `alloc` would be a linker error.

#![no_std]
#![no_main]

use zset_core::listpack::Value;
use zset_core::{FixedSortedSet, Listpack, PackedZSet, Score};
use zset_firmware::{run, run_model};

#[cortex_m_rt::entry]
fn main() -> ! {
    run(&[
        ("fixed sets follow the reference", fixed_sets),
        ("the best of many are kept", best),
        ("packed sets follow the reference", packed_sets),
        ("scores that are not integers keep their values and their order", fractions),
        ("a listpack in an array is read from both ends", listpacks),
    ])
}

fn fixed_sets() {
    run_model(&mut FixedSortedSet::<u16, u32, 64>::new(), 1, 2_000);
    run_model(&mut FixedSortedSet::<u16, u32, 100, u8>::new(), 2, 2_000);
    run_model(&mut FixedSortedSet::<u16, u32, 1, u8>::new(), 3, 200);
}

fn best() {
    let mut best = FixedSortedSet::<u32, u32, 10, u8>::new();
    for i in 0..1_000_u32 {
        // All residues modulo a prime, in a scattered order.
        best.insert_or_evict_first(i, i * 619 % 1_009);
        best.check();
    }
    let scores = best.iter().rev().map(|(_, score)| score);
    assert!(scores.clone().is_sorted_by(|a, b| a > b));
    assert!(scores.min() > Some(980));
}

fn packed_sets() {
    let mut set = PackedZSet::with_storage([0; 512]).expect("there is room for a header");
    run_model(&mut set, 4, 500);
}

/// Without an operating system, zset converts scores to strings and back by itself.
fn fractions() {
    let mut set = PackedZSet::with_storage([0; 2048]).expect("there is room for a header");
    let mut scale = 1e-20;
    for member in 0..60_u8 {
        let score = Score::new((f64::from(member) - 29.5) / 7.0 * scale).expect("a number");
        set.try_insert([member], score).expect("there is room");
        assert_eq!(set.score([member]), Some(score));
        scale *= 5.0;
    }
    assert_eq!(set.len(), 60);
    assert!(set.iter().is_sorted_by(|(_, a), (_, b)| a.get() < b.get()));
    assert_eq!(Score::parse(b"-0.1").map(Score::get), Ok(-0.1));
}

fn listpacks() {
    let mut list = Listpack::with_storage([0; 64]).expect("there is room for a header");
    let mut len = 0;
    while list.try_push_back(i64::from(len)).is_ok() {
        len += 1;
    }
    assert_eq!(list.len(), len as usize);
    assert!(len > 10);
    let forward = (0..i64::from(len)).map(Value::Integer);
    assert!(list.iter().eq(forward.clone()));
    assert!(list.iter().rev().eq(forward.rev()));
}
