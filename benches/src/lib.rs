//! Measures zset, and what is made of it, against its alternatives.
//!
//! An operation is a function, a contender is a type, and a table is a list of both. Arrows between
//! modules point down: a module uses modules of the rows below its own, or below it in the list of
//! its row, and none above. `tests/modules.rs` checks that there are no circles.
//!
//! ```text
//! main.rs               the command line
//!    |
//! docs                  draws the saved results into the docs
//!    |
//! results               which layout a table has; prints and saves results
//!    |
//! report                the report on sorted sets: Markdown, a page, data
//! uses::{queues, boards, feeds}              limiters::{one_key, keyed}    fixed    layer
//! services    servers    bytes               instructions
//!    |                                       commands that measure, each with its contenders
//!    |
//! sets                  the list of sorted sets
//! sets::{operations, memory, calls, tables}  what is measured of them
//! sets::{zset, pairs, heap}                  the contenders
//! sets::{set, workload, member}              their interface and arguments
//!    |
//! pair                  an ordered collection and a hash table: a contender in most tables
//! textbook    ordered   ordered collections
//!    |
//! comparison            lists of contenders and operations, whatever they are
//! measure               timing, rounds, medians        |
//! record                results in memory and as CSV   |  these know nothing of sets
//! table       plot      Markdown, SVG                  |
//! random    allocator    process    options
//! ```
//!
//! The criterion front end is `benches/tables.rs`. `CONTRIBUTING.md` says how to add a contender.

pub mod allocator;
pub mod bytes;
pub mod comparison;
pub mod docs;
pub mod fixed;
pub mod instructions;
pub mod layer;
pub mod limiters;
pub mod measure;
pub mod options;
pub mod ordered;
pub mod pair;
mod plot;
mod process;
pub mod random;
pub mod record;
pub mod report;
pub mod results;
pub mod servers;
pub mod services;
pub mod sets;
pub mod table;
pub mod textbook;
pub mod uses;
