//! SVG charts, drawn by `plotters`: lines on logarithmic scales.
//!
//! Each contender has a colour, and one of three marks for readers who cannot tell the colours
//! apart. Charts have the colours of a light page; [`dark`] and [`with_variables`] replace them.

use std::error::Error;
use std::io;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

/// The names of the colours in a style sheet, with their values on a light page and on a dark one:
/// the background, text, the grid, and one for each contender.
///
/// The colours of the contenders follow the palette of Okabe and Ito, which people with any colour
/// vision can tell apart. On a light page, they are darker.
const COLOURS: [[&str; 3]; 12] = [
    ["back", "#FFFFFF", "#0D1117"],
    ["text", "#1B1F24", "#E6EDF3"],
    ["grid", "#D8DEE4", "#2B323B"],
    ["c0", "#C40017", "#FF6B6B"],
    ["c1", "#D97706", "#FFB454"],
    ["c2", "#0063B0", "#4DA3FF"],
    ["c3", "#007A57", "#3FD0A0"],
    ["c4", "#B0508A", "#E59AC6"],
    ["c5", "#3B9BD6", "#8FD3FF"],
    ["c6", "#555D66", "#AAB4BF"],
    ["c7", "#8A6D00", "#E6CF4D"],
    ["c8", "#7A4CC2", "#B99CFF"],
];

/// The indices of the first three colours, and of the first contender's colour.
const BACK: usize = 0;
const TEXT: usize = 1;
const GRID: usize = 2;
const FIRST: usize = 3;

/// The marks of the contenders, as shown in legends.
const MARKS: [char; 3] = ['●', '▲', '✕'];

/// The size of a chart, and the height of a picture's title with its legend, in pixels.
const WIDTH: u32 = 370;
const HEIGHT: u32 = 280;
const HEAD: u32 = 60;

/// The maximum number of ticks of a scale: with more, labels would overlap.
const MAX_TICKS: usize = 7;

/// A chart with a line for each contender.
pub(crate) struct Chart {
    pub(crate) caption: String,
    /// The lines of the contenders, in order. A line has no points if nothing was measured.
    pub(crate) lines: Vec<Vec<Point>>,
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

/// Why a picture cannot be drawn.
type Failed = Box<dyn Error + Send + Sync>;

/// Returns a picture of charts in rows of `columns`, below a title and a legend of contenders, or
/// without both if the legend is empty.
pub(crate) fn picture(
    title: &str,
    legend: &[(usize, &str)],
    charts: &[Chart],
    columns: usize,
) -> io::Result<String> {
    let mut svg = String::new();
    draw(&mut svg, title, legend, charts, columns).map_err(io::Error::other)?;
    let label = format!("<svg role=\"img\" aria-label=\"{}\"", escape(title));
    Ok(svg.replacen("<svg", &label, 1))
}

fn draw(
    svg: &mut String,
    title: &str,
    legend: &[(usize, &str)],
    charts: &[Chart],
    columns: usize,
) -> Result<(), Failed> {
    let rows = charts.len().div_ceil(columns);
    let head = if legend.is_empty() { 0 } else { HEAD };
    let size = (columns as u32 * WIDTH, rows as u32 * HEIGHT + head);
    let all = SVGBackend::with_string(svg, size).into_drawing_area();
    all.fill(&colour(BACK))?;
    let (head, rest) = all.split_vertically(head);
    if !legend.is_empty() {
        head.draw_text(title, &text(16, TEXT), (14, 10))?;
    }
    for (x, (place, name)) in (14..).step_by(210).zip(legend) {
        let name = format!("{} {name}", mark(*place));
        head.draw_text(&name, &text(16, FIRST + place), (x, 36))?;
    }
    for (area, chart) in rest.split_evenly((rows, columns)).iter().zip(charts) {
        chart.draw(area)?;
    }
    Ok(all.present()?)
}

impl Chart {
    fn draw(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Failed> {
        let points = || self.lines.iter().flatten();
        let (x, x_ticks) = scale(points().map(|it| it.x));
        let (y, y_ticks) = scale(points().flat_map(|it| [it.low, it.high]));
        let mut chart = ChartBuilder::on(area)
            .caption(&self.caption, text(16, TEXT))
            .margin(8)
            .margin_right(16)
            .x_label_area_size(22)
            .y_label_area_size(40)
            .build_cartesian_2d(
                x.log_scale().with_key_points(x_ticks),
                y.log_scale().with_key_points(y_ticks),
            )?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(colour(GRID))
            .axis_style(colour(GRID))
            .label_style(text(13, TEXT))
            .x_label_formatter(&|value| label(*value))
            .y_label_formatter(&|value| label(*value))
            .draw()?;
        // The subject is the first line, but is drawn last, on top of the others.
        for (place, points) in self.lines.iter().enumerate().rev() {
            let colour = colour(FIRST + place);
            let width = if place == 0 { 3 } else { 1 };
            let middles = points.iter().map(|it| (it.x, it.y));
            chart.draw_series(LineSeries::new(middles.clone(), colour.stroke_width(width)))?;
            let spread =
                |it: &Point| (it.low < it.high).then_some([(it.x, it.low), (it.x, it.high)]);
            let spreads = points.iter().filter_map(spread);
            let pale = colour.mix(0.3).stroke_width(7);
            chart.draw_series(spreads.map(|ends| PathElement::new(ends, pale)))?;
            let filled = colour.filled();
            match mark(place) {
                '●' => chart.draw_series(middles.map(|it| Circle::new(it, 3, filled)))?,
                '▲' => chart.draw_series(middles.map(|it| TriangleMarker::new(it, 5, filled)))?,
                _ => chart.draw_series(middles.map(|it| Cross::new(it, 3, filled)))?,
            };
        }
        Ok(())
    }
}

/// Returns the mark of a contender.
pub(crate) fn mark(place: usize) -> char {
    MARKS[place % MARKS.len()]
}

/// Returns a colour of a light page.
fn colour(place: usize) -> RGBColor {
    let [_, light, _] = COLOURS[place];
    let [_, red, green, blue] = u32::from_str_radix(&light[1..], 16).unwrap_or(0).to_be_bytes();
    RGBColor(red, green, blue)
}

fn text(size: u32, place: usize) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour(place))
}

/// Returns the range and the ticks of a scale that covers all values, which are positive. The range
/// starts and ends at a tick.
fn scale(values: impl Iterator<Item = f64>) -> (Range<f64>, Vec<f64>) {
    let (mut min, mut max) = (f64::INFINITY, 0.0_f64);
    for value in values {
        min = min.min(value);
        max = max.max(value);
    }
    let all: Vec<f64> = (-3..=12)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
        .collect();
    let first = all.partition_point(|&tick| tick <= min).saturating_sub(1);
    // With fewer than two ticks, the scale would have no extent.
    let last = all.partition_point(|&tick| tick < max).clamp(first + 1, all.len() - 1);
    let mut ticks = all[first..=last].to_vec();
    if ticks.len() > MAX_TICKS {
        ticks.retain(|tick| tick.log10().fract().abs() < 1e-9);
    }
    (all[first]..all[last], ticks)
}

/// Formats the value of a tick.
fn label(value: f64) -> String {
    match value {
        1e9.. => format!("{}G", value / 1e9),
        1e6.. => format!("{}M", value / 1e6),
        1e3.. => format!("{}k", value / 1e3),
        // Rounds off floating-point error.
        _ => format!("{}", (value * 1e3).round() / 1e3),
    }
}

/// Replaces the colours of a picture by those of a dark page.
pub(crate) fn dark(picture: String) -> String {
    COLOURS.iter().fold(picture, |picture, [_, light, dark]| picture.replace(light, dark))
}

/// Replaces the colours of a picture by variables, which [`variables`] declares.
pub(crate) fn with_variables(picture: String) -> String {
    COLOURS.iter().fold(picture, |picture, [name, light, _]| {
        picture.replace(light, &format!("var(--{name})"))
    })
}

/// Returns a style sheet that declares the colours, for light and dark pages.
pub(crate) fn variables() -> String {
    let [light, dark] = [1, 2]
        .map(|theme| COLOURS.map(|colour| format!("--{}: {};", colour[0], colour[theme])).concat());
    format!(
        ":root {{ color-scheme: light dark; {light} }} \
         @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    )
}

/// Escapes a string for use in HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_its_points_and_shows_their_spread() {
        let wide = Point { x: 100.0, y: 5.0, low: 2.0, high: 10.0 };
        let lines = vec![Vec::new(), vec![wide, Point::of((1000.0, 10.0))]];
        let charts = [Chart { caption: "a < b".into(), lines }];
        let svg = picture("a < b", &[], &charts, 1).unwrap();
        assert_eq!(svg.matches("a &lt; b").count(), 2, "{svg}");
        // The line goes from the left edge to the right edge, and up to the top.
        assert!(svg.contains("points=\"48,125 353,30 \""), "{svg}");
        assert_eq!(svg.matches("#D97706").count(), 4, "{svg}");
        assert_eq!(with_variables(svg.clone()).matches("var(--c1)").count(), 4);
        assert!(!dark(svg).contains("#D97706"));
    }

    #[test]
    fn a_scale_begins_and_ends_with_the_ticks_around_the_values() {
        let labels = |values: &[f64]| {
            let (_, ticks) = scale(values.iter().copied());
            ticks.into_iter().map(label).collect::<Vec<_>>()
        };
        assert_eq!(labels(&[21.0, 333.0]), ["20", "50", "100", "200", "500"]);
        assert_eq!(labels(&[0.3, 0.5]), ["0.2", "0.5"]);
        assert_eq!(labels(&[100.0, 1e7]), ["100", "1k", "10k", "100k", "1M", "10M"]);
        assert_eq!(labels(&[1_000.0, 100_000.0]), ["1k", "2k", "5k", "10k", "20k", "50k", "100k"]);
        assert_eq!(labels(&[5e8, 2e9]), ["500M", "1G", "2G"]);
        // Even the scale of a single value has two ticks.
        assert_eq!(labels(&[100.0]), ["100", "200"]);
    }

    #[test]
    fn no_colour_of_a_dark_page_is_replaced_again() {
        for [_, light, dark] in COLOURS {
            assert!(light.len() == 7 && COLOURS.iter().all(|[_, light, _]| *light != dark));
        }
    }
}
