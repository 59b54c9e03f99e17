//! The scripts, one for each operation.

use std::sync::LazyLock;

use crate::script::Script;

/// Joins the operation `$name` to what all operations need.
macro_rules! script {
    ($name:literal) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!("../scripts/limiters.lua"),
                include_str!("../scripts/sliding_window.lua"),
                include_str!("../scripts/funnel.lua"),
                include_str!("../scripts/fixed_window.lua"),
                include_str!("../scripts/window_counter.lua"),
                include_str!("../scripts/rules.lua"),
                include_str!(concat!("../scripts/", $name, ".lua")),
            ))
        })
    };
}

pub(super) static CHECK: LazyLock<Script> = script!("check");
pub(super) static PEEK: LazyLock<Script> = script!("peek");
pub(super) static RECORD: LazyLock<Script> = script!("record");
pub(super) static REFUND: LazyLock<Script> = script!("refund");
pub(super) static RESET: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("../scripts/reset.lua")));
