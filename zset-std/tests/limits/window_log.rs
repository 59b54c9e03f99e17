//! `WindowLog` against a list of all that passed, recounted on each question.

use super::*;
use zset_std::{Decision, Verdict, WindowLog};

#[derive(Clone, Debug)]
enum Operation {
    Check(u32),
    CheckWith(Quota, u32),
    Peek(u32),
    Record(u32),
    Refund(u32),
    SetQuota(Quota),
    Reset,
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => (0..14u32).prop_map(Operation::Check),
        2 => (quotas(), 0..14u32).prop_map(|(quota, n)| Operation::CheckWith(quota, n)),
        3 => (0..14u32).prop_map(Operation::Peek),
        1 => (0..5u32).prop_map(Operation::Record),
        1 => (0..9u32).prop_map(Operation::Refund),
        1 => quotas().prop_map(Operation::SetQuota),
        1 => Just(Operation::Reset),
    ]
}

/// All that passed and is not forgotten.
#[derive(Default)]
struct Naive {
    passed: Vec<(Timestamp, u32)>,
    horizon: Duration,
    newest: Timestamp,
}

impl Naive {
    fn advance(&mut self, now: Timestamp, quota: Quota) {
        self.newest = self.newest.max(now);
        self.horizon = self.horizon.max(quota.period());
        let age = |time| self.newest.saturating_duration_since(time);
        let horizon = self.horizon;
        self.passed.retain(|&(time, _)| age(time) < horizon);
    }

    fn push(&mut self, time: Timestamp, units: u32) {
        self.passed.push((time, units));
    }

    /// Recounts the window that ends at a time.
    fn used(&self, quota: Quota, now: Timestamp) -> u32 {
        let in_window = |time| now.saturating_duration_since(time) < quota.period();
        self.passed.iter().filter(|(time, _)| in_window(*time)).map(|(_, units)| units).sum()
    }

    fn expect(&self, decision: &Decision, quota: Quota, n: u32, now: Timestamp) {
        let (used, limit) = (self.used(quota, now), quota.count());
        let is_allowed = n == 0 || n <= limit && used + n <= limit;
        assert_eq!(decision.is_allowed(), is_allowed, "{n} of {limit}, {used} used");
        assert_eq!(decision.verdict == Verdict::Never, n > limit);
        assert_eq!(decision.limit, limit);
        let taken = if is_allowed { n } else { 0 };
        assert_eq!(decision.remaining, limit.saturating_sub(used + taken));
        if let Verdict::Denied { retry_after } = decision.verdict {
            // Tight: then, and not a nanosecond earlier.
            assert!(self.used(quota, after(now, retry_after)) + n <= limit);
            let earlier = retry_after.checked_sub(Duration::from_nanos(1)).unwrap();
            assert!(self.used(quota, after(now, earlier)) + n > limit);
        }
        let last = self.passed.iter().map(|&(time, _)| time).max();
        let last = if taken > 0 { Some(now) } else { last };
        let reset = last.map_or(Duration::ZERO, |last| {
            after(last, quota.period()).saturating_duration_since(now)
        });
        assert_eq!(decision.reset_after, reset);
    }
}

fn entries(log: &WindowLog) -> String {
    format!("{log:?}")
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_answer_is_that_of_a_recount(
        first in quotas(),
        operations in prop::collection::vec((steps(), operations()), 0..80),
    ) {
        let mut log = WindowLog::new(first);
        let mut naive = Naive { horizon: first.period(), ..Naive::default() };
        let (mut quota, mut now) = (first, Timestamp::ZERO);
        for ((quarters, nanos), operation) in operations {
            now = step(now, quota, quarters, nanos);
            // A time before the newest counts as the newest.
            let counted = now.max(naive.newest);
            match operation {
                Operation::Check(n) => {
                    let peeked = log.peek_at(n, now);
                    let before = log.entries();
                    let decision = log.check_n_at(n, now);
                    prop_assert_eq!(peeked, decision, "peek equals check");
                    naive.advance(now, quota);
                    naive.expect(&decision, quota, n, counted);
                    if decision.is_allowed() && n > 0 {
                        naive.push(counted, n);
                    } else {
                        prop_assert!(log.entries() <= before, "a denial records nothing");
                        prop_assert_eq!(log.peek_at(n, now), decision);
                    }
                }
                Operation::CheckWith(other, n) => {
                    let decision = log.check_with_at(other, n, now);
                    naive.advance(now, other);
                    naive.expect(&decision, other, n, counted);
                    if decision.is_allowed() && n > 0 {
                        naive.push(counted, n);
                    }
                }
                Operation::Peek(n) => {
                    let before = entries(&log);
                    let decision = log.peek_at(n, now);
                    prop_assert_eq!(entries(&log), before);
                    naive.expect(&decision, quota, n, counted);
                    prop_assert_eq!(log.over_limit_at(now), naive.used(quota, counted) >= quota.count());
                    prop_assert_eq!(log.remaining_at(now), log.peek_at(0, now).remaining);
                    prop_assert_eq!(log.retry_after_at(n, now), decision.retry_after());
                }
                Operation::Record(n) => {
                    log.record_at(n, now);
                    naive.advance(now, quota);
                    if n > 0 {
                        naive.push(counted, n);
                    }
                    // What the newer ones make up for is forgotten.
                    let mut units: u32 = naive.passed.iter().map(|(_, units)| units).sum();
                    while let Some(&(_, oldest)) = naive.passed.first() {
                        if units - oldest < quota.count() {
                            break;
                        }
                        units -= oldest;
                        naive.passed.remove(0);
                    }
                }
                Operation::Refund(n) => {
                    let mut missing = n;
                    while missing > 0 {
                        let Some((time, units)) = naive.passed.pop() else { break };
                        let given = units.min(missing);
                        missing -= given;
                        if units > given {
                            naive.push(time, units - given);
                        }
                    }
                    prop_assert_eq!(log.refund(n), n - missing);
                }
                Operation::SetQuota(other) => {
                    log.set_quota(other);
                    quota = other;
                    naive.horizon = naive.horizon.max(other.period());
                }
                Operation::Reset => {
                    log.reset();
                    naive.passed.clear();
                }
            }
            log.check();
        }
    }

    #[test]
    fn no_window_ever_holds_more_than_the_limit(
        quota in quotas(),
        calls in prop::collection::vec((steps(), 0..14u32), 0..120),
    ) {
        let mut log = WindowLog::new(quota);
        let mut passed: Vec<(Timestamp, u32)> = Vec::new();
        let (mut now, mut newest) = (Timestamp::ZERO, Timestamp::ZERO);
        for ((quarters, nanos), n) in calls {
            now = step(now, quota, quarters, nanos);
            newest = newest.max(now);
            if log.check_n_at(n, now).is_allowed() {
                passed.push((newest, n));
            }
            prop_assert!(log.entries() <= quota.count() as usize);
        }
        // A window that holds the most ends at a call.
        for &(end, _) in &passed {
            let in_window = |time| time <= end && end.saturating_duration_since(time) < quota.period();
            let units: u32 =
                passed.iter().filter(|(time, _)| in_window(*time)).map(|(_, units)| units).sum();
            prop_assert!(units <= quota.count());
        }
    }
}
