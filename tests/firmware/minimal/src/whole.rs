//! The measured operations on whole sets. None is inlined, so a measured call has its frame.

use zset_core::{Score, SortedSet, ZSet};

use crate::subject::{Subject, bytes, show};

/// A set with operations on all of its elements.
pub trait Whole: Subject {
    /// Appends the elements of another set, if the type has such an operation.
    const APPEND: Option<fn(&mut Self, other: &mut Self)> = None;
    /// Inserts an element if there is memory for it.
    fn try_insert(&mut self, member: u32, score: u32) -> bool;
    fn split_off(&mut self, upper: &mut Self);
    fn shrink_to_fit(&mut self);
    fn collect(&mut self, copy: &mut Self);
    fn retain(&mut self);
    fn drain(&mut self);
}

/// Not inlined, so the frame of the drain does not include the caller's handling of the elements.
#[inline(never)]
fn show_all(scores: &mut impl Iterator<Item = u32>) {
    show(scores);
}

macro_rules! whole {
    ($number:expr, $copy:expr) => {
        #[inline(never)]
        fn split_off(&mut self, upper: &mut Self) {
            *upper = self.split_off_by_rank(self.len() / 2);
        }

        #[inline(never)]
        fn shrink_to_fit(&mut self) {
            Self::shrink_to_fit(self);
        }

        #[inline(never)]
        fn collect(&mut self, copy: &mut Self) {
            *copy = self.iter().map($copy).collect();
        }

        #[inline(never)]
        fn retain(&mut self) {
            Self::retain(self, |_, score| $number(score) % 2 == 0);
        }

        #[inline(never)]
        fn drain(&mut self) {
            let drained = self.drain_by_rank(..self.len() / 2);
            show_all(&mut drained.map(|(_, score)| $number(score)));
        }
    };
}

impl Whole for SortedSet<u32, u32> {
    #[inline(never)]
    fn try_insert(&mut self, member: u32, score: u32) -> bool {
        self.try_insert(member, score).is_ok()
    }

    whole!(u32::from, |(member, score)| (*member, score));

    const APPEND: Option<fn(&mut Self, other: &mut Self)> = Some(append);
}

#[inline(never)]
fn append(set: &mut SortedSet<u32, u32>, other: &mut SortedSet<u32, u32>) {
    set.append(other);
}

impl Whole for ZSet {
    #[inline(never)]
    fn try_insert(&mut self, member: u32, score: u32) -> bool {
        self.try_insert(bytes(member), Score::from(score)).is_ok()
    }

    whole!(|score: Score| score.get() as u32, |element| element);
}
