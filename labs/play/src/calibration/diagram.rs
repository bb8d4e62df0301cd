//! Reliability diagrams: observed against predicted shares, a panel for each result.

use super::{Calibration, Part, Reliability};
use std::fmt::Write as _;

/// The side of a panel's square, in pixels.
const SIDE: f64 = 220.0;
/// Space around the squares for axes and titles.
const MARGIN: f64 = 50.0;
/// The largest radius of a bin's circle.
const LARGEST: f64 = 9.0;

/// An SVG of the calibration over all phases. A circle is a bin, its area the positions in it; on the diagonal, what is predicted
/// comes true.
pub fn svg(calibration: &Calibration) -> String {
    let Some(all) = calibration.parts.first() else { return String::new() };
    let (width, height) = (3.0 * (SIDE + MARGIN) + MARGIN, SIDE + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Calibration of win, draw and loss on {} positions</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        all.positions
    );
    for (place, result) in all.results.iter().enumerate() {
        panel(&mut out, MARGIN + place as f64 * (SIDE + MARGIN), all, result);
    }
    out + "</svg>\n"
}

fn panel(out: &mut String, left: f64, part: &Part, result: &Reliability) {
    let (top, bottom) = (MARGIN, MARGIN + SIDE);
    let x = |share: f64| left + SIDE * share;
    let y = |share: f64| bottom - SIDE * share;
    let mut line = |text: String| {
        // A String takes every text.
        let _ = writeln!(out, "{text}");
    };
    line(format!("<text x=\"{left}\" y=\"{}\">{}: ECE {:.3}</text>", top - 12.0, result.name, result.error));
    line(format!(
        "<rect x=\"{left}\" y=\"{top}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#888888\"/>"
    ));
    line(format!(
        "<path d=\"M{} {}L{} {}\" stroke=\"#888888\" stroke-dasharray=\"4 4\"/>",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    ));
    for share in [0.0, 0.5, 1.0] {
        line(format!("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{share}</text>", x(share), bottom + 16.0));
        line(format!("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{share}</text>", left - 5.0, y(share) + 4.0));
    }
    line(format!("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">predicted</text>", x(0.5), bottom + 34.0));
    line(format!(
        "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\">observed</text>",
        left - 28.0,
        y(0.5)
    ));
    let points: Vec<String> =
        result.bins.iter().map(|&(said, seen, _)| format!("{:.1},{:.1}", x(said), y(seen))).collect();
    line(format!("<polyline points=\"{}\" fill=\"none\" stroke=\"#0072b2\"/>", points.join(" ")));
    for &(said, seen, count) in &result.bins {
        let radius = LARGEST * (count as f64 / part.positions as f64).sqrt();
        line(format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"#0072b2\"><title>{count} positions: predicted {said:.3}, observed \
             {seen:.3}</title></circle>",
            x(said),
            y(seen),
            radius.max(2.0)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_stands_where_its_shares_are() {
        let result = |name| Reliability { name, error: 0.25, bins: vec![(0.25, 0.5, 10), (0.75, 0.75, 30)] };
        let results = ["win", "draw", "loss"].map(result);
        let part = Part { name: "all", positions: 40, results, brier: 0.5, brier_of_mean: 0.6, legal_mass: None };
        let drawn = svg(&Calibration { parts: vec![part] });
        assert_eq!(drawn.matches("<circle").count(), 6);
        // A quarter and a half of the square's side from its left bottom corner at (50, 270).
        assert!(drawn.contains("cx=\"105.0\" cy=\"160.0\" r=\"4.5\"") && drawn.contains("win: ECE 0.250"), "{drawn}");
        assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
        assert_eq!(svg(&Calibration { parts: Vec::new() }), "");
    }
}
