//! The owning iterator of a list.

use core::fmt;
use core::iter::FusedIterator;

use super::leaf::End;
use super::{NONE, SkipList};

/// An owning iterator over elements, lowest score first.
///
/// Each step is **O(1)**.
///
/// # Examples
///
/// ```
/// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1), ("a", 1)]);
/// let mut elements = list.into_iter();
/// assert_eq!(elements.next_back(), Some(("b", 2)));
/// assert!(elements.eq([("a", 1), ("a", 1)]));
/// ```
pub struct IntoIter<M, S>(Elements<M, S>);

#[allow(clippy::large_enum_variant, reason = "no iterator is stored, and a box would need memory")]
enum Elements<M, S> {
    /// All elements of a list.
    List(SkipList<M, S>, Emptied),
    /// One element, without a list, which would need memory.
    One(Option<(M, S)>),
}

/// How far a list has been emptied from its ends. Leaves without elements are outside its head and tail, but
/// still in its index.
#[derive(Clone, Copy)]
struct Emptied {
    /// The leaf arranged for each end, or `NONE`.
    arranged: [u32; 2],
}

impl Emptied {
    const NOTHING: Emptied = Emptied { arranged: [NONE; 2] };

    /// Takes the element at this end of a list that is only emptied from now on.
    #[inline]
    fn pop<M, S: Copy>(&mut self, list: &mut SkipList<M, S>, end: End) -> Option<(M, S)> {
        list.len = list.len.checked_sub(1)?;
        let id = match end {
            End::First => list.head,
            End::Last => list.tail,
        };
        if self.arranged[end as usize] != id {
            self.arrange(list, id, end);
        }
        let element = list.leaves.pop_arranged(id, end);
        let leaf = list.leaf(id);
        if leaf.len() == 0 && list.len > 0 {
            match end {
                End::First => list.head = leaf.forward,
                End::Last => list.tail = leaf.backward,
            }
        }
        Some(element)
    }

    #[cold]
    fn arrange<M, S: Copy>(&mut self, list: &mut SkipList<M, S>, id: u32, end: End) {
        list.leaves.arrange(id, end);
        // Where the ends meet, the leaf is arranged for only one of them at a time.
        self.arranged = self.arranged.map(|other| if other == id { NONE } else { other });
        self.arranged[end as usize] = id;
    }
}

impl<M, S: Copy> SkipList<M, S> {
    /// Takes the elements of a list one by one, lowest score first. The list can then only be cleared.
    pub(crate) fn emptied(&mut self) -> impl Iterator<Item = (M, S)> {
        let mut emptied = Emptied::NOTHING;
        core::iter::from_fn(move || emptied.pop(self, End::First))
    }
}

impl<M, S> IntoIter<M, S> {
    pub(crate) fn new(list: SkipList<M, S>) -> Self {
        IntoIter(Elements::List(list, Emptied::NOTHING))
    }

    /// Creates an iterator over one element, without allocating.
    pub(crate) const fn of_one(element: (M, S)) -> Self {
        IntoIter(Elements::One(Some(element)))
    }

    /// Returns the list, before the first element is returned.
    pub(crate) fn list_mut(&mut self) -> &mut SkipList<M, S> {
        match &mut self.0 {
            Elements::List(list, _) => list,
            Elements::One(_) => unreachable!("one element has no list"),
        }
    }
}

impl<M, S: Copy> Iterator for IntoIter<M, S> {
    type Item = (M, S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Elements::List(list, emptied) => emptied.pop(list, End::First),
            Elements::One(element) => element.take(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = match &self.0 {
            Elements::List(list, _) => list.len(),
            Elements::One(element) => usize::from(element.is_some()),
        };
        (len, Some(len))
    }
}

impl<M, S: Copy> DoubleEndedIterator for IntoIter<M, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Elements::List(list, emptied) => emptied.pop(list, End::Last),
            Elements::One(element) => element.take(),
        }
    }
}

impl<M, S: Copy> ExactSizeIterator for IntoIter<M, S> {}

impl<M, S: Copy> FusedIterator for IntoIter<M, S> {}

impl<M: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for IntoIter<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Elements::List(list, _) => list.iter().fmt(f),
            Elements::One(element) => f.debug_list().entries(element).finish(),
        }
    }
}
