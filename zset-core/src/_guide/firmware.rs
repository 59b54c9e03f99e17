//! Firmware: sorted sets on microcontrollers.
//!
//! ```
//! use core::cell::RefCell;
//! use critical_section::Mutex;
//! use zset_core::FixedSortedSet;
//!
//! // Timers by deadline, which an interrupt handler and the main loop share.
//! static TIMERS: Mutex<RefCell<FixedSortedSet<u8, u32, 64, u8>>> = Mutex::new(RefCell::new(FixedSortedSet::new()));
//!
//! fn start(timer: u8, deadline: u32) -> bool {
//!     critical_section::with(|section| TIMERS.borrow_ref_mut(section).try_insert(timer, deadline).is_ok())
//! }
//!
//! fn pop_due(now: u32) -> Option<u8> {
//!     let due = critical_section::with(|section| {
//!         TIMERS.borrow_ref_mut(section).pop_first_if(|_, deadline| *deadline <= now)
//!     });
//!     due.map(|(timer, _)| timer)
//! }
//!
//! assert!(start(7, 250) && start(8, 100));
//! assert!(start(7, 300)); // postponed
//! assert_eq!(pop_due(200), Some(8));
//! assert_eq!(pop_due(200), None);
//! ```
//!
//! The crate needs no operating system. Without default features it does not allocate either. The
//! feature `zset` adds `PackedZSet`:
//!
//! ```toml
//! zset-core = { version = "0.1", default-features = false, features = ["zset"] }
//! ```
//!
//! # Choosing a type
//!
//! | | [`FixedSortedSet<M, S, N>`](crate::FixedSortedSet) | [`PackedZSet<[u8; N]>`](crate::PackedZSet) | [`SortedSet<M, S>`](crate::SortedSet) |
//! |---|---|---|---|
//! | members | any type that is `Ord + Hash` | byte strings and integers | any type that is `Ord + Hash` |
//! | scores | any type that is `Ord` | [`Score`](crate::Score), an `f64` | any type that is `Ord + Clone` |
//! | memory | in place, such as in a `static` | in place, such as in a `static` | from an allocator |
//! | bytes of an element | the member, the score, and 6, or 3 up to 255 members | the strings of both, and 4; small integers take less | the member, the score, and about 11 to 21 |
//! | score of a member | O(1) | O(n) | O(1) |
//! | rank of a member, range | O(log n) | O(n) | O(log n) |
//! | insert, update, remove | O(log n), and up to n numbers of one or two bytes are shifted | O(n) | O(log n) |
//! | capacity | `N`, at most 65,535 | `N` bytes | grows |
//! | flash on a Cortex-M0 | 2.9 kB | 51 kB | 39 kB |
//! | stack of an insertion | 0.3 kB | 0.5 kB, 2.3 kB with fractional scores | 1.3 kB |
//!
//! In a `static`, an empty `FixedSortedSet` or `PackedZSet` consists of zeros: it takes RAM, but no
//! flash for an initial value. With a keyed hasher, it does take flash.
//!
//! - **`FixedSortedSet`** is the choice for timers, the best of many, and small indexes: up to some
//!   thousand members of fixed size. With at most 255 members, pass `u8` as the fourth parameter,
//!   which halves the overhead.
//! - **`PackedZSet`** is for strings of different lengths, where each byte of RAM counts, or for a
//!   set that is stored or sent as bytes. Each look-up reads it from one end, so it is for at most
//!   a few hundred members. Most of its flash is for strings of fractional scores. The example
//!   `timers` keeps timers in one.
//! - **`SortedSet`** is for sets too large to shift slot numbers, or whose size is not known in
//!   advance.
//!
//! The docs of [`FixedSortedSet`](crate::FixedSortedSet#compared-with-heapless) have a table of its
//! methods compared with those of heapless's collections. The sizes, stacks and instructions of all
//! types, measured on Cortex-M, are in the project's `docs/firmware.md`.
//!
//! The table's costs are in comparisons. Prefer integers of up to 32 bits as scores: `u32` ticks,
//! `i16` readings. A `Score` has 64 bits. On machines without a floating-point unit for `f64`,
//! arithmetic on it and tests for equality call library functions.
//!
//! # The best of many
//!
//! A full set of fixed capacity evicts its lowest element for a higher one:
//!
//! ```
//! use zset_core::FixedSortedSet;
//!
//! // The ten highest readings, by the tick at which they were taken.
//! let mut highest = FixedSortedSet::<u32, u16, 10, u8>::new();
//! for tick in 0..1_000_u32 {
//!     let reading = (tick * 619 % 1_009) as u16;
//!     highest.insert_or_evict_first(tick, reading);
//! }
//! assert_eq!(highest.len(), 10);
//! assert_eq!(highest.first(), Some((&207, &999)));
//! assert_eq!(highest.last(), Some((&727, &1_008)));
//! ```
//!
//! # A small heap
//!
//! With the feature `alloc`, the other types need a global allocator, such as that of
//! [embedded-alloc](https://docs.rs/embedded-alloc). Name the hasher of a `SortedSet` or
//! `SortedMap`. The default one multiplies numbers of 64 bits: that takes 2 kB more flash, and on a
//! Cortex-M0 up to 1.4 times the instructions.
//!
//! A heap of 8 KB has room for 402 elements of this type, and one of 48 KB for 1,792. Some of the
//! heap stays unused: while the hash table of the members grows, the old table and the new one both
//! take memory.
//!
//! ```
//! use zset_core::SortedSet;
//! use zset_core::fixed_sorted_set::FixedHashBuilder;
//!
//! type Events = SortedSet<u32, u32, FixedHashBuilder>;
//!
//! let mut events = Events::default();
//! assert_eq!(events.try_insert(7, 250), Ok(None));
//! ```
//!
//! When memory runs out, [`insert`](crate::SortedSet::insert) panics. Use
//! [`try_insert`](crate::SortedSet::try_insert), and [`try_update`](crate::SortedSet::try_update)
//! for new scores: they return an error and leave the set unchanged. Removals need no memory,
//! unless clones of scores do. Several removals may be needed to make room for one element: in the
//! tests, up to 125 of 1,792.
//!
//! ```
//! use zset_core::{SortedSet, TryReserveError};
//!
//! /// Inserts an element, and evicts the oldest ones until there is memory for it.
//! fn record(events: &mut SortedSet<u32, u32>, id: u32, time: u32) -> Result<(), TryReserveError> {
//!     loop {
//!         match events.try_insert(id, time) {
//!             Ok(_) => return Ok(()),
//!             Err(full) if events.is_empty() => return Err(full.error),
//!             Err(_) => drop(events.pop_first()),
//!         }
//!     }
//! }
//! # let mut events = SortedSet::new();
//! # assert_eq!(record(&mut events, 1, 10), Ok(()));
//! ```
//!
//! A set of up to 3,000 elements that becomes empty keeps its memory for later insertions;
//! [`shrink_to_fit`](crate::SortedSet::shrink_to_fit) frees it.
//!
//! # Random heights without entropy
//!
//! The index of a `SortedSet`, `SortedMap`, `SkipList` or large `ZSet` grows by random heights, one
//! for each new leaf of up to 64 elements. They come from a generator of 32 bits in the set itself.
//! [`new`](crate::SortedSet::new) starts it with a constant, so it needs no source of entropy, and
//! the heights are the same in each run.
//!
//! Neither the results nor the bounds on costs depend on the heights: even if all are equal or
//! chosen by an attacker, no operation visits more than O(log n) blocks of the index. So
//! predictable heights do no harm. [`from_rng`](crate::SortedSet::from_rng) starts with 32 bits of
//! any generator, if devices should differ:
//!
//! ```
//! use rand::{SeedableRng, rngs::SmallRng};
//! use zset_core::SortedSet;
//!
//! # let (chip_id, noise) = (0x1234_5678, 0x9a);
//! // The serial number of the chip, and the lowest bits of some conversions of an open ADC input.
//! let mut rng = SmallRng::seed_from_u64(chip_id ^ noise);
//! let set: SortedSet<u32, u32> = SortedSet::from_rng(&mut rng);
//! # assert!(set.is_empty());
//! ```
//!
//! # Hashes and attackers
//!
//! Members are found by their hashes. If many members have the same hash, a look-up is O(n) instead
//! of O(1). That is unlikely by accident, but an attacker who chooses members, such as addresses of
//! radio packets, can cause it.
//!
//! - [`FixedHashBuilder`](crate::fixed_sorted_set::FixedHashBuilder), the default of
//!   `FixedSortedSet`, has no seed. In the worst case a look-up compares all `N` members, which
//!   rarely matters with 64 of them.
//! - [`DefaultHashBuilder`](crate::DefaultHashBuilder), the default of `SortedSet`, has a seed made
//!   of addresses. Without an operating system these are the same in each run, so the seed is no
//!   secret.
//! - Against attackers, pass a keyed hasher to [`with_hasher`](crate::FixedSortedSet::with_hasher),
//!   such as that of the crate siphasher, with a key from the chip's random generator or from
//!   enough noise. The serial number of a chip is not secret.
//!
//! # Interrupt handlers
//!
//! A write takes `&mut self`, and no method locks or waits. So an interrupt handler and the main
//! loop share a set as in the first example, in a
//! [`critical_section::Mutex`](https://docs.rs/critical-section): a `RefCell` that is borrowed
//! while interrupts are disabled. On one core, the feature `critical-section-single-core` of
//! cortex-m provides the critical section; for a chip with two cores, the crate of the chip does.
//!
//! Interrupts wait until the section ends, so keep it short:
//!
//! - One operation in each section: `pop_first_if` in a loop, with the returned element handled
//!   outside.
//! - Do not print in a section. To print a small set, [`clone`](Clone::clone) it in the section,
//!   and iterate over the copy afterwards.
//! - `first`, `last`, `get_by_rank`, `score` and `contains` are O(1). `try_insert`, `update`,
//!   `remove` and `pop_first` search, and shift slot numbers of one or two bytes: at most 64 bytes
//!   in a set of 64 with `u8`.
//! - `retain`, `remove_range_by_score` and `remove_range_by_rank` do that for each removed element.
//!   In a section, remove one element at a time instead.
//! - Data that must change together is one value in one `Mutex`, e.g. two sets in a struct.
//! - The code of members (`Ord`, `Eq`, `Hash`, `Drop`) runs in the section too. If it borrows the
//!   same `RefCell`, that panics.
//! - A `SortedSet` allocates when it grows, so an insertion may take as long as the allocator and
//!   the growth of the hash table do.
//!
//! In RTIC, a set is a shared resource, and needs no `Mutex`.
//!
//! # Deadlines
//!
//! Scores are compared as numbers. A counter of 32 bits that counts milliseconds wraps around after
//! 49.7 days; then new deadlines come before old ones. Count in `u64`, or restart before that.
//!
//! # Cortex-M0 and M0+
//!
//! `thumbv6m-none-eabi` has no atomic read-modify-write instructions, so `alloc::sync::Arc` and
//! locks that spin do not exist there. The crate needs none of them. Data is shared in critical
//! sections that disable interrupts. There is no division instruction either; a `FixedSortedSet`
//! does not divide.
//!
//! # A whole program
//!
//! The project's `tests/firmware/examples/board.rs` is a program for a board with 16 KB of RAM,
//! without an allocator: a queue of 64 timers, the ten highest readings of a sensor, and an alarm
//! limited by a `Funnel` of the crate zset-std. An interrupt reads the sensor and sets timers; the
//! main loop handles those that are due. It runs in QEMU as a Cortex-M0, M3 and M4, and its output
//! is compared in CI. Its essential part is this:
//!
//! ```
//! use core::cell::RefCell;
//! use critical_section::Mutex;
//! use zset_core::FixedSortedSet;
//!
//! #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
//! enum Timer {
//!     Alarm,
//!     Watchdog,
//!     Task(u8),
//! }
//!
//! /// The state shared by the interrupt and the main loop.
//! struct Shared {
//!     now: u32,
//!     timers: FixedSortedSet<Timer, u32, 64, u8>,
//!     highest: FixedSortedSet<u32, u16, 10, u8>,
//! }
//!
//! static SHARED: Mutex<RefCell<Shared>> = Mutex::new(RefCell::new(Shared {
//!     now: 0,
//!     timers: FixedSortedSet::new(),
//!     highest: FixedSortedSet::new(),
//! }));
//!
//! fn with_shared<R>(change: impl FnOnce(&mut Shared) -> R) -> R {
//!     critical_section::with(|section| change(&mut SHARED.borrow_ref_mut(section)))
//! }
//!
//! /// The interrupt handler: `#[cortex_m_rt::exception] fn SysTick()` on a board.
//! fn tick(reading: Option<u16>) {
//!     with_shared(|shared| {
//!         shared.now += 1;
//!         let Some(reading) = reading else { return };
//!         shared.highest.insert_or_evict_first(shared.now, reading);
//!         // Every reading postpones it. At most 64 different timers exist, so there is room.
//!         let _ = shared.timers.try_insert(Timer::Watchdog, shared.now + 20);
//!         if reading > 840 {
//!             let _ = shared.timers.try_insert(Timer::Alarm, shared.now);
//!         }
//!     });
//! }
//!
//! /// The main loop, which sleeps until the next interrupt when nothing is due.
//! fn handle_due() -> usize {
//!     let mut handled = 0;
//!     // A critical section for each timer, and none while it is handled.
//!     while let Some((timer, due)) = with_shared(|shared| {
//!         let now = shared.now;
//!         shared.timers.pop_first_if(|_, due| *due <= now)
//!     }) {
//!         handled += 1;
//!         match timer {
//!             Timer::Alarm => println!("alarm at {due}"),
//!             Timer::Watchdog => println!("the sensor is silent"),
//!             Timer::Task(_) => _ = with_shared(|shared| shared.timers.try_insert(timer, due + 50)),
//!         }
//!     }
//!     handled
//! }
//!
//! with_shared(|shared| shared.timers.try_insert(Timer::Task(1), 2)).unwrap();
//! tick(Some(900));
//! assert_eq!(handle_due(), 1); // the alarm
//! tick(None);
//! assert_eq!(handle_due(), 1); // the task
//! (0..30).for_each(|_| tick(None));
//! assert_eq!(handle_due(), 1); // the watchdog
//! ```
