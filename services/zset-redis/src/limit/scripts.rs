//! The scripts of limiters. Each operation has a script for each algorithm, and one for several
//! rules.
//!
//! The file of an algorithm consists of parts, each of which begins with a line `--# name`:
//!
//! - `read` reads the rule's `numbers` and its state at `key` into locals. The local `counted` is
//!   the time of the decision: now, or the latest recorded time if that is later.
//! - `fit` sets the local `fits` to whether the units of a call are allowed in addition to those
//!   already taken.
//! - `take` follows `fit` and takes the units, even above the limit, but writes nothing to the
//!   server.
//! - `state` lists the numbers that [`Algorithm::state`] reads, at the time `counted`.
//! - `store` writes the state after `take`.
//! - `refund` refunds the newest units, or all if there are fewer, and writes the state.
//!
//! The file of an operation contains the same lines, and each is replaced by the part that it
//! names. A script for one rule omits the other algorithms and the functions that only several
//! rules need, since the server would create those functions on each call.

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

/// The scripts for one rule, by the name of its algorithm.
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

/// Returns the script of a check. If the server accepts no writes, `peek` is called instead: a
/// check that would be denied is denied, and any other fails.
fn check(check: &str, peek: &str) -> Script {
    // A reply begins with the number of allowed calls, which is zero for a denial.
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

/// Returns the source of an operation, with the parts of a limiter inserted.
fn filled(operation: &str, limiter: &dyn Algorithm) -> String {
    let parts = limiter.source().split("--# ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.fold(operation.to_owned(), |filled, (name, part)| {
        filled.replace(&format!("--# {name}\n"), part)
    })
}
