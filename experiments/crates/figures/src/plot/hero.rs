//! The answer at a glance: for each game a panel with the differences to the reference, in the order that is given.

use super::axes::Frame;
use super::labels::{LINE, fitted, width, wrapped};
use super::scale::Scale;
use super::{Medium, signed};
use crate::{Anchor, Canvas, Interval};

#[derive(Debug, Clone, PartialEq)]
pub struct HeroPlot {
    pub title: String,
    pub panels: Vec<HeroPanel>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct HeroPanel {
    pub title: String,
    pub x_label: String,
    /// The labels left and right of zero; none if neither side is better.
    pub sides: Option<(&'static str, &'static str)>,
    pub rows: Vec<HeroRow>,
    /// A remark below it, or an empty text.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct HeroRow {
    pub label: String,
    pub judged: HeroVerdict,
    pub mean: f64,
    /// The plain 95 % interval: the thick line.
    pub plain: Option<Interval>,
    pub corrected: Option<Interval>,
    /// The verdict in words, for the tooltip.
    pub verdict: String,
}

games::named! {
    /// A verdict as colour and shape, in the order of the legend, which has the names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum HeroVerdict {
        /// The row that the others of its panel are compared with.
        Reference = "reference",
        /// Differs significantly from the reference, to this side of it, which is the better or the worse one.
        LowerAndBetter = "lower",
        HigherAndWorse = "higher",
        LowerAndWorse = "lower",
        HigherAndBetter = "higher",
        Better = "better",
        Worse = "worse",
        Equivalent = "equivalent",
        Open = "open",
        DependsOnTuning = "depends on tuning",
        Missing = "no verdict",
    }
}

impl HeroVerdict {
    /// Its class and its shape.
    const fn mark(self) -> (&'static str, usize) {
        match self {
            Self::Reference => ("ref", 0),
            Self::Better => ("good", 0),
            Self::LowerAndBetter | Self::HigherAndBetter => ("good", 2),
            Self::Worse | Self::LowerAndWorse | Self::HigherAndWorse => ("bad", 3),
            Self::Open => ("open", 1),
            Self::DependsOnTuning => ("open", 2),
            Self::Missing => ("open", 4),
            Self::Equivalent => ("open", 5),
        }
    }
}

/// The width of a panel on a page: that of a phone.
const PANEL: f64 = 360.0;
const GAP: f64 = 24.0;
const ROW: f64 = 22.0;
const TOP: f64 = 46.0;
/// Below the rows: ticks, the axis label and the legend, and the note.
const BELOW: f64 = 64.0;
const NOTE: f64 = 18.0;

/// Draws the panels side by side; nothing without any row.
pub fn draw(plot: &HeroPlot, id: &str, medium: Medium) -> Option<String> {
    let (one, count) = (medium.width(PANEL), plot.panels.len() as f64);
    let places: Vec<Places> = plot.panels.iter().map(|panel| Places::of(panel, one)).collect();
    let height = places.iter().map(|places| places.height).fold(0.0, f64::max);
    if height == 0.0 {
        return None;
    }
    let noted = plot.panels.iter().any(|panel| !panel.note.is_empty());
    let below = if noted { BELOW + NOTE } else { BELOW };
    let mut canvas = Canvas::new(one * count + GAP * (count - 1.0), TOP + height + below);
    for (number, (panel, places)) in plot.panels.iter().zip(&places).enumerate() {
        draw_panel(panel, places, &mut canvas, (number as f64 * (one + GAP), one));
    }
    let texts =
        plot.panels.iter().flat_map(|panel| panel.rows.iter().map(|row| format!("{}, {}", panel.title, tooltip(row))));
    Some(canvas.plot(medium, id, &plot.title, &format!("{}.", texts.collect::<Vec<_>>().join("; "))))
}

/// Where the rows of a panel are.
struct Places {
    room: f64,
    /// The lines of each label, and the middle of its row.
    rows: Vec<(Vec<String>, f64)>,
    height: f64,
}

impl Places {
    fn of(panel: &HeroPanel, one: f64) -> Self {
        let room = panel.rows.iter().map(|row| width(&row.label)).fold(1.0, f64::max).min(0.45 * one);
        let mut height = 0.0;
        let of_row = |row: &HeroRow| {
            let lines = wrapped(&row.label, room);
            let own = ROW + LINE * (lines.len() - 1) as f64;
            height += own;
            (lines, height - own / 2.0)
        };
        let rows = panel.rows.iter().map(of_row).collect();
        Self { room, rows, height }
    }
}

fn draw_panel(panel: &HeroPanel, places: &Places, canvas: &mut Canvas, (start, one): (f64, f64)) {
    let ends = panel.rows.iter().flat_map(|row| {
        let intervals = [row.plain, row.corrected].into_iter().flatten();
        intervals.flat_map(|ends| [ends.low, ends.high]).chain([row.mean])
    });
    let frame = Frame {
        left: start + places.room + 14.0,
        right: start + one - 14.0,
        top: TOP,
        bottom: TOP + places.height,
        x: Scale::linear(ends.chain([0.0])),
        y: Scale::tight([0.0, 1.0]),
    };
    // Titles are a quarter larger than labels.
    canvas.text("title", (start + 2.0, 16.0), Anchor::Start, &title(&panel.title, one / 1.25));
    if panel.rows.is_empty() {
        return;
    }
    frame.x_grid(canvas, frame.top, frame.bottom);
    frame.x_scale(canvas, &panel.x_label, (start, start + one));
    let zero = frame.at_x(0.0);
    canvas.line("zero", (zero, frame.top - 4.0), (zero, frame.bottom));
    if let Some((left, right)) = panel.sides {
        canvas.text("note", (frame.left, frame.top - 10.0), Anchor::Start, &format!("◀ {left}"));
        canvas.text("note", (frame.right, frame.top - 10.0), Anchor::End, &format!("{right} ▶"));
    }
    for (row, (lines, middle)) in panel.rows.iter().zip(&places.rows) {
        let y = frame.top + middle;
        let (class, shape) = row.judged.mark();
        let mut interval = |kind: &str, ends: &Interval| {
            canvas.line(&format!("{kind} {class}"), (frame.at_x(ends.low), y), (frame.at_x(ends.high), y));
        };
        row.corrected.iter().for_each(|ends| interval("thin", ends));
        row.plain.iter().for_each(|ends| interval("thick", ends));
        canvas.marker(class, shape, (frame.at_x(row.mean), y), 5.0, &tooltip(row));
        let first = y + 4.0 - LINE * (lines.len() - 1) as f64 / 2.0;
        for (number, line) in lines.iter().enumerate() {
            canvas.text("name", (frame.left - 10.0, first + LINE * number as f64), Anchor::End, line);
        }
    }
    legend(panel, canvas, (start + 8.0, frame.bottom + 56.0));
    if !panel.note.is_empty() {
        canvas.text("note", (start + 2.0, frame.bottom + 74.0), Anchor::Start, &panel.note);
    }
}

/// A title that fits: without its last parts, which commas separate, or cut.
fn title(text: &str, room: f64) -> String {
    let parts = text.rmatch_indices(", ").map(|(end, _)| &text[..end]);
    let whole = std::iter::once(text).chain(parts).find(|part| width(part) <= room);
    whole.map_or_else(|| fitted(text, room), str::to_owned)
}

fn legend(panel: &HeroPanel, canvas: &mut Canvas, (mut x, y): (f64, f64)) {
    for judged in HeroVerdict::ALL.into_iter().filter(|judged| panel.rows.iter().any(|row| row.judged == *judged)) {
        let ((class, shape), name) = (judged.mark(), judged.name());
        canvas.marker(class, shape, (x, y - 4.0), 4.5, name);
        canvas.text("tick", (x + 9.0, y), Anchor::Start, name);
        x += 24.0 + 0.85 * width(name);
    }
}

fn tooltip(row: &HeroRow) -> String {
    let ends = row.plain.map_or_else(String::new, |ends| format!(" [{}, {}]", signed(ends.low), signed(ends.high)));
    format!("{}: {}{ends}, {}", row.label, signed(row.mean), row.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, judged: HeroVerdict, mean: f64) -> HeroRow {
        let plain = Some(Interval { low: mean - 0.01, high: mean + 0.01 });
        HeroRow { label: label.to_owned(), judged, mean, plain, corrected: None, verdict: "so".to_owned() }
    }

    fn plot(panels: &[&[HeroRow]]) -> HeroPlot {
        let panel = |rows: &&[HeroRow]| HeroPanel {
            title: "Chess".to_owned(),
            x_label: "difference".to_owned(),
            sides: Some(("better", "worse")),
            rows: rows.to_vec(),
            note: String::new(),
        };
        HeroPlot { title: "Differences".to_owned(), panels: panels.iter().map(panel).collect() }
    }

    #[test]
    fn rows_are_drawn_in_their_order_with_a_shape_for_each_verdict() {
        let rows =
            [("shaw", HeroVerdict::Better, -0.2), ("rope", HeroVerdict::Open, 0.0), ("none", HeroVerdict::Worse, 0.1)];
        let rows = rows.map(|(label, judged, mean)| row(label, judged, mean));
        let svg = draw(&plot(&[&rows]), "hero", Medium::Page).expect("three rows");
        let places: Vec<usize> =
            ["shaw", "rope", "none"].iter().filter_map(|name| svg.find(&format!(">{name}</text>"))).collect();
        assert!(places.len() == 3 && places.is_sorted(), "{places:?}");
        for part in [
            "mark good\"><circle",
            "mark open\"><polygon",
            "mark bad\"><polygon",
            "shaw: -0.2000 [-0.2100, -0.1900], so",
        ] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(!svg.contains("no verdict") && !svg.contains("equivalent"), "the legend has what occurs");
    }

    #[test]
    fn names_of_several_axes_are_whole_and_do_not_overlap() {
        let rows =
            [48, 64, 96].map(|width| row(&format!("relative bias, steps 750, width {width}"), HeroVerdict::Open, 0.0));
        let svg = draw(&plot(&[&rows]), "hero", Medium::Page).expect("three rows");
        let texts: Vec<&str> = svg.lines().filter(|line| line.starts_with("<text class=\"name\"")).collect();
        let text = |line: &&str| line.split('>').nth(1).and_then(|rest| rest.split('<').next()).map(str::to_owned);
        let words: Vec<String> = texts.iter().filter_map(text).collect();
        assert_eq!(words.join(" "), rows.map(|row| row.label).join(" "), "{svg}");
        let base = |line: &&str| line.split(" y=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
        let bases: Vec<f64> = texts.iter().filter_map(base).collect();
        assert!(bases.len() == 6 && bases.windows(2).all(|pair| pair[1] - pair[0] >= LINE - 0.01), "{bases:?}");
    }

    #[test]
    fn a_long_title_ends_at_a_comma() {
        let long = "Chess: difference to absolute, rate × 4, layers 2";
        let short = |characters: &str| title(long, width(characters));
        assert_eq!([short(long), short(&long[..40])], [long, "Chess: difference to absolute, rate × 4"]);
        assert_eq!([short(&long[..30]), short("Chess: dif")], ["Chess: difference to absolute", "Chess: di…"]);
    }

    #[test]
    fn panels_stand_side_by_side_and_need_a_row() {
        let rows = [row("shaw", HeroVerdict::Better, -0.2)];
        let wide = draw(&plot(&[&rows, &rows]), "hero", Medium::Column).expect("rows");
        assert!(wide.contains("viewBox=\"0 0 824 ") && wide.contains("width=\"6.695in\""), "{wide}");
        assert_eq!(draw(&plot(&[&[], &[]]), "hero", Medium::Page), None);
    }
}
