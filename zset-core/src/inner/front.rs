//! Macros that implement the traits of the *fronts* of the core ([`SortedSet`](crate::SortedSet),
//! [`SortedMap`](crate::SortedMap) and [`SkipList`](crate::SkipList)) and of their iterators.

/// Implements the traits of a front that need only its elements in order, or that insert elements
/// by calling `collect` or `extend`. The bounds in brackets apply to keys that are inserted.
macro_rules! front_traits {
    (
        $name:ident<$key:ident: $K:ident $(, $value:ident: $V:ident)?; S $(, $H:ident, $H2:ident)?>,
        [$($insertable:tt)+]
    ) => {
        /// Two collections are equal if they have the same elements in the same order. **O(n)**.
        impl<$K: PartialEq, $($V: PartialEq,)? S: PartialEq $(, $H, $H2)?>
            PartialEq<$name<$K, $($V,)? S $(, $H2)?>> for $name<$K, $($V,)? S $(, $H)?>
        {
            fn eq(&self, other: &$name<$K, $($V,)? S $(, $H2)?>) -> bool {
                self.len() == other.len() && self.iter().eq(other)
            }
        }

        impl<$K: Eq, $($V: Eq,)? S: Eq $(, $H)?> Eq for $name<$K, $($V,)? S $(, $H)?> {}

        impl<$K, $($V,)? S $(, $H)?> $name<$K, $($V,)? S $(, $H)?> {
            /// Returns the elements as tuples that compare by score first, then by key, then by
            /// value.
            fn in_order(&self) -> impl Iterator<Item = (&S, &$K, $(&$V)?)> {
                self.iter().map(|($key, $($value,)? score)| (score, $key, $($value)?))
            }
        }

        /// Compares lexicographically, element by element: scores first, then keys or members, then
        /// values. **O(n)**.
        impl<$K: PartialOrd, $($V: PartialOrd,)? S: PartialOrd $(, $H, $H2)?>
            PartialOrd<$name<$K, $($V,)? S $(, $H2)?>> for $name<$K, $($V,)? S $(, $H)?>
        {
            fn partial_cmp(
                &self,
                other: &$name<$K, $($V,)? S $(, $H2)?>,
            ) -> Option<core::cmp::Ordering> {
                self.in_order().partial_cmp(other.in_order())
            }
        }

        /// Compares lexicographically, element by element: scores first, then keys or members, then
        /// values. **O(n)**.
        impl<$K: Ord, $($V: Ord,)? S: Ord $(, $H)?> Ord for $name<$K, $($V,)? S $(, $H)?> {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.in_order().cmp(other.in_order())
            }
        }

        /// Hashes the elements in order. Equal collections have equal hashes. **O(n)**.
        impl<$K: core::hash::Hash, $($V: core::hash::Hash,)? S: core::hash::Hash $(, $H)?>
            core::hash::Hash for $name<$K, $($V,)? S $(, $H)?>
        {
            fn hash<T: core::hash::Hasher>(&self, state: &mut T) {
                state.write_usize(self.len());
                self.iter().for_each(|element| element.hash(state));
            }
        }

        impl<$K, $($V,)? S $(, $H)?> IntoIterator for $name<$K, $($V,)? S $(, $H)?> {
            type Item = ($K, $($V,)? S);
            type IntoIter = IntoIter<$K, $($V,)? S>;

            fn into_iter(self) -> Self::IntoIter {
                IntoIter(crate::inner::iter::IntoIter::new(self.core.nodes))
            }
        }

        impl<'a, $K, $($V,)? S $(, $H)?> IntoIterator for &'a $name<$K, $($V,)? S $(, $H)?> {
            type Item = (&'a $K, $(&'a $V,)? &'a S);
            type IntoIter = Iter<'a, $K, $($V,)? S>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        /// Collects the elements, as `FromIterator` does. **O(n log n)**.
        impl<$K: $($insertable)+, $($V,)? S: crate::ScoreOrder + Clone>
            From<alloc::vec::Vec<($K, $($V,)? S)>> for $name<$K, $($V,)? S>
        {
            fn from(elements: alloc::vec::Vec<($K, $($V,)? S)>) -> Self {
                elements.into_iter().collect()
            }
        }

        /// Collects the elements, as `FromIterator` does. **O(n log n)**.
        impl<$K: $($insertable)+, $($V,)? S: crate::ScoreOrder + Clone, const N: usize>
            From<[($K, $($V,)? S); N]> for $name<$K, $($V,)? S>
        {
            fn from(elements: [($K, $($V,)? S); N]) -> Self {
                elements.into_iter().collect()
            }
        }

        /// Returns the elements in order, lowest score first. **O(n)**.
        impl<$K, $($V,)? S $(, $H)?> From<$name<$K, $($V,)? S $(, $H)?>>
            for alloc::vec::Vec<($K, $($V,)? S)>
        {
            fn from(front: $name<$K, $($V,)? S $(, $H)?>) -> Self {
                front.into_iter().collect()
            }
        }

        /// Inserts copies of elements, for example of a `BTreeMap` or another collection of this
        /// type. **O(log n)** per element.
        impl<
            'a,
            $K: $($insertable)+ + Copy,
            $($V: Copy,)?
            S: Ord + Copy
            $(, $H: core::hash::BuildHasher)?
        > Extend<(&'a $K, $(&'a $V,)? &'a S)> for $name<$K, $($V,)? S $(, $H)?> {
            #[track_caller]
            fn extend<I: IntoIterator<Item = (&'a $K, $(&'a $V,)? &'a S)>>(&mut self, elements: I) {
                self.extend(elements.into_iter().map(|($key, $($value,)? score)| {
                    (*$key, $(*$value,)? *score)
                }));
            }
        }
    };
}

/// Implements the traits of a front's iterator over references, a tuple struct around `Iter`.
/// `$shown` converts an element of the core.
macro_rules! front_iter {
    ($name:ident<$($param:ident),*>, $item:ty, $shown:path) => {
        impl<'a, $($param),*> Iterator for $name<'a, $($param),*>
        {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next().map($shown)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }

            #[inline]
            fn count(self) -> usize {
                self.0.count()
            }

            #[inline]
            fn last(self) -> Option<$item> {
                self.0.last().map($shown)
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<$item> {
                self.0.nth(n).map($shown)
            }

            #[inline]
            fn fold<B, F: FnMut(B, $item) -> B>(self, init: B, combine: F) -> B {
                self.0.map($shown).fold(init, combine)
            }
        }

        impl<$($param),*> DoubleEndedIterator for $name<'_, $($param),*>
        {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map($shown)
            }

            #[inline]
            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                self.0.nth_back(n).map($shown)
            }
        }

        impl<$($param),*> ExactSizeIterator for $name<'_, $($param),*> {}

        impl<$($param),*> core::iter::FusedIterator for $name<'_, $($param),*> {}

        impl<$($param),*> Clone for $name<'_, $($param),*> {
            fn clone(&self) -> Self {
                $name(self.0.clone())
            }
        }

        impl<$($param: core::fmt::Debug),*> core::fmt::Debug for $name<'_, $($param),*>
        {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_list().entries(self.clone()).finish()
            }
        }

        /// Returns an empty iterator.
        impl<'a, $($param),*> Default for $name<'a, $($param),*>
        where
            $($param: 'a),*
        {
            fn default() -> Self {
                $name(Default::default())
            }
        }
    };
}

/// Implements the traits of a front's iterator over owned elements or mutable references, a tuple
/// struct around `IntoIter`, `IterMut` or, with the name of its field, `Drain`. `$taken` converts
/// an element of the core, and `$shown` a reference to one.
macro_rules! front_into_iter {
    (
        $name:ty, <$($life:lifetime,)? $($param:ident),*>, $item:ty, $taken:path, $shown:path
        $(, $elements:ident)?
    ) => {
        impl<$($life,)? $($param),*> Iterator for $name
        {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0$(.$elements)?.next().map($taken)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0$(.$elements)?.size_hint()
            }
        }

        impl<$($life,)? $($param),*> DoubleEndedIterator for $name
        {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                self.0$(.$elements)?.next_back().map($taken)
            }
        }

        impl<$($life,)? $($param),*> ExactSizeIterator for $name {}

        impl<$($life,)? $($param),*> core::iter::FusedIterator for $name {}

        impl<$($life,)? $($param: core::fmt::Debug),*> core::fmt::Debug for $name
        {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_list().entries(self.0$(.$elements)?.iter().map($shown)).finish()
            }
        }
    };
}

/// Implements `Clone` and `Default` of a front's tuple struct around `IntoIter`.
macro_rules! front_owning {
    ($name:ident<$($param:ident),*>) => {
        impl<$($param: Clone),*> Clone for $name<$($param),*>
        {
            fn clone(&self) -> Self {
                $name(self.0.clone())
            }
        }

        /// Returns an empty iterator.
        impl<$($param),*> Default for $name<$($param),*>
        {
            fn default() -> Self {
                $name(Default::default())
            }
        }
    };
}

/// Implements the traits of a wrapper type's `ExtractIf`, with its bounds in brackets. `$call`
/// passes the parts of an element of the core to the closure.
macro_rules! front_extract_if {
    (
        <$($param:ident),*>, [$($bounds:tt)*], $item:ty, $taken:path,
        $front:ident, $extracted:ident($($part:pat),*) => $call:expr
    ) => {
        impl<$($param),*> Iterator for ExtractIf<'_, $($param),*>
        where
            $($bounds)*
        {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                let ExtractIf { $front, extracted: $extracted, next } = self;
                $front.core.take_next_if(next, |$($part),*| $call).map($taken)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (0, Some(self.$front.len()))
            }
        }

        impl<$($param),*> core::iter::FusedIterator for ExtractIf<'_, $($param),*>
        where
            $($bounds)*
        {
        }
    };
}

pub(crate) use {front_extract_if, front_into_iter, front_iter, front_owning, front_traits};
