//! The same check as for zset-std.

#[path = "../../zset-std/tests/documentation.rs"]
mod documentation;
