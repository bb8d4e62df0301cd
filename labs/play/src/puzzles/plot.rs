//! Solved puzzles by rating: the Chessformer paper's figure 2 (arXiv 2409.12272), a line for each agent.

use super::solve::Band;
use std::fmt::Write as _;

/// The plot's square, in pixels.
const SIDE: f64 = 320.0;
/// Space around it for axes and names.
const MARGIN: f64 = 50.0;
/// Okabe and Ito's colours without black and yellow.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];

/// An SVG of the shares in each band, with their intervals, of these named players; empty without a rated puzzle.
pub fn svg(players: &[(String, Vec<Band>)]) -> String {
    let bands = || players.iter().flat_map(|(_, bands)| bands);
    let (Some(low), Some(high)) = (bands().map(|band| band.from).min(), bands().map(|band| band.to).max()) else {
        return String::new();
    };
    let x = |rating: f64| MARGIN + SIDE * (rating - low as f64) / (high - low) as f64;
    let y = |share: f64| MARGIN + SIDE * (1.0 - share);
    let height = SIDE + 2.0 * MARGIN + 16.0 * players.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Solved puzzles by rating</title>\n<rect width=\"{0}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#888888\"/>\n",
        SIDE + 2.0 * MARGIN
    );
    let mut line = |text: String| {
        // A String takes every text.
        let _ = writeln!(out, "{text}");
    };
    for share in [0.0, 0.5, 1.0] {
        line(format!("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{share}</text>", MARGIN - 5.0, y(share) + 4.0));
    }
    for rating in [low, u64::midpoint(low, high), high] {
        let (at, below) = (x(rating as f64), MARGIN + SIDE + 16.0);
        line(format!("<text x=\"{at}\" y=\"{below}\" text-anchor=\"middle\">{rating}</text>"));
    }
    for (number, (name, bands)) in players.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let at = |band: &Band| x((band.from + band.to) as f64 / 2.0);
        let points: Vec<String> =
            bands.iter().map(|band| format!("{:.1},{:.1}", at(band), y(band.solved.share()))).collect();
        line(format!("<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"/>", points.join(" ")));
        for band in bands {
            let ([from, to], solved) = (band.solved.interval, &band.solved);
            line(format!(
                "<path d=\"M{0:.1} {1:.1}V{2:.1}\" stroke=\"{colour}\"/><circle cx=\"{0:.1}\" cy=\"{3:.1}\" r=\"3\" \
                 fill=\"{colour}\"><title>{4} to {5}: {6} of {7}</title></circle>",
                at(band),
                y(from),
                y(to),
                y(solved.share()),
                band.from,
                band.to - 1,
                solved.right,
                solved.of
            ));
        }
        let escaped = name.replace('&', "&amp;").replace('<', "&lt;");
        let below = MARGIN + SIDE + 36.0 + 16.0 * number as f64;
        line(format!("<text x=\"{MARGIN}\" y=\"{below}\" fill=\"{colour}\">{escaped}</text>"));
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Share;

    #[test]
    fn a_band_stands_at_its_middle_and_its_share() {
        let band = |from, right: &[bool]| Band { from, to: from + 200, solved: Share::of(right.iter().copied()) };
        let bands = vec![band(1000, &[true, true]), band(1200, &[true, false])];
        let drawn = svg(&[("policy & value".to_owned(), bands)]);
        assert_eq!(drawn.matches("<circle").count(), 2);
        // A quarter of the way from the left at the top, three quarters of it at half the height.
        assert!(drawn.contains("cx=\"130.0\" cy=\"50.0\"") && drawn.contains("cx=\"290.0\" cy=\"210.0\""), "{drawn}");
        assert!(drawn.contains("1200 to 1399: 1 of 2") && drawn.contains("policy &amp; value"), "{drawn}");
        assert_eq!(svg(&[("unrated".to_owned(), Vec::new())]), "");
    }
}
