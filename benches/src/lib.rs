//! Measures zset, and the crates built on it, against alternatives.
//!
//! An operation is a function, a contender is a type, and a table is a list of both. A module uses
//! only modules that come after it in this diagram, as `tests/modules.rs` checks.
//!
//! ```text
//! main.rs                                 the command line
//!     |
//! docs                                    draws the saved results into the docs
//! results                                 the layout of each table; prints and saves results
//!     |
//! report::{page, markdown}                the report on sorted sets
//! uses::{queues, boards, feeds}           the other commands, each with its contenders
//! limiters::{one_key, keyed, zset, governor, workload}
//! lists    fixed    layer    bytes    services    servers    instructions
//!     |
//! sets                                    the list of sorted sets
//! sets::{tables, operations, memory, calls}    what is measured of them, and how it is shown
//! sets::{zset, pairs, heap}               the contenders
//! sets::{set, workload, member}           their interface and the arguments
//!     |
//! pair                                    an ordered collection and a hash table
//! ordered                                 ordered collections
//!     |
//! comparison                              contenders, operations, and tables of both
//! table                                   Markdown
//! measure                                 timed calls, rounds, medians
//! record                                  results, in memory and as CSV
//! plot    random    allocator    process    options
//! ```
//!
//! The modules below `ordered` do not depend on sets.
//!
//! The criterion front end is `benches/tables.rs`. `CONTRIBUTING.md` says how to add a contender.

// This crate is not published, and its errors come from files or from the programs that it runs. So
// `# Errors` sections would add nothing.
#![allow(clippy::missing_errors_doc)]

pub mod allocator;
pub mod bytes;
pub mod comparison;
pub mod docs;
pub mod fixed;
pub mod instructions;
pub mod layer;
pub mod limiters;
pub mod lists;
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
pub mod uses;
