//! Coming from other ordered collections, line by line.
//!
//! | from | to |
//! |---|---|
//! | [`BTreeSet<(S, M)>` and `HashMap<M, S>`](#btreesets-m-and-hashmapm-s) | [`SortedSet<M, S>`](crate::SortedSet) |
//! | [`BTreeMap<(S, u64), T>`](#btreemaps-u64-t), with a number to tell equal keys apart | [`SortedMap<u64, T, S>`](crate::SortedMap), or a set of [`Unordered`](crate::Unordered) |
//! | [`BinaryHeap` with lazy deletion](#binaryheap-with-lazy-deletion) | [`SortedSet<M, S>`](crate::SortedSet) |
//! | [priority-queue](#priority-queue), [keyed-priority-queue](#keyed-priority-queue) | [`SortedSet<M, S>`](crate::SortedSet) |
//! | [indexset](#indexset), a `BTreeSet` with ranks | [`SortedSet<M, S>`](crate::SortedSet) |
//! | [two orders over the same elements](#two-orders-over-the-same-elements) | a map and a set |
//!
//! The [table of methods](crate::_guide::methods) lists the corresponding methods of `BTreeMap`,
//! indexmap and Redis. In the examples, the code with zset is on the right, or below.
//!
//! # `BTreeSet<(S, M)>` and `HashMap<M, S>`
//!
//! Together, they are the usual way to order members by a score that changes. A `SortedSet`
//! replaces both, so order and scores are always consistent. It stores each member only once, and
//! has ranks.
//!
//! ```
//! use std::collections::{BTreeSet, HashMap};
//! use zset_core::SortedSet;
//!
//! let (mut order, mut scores) = (BTreeSet::new(), HashMap::new());
//! let mut set = SortedSet::new();
//!
//! // Insert a member, or change its score.
//! for (member, score) in [("ann", 120), ("bob", 85), ("bob", 130), ("cid", 120)] {
//!     if let Some(old) = scores.insert(member, score) {
//!         order.remove(&(old, member));
//!     }
//!     order.insert((score, member));
//!
//!     set.insert(member, score);
//! }
//! assert_eq!(scores.get("bob"),                       set.score("bob"));
//! assert_eq!(order.first().map(|(_, m)| m),           set.first().map(|(m, _)| m));
//! assert!(order.iter().map(|(s, m)| (m, s)).eq(       set.iter()));
//! // A range of scores.
//! let in_range = order.range((120, "")..).take_while(|(score, _)| *score <= 125);
//! assert_eq!(in_range.count(),                        set.range_by_score(120..=125).len());
//! // Pages.
//! let after = order.range((120, "ann")..).nth(1).map(|(s, m)| (m, s));
//! assert_eq!(after,                                   set.range((&120, "ann")..).nth(1));
//! // A rank, in O(n) and in O(log n).
//! assert_eq!(order.range(..(130, "bob")).count(),     set.rank("bob").unwrap());
//! // Pop.
//! let first = order.pop_first().inspect(|(_, member)| _ = scores.remove(member));
//! assert_eq!(first.map(|(s, m)| (m, s)),              set.pop_first());
//! // Remove.
//! let removed = scores.remove("bob").inspect(|&score| _ = order.remove(&(score, "bob")));
//! assert_eq!(removed,                                 set.remove("bob"));
//! assert_eq!(order.len(),                             set.len());
//! ```
//!
//! If the `HashMap` has other data as well, store that data as the values of a
//! [`SortedMap`](crate::SortedMap). Or replace only the `BTreeSet` with a
//! [`SkipList`](crate::SkipList), which is ordered and has ranks, but no hash table.
//!
//! # `BTreeMap<(S, u64), T>`
//!
//! Here the key is a time or priority, followed by a number that makes the key unique. In a
//! `SortedMap`, the number alone is the key. So you can find an element without its time.
//!
//! ```
//! use std::collections::BTreeMap;
//! use zset_core::SortedMap;
//!
//! let (mut by_time, mut jobs) = (BTreeMap::new(), SortedMap::new());
//!
//! (by_time.insert((30, 0), "mail"),                   jobs.insert(0, "mail", 30));
//! (by_time.insert((10, 1), "call"),                   jobs.insert(1, "call", 10));
//! (by_time.insert((10, 2), "post"),                   jobs.insert(2, "post", 10));
//! // Look up and change. The `BTreeMap` needs the time.
//! assert_eq!(by_time.get(&(30, 0)),                   jobs.get(&0));
//! let mail = by_time.remove(&(30, 0)).unwrap();
//! (by_time.insert((5, 0), mail),                      jobs.set_score(&0, 5));
//! // All jobs that are due.
//! let later = by_time.split_off(&(10, u64::MAX));
//! let due = std::mem::replace(&mut by_time, later).into_values();
//! assert!(due.eq(jobs.drain_by_score(..=10).map(|(_, job, _)| job)));
//! assert_eq!(by_time.len(),                           jobs.len());
//! ```
//!
//! If elements are unique, and the number only orders elements of the same time by arrival, you
//! need no number: see [`Unordered`](crate::Unordered).
//!
//! # `BinaryHeap` with lazy deletion
//!
//! A heap needs O(n) to remove or change an element other than the first. So stale elements stay in
//! the heap until they are popped, and a map is needed to recognize them. A set has no stale
//! elements.
//!
//! ```
//! use std::cmp::Reverse;
//! use std::collections::{BinaryHeap, HashMap};
//! use zset_core::SortedSet;
//!
//! let (mut heap, mut current) = (BinaryHeap::new(), HashMap::new());
//! let mut set = SortedSet::new();
//! for (member, score) in [("ann", 3), ("bob", 2), ("ann", 1), ("cid", 4)] {
//!     current.insert(member, score);
//!     heap.push(Reverse((score, member)));
//!
//!     set.insert(member, score);
//! }
//! (current.remove("bob"),                             set.remove("bob"));
//!
//! let mut pop = || loop {
//!     let Reverse((score, member)) = heap.pop()?;
//!     if current.get(member) == Some(&score) {
//!         current.remove(member);
//!         return Some((member, score));
//!     }
//! };
//! assert_eq!(pop(),                                   set.pop_first());
//! assert_eq!(pop(),                                   set.pop_first());
//! assert_eq!(pop(),                                   set.pop_first());
//! ```
//!
//! # priority-queue
//!
//! The lowest score is [`first`](crate::SortedSet::first), and the highest is
//! [`last`](crate::SortedSet::last). Elements of equal score are ordered by member. A set also has
//! ranks and ranges, and iterates in order. In the project's benchmarks, pops are faster in zset.
//! Changes of priority are faster in priority-queue. So are pushes in random order if there are 100
//! elements or more.
//!
//! ```
//! use priority_queue::PriorityQueue;
//! use zset_core::SortedSet;
//!
//! let (mut queue, mut set) = (PriorityQueue::new(), SortedSet::new());
//! assert_eq!(queue.push("ann", 120),                  set.insert("ann", 120));
//! assert_eq!(queue.push("bob", 85),                   set.insert("bob", 85));
//! assert_eq!(queue.peek(),                            set.last());
//! assert_eq!(queue.get_priority("bob"),               set.score("bob"));
//! assert_eq!(queue.get("bob"),                        set.get("bob"));
//! assert_eq!(queue.change_priority("bob", 90),        set.set_score("bob", 90));
//! assert_eq!(queue.change_priority_by("bob", |p| *p += 5),
//!                                                     set.update("bob", |s| s + 5).is_some());
//! // Only if it is higher.
//! (queue.push_increase("bob", 99),                    set.insert_max("bob", 99));
//! assert_eq!(queue.contains("bob"),                   set.contains("bob"));
//! assert_eq!(queue.remove("ann"),                     set.remove_entry("ann"));
//! assert_eq!(queue.len(),                             set.len());
//! assert_eq!(queue.pop(),                             set.pop_last());
//! assert!(queue.into_sorted_iter().eq(                set.into_iter().rev()));
//! ```
//!
//! If items are only `Hash + Eq`, wrap them in [`Unordered`](crate::Unordered). Among equal scores,
//! `pop_first` is then first in, first out, and `pop_last` is last in, first out. To pop the
//! highest priority first, and equal priorities first in, first out, use `pop_first` with
//! [`Reverse`](core::cmp::Reverse) scores. The following queue is for generic code. Its trait
//! bounds are those of priority-queue, plus `Clone` for priorities:
//!
//! ```
//! use std::cmp::Reverse;
//! use std::hash::Hash;
//! use zset_core::{Equivalent, SortedSet, Unordered, UnorderedRef};
//!
//! struct Queue<I, P>(SortedSet<Unordered<I>, Reverse<P>>);
//!
//! impl<I: Hash + Eq, P: Ord + Clone> Queue<I, P> {
//!     fn push(&mut self, item: I, priority: P) -> Option<P> {
//!         self.0.insert(Unordered(item), Reverse(priority)).map(|old| old.0)
//!     }
//!     fn peek(&self) -> Option<(&I, &P)> {
//!         self.0.first().map(|(item, priority)| (&item.0, &priority.0))
//!     }
//!     fn get_priority<Q: Hash + Equivalent<I> + ?Sized>(&self, item: &Q) -> Option<&P> {
//!         self.0.score(&UnorderedRef(item)).map(|priority| &priority.0)
//!     }
//!     fn remove<Q: Hash + Equivalent<I> + ?Sized>(&mut self, item: &Q) -> Option<(I, P)> {
//!         self.0.remove_entry(&UnorderedRef(item)).map(|(item, priority)| (item.0, priority.0))
//!     }
//!     fn pop(&mut self) -> Option<(I, P)> {
//!         self.0.pop_first().map(|(item, priority)| (item.0, priority.0))
//!     }
//! }
//!
//! let mut queue = Queue(SortedSet::new());
//! for (item, priority) in [("low", 1), ("first", 2), ("second", 2), ("third", 2)] {
//!     assert_eq!(queue.push(item.to_string(), priority), None);
//! }
//! assert_eq!(queue.peek(), Some((&"first".to_string(), &2)));
//! assert_eq!(queue.get_priority("low"), Some(&1));
//! assert_eq!(queue.remove("second"), Some(("second".to_string(), 2)));
//! // Equal priorities are first in, first out.
//! assert_eq!(queue.pop(), Some(("first".to_string(), 2)));
//! assert_eq!(queue.pop(), Some(("third".to_string(), 2)));
//! assert_eq!(queue.pop(), Some(("low".to_string(), 1)));
//! ```
//!
//! # keyed-priority-queue
//!
//! ```
//! use keyed_priority_queue::KeyedPriorityQueue;
//! use zset_core::SortedSet;
//!
//! let (mut queue, mut set) = (KeyedPriorityQueue::new(), SortedSet::new());
//! assert_eq!(queue.push("ann", 120),                  set.insert("ann", 120));
//! assert_eq!(queue.push("bob", 85),                   set.insert("bob", 85));
//! assert_eq!(queue.peek(),                            set.last());
//! assert_eq!(queue.get_priority("bob"),               set.score("bob"));
//! assert_eq!(queue.set_priority("bob", 130).ok(),     set.set_score("bob", 130));
//! assert_eq!(queue.remove("ann"),                     set.remove("ann"));
//! assert_eq!(queue.pop(),                             set.pop_last());
//! assert_eq!(queue.is_empty(),                        set.is_empty());
//! ```
//!
//! # indexset
//!
//! ```
//! use indexset::BTreeSet;
//! use zset_core::SortedSet;
//!
//! let (mut order, mut set) = (BTreeSet::new(), SortedSet::new());
//! (order.insert((120, "ann")),                        set.insert("ann", 120));
//! (order.insert((85, "bob")),                         set.insert("bob", 85));
//! (order.insert((99, "cid")),                         set.insert("cid", 99));
//! assert_eq!(order.rank(&(99, "cid")),                set.rank("cid").unwrap());
//! assert_eq!(order.get_index(1).map(|(s, m)| (m, s)), set.get_by_rank(1));
//! assert_eq!(order.pop_index(1).1,                    set.remove_by_rank(1).unwrap().0);
//! assert!(order.range((100, "")..).map(|(_, m)| m).eq(set.range_by_score(100..).map(|(m, _)| m)));
//! assert!(order.remove(&(85, "bob")),                 "the score must be known");
//!                                                     set.remove("bob").unwrap();
//! assert_eq!(order.len(),                             set.len());
//! ```
//!
//! # Two orders over the same elements
//!
//! Store the elements in a map for one order, and their keys in a set for the other. An example is
//! a transaction pool that takes the highest fee first and drops the oldest transactions:
//!
//! ```
//! use zset_core::{SortedMap, SortedSet};
//!
//! #[derive(Default)]
//! struct Pool {
//!     by_fee: SortedMap<u32, &'static str, u64>,
//!     by_time: SortedSet<u32, u64>,
//! }
//!
//! impl Pool {
//!     fn insert(&mut self, id: u32, transaction: &'static str, fee: u64, now: u64) {
//!         self.by_fee.insert(id, transaction, fee);
//!         self.by_time.insert(id, now);
//!     }
//!     fn pop_best(&mut self) -> Option<&'static str> {
//!         let (id, transaction, _) = self.by_fee.pop_last()?;
//!         self.by_time.remove(&id);
//!         Some(transaction)
//!     }
//!     fn expire(&mut self, before: u64) -> usize {
//!         let expired = self.by_time.drain_by_score(..before);
//!         expired.inspect(|(id, _)| _ = self.by_fee.remove(id)).count()
//!     }
//! }
//!
//! let mut pool = Pool::default();
//! pool.insert(1, "rent", 7, 100);
//! pool.insert(2, "tea", 3, 101);
//! pool.insert(3, "car", 9, 102);
//! assert_eq!(pool.expire(101), 1);
//! assert_eq!(pool.pop_best(), Some("car"));
//! assert_eq!((pool.by_fee.len(), pool.by_time.len()), (1, 1));
//! ```
//!
//! # Groups of equal score
//!
//! Such groups are the price levels of an order book, or the places on a podium. To get the next
//! score, take the first element of a range that excludes the current score. This is O(log n),
//! however many elements share a score.
//!
//! ```
//! use std::iter::successors;
//! use std::ops::Bound::{Excluded, Unbounded};
//! use zset_core::{SortedMap, SortedSet};
//!
//! // Orders with their quantities, by price.
//! let asks = SortedMap::from([(1, 5, 100), (2, 2, 100), (3, 7, 101), (4, 1, 103)]);
//! let higher = |price: &u32| asks.range_by_score((Excluded(price), Unbounded)).next();
//! let levels = successors(asks.first(), |(_, _, price)| higher(price)).map(|(_, _, price)| {
//!     let orders = asks.range_by_score(price..=price);
//!     (*price, orders.len(), orders.map(|(_, quantity, _)| quantity).sum::<u32>())
//! });
//! assert!(levels.eq([(100, 2, 7), (101, 1, 7), (103, 1, 1)]));
//!
//! // Players by points, the best first.
//! let board = SortedSet::from([("ann", 9), ("bob", 7), ("cid", 7), ("dan", 5)]);
//! let lower = |points: &u32| board.range_by_score(..points).next_back();
//! let places = successors(board.last(), |(_, points)| lower(points)).take(2);
//! let places = places.map(|(_, points)| board.range_by_score(points..=points));
//! let players: Vec<Vec<_>> = places.map(|tied| tied.map(|(player, _)| *player).collect()).collect();
//! assert_eq!(players, [vec!["ann"], vec!["bob", "cid"]]);
//! ```
