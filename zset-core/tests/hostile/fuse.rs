//! A fuse: it counts the calls of one kind of user code on this thread, and panics at the n-th.
//!
//! It unwinds without calling the panic hook, so that thousands of expected panics print nothing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The kinds of user code that a set calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Code {
    Hash,
    Eq,
    Ord,
    Clone,
    Drop,
    ScoreEq,
    ScoreOrd,
    Closure,
}

impl Code {
    /// Those whose panics come in the midst of the most different things, for the interpreter, which
    /// has no time for more.
    const SOME: [Code; 3] = [Code::Hash, Code::Clone, Code::Drop];

    const ALL: [Code; 8] = [
        Code::Hash,
        Code::Eq,
        Code::Ord,
        Code::Clone,
        Code::Drop,
        Code::ScoreEq,
        Code::ScoreOrd,
        Code::Closure,
    ];
}

/// What the fuse unwinds with, which tells its panics from those of failed assertions.
struct Blown;

thread_local! {
    static ARMED: Cell<Option<(Code, usize)>> = const { Cell::new(None) };
}

/// Tells the fuse that this code is called. It blows once, then it is disarmed.
pub(crate) fn burn(code: Code) {
    match ARMED.get() {
        Some((armed, 0)) if armed == code => {
            ARMED.set(None);
            resume_unwind(Box::new(Blown));
        }
        Some((armed, calls)) if armed == code => ARMED.set(Some((armed, calls - 1))),
        _ => {}
    }
}

/// Runs an operation in which this code panics after so many calls; returns what the operation
/// returns, or `None` if the code did panic.
pub(crate) fn run<T>(code: Code, calls: usize, operation: impl FnOnce() -> T) -> Option<T> {
    ARMED.set(Some((code, calls)));
    let result = catch_unwind(AssertUnwindSafe(operation));
    ARMED.set(None);
    match result {
        Ok(value) => Some(value),
        Err(blown) if blown.is::<Blown>() => None,
        Err(other) => resume_unwind(other),
    }
}

/// Returns how often an operation calls this code.
pub(crate) fn calls(code: Code, operation: impl FnOnce()) -> usize {
    ARMED.set(Some((code, usize::MAX)));
    operation();
    ARMED.take().map_or(0, |(_, left)| usize::MAX - left)
}

/// Runs an operation with a panic at the first call of each kind of code, then at the second, and so
/// on, until it passes. Each run gets what `make` returns, and `verify` looks at it afterwards,
/// together with what the operation returned.
///
/// Of calls without number, later ones are left out, and under the interpreter most are.
pub(crate) fn at_every_call<T, R>(
    mut make: impl FnMut() -> T,
    mut operation: impl FnMut(&mut T) -> R,
    mut verify: impl FnMut(T, Option<R>),
) {
    for &code in if cfg!(miri) { &Code::SOME[..] } else { &Code::ALL[..] } {
        let mut calls = 0;
        loop {
            let mut subject = make();
            let result = run(code, calls, || operation(&mut subject));
            let passed = result.is_some();
            verify(subject, result);
            if passed {
                break;
            }
            calls += if cfg!(miri) { 9 + 9 * calls } else { 1 + calls.saturating_sub(64) / 4 };
        }
    }
}
