//! SVG plots: lines on logarithmic scales, and bars.
//!
//! Each contender has a class (`c0`, `c1`, …): a colour, light or dark, and a mark for readers who
//! cannot tell the colours apart.

mod scale;

use std::fmt::Write as _;

use scale::Scale;

/// The colours on a light page, as declarations.
pub(crate) const LIGHT: &str = include_str!("plot/light.css");

/// The colours on a dark page.
pub(crate) const DARK: &str = include_str!("plot/dark.css");

/// The style sheet, which needs the colours of one of the two.
pub(crate) const STYLE: &str = include_str!("plot/style.css");

/// One contender's line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) class: usize,
    pub(crate) points: Vec<Point>,
}

/// A point of a line; all values are positive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The interquartile range around the median `y`; equal to `y` for a single value.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Point {
    /// Returns a point without a spread.
    pub(crate) fn of((x, y): (f64, f64)) -> Self {
        Point { x, y, low: y, high: y }
    }
}

/// One contender's bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) class: usize,
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The value drawn in a paler colour behind the bar.
    pub(crate) behind: f64,
}

/// The size of a line plot and the position of its axes.
pub(crate) const WIDTH: f64 = 360.0;
pub(crate) const HEIGHT: f64 = 240.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 26.0;

/// The marks of the classes, as paths around the point; marks that are only stroked are hollow.
const MARKS: [&str; 9] = [
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    "m0 -4.5l4 4.5l-4 4.5l-4 -4.5z",
    "m-3 -3h6v6h-6z",
    "m0 -4l4 7h-8z",
    "m0 4l4 -7h-8z",
    "m-3 -3l6 6m0 -6l-6 6",
    "m-4 0h8m-4 -4v8",
    "m-3 0h6",
    "m0 -3v6",
];

/// Draws the mark of a class.
fn mark(svg: &mut String, class: usize, x: f64, y: f64) {
    let shape = MARKS[class % MARKS.len()];
    // Writing to a string cannot fail, here and below.
    let _ = write!(svg, "<path class=\"mark c{class}\" d=\"M{x:.1} {y:.1}{shape}\"/>");
}

/// Draws the line of a class for a legend; hidden from screen readers, since its name is next to
/// it.
pub(crate) fn sample(class: usize) -> String {
    let mut svg = format!(
        "<svg class=\"sample\" viewBox=\"0 0 28 12\" width=\"28\" height=\"12\" aria-hidden=\"true\">\
         <path class=\"line c{class}\" d=\"M1 6H27\"/>"
    );
    mark(&mut svg, class, 14.0, 6.0);
    svg + "</svg>"
}

/// Draws lines; nothing if there are no points.
pub(crate) fn lines(title: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    if points().next().is_none() {
        return String::new();
    }
    let x = Scale::of(points().map(|it| it.x), LEFT, WIDTH - RIGHT);
    let y = Scale::of(points().flat_map(|it| [it.low, it.high]), HEIGHT - BOTTOM, TOP);
    let mut svg = open(title, WIDTH, HEIGHT);
    axes(&mut svg, &x, &y);
    // The subject comes first and is drawn last, on top of the others.
    for Line { class, points } in lines.iter().rev() {
        let mut path = String::new();
        for (place, point) in points.iter().enumerate() {
            let (across, up) = (x.place(point.x), y.place(point.y));
            let _ = write!(path, "{}{across:.1} {up:.1}", if place == 0 { 'M' } else { 'L' });
            let (bottom, top) = (y.place(point.low), y.place(point.high));
            if bottom - top > 1.0 {
                let _ = write!(
                    svg,
                    "<path class=\"spread c{class}\" d=\"M{across:.1} {bottom:.1}V{top:.1}\"/>"
                );
            }
        }
        let _ = write!(svg, "<path class=\"line c{class}\" d=\"{path}\"/>");
        for point in points {
            mark(&mut svg, *class, x.place(point.x), y.place(point.y));
        }
    }
    svg.push_str("</svg>");
    svg
}

fn axes(svg: &mut String, x: &Scale, y: &Scale) {
    let bottom = HEIGHT - BOTTOM;
    for (value, label) in x.ticks() {
        let at = x.place(value);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{bottom}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            HEIGHT - 5.0,
        );
    }
    for (value, label) in y.ticks() {
        let at = y.place(value);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 5.0,
            at + 4.0,
        );
    }
}

/// Draws bars, each below its label.
pub(crate) fn bars(title: &str, bars: &[Bar]) -> String {
    const ROW: f64 = 31.0;
    const BAR: f64 = 11.0;
    const FIGURES: f64 = 84.0;
    let longest = bars.iter().map(|bar| bar.value.max(bar.behind)).fold(1.0, f64::max);
    let length = |value: f64| value / longest * (WIDTH - FIGURES);
    let mut top = 0.0;
    let mut svg = String::new();
    for Bar { class, label, value, behind } in bars {
        let _ = write!(
            svg,
            "<text x=\"0\" y=\"{:.1}\">{}</text>\
             <rect class=\"pale c{class}\" x=\"0\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\"/>\
             <rect class=\"c{class}\" x=\"0\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{value:.1} – {behind:.1}</text>",
            top + 12.0,
            escape(label),
            top + 16.0,
            length(*behind),
            // The narrower bar stays visible if it is the longer one.
            top + 18.5,
            length(*value),
            BAR - 5.0,
            length(value.max(*behind)) + 5.0,
            top + 25.5,
        );
        top += ROW;
    }
    format!("{}{svg}</svg>", open(title, WIDTH, top))
}

/// Returns the beginning of a picture.
pub(crate) fn open(title: &str, width: f64, height: f64) -> String {
    let title = escape(title);
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title>"
    )
}

/// Escapes a string for use in HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_without_points_is_none() {
        assert_eq!(lines("t", &[Line { class: 0, points: Vec::new() }]), "");
    }

    #[test]
    fn a_line_goes_through_its_points_and_shows_their_spread() {
        let wide = Point { x: 100.0, y: 5.0, low: 2.0, high: 9.0 };
        let points = vec![wide, Point::of((1000.0, 10.0))];
        let svg = lines("a < b", &[Line { class: 3, points }]);
        assert!(svg.contains("a &lt; b"), "{svg}");
        assert_eq!(svg.matches("class=\"spread c3\"").count(), 1);
        assert_eq!(svg.matches("class=\"mark c3\"").count(), 2);
        // From the left edge to the right one, and up to the top.
        let (_, line) = svg.split_once("class=\"line c3\" d=\"M40.0 ").expect("a line");
        assert!(line.contains("L346.0 8.0\""), "{line}");
    }

    #[test]
    fn the_longest_bar_takes_all_the_width_that_there_is() {
        let bar = |value, behind| Bar { class: 1, label: "a & b".into(), value, behind };
        let svg = bars("bytes", &[bar(50.0, 100.0), bar(25.0, 10.0)]);
        for width in ["276.0", "138.0", "69.0", "27.6"] {
            assert!(svg.contains(&format!("width=\"{width}\"")), "{width}: {svg}");
        }
        assert!(svg.contains("a &amp; b") && svg.contains("50.0 – 100.0"), "{svg}");
    }

    #[test]
    fn no_two_classes_have_the_same_mark() {
        let mut marks = MARKS.to_vec();
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), MARKS.len());
    }
}
