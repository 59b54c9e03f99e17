//! A fuse that counts the current thread's calls of each kind of user code, and panics at the n-th
//! call of one kind.
//!
//! The fuse unwinds without calling the panic hook, so thousands of expected panics print nothing.

use std::array::from_fn;
use std::cell::Cell;
use std::iter::successors;
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
    ScoreClone,
    ScoreDrop,
    Closure,
}

impl Code {
    pub(crate) const ALL: [Code; 10] = [
        Code::Hash,
        Code::Eq,
        Code::Ord,
        Code::Clone,
        Code::Drop,
        Code::ScoreEq,
        Code::ScoreOrd,
        Code::ScoreClone,
        Code::ScoreDrop,
        Code::Closure,
    ];
}

/// The panic payload of the fuse, which distinguishes its panics from failed assertions.
struct Blown;

thread_local! {
    /// For each kind of code, the calls left until the fuse blows; wraps around below 0.
    static LEFT: [Cell<usize>; KINDS] = const { [const { Cell::new(usize::MAX) }; KINDS] };
}

const KINDS: usize = Code::ALL.len();

/// Counts a call of this code, and panics if it is the n-th. The fuse blows once.
pub(crate) fn burn(code: Code) {
    let left = LEFT.with(|left| {
        let left = &left[code as usize];
        left.replace(left.get().wrapping_sub(1))
    });
    if left == 0 {
        resume_unwind(Box::new(Blown));
    }
}

/// Counts a call of a closure; returns its result.
pub(crate) fn burning<T>(value: T) -> T {
    burn(Code::Closure);
    value
}

/// Resets all counters, so that no call panics.
fn reset() {
    LEFT.with(|left| left.iter().for_each(|left| left.set(usize::MAX)));
}

/// Returns how often each kind of code was called since the last reset, if the fuse has not blown.
fn counted() -> [usize; KINDS] {
    LEFT.with(|left| from_fn(|code| usize::MAX - left[code].get()))
}

/// Runs an operation in which this code panics after this many calls; returns its result, or `None`
/// if the code panicked.
pub(crate) fn run<T>(code: Code, calls: usize, operation: impl FnOnce() -> T) -> Option<T> {
    LEFT.with(|left| left[code as usize].set(calls));
    let result = catch_unwind(AssertUnwindSafe(operation));
    reset();
    match result {
        Ok(value) => Some(value),
        Err(blown) if blown.is::<Blown>() => None,
        Err(other) => resume_unwind(other),
    }
}

/// Returns how often an operation calls this code.
pub(crate) fn calls(code: Code, operation: impl FnOnce()) -> usize {
    reset();
    operation();
    counted()[code as usize]
}

/// Runs an operation without a panic. Then each kind of code panics at its first call, at its
/// second, and so on, in separate runs. Each run starts with a value from `make`; `verify` receives
/// the value and the result of the operation, or the code that panicked.
///
/// If an operation makes many calls, some later ones are skipped; under Miri most are.
pub(crate) fn at_every_call<T, R>(
    make: impl FnMut() -> T,
    operation: impl FnMut(&mut T) -> R,
    verify: impl FnMut(T, Result<R, Code>),
) {
    at_every_call_of(&Code::ALL, make, operation, verify);
}

/// Like `at_every_call`, for these kinds of code.
pub(crate) fn at_every_call_of<T, R>(
    codes: &[Code],
    mut make: impl FnMut() -> T,
    mut operation: impl FnMut(&mut T) -> R,
    mut verify: impl FnMut(T, Result<R, Code>),
) {
    let mut subject = make();
    reset();
    let result = operation(&mut subject);
    let calls = counted();
    verify(subject, Ok(result));
    for &code in codes {
        for calls in some_of(calls[code as usize], code) {
            let mut subject = make();
            let result = run(code, calls, || operation(&mut subject)).ok_or(code);
            verify(subject, result);
        }
    }
}

/// Returns which calls of this code must panic.
fn some_of(calls: usize, code: Code) -> Vec<usize> {
    if cfg!(miri) {
        let Some(last) = calls.checked_sub(1) else { return vec![] };
        // Under Miri, only the last call panics. Moving elements makes many of these calls in a
        // row, so a call in the middle panics as well.
        let is_in_batches = matches!(code, Code::Hash | Code::Clone | Code::Drop);
        return if is_in_batches && last > 8 { vec![last, last / 2] } else { vec![last] };
    }
    let next = |call: &usize| Some(call + 1 + call.saturating_sub(32) / 3);
    successors(Some(0), next).take_while(|&call| call < calls).collect()
}
