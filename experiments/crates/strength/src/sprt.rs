//! The sequential test of one strength against another: play until the games decide.
//!
//! Two hypotheses name the difference of the players: H0 is `elo0`, H1 is `elo1`. The generalised sequential probability
//! ratio test (GSPRT) follows the log-likelihood ratio
//! `LLR = N · Σ p̂ᵢ · ln(p¹ᵢ / p⁰ᵢ)`, where `p̂` are the observed shares of the outcomes with scores `aᵢ`, and `p⁰` and `p¹`
//! the likeliest distributions under each hypothesis. It stops at `ln(β/(1 − α))` with H0 and at `ln((1 − β)/α)` with H1.
//! `α` is the chance to accept H1 if H0 is true, `β` the chance to accept H0 if H1 is true.
//!
//! - Model `logistic`: the hypothesis fixes the mean `s`, the score of `elo`. Then `pᵢ = p̂ᵢ / (1 + θφᵢ)` with
//!   `φᵢ = aᵢ − s`, and `θ` solves the secular equation `Σ p̂ᵢφᵢ / (1 + θφᵢ) = 0`. Van den Bergh, "Comments on the
//!   multinomial distribution", <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>, proposition 1.1.
//! - Model `normalized`: the hypothesis fixes `t = (μ − ½)/σ` of an observation, which is the normalized Elo divided by
//!   `800/ln 10`, times `√2` with pairs. The same equation with `φᵢ = aᵢ − ½ − tσ(1 + ((aᵢ − μ)/σ)²)/2` is solved again
//!   with the new `μ` and `σ` until they stay. Van den Bergh, "Comments on Normalized Elo",
//!   <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>, section 4.1.
//!
//! An outcome that did not occur counts as 0.001 observations, as in fishtest
//! (<https://github.com/official-stockfish/fishtest>, `server/fishtest/stats/LLRcalc.py`) and fastchess
//! (<https://github.com/Disservin/fastchess>, `app/src/matchmaking/sprt`). Units: Elo; natural logarithms.

use crate::StrengthError;
use crate::elo::{NORMALIZED_PER_DEVIATION, score_of_elo};
use crate::pairs::Outcomes;

/// Observations that an outcome counts for if it did not occur.
const UNSEEN: f64 = 1e-3;
/// Rounds in which normalized Elo's distribution settles; a handful is usual.
const MOST_ROUNDS: usize = 500;
/// Shares that change by less have settled.
const SETTLED: f64 = 1e-12;

/// The scale of the hypotheses' Elo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    Logistic,
    /// The score in standard deviations of a game.
    Normalized,
}

impl Model {
    pub const ALL: [Self; 2] = [Self::Logistic, Self::Normalized];

    pub fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    AcceptH0,
    AcceptH1,
    Continue,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    model: Model,
    elo0: f64,
    elo1: f64,
    lower: f64,
    upper: f64,
}

impl Sprt {
    /// The test of `elo0` against `elo1` with error rates `alpha` and `beta`.
    pub fn new(model: Model, [elo0, elo1]: [f64; 2], alpha: f64, beta: f64) -> Result<Self, StrengthError> {
        if !(elo0 < elo1 && elo0.is_finite() && elo1.is_finite()) {
            return Err(StrengthError(format!("elo0 must be a finite number below elo1, got {elo0} and {elo1}")));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            let reason = format!("alpha and beta must lie inside (0, 1) with a sum below 1, got {alpha} and {beta}");
            return Err(StrengthError(reason));
        }
        Ok(Self { model, elo0, elo1, lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() })
    }

    /// The ratios at which the test stops: with H0 and with H1.
    pub fn bounds(&self) -> [f64; 2] {
        [self.lower, self.upper]
    }

    /// The decision at a log-likelihood ratio.
    pub fn decide(&self, llr: f64) -> Decision {
        match llr {
            _ if llr >= self.upper => Decision::AcceptH1,
            _ if llr <= self.lower => Decision::AcceptH0,
            _ => Decision::Continue,
        }
    }

    /// The log-likelihood ratio of H1 to H0; 0 without games.
    /// Fails for hypotheses of many hundred Elo.
    pub fn llr<O: Outcomes>(&self, outcomes: &O) -> Result<f64, StrengthError> {
        if outcomes.observations() == 0 {
            return Ok(0.0);
        }
        let observed = Shares::of(outcomes);
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| {
            let found = match self.model {
                Model::Logistic => observed.with_mean(score_of_elo(elo)),
                Model::Normalized => observed.with_t(elo / NORMALIZED_PER_DEVIATION * (O::GAMES as f64).sqrt()),
            };
            let model = self.model.name();
            found.ok_or_else(|| {
                StrengthError(format!(
                    "no distribution of the results has {elo} {model} Elo; choose hypotheses nearer to zero"
                ))
            })
        });
        let ratios = under0?.into_iter().zip(under1?).map(|(p0, p1)| (p1 / p0).ln());
        Ok(observed.total * observed.shares.iter().zip(ratios).map(|(share, ratio)| share * ratio).sum::<f64>())
    }
}

/// Shares of outcomes with their scores.
struct Shares {
    scores: Vec<f64>,
    shares: Vec<f64>,
    /// Observations, with those of outcomes that did not occur.
    total: f64,
}

impl Shares {
    fn of<O: Outcomes>(outcomes: &O) -> Self {
        let counts: Vec<f64> =
            outcomes.counts().iter().map(|&count| if count == 0 { UNSEEN } else { count as f64 }).collect();
        let total = counts.iter().sum();
        let scores = (0..counts.len()).map(|index| outcomes.score(index)).collect();
        Self { scores, shares: counts.iter().map(|count| count / total).collect(), total }
    }

    /// The likeliest distribution with this mean.
    fn with_mean(&self, mean: f64) -> Option<Vec<f64>> {
        self.tilted(&self.scores.iter().map(|score| score - mean).collect::<Vec<_>>())
    }

    /// The likeliest distribution whose mean lies `t` of its standard deviations above ½.
    fn with_t(&self, t: f64) -> Option<Vec<f64>> {
        let mut now = vec![1.0 / self.shares.len() as f64; self.shares.len()];
        for _ in 0..MOST_ROUNDS {
            let mean: f64 = now.iter().zip(&self.scores).map(|(p, score)| p * score).sum();
            let variance: f64 = now.iter().zip(&self.scores).map(|(p, score)| p * (score - mean).powi(2)).sum();
            let deviation = variance.sqrt();
            let phi = |score: &f64| score - 0.5 - t * deviation * (1.0 + ((score - mean) / deviation).powi(2)) / 2.0;
            let next = self.tilted(&self.scores.iter().map(phi).collect::<Vec<_>>())?;
            let change = next.iter().zip(&now).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
            now = next;
            if change < SETTLED {
                return Some(now);
            }
        }
        None
    }

    /// `p̂ᵢ / (1 + θφᵢ)` with the root `θ` of the secular equation; none if all `φ` have one sign.
    fn tilted(&self, phi: &[f64]) -> Option<Vec<f64>> {
        let (least, most) =
            phi.iter().fold((0.0_f64, 0.0_f64), |(low, high), &value| (low.min(value), high.max(value)));
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let mean: f64 = self.shares.iter().zip(phi).map(|(share, value)| share * value).sum();
        // The sum falls in θ from one pole to the other, and has the sign of the mean at 0. The root lies between 0 and
        // the pole −1/φ of one extreme, often so near to the pole that θ has lost its digits; so the unknown is the
        // distance `u` from that pole, 1 at θ = 0, with 1 + θφᵢ = (1 − φᵢ/φ) + uφᵢ/φ.
        let extreme = if mean > 0.0 { least } else { most };
        let tilt = |u: f64, value: f64| (1.0 - value / extreme) + u * value / extreme;
        let is_beyond = |u: f64| {
            let sum: f64 = self.shares.iter().zip(phi).map(|(share, &value)| share * value / tilt(u, value)).sum();
            sum * extreme <= 0.0
        };
        let (mut low, mut high) = (0.0, 1.0);
        let root = loop {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break high;
            }
            if is_beyond(middle) { high = middle } else { low = middle }
        };
        Some(self.shares.iter().zip(phi).map(|(share, &value)| share / tilt(root, value)).collect())
    }
}

#[cfg(test)]
mod tests;
