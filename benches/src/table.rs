//! The printed output: the origin of the results, and Markdown tables.

use std::fmt;
use std::io::{self, Write};
use std::{env, fs, thread};

use crate::workload::{as_f64, floor};

/// Shown in a table where a contender has no value.
const NONE: &str = "–";

/// Writes the machine, the compiler and the command, without which results mean little.
///
/// # Errors
///
/// Returns an error if writing to `out` fails.
pub fn write_header(out: &mut impl Write) -> io::Result<()> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let command: Vec<_> = env::args_os().map(|part| part.display().to_string()).collect();
    writeln!(out, "- machine: {}, {cores} cores", processor())?;
    writeln!(out, "- compiler: {}", env!("ZSET_BENCH_RUSTC"))?;
    writeln!(out, "- command: `{}`", command.join(" "))
}

/// Returns the processor model, as reported by Linux.
fn processor() -> String {
    fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_string())
        })
        .unwrap_or_else(|| format!("an unknown {} processor", env::consts::ARCH))
}

/// Returns the median, or the mean of the middle two values; `None` if there are no values.
pub fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// Returns the quantile `part`, interpolated between adjacent values; `None` if there are no
/// values.
pub fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * as_f64(sorted.len().checked_sub(1)?);
    let below = sorted[floor(place)];
    let above = sorted[floor(place.ceil())];
    Some(below + (above - below) * place.fract())
}

/// Formats a value with about three significant digits.
pub fn show(value: Option<f64>) -> String {
    match value {
        None => NONE.into(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => grouped(floor(value.round())),
    }
}

/// Formats a count with thousands separators.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats the range of the middle half of the rounds.
pub fn show_range(low: f64, high: f64) -> String {
    format!("{}–{}", show(Some(low)), show(Some(high)))
}

/// Formats a ratio with at least two significant digits.
pub fn show_ratio(ratio: Option<f64>) -> String {
    match ratio {
        Some(ratio) if ratio < 0.01 => format!("{ratio:.4}"),
        Some(ratio) if ratio < 0.1 => format!("{ratio:.3}"),
        ratio => show(ratio),
    }
}

/// A Markdown table with aligned columns, readable as plain text too.
pub struct Table {
    lines: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table with a heading and no rows.
    pub fn new(head: Vec<String>) -> Self {
        Table { lines: vec![head] }
    }

    /// Adds a row, which should have as many cells as the heading.
    pub fn push(&mut self, cells: Vec<String>) {
        self.lines.push(cells);
    }

    /// Returns the width of column `place`, that of its widest cell.
    fn width(&self, place: usize) -> usize {
        self.lines
            .iter()
            .filter_map(|cells| cells.get(place))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths: Vec<usize> = (0..self.lines[0].len()).map(|place| self.width(place)).collect();
        for (number, cells) in self.lines.iter().enumerate() {
            for (place, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                if place == 0 {
                    write!(f, "| {cell:<width$} ")?;
                } else {
                    write!(f, "| {cell:>width$} ")?;
                }
            }
            writeln!(f, "|")?;
            if number == 0 {
                for (place, &width) in widths.iter().enumerate() {
                    let end = if place == 0 { '-' } else { ':' };
                    write!(f, "|{:-<width$}{end}", "-", width = width + 1)?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median([4.0, 1.0, 2.0, 9.0].into_iter()), Some(3.0));
        assert_eq!(median([4.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([].into_iter()), None);
    }

    #[test]
    fn values_have_about_three_digits_and_thousands_are_apart() {
        let values = [0.004, 7.0, 99.94, 100.4, 999.6, 16_400.0, 1e7];
        let expected = ["0.00", "7.00", "99.9", "100", "1,000", "16,400", "10,000,000"];
        assert_eq!(values.map(|value| show(Some(value))), expected);
        let expected = ["0.0040", "7.00", "99.9", "100", "1,000", "16,400", "10,000,000"];
        assert_eq!(values.map(|value| show_ratio(Some(value))), expected);
        assert_eq!([show(None), show_ratio(None)], [NONE, NONE]);
    }

    #[test]
    fn a_table_is_aligned() {
        let mut table = Table::new(vec!["ns".into(), "zset".into()]);
        table.push(vec!["insert".into(), show(Some(7.0))]);
        table.push(vec!["rank".into(), show(None)]);
        let expected = "\
| ns     | zset |
|--------|-----:|
| insert | 7.00 |
| rank   |    – |
";
        assert_eq!(table.to_string(), expected);
    }
}
