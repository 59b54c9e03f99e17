//! The same check as for zset-core.

#[path = "../../zset-core/tests/documentation.rs"]
mod documentation;
