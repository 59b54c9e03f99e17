//! The entry of a member: a single look-up for reading and writing the member's score.

use core::fmt;
use core::hash::{BuildHasher, Hash};

use equivalent::Equivalent;

use super::SortedSet;
use crate::inner::leaf::Handle;
use crate::reserve::or_panic;
use crate::skiplist::{element, taken};
use crate::{ScoreOrder, TieOrder};

/// The entry of a member, returned by [`SortedSet::entry`].
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
/// use zset_core::sorted_set::Entry;
///
/// let mut set = SortedSet::from([("a", 1)]);
/// match set.entry("a") {
///     Entry::Occupied(mut entry) => assert_eq!(entry.insert(5), 1),
///     Entry::Vacant(entry) => _ = entry.insert(2),
/// }
/// assert_eq!(set.score("a"), Some(&5));
/// ```
pub enum Entry<'a, M, S, H> {
    /// The member is in the set.
    Occupied(OccupiedEntry<'a, M, S, H>),
    /// The member is not in the set.
    Vacant(VacantEntry<'a, M, S, H>),
}

/// The entry of a member that is in the set, returned by [`SortedSet::entry`],
/// [`SortedSet::entry_ref`], [`SortedSet::first_entry`] and [`SortedSet::last_entry`].
pub struct OccupiedEntry<'a, M, S, H> {
    set: &'a mut SortedSet<M, S, H>,
    hash: usize,
    handle: Handle,
}

/// The entry of a member that is not in the set, part of [`Entry`].
pub struct VacantEntry<'a, M, S, H> {
    set: &'a mut SortedSet<M, S, H>,
    hash: usize,
    member: M,
}

impl<M: TieOrder + Hash, S: ScoreOrder + Clone, H: BuildHasher> SortedSet<M, S, H> {
    /// Returns the entry of a member, to read, insert, update or remove it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut visits = zset_core::SortedSet::new();
    /// for page in ["home", "help", "home"] {
    ///     visits.entry(page).and_modify(|count| count + 1).or_insert(1);
    /// }
    /// assert_eq!(visits.last(), Some((&"home", &2)));
    /// ```
    pub fn entry(&mut self, member: M) -> Entry<'_, M, S, H> {
        let hash = self.core.hash(&member);
        match self.core.find_map(hash, &member, |found| found.handle) {
            Some(handle) => Entry::Occupied(OccupiedEntry { set: self, hash, handle }),
            None => Entry::Vacant(VacantEntry { set: self, hash, member }),
        }
    }

    /// Returns the entry of a member given by reference, like hashbrown's `entry_ref`. The member
    /// is converted only if it is not in the set: no `String` is allocated for a member that is
    /// present. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut visits = zset_core::SortedSet::<String, u32>::new();
    /// for page in ["home", "help", "home"] {
    ///     visits.entry_ref(page).and_modify(|count| count + 1).or_insert(1);
    /// }
    /// assert_eq!(visits.score("home"), Some(&2));
    /// ```
    pub fn entry_ref<'q, Q>(&mut self, member: &'q Q) -> Entry<'_, M, S, H>
    where
        Q: Hash + Equivalent<M> + ?Sized,
        &'q Q: Into<M>,
    {
        let hash = self.core.hash(member);
        match self.core.find_map(hash, member, |found| found.handle) {
            Some(handle) => Entry::Occupied(OccupiedEntry { set: self, hash, handle }),
            None => Entry::Vacant(VacantEntry { set: self, hash, member: member.into() }),
        }
    }

    /// Returns the entry of the element with the lowest score, to read, update or remove it.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
    /// let mut entry = set.first_entry().unwrap();
    /// assert_eq!(entry.member(), &"a");
    /// entry.insert(3);
    /// assert_eq!(set.first(), Some((&"b", &2)));
    /// ```
    pub fn first_entry(&mut self) -> Option<OccupiedEntry<'_, M, S, H>> {
        let (member, _) = self.first()?;
        let nodes = &self.core.nodes;
        let (hash, handle) = (self.core.hash(member), nodes.handle_at(nodes.start()));
        Some(OccupiedEntry { set: self, hash, handle })
    }

    /// Returns the entry of the element with the highest score, to read, update or remove it.
    /// **O(1)**.
    pub fn last_entry(&mut self) -> Option<OccupiedEntry<'_, M, S, H>> {
        let (member, _) = self.last()?;
        let nodes = &self.core.nodes;
        let (hash, handle) = (self.core.hash(member), nodes.handle_at(nodes.last_position()));
        Some(OccupiedEntry { set: self, hash, handle })
    }
}

impl<'a, M: TieOrder + Hash, S: Ord + Clone, H: BuildHasher> Entry<'a, M, S, H> {
    /// Returns the member of the entry. **O(1)**.
    pub fn member(&self) -> &M {
        match self {
            Entry::Occupied(entry) => entry.member(),
            Entry::Vacant(entry) => entry.member(),
        }
    }

    /// Updates the score with `new_score`, called on the old score, if the member is in the set.
    /// **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn and_modify(mut self, new_score: impl FnOnce(&S) -> S) -> Self {
        if let Entry::Occupied(entry) = &mut self {
            entry.update(new_score);
        }
        self
    }

    /// Inserts the member with this score if it is not in the set; returns its score. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn or_insert(self, score: S) -> &'a S {
        self.or_insert_with_key(|_| score)
    }

    /// Inserts the member with the default score if it is not in the set; returns its score.
    /// **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut seats = zset_core::SortedSet::<&str, u32>::new();
    /// assert_eq!(seats.entry("ann").or_default(), &0);
    /// ```
    #[track_caller]
    pub fn or_default(self) -> &'a S
    where
        S: Default,
    {
        self.or_insert_with(S::default)
    }

    /// Inserts the member with the score returned by `score` if it is not in the set; returns its
    /// score. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn or_insert_with(self, score: impl FnOnce() -> S) -> &'a S {
        self.or_insert_with_key(|_| score())
    }

    /// Inserts the member with the score that `score` returns for it if it is not in the set;
    /// returns its score. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::new();
    /// assert_eq!(set.entry("abc").or_insert_with_key(|member| member.len()), &3);
    /// ```
    #[track_caller]
    pub fn or_insert_with_key(self, score: impl FnOnce(&M) -> S) -> &'a S {
        match self {
            Entry::Occupied(entry) => entry.into_score(),
            Entry::Vacant(entry) => {
                let score = score(entry.member());
                entry.insert(score)
            }
        }
    }

    /// Inserts the member with this score, or replaces its score; returns its entry. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert_entry(self, score: S) -> OccupiedEntry<'a, M, S, H> {
        match self {
            Entry::Occupied(mut entry) => {
                entry.insert(score);
                entry
            }
            Entry::Vacant(entry) => entry.insert_entry(score),
        }
    }
}

impl<'a, M: TieOrder + Hash, S: Ord + Clone, H: BuildHasher> OccupiedEntry<'a, M, S, H> {
    /// Returns the member. **O(1)**.
    pub fn member(&self) -> &M {
        &self.set.core.nodes.element_at(self.handle).0.0
    }

    /// Returns the score. **O(1)**.
    pub fn score(&self) -> &S {
        self.set.core.nodes.score(self.handle)
    }

    /// Converts the entry into the score, with the lifetime of the set. **O(1)**.
    pub fn into_score(self) -> &'a S {
        self.set.core.nodes.score(self.handle)
    }

    /// Returns the 0-based rank, lowest score first. **O(log n)**.
    pub fn rank(&self) -> usize {
        self.set.core.nodes.rank_of(self.set.core.nodes.position_of(self.handle))
    }

    /// Sets the member's score and returns the old one. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::new();
    /// let mut entry = set.entry("a").insert_entry(1);
    /// assert_eq!(entry.insert(2), 1);
    /// assert_eq!(entry.score(), &2);
    /// ```
    #[track_caller]
    pub fn insert(&mut self, score: S) -> S {
        or_panic(self.set.core.set_score(self.hash, &mut self.handle, score))
    }

    /// Updates the score with `new_score`, called on the old score; returns the old score.
    /// **O(log n)**. See [`SortedSet::update`].
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    /// use zset_core::sorted_set::Entry;
    ///
    /// let mut queue = SortedSet::from([("ann", 3), ("bob", 5)]);
    /// if let Entry::Occupied(mut entry) = queue.entry("ann") {
    ///     assert_eq!(entry.update(|score| score + 4), 3);
    ///     assert_eq!((entry.score(), entry.rank()), (&7, 1));
    /// }
    /// ```
    #[track_caller]
    pub fn update(&mut self, new_score: impl FnOnce(&S) -> S) -> S {
        self.insert(new_score(self.score()))
    }

    /// Removes the member and returns its score. **O(log n)**.
    pub fn remove(self) -> S {
        let (_, score) = self.remove_entry();
        score
    }

    /// Removes the member and returns it with its score. **O(log n)**.
    pub fn remove_entry(self) -> (M, S) {
        let mut position = self.set.core.nodes.position_of(self.handle);
        taken(self.set.core.take_at(&mut position, self.hash))
    }
}

impl<'a, M: TieOrder + Hash, S: Ord + Clone, H: BuildHasher> VacantEntry<'a, M, S, H> {
    /// Returns a reference to the member. **O(1)**.
    pub fn member(&self) -> &M {
        &self.member
    }

    /// Returns the member without inserting it. **O(1)**.
    pub fn into_member(self) -> M {
        self.member
    }

    /// Inserts the member with a score; returns the score. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert(self, score: S) -> &'a S {
        self.insert_entry(score).into_score()
    }

    /// Inserts the member with a score; returns its entry. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    #[track_caller]
    pub fn insert_entry(self, score: S) -> OccupiedEntry<'a, M, S, H> {
        let VacantEntry { set, hash, member } = self;
        let handle = or_panic(set.core.insert_new(hash, ((member, ()), score)));
        OccupiedEntry { set, hash, handle }
    }
}

impl<M: fmt::Debug, S: fmt::Debug, H> fmt::Debug for Entry<'_, M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Occupied(entry) => entry.fmt(f),
            Entry::Vacant(entry) => entry.fmt(f),
        }
    }
}

impl<M: fmt::Debug, S: fmt::Debug, H> fmt::Debug for OccupiedEntry<'_, M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (member, score) = element(self.set.core.nodes.element_at(self.handle));
        f.debug_struct("OccupiedEntry").field("member", member).field("score", score).finish()
    }
}

impl<M: fmt::Debug, S, H> fmt::Debug for VacantEntry<'_, M, S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VacantEntry").field(&self.member).finish()
    }
}
