//! The largest likelihood, by Newton's method with halved steps.
//!
//! The model is an exponential family, so the log-likelihood is concave, its slope is observed minus expected, and its
//! observed information is the covariance of the sufficient statistics: every player's points, and the number of draws.

use super::linear::Cholesky;
use super::schedule::{Counted, Schedule};
use crate::StrengthError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draws {
    /// An outcome with its own parameter `ν`.
    Davidson,
    /// Half a win and half a loss. Errors are then too large by what draws vary less.
    Half,
}

impl Draws {
    /// The model of a name: `davidson` or `half`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "davidson" => Some(Self::Davidson),
            "half" => Some(Self::Half),
            _ => None,
        }
    }
}

/// Convergence tolerance of a step, in natural logarithms of odds.
const TOLERANCE: f64 = 1e-10;
const MOST_STEPS: usize = 500;
/// Halvings of a step that lowers the likelihood.
const MOST_HALVINGS: usize = 60;
/// Parameters beyond are on their way to infinity: 7000 Elo.
const MAX_LOG_STRENGTH: f64 = 40.0;

/// A larger variance, in squared logarithms, is what rounding leaves of none: a rating on its way to infinity.
const MAX_VARIANCE: f64 = 1e12;

pub(super) struct Maximum {
    /// Players' logarithmic strengths, of which the first is 0, then `ln ν` if there is one.
    pub(super) parameters: Vec<f64>,
    /// Their covariance; zero for the fixed one.
    pub(super) covariance: Vec<Vec<f64>>,
    /// The place of `ln ν`.
    pub(super) ties: Option<usize>,
}

/// Slope and information, of all parameters.
struct Derivatives {
    slope: Vec<f64>,
    information: Vec<Vec<f64>>,
}

/// The games with what their likelihood depends on.
struct Model<'a> {
    pairings: &'a [Counted],
    parameters: usize,
    ties: Option<usize>,
    half: bool,
}

pub(super) fn maximum(schedule: &Schedule<'_>, draws: Draws) -> Result<Maximum, StrengthError> {
    let count = schedule.players.len();
    let drawn = schedule.pairings.iter().any(|pairing| pairing.draws > 0.0);
    let ties = (draws == Draws::Davidson && drawn).then_some(count);
    let model = Model {
        pairings: &schedule.pairings,
        parameters: count + usize::from(ties.is_some()),
        ties,
        half: draws == Draws::Half,
    };
    let diverges = |parameters: &[f64]| {
        let mean = parameters[..count].iter().sum::<f64>() / count as f64;
        let far = |place: &usize| (parameters[*place] - mean).abs();
        let player = (0..count).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or_default();
        StrengthError(format!(
            "the rating of {} grows without limit, as if draws had no rate; count draws as half, or play more games",
            schedule.players[player]
        ))
    };
    let mut parameters = vec![0.0; model.parameters];
    for _ in 0..MOST_STEPS {
        let derivatives = model.derivatives(&parameters);
        let information: Vec<Vec<f64>> = derivatives.information[1..].iter().map(|row| row[1..].to_vec()).collect();
        let Some(cholesky) = Cholesky::of(&information) else { break };
        let step = cholesky.solve(&derivatives.slope[1..]);
        if step.iter().all(|change| change.abs() < TOLERANCE) {
            let inverse = cholesky.inverse();
            if (0..inverse.len()).any(|place| inverse[place][place] > MAX_VARIANCE) {
                break;
            }
            let cell = |i: usize, j: usize| if i == 0 || j == 0 { 0.0 } else { inverse[i - 1][j - 1] };
            let all = 0..model.parameters;
            let covariance = all.clone().map(|i| all.clone().map(|j| cell(i, j)).collect()).collect();
            return Ok(Maximum { parameters, covariance, ties });
        }
        parameters = model.climbed(&parameters, &step);
        if parameters.iter().any(|value| value.abs() > MAX_LOG_STRENGTH) {
            break;
        }
    }
    Err(diverges(&parameters))
}

impl Model<'_> {
    /// The parameters after the step, or after as much of it as does not lower the likelihood.
    fn climbed(&self, from: &[f64], step: &[f64]) -> Vec<f64> {
        let before = self.value(from);
        let rounding = f64::EPSILON * before.abs() * self.pairings.len() as f64;
        let after = |part: f64| -> Vec<f64> {
            let moved = from[1..].iter().zip(step).map(|(value, change)| value + part * change);
            std::iter::once(from[0]).chain(moved).collect()
        };
        let parts = (0..MOST_HALVINGS).map(|halvings| after(0.5_f64.powi(halvings as i32)));
        parts.into_iter().find(|next| self.value(next) >= before - rounding).unwrap_or_else(|| from.to_vec())
    }

    /// The chances of loss, draw and win of the first player.
    fn chances(&self, parameters: &[f64], first: usize, second: usize) -> [f64; 3] {
        let half = (parameters[first] - parameters[second]) / 2.0;
        let weights = [-half, self.ties.map_or(f64::NEG_INFINITY, |place| parameters[place]), half];
        let largest = weights.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let powers = weights.map(|weight| (weight - largest).exp());
        powers.map(|power| power / powers.iter().sum::<f64>())
    }

    fn value(&self, parameters: &[f64]) -> f64 {
        let log = |count: f64, chance: f64| if count == 0.0 { 0.0 } else { count * chance.ln() };
        let played = self.pairings.iter().map(|pairing| {
            let [loss, draw, win] = self.chances(parameters, pairing.first, pairing.second);
            match self.half {
                true => {
                    let half = pairing.draws / 2.0;
                    log(pairing.losses + half, loss) + log(pairing.wins + half, win)
                }
                false => log(pairing.losses, loss) + log(pairing.draws, draw) + log(pairing.wins, win),
            }
        });
        played.sum()
    }

    fn derivatives(&self, parameters: &[f64]) -> Derivatives {
        let size = self.parameters;
        let mut sums = Derivatives { slope: vec![0.0; size], information: vec![vec![0.0; size]; size] };
        for pairing in self.pairings {
            let Counted { first, second, losses, draws, wins } = *pairing;
            let games = losses + draws + wins;
            let [loss, draw, win] = self.chances(parameters, first, second);
            let expected = win + draw / 2.0;
            let variance = win * (1.0 - expected).powi(2) + draw * (0.5 - expected).powi(2) + loss * expected.powi(2);
            sums.add_pair(first, second, wins + draws / 2.0 - games * expected, games * variance);
            if let Some(ties) = self.ties {
                sums.slope[ties] += draws - games * draw;
                sums.information[ties][ties] += games * draw * (1.0 - draw);
                let shared = games * draw * (0.5 - expected);
                for (place, sign) in [(first, 1.0), (second, -1.0)] {
                    sums.information[place][ties] += sign * shared;
                    sums.information[ties][place] += sign * shared;
                }
            }
        }
        sums
    }
}

impl Derivatives {
    /// Points beyond expectation and their variance, of the difference of two players.
    fn add_pair(&mut self, first: usize, second: usize, beyond: f64, variance: f64) {
        self.slope[first] += beyond;
        self.slope[second] -= beyond;
        self.information[first][first] += variance;
        self.information[second][second] += variance;
        self.information[first][second] -= variance;
        self.information[second][first] -= variance;
    }
}
