//! Recipes: short programs, each built around an ordered index.
//!
//! - [A store whose keys expire](#a-store-whose-keys-expire)
//! - [A controller's scheduler](#a-controllers-scheduler)
//! - [A peer table](#a-peer-table)
//!
//! Two more recipes are in `zset_core::_guide::coming_from`: a priority queue for generic code, and
//! two orders over the same elements.
//!
//! # A store whose keys expire
//!
//! The store is a [`SortedMap`](zset_core::SortedMap) whose scores are deadlines. A key without a
//! deadline must sort last, but `None` sorts first in an `Option`. An outer
//! [`Reverse`](std::cmp::Reverse) puts `None` last, and an inner one keeps the earliest deadline
//! first.
//!
//! ```
//! use std::cmp::Reverse;
//! use zset_std::Timestamp;
//! use zset_std::zset_core::SortedMap;
//!
//! type Deadline = Reverse<Option<Reverse<Timestamp>>>;
//!
//! fn deadline(time: Option<Timestamp>) -> Deadline {
//!     Reverse(time.map(Reverse))
//! }
//!
//! #[derive(Default)]
//! struct Store(SortedMap<String, String, Deadline>);
//!
//! impl Store {
//!     fn set(&mut self, key: &str, value: &str, expires: Option<Timestamp>) {
//!         self.0.insert(key.to_string(), value.to_string(), deadline(expires));
//!     }
//!     fn get(&self, key: &str, now: Timestamp) -> Option<&str> {
//!         let (_, value, expires) = self.0.get_full(key)?;
//!         (*expires > deadline(Some(now))).then_some(value)
//!     }
//!     /// Removes at most `budget` expired keys and returns how many it removed.
//!     fn expire(&mut self, budget: usize, now: Timestamp) -> usize {
//!         let expired = self.0.count_by_score(..=deadline(Some(now)));
//!         self.0.remove_range_by_rank(..expired.min(budget))
//!     }
//! }
//!
//! let at = Timestamp::from_nanos;
//! let mut store = Store::default();
//! store.set("name", "ann", None);
//! store.set("session", "7f3a", Some(at(30)));
//! store.set("code", "1234", Some(at(10)));
//! assert_eq!(store.get("code", at(9)), Some("1234"));
//! assert_eq!(store.get("code", at(10)), None); // expired, and not removed yet
//! assert_eq!(store.expire(100, at(29)), 1);
//! store.set("session", "7f3a", None); // never expires
//! assert_eq!(store.expire(100, Timestamp::MAX), 0);
//! assert_eq!(store.get("session", Timestamp::MAX), Some("7f3a"));
//! ```
//!
//! # A controller's scheduler
//!
//! If an object is requested several times before it starts, it is reconciled once, and is due at
//! the earliest of the requested times. Two workers never reconcile it at the same time.
//!
//! ```
//! use std::collections::HashSet;
//! use zset_std::Timestamp;
//! use zset_std::zset_core::SortedSet;
//!
//! #[derive(Default)]
//! struct Scheduler {
//!     due: SortedSet<String, Timestamp>,
//!     running: HashSet<String>,
//! }
//!
//! impl Scheduler {
//!     fn request(&mut self, object: &str, time: Timestamp) {
//!         self.due.insert_min(object.to_string(), time);
//!     }
//!     /// Returns the next object that is due and not running.
//!     fn start(&mut self, now: Timestamp) -> Option<String> {
//!         let mut due = self.due.range_by_score(..=now).map(|(object, _)| object);
//!         let object = due.find(|&object| !self.running.contains(object))?.clone();
//!         self.due.remove(&object);
//!         self.running.insert(object.clone());
//!         Some(object)
//!     }
//!     fn finish(&mut self, object: &str) {
//!         self.running.remove(object);
//!     }
//! }
//!
//! let at = Timestamp::from_nanos;
//! let mut scheduler = Scheduler::default();
//! scheduler.request("web", at(30));
//! scheduler.request("web", at(10)); // earlier
//! scheduler.request("web", at(20));
//! scheduler.request("db", at(15));
//! assert_eq!(scheduler.start(at(9)), None);
//! assert_eq!(scheduler.start(at(12)).as_deref(), Some("web"));
//! scheduler.request("web", at(13)); // changed while it is reconciled
//! assert_eq!(scheduler.start(at(40)).as_deref(), Some("db"));
//! assert_eq!(scheduler.start(at(40)), None);
//! scheduler.finish("web");
//! assert_eq!(scheduler.start(at(40)).as_deref(), Some("web"));
//! ```
//!
//! # A peer table
//!
//! The table is a bounded [`SortedMap`](zset_core::SortedMap) whose scores are the reputations of
//! peers. When it is full, a new peer replaces the worst peer if that peer has misbehaved.
//!
//! ```
//! use std::net::SocketAddr;
//! use zset_std::zset_core::SortedMap;
//!
//! type PeerId = [u8; 4];
//!
//! struct Peers {
//!     table: SortedMap<PeerId, SocketAddr, i32>,
//!     max_len: usize,
//! }
//!
//! impl Peers {
//!     /// Adds a peer or updates its address; returns whether there was room.
//!     fn add(&mut self, id: PeerId, address: SocketAddr) -> bool {
//!         if let Some(known) = self.table.get_mut(&id) {
//!             *known = address;
//!             return true;
//!         }
//!         if self.table.len() >= self.max_len {
//!             let worst = self.table.pop_first_if(|_, _, &reputation| reputation < 0);
//!             if worst.is_none() {
//!                 return false;
//!             }
//!         }
//!         self.table.insert(id, address, 0);
//!         true
//!     }
//!     fn report(&mut self, id: &PeerId, change: i32) {
//!         self.table.update(id, |_, reputation| reputation.saturating_add(change));
//!     }
//!     fn best(&self, n: usize) -> impl Iterator<Item = (&PeerId, &SocketAddr)> {
//!         self.table.iter().rev().take(n).map(|(id, address, _)| (id, address))
//!     }
//! }
//!
//! let address = SocketAddr::from(([10, 0, 0, 1], 4001));
//! let mut peers = Peers { table: SortedMap::new(), max_len: 2 };
//! assert!(peers.add(*b"ann1", address) && peers.add(*b"bob1", address));
//! assert!(!peers.add(*b"cid1", address)); // the others have behaved
//! peers.report(b"ann1", -10); // an invalid block
//! peers.report(b"bob1", 5);
//! assert!(peers.add(*b"cid1", address));
//! assert!(peers.best(9).map(|(id, _)| id).eq([b"bob1", b"cid1"]));
//! ```
