//! Differences to the reference with their intervals, one below the other.

use super::axes::Frame;
use super::labels::{fitted, width};
use super::scale::Scale;
use super::{Medium, Style, with_interval};
use crate::{Anchor, Canvas, Interval};

#[derive(Debug, Clone, PartialEq)]
pub struct ForestPlot {
    pub title: String,
    pub x_label: String,
    /// The labels left and right of zero; none if neither side is better.
    pub sides: Option<(&'static str, &'static str)>,
    pub rows: Vec<ForestRow>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ForestRow {
    pub label: String,
    pub style: Style,
    pub mean: f64,
    /// The plain 95 % interval: the thick line.
    pub plain: Interval,
    pub corrected: Option<Interval>,
    pub verdict: String,
}

const WIDTH: f64 = 860.0;
const ROW: f64 = 30.0;
/// The widest label and the widest verdict on the page.
const LABEL: f64 = 260.0;
const VERDICT: f64 = 300.0;

/// Draws the differences; nothing without any.
pub fn draw(plot: &ForestPlot, id: &str, medium: Medium) -> Option<String> {
    (!plot.rows.is_empty()).then(|| drawn(plot, id, medium))
}

/// The layout of a row: its height, and the baselines of its texts and its interval from its top.
struct Lines {
    height: f64,
    label: f64,
    verdict: f64,
    interval: f64,
}

impl Lines {
    /// On the page label and verdict are beside the interval, in a column above it.
    fn of(row: &ForestRow, medium: Medium, room: f64) -> Self {
        match medium {
            Medium::Page => Self { height: ROW, label: ROW / 2.0 + 4.0, verdict: ROW / 2.0 + 4.0, interval: ROW / 2.0 },
            Medium::Column | Medium::Print => {
                let one = width(&row.label) + width(&row.verdict) < room;
                let verdict = if one || row.verdict.is_empty() { 15.0 } else { 29.0 };
                Self { height: verdict + 23.0, label: 15.0, verdict, interval: verdict + 12.0 }
            }
        }
    }
}

fn drawn(plot: &ForestPlot, id: &str, medium: Medium) -> String {
    let total = medium.width(WIDTH);
    let widest = |of: fn(&ForestRow) -> &str| plot.rows.iter().map(|row| width(of(row))).fold(60.0, f64::max);
    let (left, right) = match medium {
        Medium::Page => {
            (24.0 + widest(|row| &row.label).min(LABEL), total - 24.0 - widest(|row| &row.verdict).min(VERDICT))
        }
        Medium::Column | Medium::Print => (14.0, total - 14.0),
    };
    let lines: Vec<Lines> = plot.rows.iter().map(|row| Lines::of(row, medium, right - left)).collect();
    let ends = plot.rows.iter().flat_map(|row| {
        [Some(row.plain), row.corrected].into_iter().flatten().flat_map(|ends| [ends.low, ends.high]).chain([row.mean])
    });
    let top = 26.0;
    let frame = Frame {
        left,
        right,
        top,
        bottom: top + lines.iter().map(|lines| lines.height).sum::<f64>(),
        x: Scale::linear(ends.chain([0.0])),
        y: Scale::tight([0.0, 1.0]),
    };
    let mut canvas = Canvas::new(total, frame.bottom + 46.0);
    frame.x_scale(&mut canvas, &plot.x_label, (0.0, total));
    let zero = frame.at_x(0.0);
    let upright = |canvas: &mut Canvas, top: f64, bottom: f64| {
        frame.x_grid(canvas, top, bottom);
        canvas.line("zero", (zero, top), (zero, bottom));
    };
    match medium {
        Medium::Page => upright(&mut canvas, frame.top - 8.0, frame.bottom),
        Medium::Column | Medium::Print => {
            // No line crosses the texts above the intervals.
            let mut above = frame.top;
            for lines in &lines {
                upright(&mut canvas, above + lines.interval - 7.0, above + lines.height);
                above += lines.height;
            }
        }
    }
    if let Some((left, right)) = plot.sides {
        canvas.text("note", (frame.left, frame.top - 12.0), Anchor::Start, &format!("◀ {left}"));
        canvas.text("note", (frame.right, frame.top - 12.0), Anchor::End, &format!("{right} ▶"));
    }
    let mut above = frame.top;
    let mut texts = Vec::new();
    for (row, lines) in plot.rows.iter().zip(&lines) {
        let y = above + lines.interval;
        let class = row.style.class();
        let mut interval = |kind: &str, ends: &Interval| {
            canvas.line(&format!("{kind} {class}"), (frame.at_x(ends.low), y), (frame.at_x(ends.high), y));
        };
        row.corrected.iter().for_each(|ends| interval("thin", ends));
        interval("thick", &row.plain);
        let [shown, spoken] = with_interval(row.mean, row.plain);
        row.style.mark(&mut canvas, (frame.at_x(row.mean), y), 5.5, &format!("{}: {shown}", row.label));
        texts.push(format!("{}: {spoken}, {}", row.label, row.verdict));
        let (label, verdict) = (above + lines.label, above + lines.verdict);
        let (label_class, room) = (format!("label {class}"), right - left);
        match medium {
            Medium::Page => {
                canvas.text(&label_class, (frame.left - 12.0, label), Anchor::End, &fitted(&row.label, LABEL));
                canvas.text("verdict", (frame.right + 12.0, verdict), Anchor::Start, &fitted(&row.verdict, VERDICT));
            }
            Medium::Column | Medium::Print => {
                canvas.text(&label_class, (frame.left, label), Anchor::Start, &fitted(&row.label, room));
                canvas.text("verdict", (frame.right, verdict), Anchor::End, &fitted(&row.verdict, room));
            }
        }
        above += lines.height;
    }
    canvas.titled(medium, id, &plot.title, &format!("{}.", texts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of an attribute of an element.
    fn number(element: &str, name: &str) -> f64 {
        let rest = element.split(&format!(" {name}=\"")).nth(1).expect("the attribute");
        rest.split('"').next().expect("a value").parse().expect("a number")
    }

    #[test]
    fn the_zero_line_crosses_no_text_of_a_column() {
        let row = |label: &str, mean: f64| ForestRow {
            label: label.to_owned(),
            style: Style::Row(0),
            mean,
            plain: Interval { low: mean - 0.1, high: mean + 0.1 },
            corrected: None,
            verdict: "no difference by design, which is a long verdict".to_owned(),
        };
        let rows = vec![row("shaw", -0.1), row("absolute", 0.0), row("none", 0.1)];
        let plot = ForestPlot { title: String::new(), x_label: String::new(), sides: None, rows };
        for medium in [Medium::Column, Medium::Print] {
            let svg = draw(&plot, "forest", medium).expect("three rows");
            let elements = |start: &str| svg.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
            let (lines, texts) = (elements("<line class=\"zero\""), elements("<text class=\"verdict\""));
            assert_eq!((lines.len(), texts.len()), (3, 3), "{svg}");
            for (line, text) in lines.iter().flat_map(|line| texts.iter().map(move |text| (line, text))) {
                let base = number(text, "y");
                assert!(number(line, "y1") > base + 3.0 || number(line, "y2") < base - 10.0, "{line} {text}");
            }
        }
    }
}
