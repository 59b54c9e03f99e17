//! Logarithmic scales.

/// The maximum number of ticks: with more, labels would overlap.
const MAX_TICKS: usize = 7;

/// A logarithmic scale that starts and ends at a tick.
pub(super) struct Scale {
    ticks: Vec<f64>,
    min: f64,
    max: f64,
    /// The positions of the ends in the picture.
    from: f64,
    to: f64,
}

impl Scale {
    /// Returns a scale that covers all values, which are positive.
    pub(super) fn of(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut min, mut max) = (f64::INFINITY, 0.0_f64);
        for value in values {
            min = min.min(value);
            max = max.max(value);
        }
        let marks: Vec<f64> = (-3..=12)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
            .collect();
        let first = marks.partition_point(|&mark| mark <= min).saturating_sub(1);
        // At least two ticks, or the scale would have no extent.
        let last = marks.partition_point(|&mark| mark < max).clamp(first + 1, marks.len() - 1);
        let (min, max) = (marks[first], marks[last]);
        let mut ticks = marks[first..=last].to_vec();
        if ticks.len() > MAX_TICKS {
            ticks.retain(|tick| tick.log10().fract().abs() < 1e-9);
        }
        Scale { ticks, min, max, from, to }
    }

    /// Returns the position of a value in the picture.
    pub(super) fn place(&self, value: f64) -> f64 {
        let part = (value / self.min).ln() / (self.max / self.min).ln();
        self.from + part * (self.to - self.from)
    }

    /// Returns the values that get a line and a label.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        self.ticks.iter().map(|&tick| (tick, label(tick)))
    }
}

/// Formats a value for a label.
fn label(value: f64) -> String {
    match value {
        1e9.. => format!("{}G", value / 1e9),
        1e6.. => format!("{}M", value / 1e6),
        1e3.. => format!("{}k", value / 1e3),
        // Rounds off floating-point error.
        _ => format!("{}", (value * 1e3).round() / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64]) -> Vec<String> {
        let scale = Scale::of(values.iter().copied(), 0.0, 300.0);
        scale.ticks().map(|(_, label)| label).collect()
    }

    #[test]
    fn values_lie_by_their_logarithms() {
        let scale = Scale::of([10.0, 10_000.0].into_iter(), 0.0, 300.0);
        for (value, place) in [(10.0, 0.0), (100.0, 100.0), (10_000.0, 300.0)] {
            assert!((scale.place(value) - place).abs() < 1e-9, "{value}");
        }
        // The vertical axis, which grows upwards.
        let scale = Scale::of([1.0, 100.0].into_iter(), 200.0, 0.0);
        assert!((scale.place(10.0) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_scale_begins_and_ends_with_the_ticks_around_the_values() {
        assert_eq!(labels(&[21.0, 333.0]), ["20", "50", "100", "200", "500"]);
        assert_eq!(labels(&[0.3, 0.5]), ["0.2", "0.5"]);
        assert_eq!(labels(&[100.0, 1e7]), ["100", "1k", "10k", "100k", "1M", "10M"]);
        assert_eq!(labels(&[1_000.0, 100_000.0]), ["1k", "2k", "5k", "10k", "20k", "50k", "100k"]);
        assert_eq!(labels(&[5e8, 2e9]), ["500M", "1G", "2G"]);
    }

    #[test]
    fn one_value_alone_has_a_scale() {
        assert_eq!(labels(&[100.0]), ["100", "200"]);
        assert_eq!(labels(&[3.0]), ["2", "5"]);
    }
}
