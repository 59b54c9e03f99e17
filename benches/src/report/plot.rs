//! Pictures in SVG: lines over logarithmic scales, and bars.
//!
//! Colours are classes (`c0`, `c1`, …), which the page gives two sets of: one for the light, one for the
//! dark.

use std::fmt::Write as _;

/// One contender's line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) class: usize,
    /// Both above zero.
    pub(super) points: Vec<(f64, f64)>,
}

/// One contender's bar.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) class: usize,
    pub(super) label: String,
    pub(super) value: f64,
    /// What is drawn paler behind it, and is more.
    pub(super) behind: f64,
}

/// The size of a picture of lines, and where its axes are.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 24.0;

/// A logarithmic scale.
struct Scale {
    min: f64,
    max: f64,
    /// Where the ends are on the page.
    from: f64,
    to: f64,
}

impl Scale {
    /// Makes a scale of whole powers of ten that has all values on it.
    fn of(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut min, mut max) = (f64::INFINITY, 0.0_f64);
        for value in values {
            min = min.min(value);
            max = max.max(value);
        }
        let min = min.log10().floor();
        // At least one power, or there would be no scale.
        Scale { min, max: max.log10().ceil().max(min + 1.0), from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value.log10() - self.min) / (self.max - self.min);
        self.from + part * (self.to - self.from)
    }

    fn powers(&self) -> impl Iterator<Item = i32> {
        self.min as i32..=self.max as i32
    }
}

/// Draws lines; nothing if there is no point.
pub(super) fn lines(title: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return String::new();
    }
    let x = Scale::of(points().map(|point| point.0), LEFT, WIDTH - RIGHT);
    let y = Scale::of(points().map(|point| point.1), HEIGHT - BOTTOM, TOP);
    let mut svg = open(title, WIDTH, HEIGHT);
    // A string takes all that is written to it, here and below.
    for power in x.powers() {
        let (at, bottom) = (x.place(10_f64.powi(power)), HEIGHT - BOTTOM);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 8.0,
            power_of_ten(power)
        );
    }
    for power in y.powers() {
        let at = y.place(10_f64.powi(power));
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 4.0,
            at + 4.0,
            power_of_ten(power)
        );
    }
    // The subject comes first, and is drawn last, over the others.
    for line in lines.iter().rev() {
        let places = line.points.iter().map(|&(one, other)| (x.place(one), y.place(other)));
        let mut path = String::new();
        for (place, (across, up)) in places.clone().enumerate() {
            let _ = write!(path, "{}{across:.1} {up:.1}", if place == 0 { 'M' } else { 'L' });
        }
        let _ = write!(svg, "<path class=\"line c{}\" d=\"{path}\"/>", line.class);
        for (across, up) in places {
            let _ = write!(
                svg,
                "<circle class=\"c{}\" cx=\"{across:.1}\" cy=\"{up:.1}\" r=\"2.5\"/>",
                line.class
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

/// Draws bars, one below the other.
pub(super) fn bars(title: &str, bars: &[Bar]) -> String {
    const ROW: f64 = 22.0;
    const LABELS: f64 = 170.0;
    const FIGURES: f64 = 50.0;
    let longest = bars.iter().map(|bar| bar.value.max(bar.behind)).fold(1.0, f64::max);
    let length = |value: f64| value / longest * (WIDTH - LABELS - FIGURES);
    let mut top = 4.0;
    let mut svg = String::new();
    for bar in bars {
        let Bar { class, label, value, behind } = bar;
        let middle = top + ROW / 2.0 + 2.0;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>\
             <rect class=\"pale c{class}\" x=\"{LABELS}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{}\"/>\
             <rect class=\"c{class}\" x=\"{LABELS}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{middle:.1}\">{value:.1}</text>",
            LABELS - 6.0,
            escape(label),
            length(*behind),
            ROW - 6.0,
            length(*value),
            ROW - 6.0,
            LABELS + length(value.max(*behind)) + 4.0,
        );
        top += ROW;
    }
    format!("{}{svg}</svg>", open(title, WIDTH, top))
}

fn open(title: &str, width: f64, height: f64) -> String {
    let title = escape(title);
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>"
    )
}

/// Shows a power of ten as people read it.
fn power_of_ten(power: i32) -> String {
    match power {
        0..=3 => 10_u32.pow(power.unsigned_abs()).to_string(),
        4 | 5 => format!("{}k", 10_u32.pow(power.unsigned_abs() - 3)),
        6..=8 => format!("{}M", 10_u32.pow(power.unsigned_abs() - 6)),
        _ => format!("1e{power}"),
    }
}

/// Makes a text safe within a page.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_on_the_scales() {
        let scale = Scale::of([20.0, 3_000.0].into_iter(), 0.0, 300.0);
        assert!((scale.place(10.0) - 0.0).abs() < 1e-9);
        assert!((scale.place(100.0) - 100.0).abs() < 1e-9);
        assert!((scale.place(10_000.0) - 300.0).abs() < 1e-9);
        assert_eq!(scale.powers().collect::<Vec<_>>(), [1, 2, 3, 4]);
        // One value alone has a scale too.
        assert_eq!(Scale::of([10.0].into_iter(), 0.0, 1.0).powers().count(), 2);
    }

    #[test]
    fn a_picture_without_points_is_none() {
        assert_eq!(lines("t", &[Line { class: 0, points: Vec::new() }]), "");
        let one = lines("a < b", &[Line { class: 3, points: vec![(100.0, 5.0), (1000.0, 9.0)] }]);
        assert!(one.contains("line c3") && one.contains("a &lt; b"), "{one}");
    }
}
