//! The scripts of queues, one for each operation.

use std::sync::LazyLock;

use crate::script::Script;

/// Joins the operation `$name` to what all operations need.
macro_rules! script {
    ($name:literal) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!("../scripts/delay_queue/queue.lua"),
                include_str!(concat!("../scripts/delay_queue/", $name, ".lua")),
            ))
        })
    };
}

pub(super) static PUSH: LazyLock<Script> = script!("push");
pub(super) static LEASE: LazyLock<Script> = script!("lease");
pub(super) static ACK: LazyLock<Script> = script!("ack");
pub(super) static NACK: LazyLock<Script> = script!("nack");
pub(super) static EXTEND: LazyLock<Script> = script!("extend");
pub(super) static POP: LazyLock<Script> = script!("pop");
pub(super) static CANCEL: LazyLock<Script> = script!("cancel");
pub(super) static RESCHEDULE: LazyLock<Script> = script!("reschedule");
pub(super) static DUE: LazyLock<Script> = script!("due");
pub(super) static STATS: LazyLock<Script> = script!("stats");
pub(super) static CLEAR: LazyLock<Script> = script!("clear");
pub(super) static DEAD_LETTERS: LazyLock<Script> = script!("dead_letters");
pub(super) static REQUEUE: LazyLock<Script> = script!("requeue");
pub(super) static PURGE: LazyLock<Script> = script!("purge");
