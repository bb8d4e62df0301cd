//! Ratings of many players from all their games: Bradley and Terry's model, with Davidson's draws.
//!
//! Player `i` has the strength `e^βᵢ`, and with `d = βᵢ − βⱼ` the chances of win, draw and loss against `j` are as
//! `e^{d/2} : ν : e^{−d/2}`. Ratings are `400/ln 10 · β`. They and `ν` are those of the largest likelihood, found by
//! Newton's method; the covariance is the inverse of the observed information there.
//! Bradley & Terry, Biometrika 39 (1952), <https://doi.org/10.1093/biomet/39.3-4.324>; Davidson, Journal of the American
//! Statistical Association 65 (1970), <https://doi.org/10.1080/01621459.1970.10481082>. The R package PlackettLuce has
//! this model with draws (<https://hturner.github.io/PlackettLuce>), KataGo's `python/elo.py` the one in
//! which a draw is half a win (<https://github.com/lightvector/KataGo>).
//!
//! Only differences follow from games, so an anchor fixes the zero. Finite ratings need a path of points from every
//! player to every other: whoever has all points or none against the rest has no finite rating.
//!
//! Units: ratings and their errors in Elo, covariances in squared Elo.

mod linear;
mod newton;
mod schedule;

pub use newton::Draws;
pub use schedule::Pairing;

use crate::StrengthError;
use crate::elo::ELO_PER_DECADE;

/// Elo of one natural logarithm of odds.
const ELO_PER_LOGIT: f64 = ELO_PER_DECADE / std::f64::consts::LN_10;

/// Where the scale has its zero.
#[derive(Debug, Clone, PartialEq)]
pub enum Anchor {
    /// The mean of all players has this rating.
    Mean(f64),
    /// A player has this rating, without error.
    Player { name: String, elo: f64 },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// The players, in the order in which pairings name them.
    pub players: Vec<String>,
    pub elo: Vec<f64>,
    /// The covariance of the ratings under the anchor, in squared Elo.
    covariance: Vec<Vec<f64>>,
    /// Davidson's `ν`: players of equal strength draw with probability `ν/(2 + ν)`. 0 if no game is drawn; none if draws
    /// are half a win.
    pub draw_parameter: Option<f64>,
}

impl Ratings {
    pub fn of(pairings: &[Pairing<'_>], draws: Draws, anchor: &Anchor) -> Result<Self, StrengthError> {
        let schedule = schedule::Schedule::of(pairings)?;
        let count = schedule.players.len();
        let weights = weights(&schedule.players, anchor)?;
        schedule.check()?;
        let found = newton::maximum(&schedule, draws)?;
        let level = match anchor {
            Anchor::Mean(elo) | Anchor::Player { elo, .. } => *elo,
        };
        let logits = &found.parameters[..count];
        let zero: f64 = logits.iter().zip(&weights).map(|(logit, weight)| logit * weight).sum();
        let elo = logits.iter().map(|logit| level + ELO_PER_LOGIT * (logit - zero)).collect();
        let covariance = anchored(&found.covariance, &weights);
        Ok(Self {
            players: schedule.players.into_iter().map(str::to_owned).collect(),
            elo,
            covariance,
            draw_parameter: match draws {
                Draws::Davidson => Some(found.ties.map_or(0.0, |place| found.parameters[place].exp())),
                Draws::Half => None,
            },
        })
    }

    /// The standard error of a rating under the anchor, in Elo; 0 for an anchored player.
    pub fn error(&self, place: usize) -> f64 {
        self.covariance[place][place].max(0.0).sqrt()
    }
}

/// What of each player's rating is zero on the scale.
fn weights(players: &[&str], anchor: &Anchor) -> Result<Vec<f64>, StrengthError> {
    let (Anchor::Mean(value) | Anchor::Player { elo: value, .. }) = *anchor;
    if !value.is_finite() {
        return Err(StrengthError(format!("the anchor's rating must be finite, got {value}")));
    }
    match anchor {
        Anchor::Mean(_) => Ok(vec![1.0 / players.len() as f64; players.len()]),
        Anchor::Player { name, .. } if !players.contains(&name.as_str()) => {
            Err(StrengthError(format!("the anchor {name} has no games; name a player of the schedule")))
        }
        Anchor::Player { name, .. } => Ok(players.iter().map(|player| f64::from(u8::from(player == name))).collect()),
    }
}

/// The covariance, in squared Elo, after the weighted mean of all ratings is subtracted from each.
fn anchored(covariance: &[Vec<f64>], weights: &[f64]) -> Vec<Vec<f64>> {
    let count = weights.len();
    let with_zero: Vec<f64> = (0..count).map(|i| (0..count).map(|j| weights[j] * covariance[i][j]).sum()).collect();
    let of_zero: f64 = with_zero.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    let cell = |i: usize, j: usize| covariance[i][j] - with_zero[i] - with_zero[j] + of_zero;
    (0..count).map(|i| (0..count).map(|j| ELO_PER_LOGIT.powi(2) * cell(i, j)).collect()).collect()
}

#[cfg(test)]
mod tests;
