//! The rating of a solver of rated puzzles.
//!
//! A puzzle with rating `r_j` and deviation `RD_j` is solved with probability
//! `E_j(r) = 1/(1 + 10^(−g(RD_j)(r − r_j)/400))`, where `g(RD) = 1/√(1 + 3q²RD²/π²)` and `q = ln 10/400`. The rating is the
//! `r` with the largest `Σ ln E_j` over solved plus `Σ ln(1 − E_j)` over unsolved puzzles. Its standard error is
//! `1/√(q² Σ g² E(1 − E))`. Glickman, "The Glicko system", <https://www.glicko.net/glicko/glicko.pdf>: there, one rating
//! period is one such sum. Lichess's puzzles have Glicko-2 ratings and deviations: <https://database.lichess.org/#puzzles>.
//!
//! Units: ratings, deviations and errors are in Elo.

use crate::elo::ELO_PER_DECADE;
use std::f64::consts::{LN_10, PI};

/// Natural logarithms of odds per Elo, Glickman's `q`.
const LOGITS_PER_ELO: f64 = LN_10 / ELO_PER_DECADE;
/// The first step of the search beyond the puzzles' ratings.
const REACH: f64 = 1000.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    pub rating: f64,
    /// The rating's standard deviation; 0 if the rating is exact.
    pub deviation: f64,
    pub solved: bool,
}

impl Attempt {
    /// Logits of solving it per Elo of the solver: `q·g(RD)`.
    fn slope(&self) -> f64 {
        LOGITS_PER_ELO / (1.0 + 3.0 * (LOGITS_PER_ELO * self.deviation / PI).powi(2)).sqrt()
    }

    /// The probability that a solver of this rating solves it.
    fn expected(&self, solver: f64) -> f64 {
        1.0 / (1.0 + (-self.slope() * (solver - self.rating)).exp())
    }

    fn is_valid(&self) -> bool {
        self.rating.is_finite() && self.deviation.is_finite() && self.deviation >= 0.0
    }
}

/// The likeliest rating and its standard error. None if the rating is infinite, because all or no puzzles were solved, and if an
/// attempt has a number that is not finite or a negative deviation.
pub fn rating(attempts: &[Attempt]) -> Option<[f64; 2]> {
    let solved = attempts.iter().filter(|attempt| attempt.solved).count();
    if solved == 0 || solved == attempts.len() || !attempts.iter().all(Attempt::is_valid) {
        return None;
    }
    let ratings = || attempts.iter().map(|attempt| attempt.rating);
    let (lowest, highest) = (ratings().fold(f64::INFINITY, f64::min), ratings().fold(f64::NEG_INFINITY, f64::max));
    let low = end(highest, -REACH, |at| slope(attempts, at) <= 0.0);
    let high = end(lowest, REACH, |at| slope(attempts, at) >= 0.0);
    let likeliest = (low + high) / 2.0;
    Some([likeliest, information(attempts, likeliest).sqrt().recip()])
}

/// The derivative of the log-likelihood, which falls in the rating.
fn slope(attempts: &[Attempt], at: f64) -> f64 {
    let of = |attempt: &Attempt| attempt.slope() * (f64::from(u8::from(attempt.solved)) - attempt.expected(at));
    attempts.iter().map(of).sum()
}

fn information(attempts: &[Attempt], at: f64) -> f64 {
    let of = |attempt: &Attempt| {
        let expected = attempt.expected(at);
        attempt.slope().powi(2) * expected * (1.0 - expected)
    };
    attempts.iter().map(of).sum()
}

/// Where `inside` ends in the direction of `step`; it has one end there. From a start that may lie beyond it.
fn end(from: f64, step: f64, inside: impl Fn(f64) -> bool) -> f64 {
    let (mut within, mut beyond, mut step) = (from, from, step);
    while inside(beyond) {
        (within, beyond) = (beyond, beyond + step);
        step *= 2.0;
    }
    while !inside(within) {
        (within, beyond) = (within - step, within);
        step *= 2.0;
    }
    loop {
        let middle = within + (beyond - within) / 2.0;
        if middle == within || middle == beyond || !middle.is_finite() {
            return middle;
        }
        if inside(middle) { within = middle } else { beyond = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::elo_of_score;

    fn attempts(of: &[(f64, f64, bool)]) -> Vec<Attempt> {
        of.iter().map(|&(rating, deviation, solved)| Attempt { rating, deviation, solved }).collect()
    }

    /// Glickman, "The Glicko system", the example at its end: a player of 1500 with deviation 200 against 1400 (30), won,
    /// 1550 (100), lost, and 1700 (300), lost. His d² is 231.67², the new rating 1464 (151.4).
    #[test]
    fn weights_expectations_and_step_are_glickmans() {
        let example = attempts(&[(1400.0, 30.0, true), (1550.0, 100.0, false), (1700.0, 300.0, false)]);
        for (attempt, (g, e)) in example.iter().zip([(0.9955, 0.639), (0.9531, 0.432), (0.7242, 0.303)]) {
            assert!((attempt.slope() / LOGITS_PER_ELO - g).abs() < 5.1e-5);
            assert!((attempt.expected(1500.0) - e).abs() < 5.1e-4);
        }
        let of_games = information(&example, 1500.0);
        assert!((of_games.sqrt().recip() - 231.67).abs() < 0.05);
        let with_prior = of_games + 200.0_f64.powi(-2);
        assert!((1500.0 + slope(&example, 1500.0) / with_prior - 1464.0).abs() < 0.5);
        assert!((with_prior.sqrt().recip() - 151.4).abs() < 0.05);
    }

    #[test]
    fn equal_puzzles_have_the_logistic_rating() {
        // Three of four solved: 400·log₁₀ 3 above the puzzles; information q²·n·p(1 − p).
        let same = [true, true, true, false].map(|solved| (2000.0, 0.0, solved));
        let [rating, error] = rating(&attempts(&same)).expect("a rating");
        assert!((rating - 2000.0 - elo_of_score(0.75)).abs() < 1e-7);
        assert!((error - 1.0 / (LOGITS_PER_ELO * 0.75_f64.sqrt())).abs() < 1e-7);
    }

    #[test]
    fn the_rating_is_a_maximum() {
        let puzzles: Vec<(f64, f64, bool)> =
            (0..60).map(|i| (1000.0 + 40.0 * f64::from(i), 60.0 + f64::from(i), (i * 7) % 60 > i)).collect();
        let tried = attempts(&puzzles);
        let [rating, _] = rating(&tried).expect("a rating");
        assert!(slope(&tried, rating).abs() < 1e-12);
        assert!(slope(&tried, rating - 1.0) > 0.0 && slope(&tried, rating + 1.0) < 0.0);
    }

    #[test]
    fn what_has_no_finite_rating_has_none() {
        let one = (1500.0, 50.0, true);
        for none in [
            vec![],
            vec![one, one],
            vec![(1500.0, 50.0, false)],
            vec![one, (f64::NAN, 50.0, false)],
            vec![one, (1500.0, -1.0, false)],
        ] {
            assert_eq!(rating(&attempts(&none)), None, "{none:?}");
        }
    }
}
