//! Whether the probabilities of win, draw and loss come true, in numbers and as reliability diagrams: observed against predicted
//! shares, a panel for each result.

use crate::error::PlayError;
use games::Phase;
use serde::Serialize;
use std::fmt::Write as _;
use strength::GameResult;
use strength::calibration::{Bin, brier_of_results, expected_calibration_error, reliability};
use train::inference::Loaded;
use train::inference::results::{Predicted, on_test_positions};

const BINS: usize = 10;

/// The side of a panel's square, in pixels.
const SIDE: f64 = 220.0;
/// Space around the squares for axes and titles.
const MARGIN: f64 = 50.0;
/// The largest radius of a bin's circle.
const LARGEST: f64 = 9.0;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Over all phases first, then by phase.
    pub parts: Vec<CalibrationPart>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationPart {
    pub name: &'static str,
    pub positions: usize,
    /// Win, draw and loss of the side to move.
    pub results: [Reliability; 3],
    /// The Brier score over the three results: 0 for certainty that comes true, 2 for certainty that never does.
    pub brier: f64,
    /// The same for a constant prediction: the mean of these positions' results.
    pub brier_of_mean: f64,
    /// The mean probability that the policy gives to legal moves without a mask; none without a policy.
    pub legal_mass: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reliability {
    pub name: &'static str,
    /// The expected calibration error: the mean distance of predicted and observed share over bins, by their positions (Naeini et
    /// al. 2015).
    pub error: f64,
    /// Per bin with positions: mean probability, observed share, positions.
    pub bins: Vec<(f64, f64, u64)>,
}

/// The names of results, in the order of shares.
const RESULTS: [(&str, GameResult); 3] =
    [("win", GameResult::Win), ("draw", GameResult::Draw), ("loss", GameResult::Loss)];

/// The calibration on at most this many test positions.
pub fn measure(cell: &Loaded, positions: u64) -> Result<Calibration, PlayError> {
    let predicted = on_test_positions(cell, positions)?.ok_or(PlayError::NoOutput {
        agent: "calibration",
        needed: "an output for the result of the game",
        remedy: "take a network with the output `result`",
    })?;
    if predicted.is_empty() {
        return Err(PlayError::Agent("calibration: no test position comes from a game with a result".to_owned()));
    }
    let phases = Phase::ALL.into_iter().filter_map(|phase| {
        let own: Vec<Predicted> = predicted.iter().copied().filter(|found| found.phase == phase).collect();
        (!own.is_empty()).then(|| part(phase.name(), &own))
    });
    Ok(Calibration { parts: std::iter::once(part("all", &predicted)).chain(phases).collect() })
}

fn part(name: &'static str, predicted: &[Predicted]) -> CalibrationPart {
    let count = predicted.len() as f64;
    let mean = |of: &dyn Fn(&Predicted) -> f64| predicted.iter().map(of).sum::<f64>() / count;
    let masses: Option<Vec<f64>> = predicted.iter().map(|found| found.legal_mass).collect();
    let observed = [0, 1, 2].map(|result| mean(&|found| f64::from(u8::from(found.outcome == result))));
    let brier = |shares: &dyn Fn(&Predicted) -> [f64; 3]| {
        let all: Vec<([f64; 3], GameResult)> =
            predicted.iter().map(|found| (loss_draw_win(shares(found)), RESULTS[found.outcome].1)).collect();
        brier_of_results(&all).unwrap_or(f64::NAN)
    };
    CalibrationPart {
        name,
        positions: predicted.len(),
        results: [0, 1, 2].map(|result| of_result(result, predicted)),
        brier: brier(&|found| found.shares),
        brier_of_mean: brier(&|_| observed),
        legal_mass: masses.map(|masses| masses.iter().sum::<f64>() / count),
    }
}

/// Shares of win, draw and loss in the order loss, draw, win.
fn loss_draw_win([win, draw, loss]: [f64; 3]) -> [f64; 3] {
    [loss, draw, win]
}

fn of_result(result: usize, predicted: &[Predicted]) -> Reliability {
    let pairs: Vec<(f64, bool)> =
        predicted.iter().map(|found| (found.shares[result].clamp(0.0, 1.0), found.outcome == result)).collect();
    let bins = reliability(&pairs, BINS).unwrap_or_default();
    let error = expected_calibration_error(&bins).unwrap_or(f64::NAN);
    let seen = |bin: &Bin| Some((bin.probability?, bin.frequency?, bin.count));
    Reliability { name: RESULTS[result].0, error, bins: bins.iter().filter_map(seen).collect() }
}

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

fn panel(out: &mut String, left: f64, part: &CalibrationPart, result: &Reliability) {
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

    fn predicted(shares: [f64; 3], outcome: usize) -> Predicted {
        Predicted { phase: Phase::Opening, shares, outcome, legal_mass: Some(0.5) }
    }

    #[test]
    fn certainty_that_comes_true_has_no_error_and_that_does_not_has_all() {
        let of = |shares: [f64; 3]| part("all", &[predicted(shares, 0), predicted(shares, 0)]);
        let right = of([1.0, 0.0, 0.0]);
        assert_eq!((right.brier, right.results[0].error, right.results[1].error), (0.0, 0.0, 0.0));
        assert_eq!(right.results[0].bins, [(1.0, 1.0, 2)]);
        let wrong = of([0.0, 0.0, 1.0]);
        assert_eq!((wrong.brier, wrong.results[0].error, wrong.results[2].error), (2.0, 1.0, 1.0));
        assert_eq!(wrong.legal_mass, Some(0.5));
    }

    #[test]
    fn the_mean_of_the_results_is_calibrated_and_has_the_brier_score_of_its_variance() {
        let half = [0.5, 0.25, 0.25];
        let all = part("all", &[predicted(half, 0), predicted(half, 0), predicted(half, 1), predicted(half, 2)]);
        assert!((all.brier - all.brier_of_mean).abs() < 1e-12);
        // 1 − Σ p².
        assert!((all.brier - 0.625).abs() < 1e-12);
        assert!(all.results.iter().all(|result| result.error < 1e-12));
    }

    #[test]
    fn a_bin_stands_where_its_shares_are() {
        let result = |name| Reliability { name, error: 0.25, bins: vec![(0.25, 0.5, 10), (0.75, 0.75, 30)] };
        let results = ["win", "draw", "loss"].map(result);
        let part =
            CalibrationPart { name: "all", positions: 40, results, brier: 0.5, brier_of_mean: 0.6, legal_mass: None };
        let drawn = svg(&Calibration { parts: vec![part] });
        assert_eq!(drawn.matches("<circle").count(), 6);
        // A quarter and a half of the square's side from its left bottom corner at (50, 270).
        assert!(drawn.contains("cx=\"105.0\" cy=\"160.0\" r=\"4.5\"") && drawn.contains("win: ECE 0.250"), "{drawn}");
        assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
        assert_eq!(svg(&Calibration { parts: Vec::new() }), "");
    }
}
