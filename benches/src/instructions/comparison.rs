//! The changes since the baseline, and whether they are acceptable.

use std::collections::BTreeSet;

use crate::table::{Table, show};
use crate::workload::as_f64;

use super::ACCEPT;
use super::baseline::{Baseline, Counts};

/// The acceptable increase in instructions, in percent.
const LIMIT: u128 = 3;

/// How many more instructions than with link-time optimization are acceptable, in percent.
const GAP: u128 = 15;

/// The counts before and now.
pub(super) struct Comparison<'a> {
    pub(super) before: &'a Baseline,
    pub(super) now: &'a Baseline,
}

impl Comparison<'_> {
    /// Returns the names of all benchmarks, with their counts before and now.
    fn pairs(&self) -> impl Iterator<Item = (&str, Option<&Counts>, Option<&Counts>)> {
        let all = self.before.counts.iter().chain(&self.now.counts);
        let names: BTreeSet<_> = all.map(|counts| counts.benchmark.as_str()).collect();
        names.into_iter().map(|name| (name, self.before.of(name), self.now.of(name)))
    }

    pub(super) fn table(&self) -> Table {
        let head = ["benchmark", "instructions", "now", "change", "of LTO's"];
        let caches = ["L1 misses", "now", "change", "LL misses", "now", "change"];
        let mut table = Table::new(head.into_iter().chain(caches).map(String::from).collect());
        for (name, before, now) in self.pairs() {
            let mut cells = vec![name.to_owned()];
            let gap = |now: &Counts| {
                as_f64(now.instructions as usize) / as_f64(now.lto_instructions as usize)
            };
            let gap = now.map_or_else(|| show(None), |now| format!("{:.3}", gap(now)));
            for count in [
                |counts: &Counts| counts.instructions,
                |counts: &Counts| counts.l1_misses,
                |counts: &Counts| counts.ll_misses,
            ] {
                let (before, now) = (before.map(count), now.map(count));
                let shown =
                    |count: Option<u64>| count.map_or_else(|| show(None), |it| it.to_string());
                let change = before.zip(now).map_or_else(|| show(None), show_change);
                cells.extend([shown(before), shown(now), change]);
                if cells.len() == 4 {
                    cells.push(gap.clone());
                }
            }
            table.push(cells);
        }
        table
    }

    /// Returns the failures, a sentence each.
    pub(super) fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for (name, before, now) in self.pairs() {
            let (Some(before), Some(now)) = (before, now) else {
                let where_not = if now.is_some() { "the baseline" } else { "the benchmarks" };
                failures.push(format!("{name} is not in {where_not}"));
                continue;
            };
            if is_of_others(name) {
                continue;
            }
            let with_lto = now.lto_instructions;
            let (before, now) = (before.instructions, now.instructions);
            if is_over(before, now, LIMIT) {
                let change = show_change((before, now));
                failures.push(format!("{name} takes {now} instructions, {change} of {before}"));
            }
            if is_over(with_lto, now, GAP) {
                let change = show_change((with_lto, now));
                failures.push(format!(
                    "{name} takes {now} instructions, {change} of the {with_lto} with LTO"
                ));
            }
        }
        failures
    }

    /// Returns the verdict shown to the user.
    pub(super) fn verdict(&self) -> String {
        let failures = self.failures();
        let known = self.pairs().filter_map(|(_, before, now)| before.zip(now));
        let lower =
            known.filter(|(before, now)| is_over(now.instructions, before.instructions, LIMIT));
        let lower = lower.count();
        let mut lines = Vec::new();
        if failures.is_empty() {
            lines.push(format!("No benchmark takes over {LIMIT} % more instructions than before."));
        } else {
            lines.push("FAILED: the counts are not as the baseline says.".into());
            lines.extend(failures.iter().map(|failure| format!("- {failure}")));
        }
        let (before, now) = (&self.before.origin, &self.now.origin);
        if before != now {
            lines.push(format!("The baseline was counted with {before}; this with {now}."));
            lines.push("What has changed may be of these, and not of the code.".into());
        }
        if !failures.is_empty() {
            lines.push(format!("If it shall be so, commit what `{ACCEPT}` writes."));
        } else if lower > 0 {
            lines.push(format!("{lower} take over {LIMIT} % less: commit what `{ACCEPT}` writes,"));
            lines.push("or they may grow again unseen.".into());
        }
        lines.join("\n") + "\n"
    }
}

/// Returns whether a benchmark is of code that is not ours, shown for comparison.
fn is_of_others(benchmark: &str) -> bool {
    benchmark.contains("governor") || benchmark == "layer/none"
}

/// Returns whether a count exceeds another by more than this many percent, computed exactly in
/// integers.
fn is_over(before: u64, now: u64, percent: u128) -> bool {
    u128::from(now) * 100 > u128::from(before) * (100 + percent)
}

fn show_change((before, now): (u64, u64)) -> String {
    if before == now {
        return "=".into();
    }
    if before == 0 {
        return show(None);
    }
    let percent = (as_f64(now as usize) / as_f64(before as usize) - 1.0) * 100.0;
    format!("{percent:+.2} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(origin: &str, counts: &[(&str, u64)]) -> Baseline {
        let counts = counts.iter().map(|&(name, instructions)| Counts {
            benchmark: name.into(),
            instructions,
            lto_instructions: instructions,
            l1_misses: 1,
            ll_misses: 0,
        });
        Baseline::new(origin.into(), counts.collect()).unwrap()
    }

    /// Returns the failures and the verdict.
    fn compare(before: &[(&str, u64)], now: &[(&str, u64)]) -> (Vec<String>, String) {
        let (before, now) = (baseline("rustc 1", before), baseline("rustc 1", now));
        let comparison = Comparison { before: &before, now: &now };
        (comparison.failures(), comparison.verdict())
    }

    #[test]
    fn three_percent_more_pass_and_anything_above_fails() {
        assert_eq!(compare(&[("insert", 10_000)], &[("insert", 10_300)]).0, [""; 0]);
        let (failures, verdict) = compare(&[("insert", 10_000)], &[("insert", 10_301)]);
        assert_eq!(failures, ["insert takes 10301 instructions, +3.01 % of 10000"]);
        assert!(verdict.starts_with("FAILED: ") && verdict.contains("--accept"));
        assert!(verdict.contains(&failures[0]));
        // The products do not overflow.
        assert!(is_over(u64::MAX / 2, u64::MAX, LIMIT));
        assert!(!is_over(u64::MAX, u64::MAX, LIMIT));
    }

    #[test]
    fn a_change_from_nothing_has_no_percentage() {
        assert_eq!(show_change((0, 4)), show(None));
        assert_eq!(show_change((0, 0)), "=");
        assert_eq!(show_change((4, 0)), "-100.00 %");
    }

    #[test]
    fn fifteen_percent_more_than_with_lto_pass_and_anything_above_fails() {
        let before = baseline("", &[("insert", 11_501)]);
        let mut now = before.clone();
        now.counts[0].lto_instructions = 10_001;
        assert_eq!(Comparison { before: &before, now: &now }.failures(), [""; 0]);
        now.counts[0].lto_instructions = 10_000;
        let failures = Comparison { before: &before, now: &now }.failures();
        let expected = "insert takes 11501 instructions, +15.01 % of the 10000 with LTO";
        assert_eq!(failures, [expected]);
    }

    #[test]
    fn code_of_others_is_not_checked() {
        for name in ["layer/none", "limiters/governor", "layer/tower_governor"] {
            assert_eq!(compare(&[(name, 100)], &[(name, 200)]).0, [""; 0]);
        }
        assert_eq!(compare(&[("layer/zset_tower", 100)], &[("layer/zset_tower", 200)]).0.len(), 1);
    }

    #[test]
    fn caches_do_not_decide() {
        let before = baseline("", &[("insert", 100)]);
        let mut now = before.clone();
        now.counts[0].l1_misses = 1000;
        now.counts[0].ll_misses = 1000;
        assert!(Comparison { before: &before, now: &now }.failures().is_empty());
    }

    #[test]
    fn benchmarks_that_are_new_or_gone_fail() {
        let (failures, verdict) = compare(&[("a", 5), ("gone", 5)], &[("a", 5), ("new", 5)]);
        let expected = ["gone is not in the benchmarks", "new is not in the baseline"];
        assert_eq!(failures, expected);
        assert!(verdict.contains("--accept"), "{verdict}");
    }

    #[test]
    fn fewer_instructions_pass_and_should_be_accepted() {
        let (failures, verdict) = compare(&[("a", 100), ("b", 100)], &[("a", 97), ("b", 99)]);
        assert_eq!(failures, [""; 0]);
        assert!(
            verdict.contains("1 take over 3 % less") && verdict.contains("--accept"),
            "{verdict}"
        );
        let verdict = compare(&[("a", 100)], &[("a", 100)]).1;
        assert!(!verdict.contains("--accept"), "{verdict}");
    }

    #[test]
    fn another_compiler_is_named_beside_the_verdict() {
        for instructions in [100, 200] {
            let before = baseline("rustc 1", &[("a", 100)]);
            let now = baseline("rustc 2", &[("a", instructions)]);
            let verdict = Comparison { before: &before, now: &now }.verdict();
            assert!(verdict.contains("counted with rustc 1; this with rustc 2"), "{verdict}");
        }
        assert!(!compare(&[("a", 5)], &[("a", 6)]).1.contains("rustc"));
    }

    #[test]
    fn the_table_has_all_of_both() {
        let (before, now) = (baseline("", &[("a", 200), ("b", 7)]), baseline("", &[("a", 199)]));
        let table = Comparison { before: &before, now: &now }.table().to_string();
        let cells = |line: usize| -> Vec<_> {
            table.lines().nth(line).unwrap().split('|').map(str::trim).collect()
        };
        let a = ["", "a", "200", "199", "-0.50 %", "1.000", "1", "1", "=", "0", "0", "=", ""];
        assert_eq!(cells(2), a);
        let b = ["", "b", "7", "–", "–", "–", "1", "–", "–", "0", "–", "–", ""];
        assert_eq!(cells(3), b);
    }
}
