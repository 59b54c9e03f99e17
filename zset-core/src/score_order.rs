//! [`ScoreOrder`] and [`ScoreBound`]: trait bounds on score types. If a type does not satisfy one
//! of them, the compiler error says what to write instead.

use core::borrow::Borrow;

/// The bound on scores: a type with an order.
///
/// It is implemented for all types that are `Ord`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a score: it is not `Ord`",
    label = "scores are ordered by `Ord`",
    note = "instead of an `f64`, use `zset_core::Score`: `Score::new(83.25)?`"
)]
pub trait ScoreOrder: Ord {}

#[diagnostic::do_not_recommend]
impl<T: Ord> ScoreOrder for T {}

/// The bound on scores in ranges with bounds of type `T`: `T` itself, or a type that borrows as
/// `T`.
///
/// It is implemented for all types that are `Borrow<T>`.
#[diagnostic::on_unimplemented(
    message = "a score of type `{Self}` cannot be compared with a bound of type `{T}`",
    label = "bounds of another type",
    note = "bounds have the type of the scores, or one that it borrows as, such as `str` for `String`",
    note = "strings: `range_by_score::<str>((Included(\"a\"), Excluded(\"b\")))`, with \
            `core::ops::Bound`, or `range_by_score(\"a\".to_string()..\"b\".to_string())`"
)]
pub trait ScoreBound<T: ?Sized>: Borrow<T> {}

#[diagnostic::do_not_recommend]
impl<S: Borrow<T>, T: ?Sized> ScoreBound<T> for S {}
