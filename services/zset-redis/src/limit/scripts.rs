//! The scripts: for each operation, one for each limiter and one for several rules.
//!
//! The file of a limiter has parts, each of which begins with a line `--# name`:
//!
//! - `read` reads the state of the rule at `key`, with its `numbers`, into locals. One of them,
//!   `counted`, is the time of the decision: the latest recorded time if that is later than now.
//! - `fit` sets the local `fits`: whether the units of a call are allowed, after those already
//!   taken.
//! - `take`, after `fit`, takes the units, even beyond the limit, without writing anything.
//! - `state` lists the numbers that [`Algorithm::state`] reads, at the time `counted`.
//! - `store` writes the state after `take`.
//! - `refund` refunds the newest units, as many as there are, and writes the state.
//!
//! The file of an operation has the same lines, which are replaced by the parts. A script for one
//! limiter contains neither the other limiters nor the functions that several rules need, since the
//! server would create them on each call.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use redis::Value;

use super::rule::{Algorithm, Rule};
use super::server_limiter::ALGORITHMS;
use crate::script::Script;

/// The scripts of a limiter, or of several rules.
pub(super) struct Scripts {
    pub(super) check: Script,
    pub(super) peek: Script,
    pub(super) record: Script,
    pub(super) refund: Script,
}

/// Returns the scripts for rules without a penalty.
pub(super) fn of(rules: &[Rule]) -> &'static Scripts {
    match rules {
        [rule] => &ONE[rule.algorithm.name()],
        _ => &SEVERAL,
    }
}

pub(super) static RESET: LazyLock<Script> =
    LazyLock::new(|| Script::freeing(include_str!("../scripts/reset.lua")));

/// By the name of the limiter.
static ONE: LazyLock<BTreeMap<&str, Scripts>> =
    LazyLock::new(|| ALGORITHMS.map(|limiter| (limiter.name(), one(limiter))).into());

static SEVERAL: LazyLock<Scripts> = LazyLock::new(|| {
    let begin = begin_several("");
    let source = |operation| begin.clone() + operation;
    let peek = source(include_str!("../scripts/several/peek.lua"));
    Scripts {
        check: check(&source(include_str!("../scripts/several/check.lua")), &peek),
        peek: Script::reading(&peek),
        record: Script::writing(&source(include_str!("../scripts/several/record.lua"))),
        refund: Script::freeing(&source(include_str!("../scripts/several/refund.lua"))),
    }
});

/// The scripts of checks and peeks with a penalty, for one rule or several.
pub(super) static PENALTY: [LazyLock<Script>; 2] = [
    LazyLock::new(|| {
        check(
            &penalty(include_str!("../scripts/penalty/check.lua")),
            &penalty(include_str!("../scripts/penalty/peek.lua")),
        )
    }),
    LazyLock::new(|| Script::reading(&penalty(include_str!("../scripts/penalty/peek.lua")))),
];

/// Returns the script of a check. If the server refuses it, a check that would be denied is denied:
/// a denial needs no memory. Another one fails.
fn check(check: &str, peek: &str) -> Script {
    // The reply begins with the number of allowed calls.
    let is_denied = |reply: &Value| matches!(reply, Value::BulkString(reply) if reply.starts_with(&0_f64.to_be_bytes()));
    Script::writing(check).or_if_refused(Script::without_writes(peek), is_denied)
}

fn penalty(operation: &str) -> String {
    begin_several(include_str!("../scripts/penalty/penalty.lua")) + operation
}

/// Returns the first part of scripts for several rules, with `more` after the limiters.
fn begin_several(more: &str) -> String {
    let limiters = ALGORITHMS.map(|limiter| {
        let function = filled(include_str!("../scripts/several/limiter.lua"), limiter);
        function.replace("NAME", limiter.name())
    });
    let parts = [
        HEAD,
        include_str!("../scripts/several/limiters.lua"),
        &limiters.concat(),
        more,
        include_str!("../scripts/several/rules.lua"),
    ];
    parts.concat()
}

const HEAD: &str = include_str!("../scripts/head.lua");

fn one(limiter: &dyn Algorithm) -> Scripts {
    let source = |operation| HEAD.to_owned() + &filled(operation, limiter);
    let peek = source(include_str!("../scripts/one/peek.lua"));
    Scripts {
        check: check(&source(include_str!("../scripts/one/check.lua")), &peek),
        peek: Script::reading(&peek),
        record: Script::writing(&source(include_str!("../scripts/one/record.lua"))),
        refund: Script::freeing(&source(include_str!("../scripts/one/refund.lua"))),
    }
}

/// Returns an operation with the parts of a limiter.
fn filled(operation: &str, limiter: &dyn Algorithm) -> String {
    let parts = limiter.source().split("--# ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.fold(operation.to_owned(), |filled, (name, part)| {
        filled.replace(&format!("--# {name}\n"), part)
    })
}
