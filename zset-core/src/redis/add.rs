//! The options and results of Redis's `ZADD`.

use core::error::Error;
use core::fmt;

use crate::{NanScore, Score};

/// How to treat existing and new members when adding.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{AddOptions, Added};
/// use zset_core::{Score, ZSet};
///
/// let mut set = ZSet::new();
/// let only_higher = AddOptions::new().gt();
/// set.add("a", Score::from(5), only_higher)?;
/// assert_eq!(set.add("a", Score::from(3), only_higher)?, Added::Blocked);
/// assert_eq!(set.score("a"), Some(Score::from(5)));
/// # Ok::<(), zset_core::NanScore>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddOptions {
    condition: Condition,
    changed: bool,
    increment: bool,
}

/// The meaningful combinations of NX, XX, GT and LT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Condition {
    #[default]
    Always,
    IfNew,
    IfThere,
    IfGreater,
    IfLess,
    IfThereAndGreater,
    IfThereAndLess,
}

/// The flags of a `ZADD` command, in any combination.
///
/// [`AddOptions::from_flags`] rejects contradictory combinations. Set the flags of a command in a
/// struct literal, with `..AddFlags::default()` for the others.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{AddFlags, AddOptions};
///
/// // ZADD key XX GT CH
/// let flags = AddFlags { xx: true, gt: true, ch: true, ..AddFlags::default() };
/// assert_eq!(AddOptions::from_flags(flags), Ok(AddOptions::new().xx().gt().ch()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the command has these flags")]
pub struct AddFlags {
    /// Only adds new members.
    pub nx: bool,
    /// Only updates existing members.
    pub xx: bool,
    /// Only updates a member to a greater score; new members are still added, unless `xx` is set.
    pub gt: bool,
    /// Only updates a member to a lesser score; new members are still added, unless `xx` is set.
    pub lt: bool,
    /// Counts updated members too.
    pub ch: bool,
    /// Adds to the score instead of replacing it.
    pub incr: bool,
}

/// The error returned for contradictory flags.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{AddFlags, AddOptions, AddOptionsError};
///
/// let flags = AddFlags { gt: true, lt: true, ..AddFlags::default() };
/// assert_eq!(AddOptions::from_flags(flags), Err(AddOptionsError::GtLtAndNx));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddOptionsError {
    /// NX with XX.
    NxAndXx,
    /// Two of GT, LT and NX.
    GtLtAndNx,
}

impl fmt::Display for AddOptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddOptionsError::NxAndXx => "XX and NX options at the same time are not compatible",
            AddOptionsError::GtLtAndNx => {
                "GT, LT, and/or NX options at the same time are not compatible"
            }
        })
    }
}

impl Error for AddOptionsError {}

impl AddOptions {
    /// Returns the default options: adds new members and updates existing ones. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::AddOptions;
    ///
    /// assert_eq!(AddOptions::new(), AddOptions::default());
    /// ```
    pub const fn new() -> Self {
        AddOptions { condition: Condition::Always, changed: false, increment: false }
    }

    /// Converts a command's flags into options. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`AddOptionsError`] for NX with XX, and for more than one of GT, LT and NX.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddFlags, AddOptions, AddOptionsError};
    ///
    /// let flags = AddFlags { xx: true, gt: true, ..AddFlags::default() };
    /// assert_eq!(AddOptions::from_flags(flags), Ok(AddOptions::new().gt().xx()));
    /// let flags = AddFlags { nx: true, ..flags };
    /// assert_eq!(AddOptions::from_flags(flags), Err(AddOptionsError::NxAndXx));
    /// ```
    pub const fn from_flags(flags: AddFlags) -> Result<Self, AddOptionsError> {
        let AddFlags { nx, xx, gt, lt, ch, incr } = flags;
        let condition = match (nx, xx, gt, lt) {
            (true, true, ..) => return Err(AddOptionsError::NxAndXx),
            (true, _, true, _) | (true, _, _, true) | (_, _, true, true) => {
                return Err(AddOptionsError::GtLtAndNx);
            }
            (true, false, false, false) => Condition::IfNew,
            (false, true, false, false) => Condition::IfThere,
            (false, true, true, false) => Condition::IfThereAndGreater,
            (false, true, false, true) => Condition::IfThereAndLess,
            (false, false, true, false) => Condition::IfGreater,
            (false, false, false, true) => Condition::IfLess,
            (false, false, false, false) => Condition::Always,
        };
        Ok(AddOptions { condition, changed: ch, increment: incr })
    }

    /// Sets NX, replacing XX, GT and LT: only adds new members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.insert("a", Score::from(1));
    /// assert_eq!(set.add("a", Score::from(2), AddOptions::new().nx())?, Added::Blocked);
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn nx(self) -> Self {
        AddOptions { condition: Condition::IfNew, ..self }
    }

    /// Sets XX, replacing NX: only updates existing members. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// assert_eq!(set.add("a", Score::from(2), AddOptions::new().xx())?, Added::Blocked);
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn xx(self) -> Self {
        let condition = match self.condition {
            Condition::IfGreater | Condition::IfThereAndGreater => Condition::IfThereAndGreater,
            Condition::IfLess | Condition::IfThereAndLess => Condition::IfThereAndLess,
            Condition::Always | Condition::IfNew | Condition::IfThere => Condition::IfThere,
        };
        AddOptions { condition, ..self }
    }

    /// Sets GT, replacing NX and LT: only updates a member to a greater score. **O(1)**.
    ///
    /// New members are still added, unless XX is set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(5))]);
    /// let gt = AddOptions::new().gt();
    /// assert_eq!(set.add("a", Score::from(3), gt)?, Added::Blocked);
    /// assert!(set.add("a", Score::from(7), gt)?.is_changed());
    /// assert!(set.add("b", Score::from(3), gt)?.is_inserted());
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn gt(self) -> Self {
        let condition = match self.condition {
            Condition::IfThere | Condition::IfThereAndGreater | Condition::IfThereAndLess => {
                Condition::IfThereAndGreater
            }
            _ => Condition::IfGreater,
        };
        AddOptions { condition, ..self }
    }

    /// Sets LT, replacing NX and GT: only updates a member to a lesser score. **O(1)**.
    ///
    /// New members are still added, unless XX is set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(5))]);
    /// let lt = AddOptions::new().lt();
    /// assert_eq!(set.add("a", Score::from(7), lt)?, Added::Blocked);
    /// assert!(set.add("a", Score::from(3), lt)?.is_changed());
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn lt(self) -> Self {
        let condition = match self.condition {
            Condition::IfThere | Condition::IfThereAndGreater | Condition::IfThereAndLess => {
                Condition::IfThereAndLess
            }
            _ => Condition::IfLess,
        };
        AddOptions { condition, ..self }
    }

    /// Sets CH: [`Added::count`] counts updated members too. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::AddOptions;
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.insert("a", Score::from(1));
    /// let added = set.add("a", Score::from(2), AddOptions::new())?;
    /// assert_eq!(added.count(AddOptions::new()), 0);
    /// assert_eq!(added.count(AddOptions::new().ch()), 1);
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn ch(self) -> Self {
        AddOptions { changed: true, ..self }
    }

    /// Sets INCR: adds to the score instead of replacing it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::AddOptions;
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.insert("a", Score::from(1));
    /// let added = set.add("a", Score::from(2), AddOptions::new().incr())?;
    /// assert_eq!(added.score(), Some(Score::from(3)));
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn incr(self) -> Self {
        AddOptions { increment: true, ..self }
    }

    /// Returns the score that a member with this old score, if any, gets; `None` if an option prevents the
    /// change.
    pub(crate) fn new_score(
        self,
        old: Option<Score>,
        score: Score,
    ) -> Result<Option<Score>, NanScore> {
        let Some(old) = old else {
            let must_be_there = matches!(
                self.condition,
                Condition::IfThere | Condition::IfThereAndGreater | Condition::IfThereAndLess
            );
            return Ok((!must_be_there).then_some(score));
        };
        if self.condition == Condition::IfNew {
            return Ok(None);
        }
        let score = if self.increment { old.checked_add(score.get())? } else { score };
        let is_blocked = match self.condition {
            Condition::IfGreater | Condition::IfThereAndGreater => score <= old,
            Condition::IfLess | Condition::IfThereAndLess => score >= old,
            Condition::Always | Condition::IfNew | Condition::IfThere => false,
        };
        Ok((!is_blocked).then_some(score))
    }

    /// Returns the outcome for a member with this old score, if any.
    pub(crate) fn outcome(self, old: Option<Score>, score: Score) -> Result<Added, NanScore> {
        Ok(match (old, self.new_score(old, score)?) {
            (_, None) => Added::Blocked,
            (None, Some(score)) => Added::Inserted { score },
            (Some(old), Some(score)) if score == old => Added::Unchanged { score },
            (Some(old), Some(score)) => Added::Updated { old, score },
        })
    }
}

/// The outcome of adding a member.
///
/// The enum is exhaustive, so that a `match` can name every case.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{AddOptions, Added};
/// use zset_core::{Score, ZSet};
///
/// let mut set = ZSet::new();
/// let (one, two) = (Score::from(1), Score::from(2));
/// assert_eq!(set.add("a", one, AddOptions::new())?, Added::Inserted { score: one });
/// assert_eq!(set.add("a", two, AddOptions::new())?, Added::Updated { old: one, score: two });
/// assert_eq!(set.add("a", two, AddOptions::new())?, Added::Unchanged { score: two });
/// assert_eq!(set.add("a", one, AddOptions::new().nx())?, Added::Blocked);
/// # Ok::<(), zset_core::NanScore>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The member is new.
    Inserted {
        /// The score.
        score: Score,
    },
    /// The member's score changed.
    Updated {
        /// The old score.
        old: Score,
        /// The new score.
        score: Score,
    },
    /// The member already had this score.
    Unchanged {
        /// The score.
        score: Score,
    },
    /// An option prevented the change.
    Blocked,
}

impl Added {
    /// Returns whether the member is new. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::Added;
    /// use zset_core::Score;
    ///
    /// assert!(Added::Inserted { score: Score::ZERO }.is_inserted());
    /// ```
    pub const fn is_inserted(self) -> bool {
        matches!(self, Added::Inserted { .. })
    }

    /// Returns whether the member is new or its score changed. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::Added;
    /// use zset_core::Score;
    ///
    /// assert!(Added::Updated { old: Score::ZERO, score: Score::from(1) }.is_changed());
    /// assert!(!Added::Unchanged { score: Score::ZERO }.is_changed());
    /// ```
    pub const fn is_changed(self) -> bool {
        matches!(self, Added::Inserted { .. } | Added::Updated { .. })
    }

    /// Returns this member's contribution to the result of `ZADD`: 1 if it is new or, with CH,
    /// updated; otherwise 0. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::Score;
    ///
    /// let updated = Added::Updated { old: Score::ZERO, score: Score::from(1) };
    /// assert_eq!(updated.count(AddOptions::new()), 0);
    /// assert_eq!(updated.count(AddOptions::new().ch()), 1);
    /// ```
    pub const fn count(self, options: AddOptions) -> usize {
        (if options.changed { self.is_changed() } else { self.is_inserted() }) as usize
    }

    /// Returns the member's current score, as `ZADD INCR` does, or `None` if it was blocked.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::Added;
    /// use zset_core::Score;
    ///
    /// assert_eq!(Added::Unchanged { score: Score::ZERO }.score(), Some(Score::ZERO));
    /// assert_eq!(Added::Blocked.score(), None);
    /// ```
    pub const fn score(self) -> Option<Score> {
        match self {
            Added::Inserted { score }
            | Added::Updated { score, .. }
            | Added::Unchanged { score } => Some(score),
            Added::Blocked => None,
        }
    }
}
