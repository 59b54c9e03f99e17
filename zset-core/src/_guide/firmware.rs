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
//! The crate needs no operating system and, without default features, no allocator. The feature
//! `zset` adds `PackedZSet`:
//!
//! ```toml
//! zset-core = { version = "0.1", default-features = false, features = ["zset"] }
//! ```
//!
//! # Choosing a type
//!
//! | | [`FixedSortedSet<M, S, N>`](crate::FixedSortedSet) | [`PackedZSet<[u8; N]>`](crate::PackedZSet) | [`SortedSet<M, S>`](crate::SortedSet) |
//! |---|---|---|---|
//! | members | any type that is `Ord + Hash` | byte strings (integers as text) | any type that is `Ord + Hash` |
//! | scores | any type that is `Ord` | [`Score`](crate::Score), an `f64` | any type that is `Ord + Clone` |
//! | memory | in place, such as in a `static` | in place, such as in a `static` | from an allocator |
//! | bytes per element | the member, the score, and 6 bytes, or 3 for at most 255 members | the member and the score as strings, and 4 bytes, or up to 12 if a string is longer than 63 bytes; integers need less | the member, the score, and about 8 to 23 bytes in sets of 128 members or more; more after removals |
//! | score of a member | O(1) | O(n) | O(1) |
//! | rank of a member, range | O(log n) | O(n) | O(log n) |
//! | insert, update, remove | O(log n), and up to n slot numbers of one or two bytes are shifted | O(n) | O(log n) |
//! | capacity | `N`, at most 65,535 | `N` bytes | grows |
//! | flash on a Cortex-M0 | 2.9 kB | 51 kB | 39 kB |
//! | stack of an insertion | 0.3 kB | 0.5 kB, 2.3 kB with fractional scores | 1.3 kB |
//!
//! A `FixedSortedSet` stores its elements in numbered slots. A sorted array of slot numbers keeps
//! their order.
//!
//! In a `static`, an empty `FixedSortedSet` or `PackedZSet` consists of zeros, so it needs no flash
//! for an initial value. With a keyed hasher, a `FixedSortedSet` does need flash.
//!
//! - **`FixedSortedSet`** is for timers, the best of many values, and small indexes, with up to a
//!   few thousand members of fixed size. With at most 255 members, pass `u8` as the fourth type
//!   parameter, which halves the overhead per element.
//! - **`PackedZSet`** is for strings of different lengths if each byte of RAM counts, and for a set
//!   that is stored or sent as bytes. Finding a member reads the set from its start, so use it for
//!   at most a few hundred members. Most of its flash is code that converts fractional scores to
//!   strings and back. The example `timers` keeps timers in a `PackedZSet`.
//! - **`SortedSet`** is for sets in which shifting slot numbers would take too long, and for sets
//!   whose size is not known in advance.
//!
//! The docs of [`FixedSortedSet`](crate::FixedSortedSet#compared-with-heapless) compare it with
//! collections of heapless. The project's `docs/firmware.md` lists the flash, RAM, stack and
//! instructions of these types and of `ZSet`, compiled for a Cortex-M0.
//!
//! The costs in the table are expected and amortized numbers of comparisons. A `PackedZSet` also
//! moves bytes. Prefer integers of at most 32 bits as scores, such as `u32` ticks or `i16`
//! readings. A `Score` has 64 bits. On machines without a floating-point unit for `f64`, its
//! arithmetic and comparisons call library functions.
//!
//! # The best of many
//!
//! In a full set of fixed capacity, `insert_or_evict_first` evicts the first element if the new one
//! comes after it:
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
//! All sets and maps but `FixedSortedSet` and `PackedZSet` need the feature `alloc` and a global
//! allocator, such as that of [embedded-alloc](https://docs.rs/embedded-alloc). For a `SortedSet`
//! or `SortedMap`, choose the hasher as in the example below. The default hasher multiplies 64-bit
//! numbers. With 32-bit members, it needs about 2 kB more flash than the one in the example, and on
//! a Cortex-M0 often more instructions.
//!
//! In the tests, a heap of 8 KB has room for 402 elements of the type below, and a heap of 48 KB
//! for 1,792. Part of the heap stays unused, because the old and new hash tables both occupy memory
//! while the table grows.
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
//! [`try_insert`](crate::SortedSet::try_insert) instead, and
//! [`try_update`](crate::SortedSet::try_update) for new scores. On failure, they return an error
//! and leave the set unchanged. `remove`, `remove_range_*` and pops need no memory, unless cloning
//! a score does. Draining or splitting off several but not all elements needs memory. To make room
//! for one element, several removals may be needed (in the tests, up to 125 of 1,792).
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
//! A set that has never had more than 3,000 elements keeps the memory of removed elements.
//! [`shrink_to_fit`](crate::SortedSet::shrink_to_fit) frees that memory.
//!
//! # Random heights without entropy
//!
//! A `SortedSet`, `SortedMap`, `SkipList` or large `ZSet` has an index of random heights. A height
//! is drawn for each new leaf of up to 64 elements, from a 32-bit generator in the set itself.
//! [`new`](crate::SortedSet::new) seeds this generator with a constant. So it needs no source of
//! entropy, and the same operations draw the same heights in each run.
//!
//! Neither results nor bounds on costs depend on the heights. Even if all heights are equal, or an
//! attacker chooses them, the index has O(log n) levels. So predictable heights do no harm. If the
//! heights should differ between devices, use [`from_rng`](crate::SortedSet::from_rng), which takes
//! the seed from any generator:
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
//! In a `FixedSortedSet` or `SortedSet`, members are found by hash. If many have the same hash,
//! finding a member is O(n) instead of O(1). This is unlikely by accident, but an attacker who
//! chooses the members, such as addresses of radio packets, can cause it.
//!
//! - [`FixedHashBuilder`](crate::fixed_sorted_set::FixedHashBuilder), the default of
//!   `FixedSortedSet`, has no seed. In the worst case, finding a member compares it with all `N`
//!   members, which rarely matters if `N` is 64.
//! - [`DefaultHashBuilder`](crate::DefaultHashBuilder), the default of `SortedSet`, derives its
//!   seed from memory addresses. Without an operating system, these are usually the same in each
//!   run, so the seed is not secret.
//! - If an attacker can choose members, pass a keyed hasher to
//!   [`with_hasher`](crate::FixedSortedSet::with_hasher). Write a `BuildHasher` that returns, for
//!   example, a `SipHasher13` of the crate siphasher. Take its key from the chip's random generator
//!   or from enough noise. The serial number of a chip is not secret.
//!
//! # Interrupt handlers
//!
//! Methods that change a set take `&mut self`, and a set has no lock. To share a set between an
//! interrupt handler and the main loop, put it into a `RefCell` in a
//! [`critical_section::Mutex`](https://docs.rs/critical-section), as in the first example. The
//! `RefCell` is then borrowed only while interrupts are disabled. For a chip with one core, the
//! feature `critical-section-single-core` of cortex-m implements critical sections. For two cores,
//! use the implementation of the chip's crate.
//!
//! Interrupts wait until the section ends, so keep it short:
//!
//! - Call one operation per section, such as `pop_first_if` in a loop. Handle the returned element
//!   outside.
//! - Do not print in a section. To print a small set, [`clone`](Clone::clone) it in the section,
//!   and iterate over the copy afterwards.
//! - In a `FixedSortedSet`, `first`, `last` and `get_by_rank` are O(1). So are `score` and
//!   `contains`, unless hashes collide. `try_insert`, `update`, `remove` and `pop_first` search,
//!   and shift slot numbers of one or two bytes: in a set of 64 with `u8`, at most 64 bytes.
//! - `retain`, `remove_range_by_score` and `remove_range_by_rank` search and shift for each removed
//!   element. In a section, remove one element at a time instead.
//! - Put data that must change together into one `Mutex`, e.g. two sets in a struct.
//! - `Ord`, `Eq`, `Hash` and `Drop` of members and scores run in the section too. If one of them
//!   borrows the same `RefCell` during a write, it panics.
//! - A `SortedSet` allocates when it grows, so an insertion may have to wait for the allocator and
//!   for the growth of the hash table.
//!
//! In RTIC, a set is a shared resource, and needs no `Mutex`.
//!
//! # Deadlines
//!
//! Scores are compared as numbers. A 32-bit counter of milliseconds wraps around after 49.7 days,
//! and new deadlines are then ordered before old ones. Count in `u64`, or restart the device
//! earlier.
//!
//! # Cortex-M0 and M0+
//!
//! `thumbv6m-none-eabi` has no atomic read-modify-write instructions, so `alloc::sync::Arc` does
//! not exist there. The crate does not need it. To share data, use critical sections, which disable
//! interrupts. There is no division instruction either, but a `FixedSortedSet` does not divide.
//!
//! # A whole program
//!
//! The project's `tests/firmware/examples/board.rs` is a program without an allocator, for a board
//! with 16 KB of RAM. It has a queue of 64 timers, keeps the ten highest readings of a sensor, and
//! limits its alarm with a `Funnel` of the crate zset-std. An interrupt reads the sensor and sets
//! timers. The main loop handles due timers. CI runs the program in QEMU as a Cortex-M0, M3 and M4,
//! and checks its output. This is its essential part:
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
//!         // Each reading postpones the watchdog. At most 64 timers exist, so there is room.
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
//!     // Popping a timer is a critical section of its own. The timer is handled outside.
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
