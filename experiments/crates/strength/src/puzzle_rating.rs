//! The rating of a solver of rated puzzles.
//!
//! A puzzle with rating `r_j` and deviation `RD_j` is solved with probability
//! `E_j(r) = 1/(1 + 10^(−g(RD_j)(r − r_j)/400))`, where `g(RD) = 1/√(1 + 3q²RD²/π²)` and `q = ln 10/400`. The rating is the
//! `r` with the largest `Σ ln E_j` over solved plus `Σ ln(1 − E_j)` over unsolved puzzles. Its standard error is
//! `1/√(q² Σ g² E(1 − E))`. Its interval is that of the likelihood ratio: all `r` whose log-likelihood lies at most `z²/2`
//! below the largest one. Glickman, "The Glicko system", <https://www.glicko.net/glicko/glicko.pdf>: there, one rating
//! period is one such sum. Lichess's puzzles have Glicko-2 ratings and deviations: <https://database.lichess.org/#puzzles>.
//!
//! Units: ratings, deviations, errors and intervals are in Elo.

use crate::elo::ELO_PER_DECADE;
use crate::interval::{Interval, standard_errors};
use std::f64::consts::{LN_10, PI};

/// Natural logarithms of odds per Elo, Glickman's `q`.
const LOGITS_PER_ELO: f64 = LN_10 / ELO_PER_DECADE;
/// How far beyond the puzzles a finite rating is looked for at first.
const REACH: f64 = 1000.0;

/// A puzzle that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    pub rating: f64,
    /// The rating's standard deviation; 0 if the rating is exact.
    pub deviation: f64,
    pub solved: bool,
}

/// What is assumed about the solver before the first puzzle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Prior {
    None,
    /// A normal distribution of the rating.
    Normal {
        mean: f64,
        deviation: f64,
    },
}

impl Prior {
    /// A new player of the Glicko system: 1500 with deviation 350.
    pub const GLICKO: Self = Self::Normal { mean: 1500.0, deviation: 350.0 };

    /// The prior of a name: `none` or `glicko`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "glicko" => Some(Self::GLICKO),
            _ => None,
        }
    }
}

/// Why attempts have no rating.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PuzzleError {
    #[error("there are no attempts to rate")]
    Empty,
    /// A number that is not one, or a negative deviation.
    #[error(
        "attempt {index} has rating {rating} and deviation {deviation}; both must be finite, and the deviation not negative"
    )]
    NotARating { index: usize, rating: f64, deviation: f64 },
    /// A prior without a mean or width.
    #[error("a prior needs a finite mean and a deviation above zero")]
    NotAPrior,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PuzzleRating {
    /// The likeliest rating; `+∞` if all puzzles were solved, `−∞` if none, both without a prior only.
    pub rating: f64,
    /// Its standard error; infinite if the rating is.
    pub error: f64,
    /// The interval of the likelihood ratio; one end is infinite if the rating is.
    pub interval: Interval,
}

impl PuzzleRating {
    /// Of attempts, with the interval at confidence `level`, e.g. 0.95.
    /// # Panics
    /// If `level` is not inside (0, 1).
    pub fn of(attempts: &[Attempt], prior: Prior, level: f64) -> Result<Self, PuzzleError> {
        let drop = standard_errors(level).powi(2) / 2.0;
        let likelihood = Likelihood::new(attempts, prior)?;
        let solved = attempts.iter().filter(|attempt| attempt.solved).count();
        let rating = match prior {
            Prior::None if solved == attempts.len() => f64::INFINITY,
            Prior::None if solved == 0 => f64::NEG_INFINITY,
            _ => likelihood.likeliest(),
        };
        // At an infinite rating every puzzle had its result with certainty.
        let largest = if rating.is_finite() { likelihood.value(rating) } else { 0.0 };
        let floor = largest - drop;
        let inside = |at: f64| likelihood.value(at) >= floor;
        let [lowest, highest] = likelihood.reach();
        let start = match rating {
            f64::INFINITY => highest,
            f64::NEG_INFINITY => lowest,
            _ => rating,
        };
        let low = if rating == f64::NEG_INFINITY { rating } else { end(start, -REACH, inside) };
        let high = if rating == f64::INFINITY { rating } else { end(start, REACH, inside) };
        let error = if rating.is_finite() { likelihood.information(rating).sqrt().recip() } else { f64::INFINITY };
        Ok(Self { rating, error, interval: Interval { low, high } })
    }
}

/// The attempts as a function of the solver's rating.
struct Likelihood<'a> {
    attempts: &'a [Attempt],
    prior: Prior,
}

impl<'a> Likelihood<'a> {
    fn new(attempts: &'a [Attempt], prior: Prior) -> Result<Self, PuzzleError> {
        if attempts.is_empty() {
            return Err(PuzzleError::Empty);
        }
        for (index, &Attempt { rating, deviation, .. }) in attempts.iter().enumerate() {
            if !(rating.is_finite() && deviation.is_finite() && deviation >= 0.0) {
                return Err(PuzzleError::NotARating { index, rating, deviation });
            }
        }
        match prior {
            Prior::Normal { mean, deviation } if !(mean.is_finite() && deviation > 0.0) => Err(PuzzleError::NotAPrior),
            _ => Ok(Self { attempts, prior }),
        }
    }

    /// The logarithm of the likelihood, with the prior's.
    fn value(&self, at: f64) -> f64 {
        let of = |attempt: &Attempt| {
            let logit = attempt.slope() * (at - attempt.rating);
            // −ln(1 + e^∓logit), without overflow.
            let against = if attempt.solved { -logit } else { logit };
            -(against.max(0.0) + (-against.abs()).exp().ln_1p())
        };
        let prior = match self.prior {
            Prior::None => 0.0,
            Prior::Normal { mean, deviation } => -((at - mean) / deviation).powi(2) / 2.0,
        };
        self.attempts.iter().map(of).sum::<f64>() + prior
    }

    /// Its derivative, which falls in the rating.
    fn slope(&self, at: f64) -> f64 {
        let of = |attempt: &Attempt| attempt.slope() * (f64::from(u8::from(attempt.solved)) - attempt.expected(at));
        let prior = match self.prior {
            Prior::None => 0.0,
            Prior::Normal { mean, deviation } => (mean - at) / deviation.powi(2),
        };
        self.attempts.iter().map(of).sum::<f64>() + prior
    }

    fn information(&self, at: f64) -> f64 {
        let of = |attempt: &Attempt| {
            let expected = attempt.expected(at);
            attempt.slope().powi(2) * expected * (1.0 - expected)
        };
        let prior = match self.prior {
            Prior::None => 0.0,
            Prior::Normal { deviation, .. } => deviation.powi(-2),
        };
        self.attempts.iter().map(of).sum::<f64>() + prior
    }

    /// The lowest and the highest rating that occurs.
    fn reach(&self) -> [f64; 2] {
        let mean = match self.prior {
            Prior::None => None,
            Prior::Normal { mean, .. } => Some(mean),
        };
        let all = || self.attempts.iter().map(|attempt| attempt.rating).chain(mean);
        [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)]
    }

    fn likeliest(&self) -> f64 {
        let [lowest, highest] = self.reach();
        let low = end(highest, -REACH, |at| self.slope(at) <= 0.0);
        let high = end(lowest, REACH, |at| self.slope(at) >= 0.0);
        (low + high) / 2.0
    }
}

impl Attempt {
    /// Logits of solving it per Elo of the solver: `q·g(RD)`.
    fn slope(&self) -> f64 {
        LOGITS_PER_ELO * weight(self.deviation)
    }

    /// The probability that a solver of this rating solves it.
    fn expected(&self, solver: f64) -> f64 {
        1.0 / (1.0 + (-self.slope() * (solver - self.rating)).exp())
    }
}

/// How much a deviation flattens the expected score, Glickman's `g(RD)`: 1 for an exact rating, less otherwise.
pub fn weight(deviation: f64) -> f64 {
    1.0 / (1.0 + 3.0 * (LOGITS_PER_ELO * deviation / PI).powi(2)).sqrt()
}

/// The probability that a solver of this rating solves a puzzle.
pub fn expected(solver: f64, puzzle: f64, deviation: f64) -> f64 {
    Attempt { rating: puzzle, deviation, solved: false }.expected(solver)
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
#[path = "puzzle_rating/tests.rs"]
mod tests;
