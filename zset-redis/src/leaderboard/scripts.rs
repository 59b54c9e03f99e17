//! The scripts of boards, one for each operation.

use std::sync::LazyLock;

use crate::script::Script;

/// Joins the operation `$name` to what all operations need.
macro_rules! script {
    ($name:literal) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!("../scripts/leaderboard/board.lua"),
                include_str!(concat!("../scripts/leaderboard/", $name, ".lua")),
            ))
        })
    };
}

pub(super) static SUBMIT: LazyLock<Script> = script!("submit");
pub(super) static REMOVE: LazyLock<Script> = script!("remove");
pub(super) static TRIM_TO: LazyLock<Script> = script!("trim_to");
pub(super) static CLEAR: LazyLock<Script> = script!("clear");
pub(super) static SCORE: LazyLock<Script> = script!("score");
pub(super) static STANDING: LazyLock<Script> = script!("standing");
pub(super) static PAGE: LazyLock<Script> = script!("page");
pub(super) static AROUND: LazyLock<Script> = script!("around");
pub(super) static PERCENTILE: LazyLock<Script> = script!("percentile");
pub(super) static COUNT_AT_LEAST: LazyLock<Script> = script!("count_at_least");
pub(super) static LEN: LazyLock<Script> = script!("len");
