//! The heads of one layer: means over positions, and the statistics that summarise them.

use super::displacement::{Displacements, Profile};
use super::relation::distance;
use super::signal_by_piece::OccupantSums;
use records::inspected::{Occupant, Signal};
use serde::Serialize;
use tch::{Device, Kind, TchError, Tensor};

/// The share of the attention that lies within a head's reach.
pub const REACHED: f64 = 0.9;

/// A signal that varies by no more than this between positions is the same in all of them.
const SAME: f64 = 1e-12;

/// Sums over positions of numbers of each head.
#[derive(Debug)]
pub(super) struct HeadSums {
    /// The entropy of attention, the mean over queries.
    pub(super) entropy: Vec<f64>,
    pub(super) distance: Vec<f64>,
    /// The variance of the logits over keys, and that of their content part.
    pub(super) logits: Vec<f64>,
    pub(super) content: Vec<f64>,
    /// The variance of the position part, and its covariance with the logits.
    pub(super) position: Option<Vec<f64>>,
    pub(super) shared: Option<Vec<f64>>,
}

/// The parts of the logits in one position, and the attention: maps of one head or of all heads of a layer.
#[derive(Debug, Clone)]
pub struct Parts<T> {
    pub content: T,
    /// `None` where no encoding acts on the logits.
    pub position: Option<T>,
    pub attention: T,
}

/// Sums over positions of the maps of one layer, `[h,n,n]`, f64.
#[derive(Debug)]
pub(super) struct LayerSums {
    pub(super) layer: usize,
    pub(super) positions: usize,
    pub(super) tokens: usize,
    /// The maps of each position; empty unless they are kept.
    pub(super) each: Vec<Parts<Tensor>>,
    pub(super) content: Tensor,
    pub(super) position: Option<Tensor>,
    pub(super) squares: Tensor,
    pub(super) weights: Tensor,
    /// Of the signal, by piece, if they were asked for.
    pub(super) occupants: Option<OccupantSums>,
    /// Not a sum: it depends on no position.
    pub(super) similarity: Option<Tensor>,
    pub(super) parts: HeadSums,
}

/// The maps of one head, `[squares × squares]`, query by key.
#[derive(Debug, Clone)]
pub struct HeadView {
    pub layer: usize,
    /// The head in it, from 0.
    pub head: usize,
    pub signal: Signal,
    /// The signal, the mean over positions.
    pub mean: Vec<f64>,
    pub variance: Vec<f64>,
    /// The signal by displacement for the pairs with a certain piece; empty where it is the same in all positions, or if it
    /// was not asked for.
    pub by_piece: Vec<(Occupant, Profile)>,
    /// The content part of the logits, the mean over positions.
    pub content: Vec<f64>,
    /// Attention, the mean over positions.
    pub attention: Vec<f64>,
    /// The factor by which rotations scale q·k of equal vectors; only with rotations.
    pub similarity: Option<Vec<f64>>,
    /// The maps of each position; empty unless they are kept.
    pub each: Vec<Parts<Vec<f64>>>,
    pub statistics: Statistics,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    pub layer: usize,
    /// The head in it, from 0.
    pub head: usize,
    /// The entropy of attention in nats, the mean over queries and positions.
    pub entropy_nats: f64,
    /// The same as a share of that of even attention.
    pub entropy_share: f64,
    /// The mean distance between query and key in king's moves, weighted by attention among squares.
    pub distance: f64,
    /// The distance within which [`REACHED`] of the attention among squares lies.
    pub reach: usize,
    /// The effective rank of the position part; none without one.
    pub effective_rank: Option<f64>,
    /// The share of the variance of the logits over keys that the position part has; none without one.
    pub position_share: Option<f64>,
    /// The share of the variance of the logits over keys that is the same in all positions.
    pub fixed_share: f64,
    /// The standard deviation of the content part over keys.
    pub content_sd: f64,
    /// The standard deviation of the position part over keys; none without one.
    pub position_sd: Option<f64>,
}

impl HeadSums {
    fn add(&mut self, other: &Self) {
        let into = |own: &mut Vec<f64>, other: &[f64]| own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        into(&mut self.entropy, &other.entropy);
        into(&mut self.distance, &other.distance);
        into(&mut self.logits, &other.logits);
        into(&mut self.content, &other.content);
        self.position.iter_mut().zip(&other.position).for_each(|(own, other)| into(own, other));
        self.shared.iter_mut().zip(&other.shared).for_each(|(own, other)| into(own, other));
    }
}

impl<T> Parts<T> {
    pub(super) fn map<'a, U>(&'a self, of: impl Fn(&'a T) -> U) -> Parts<U> {
        Parts { content: of(&self.content), position: self.position.as_ref().map(&of), attention: of(&self.attention) }
    }

    fn try_map<U, E>(&self, of: impl Fn(&T) -> Result<U, E>) -> Result<Parts<U>, E> {
        let position = self.position.as_ref().map(&of).transpose()?;
        Ok(Parts { content: of(&self.content)?, position, attention: of(&self.attention)? })
    }
}

impl LayerSums {
    pub(super) fn add(&mut self, other: Self) {
        self.positions += other.positions;
        self.content += other.content;
        self.squares += other.squares;
        self.weights += other.weights;
        if let (Some(own), Some(other)) = (&mut self.occupants, other.occupants) {
            own.add(other);
        }
        self.position = self.position.take().zip(other.position).map(|(own, other)| own + other);
        self.parts.add(&other.parts);
        self.each.extend(other.each);
    }

    /// The heads of the layer, with these names of pieces.
    pub(super) fn heads(&self, board: &Displacements, pieces: &[String]) -> Result<Vec<HeadView>, TchError> {
        let over = |sum: &Tensor| sum / self.positions as f64;
        let signal = over(self.position.as_ref().unwrap_or(&self.content));
        let variance = (over(&self.squares) - signal.square()).clamp_min(0.0);
        let logits = match &self.position {
            Some(position) => over(&(&self.content + position)),
            None => over(&self.content),
        };
        let fixed = of_heads(&key_variance(&logits))?;
        let ranks = self.position.as_ref().map(|position| effective_ranks(&over(position))).transpose()?;
        let attention = arrays(&over(&self.weights))?;
        let [mean, variance, content] = [&signal, &variance, &over(&self.content)].map(arrays);
        let (mean, variance, content) = (mean?, variance?, content?);
        let similarity = self.similarity.as_ref().map(arrays).transpose()?;
        let each = self.each.iter().map(|parts| parts.try_map(arrays)).collect::<Result<Vec<_>, TchError>>()?;
        let signal = if self.position.is_some() { Signal::Position } else { Signal::Logits };
        let mut by_piece = match &self.occupants {
            Some(sums) => sums.profiles(board, pieces)?,
            None => vec![Vec::new(); mean.len()],
        };
        for (of_head, variance) in by_piece.iter_mut().zip(&variance) {
            if variance.iter().all(|variance| *variance <= SAME) {
                of_head.clear();
            }
        }
        let head = |head: usize| HeadView {
            layer: self.layer,
            head,
            signal,
            mean: mean[head].clone(),
            variance: variance[head].clone(),
            by_piece: by_piece[head].clone(),
            content: content[head].clone(),
            attention: attention[head].clone(),
            similarity: similarity.as_ref().map(|maps| maps[head].clone()),
            each: each.iter().map(|parts| parts.map(|maps| maps[head].clone())).collect(),
            statistics: self.statistics(
                head,
                fixed[head],
                ranks.as_ref().map(|ranks| ranks[head]),
                reach(board, &attention[head]),
            ),
        };
        Ok((0..mean.len()).map(head).collect())
    }

    fn statistics(&self, head: usize, fixed: f64, effective_rank: Option<f64>, reach: usize) -> Statistics {
        let over = |sums: &[f64]| sums[head] / self.positions as f64;
        let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let logits = over(&self.parts.logits);
        let entropy = over(&self.parts.entropy);
        Statistics {
            layer: self.layer,
            head,
            entropy_nats: entropy,
            entropy_share: ratio(entropy, (self.tokens as f64).ln()),
            distance: over(&self.parts.distance),
            reach,
            effective_rank,
            position_share: self.parts.shared.as_ref().map(|shared| ratio(over(shared), logits)),
            fixed_share: ratio(fixed, logits),
            content_sd: over(&self.parts.content).sqrt(),
            position_sd: self.parts.position.as_ref().map(|position| over(position).sqrt()),
        }
    }
}

/// The distance within which most attention of a map lies.
fn reach(board: &Displacements, attention: &[f64]) -> usize {
    let mut at = vec![0.0; board.geometry().squares()];
    for (place, weight) in board.places().zip(attention) {
        at[distance(board.steps[place])] += weight;
    }
    let wanted = REACHED * at.iter().sum::<f64>();
    let mut within = 0.0;
    let reached = at.iter().position(|weight| {
        within += weight;
        within >= wanted
    });
    reached.unwrap_or_default()
}

/// `[h,n,n]` → the variance over keys, the mean over queries.
fn key_variance(maps: &Tensor) -> Tensor {
    let off = maps - maps.mean_dim(-1, true, Kind::Double);
    off.square().mean_dim([-1i64, -2].as_slice(), false, Kind::Double)
}

/// The exponential of the entropy of the normalised singular values of each map, of which every query's mean is taken off:
/// the softmax does not see it.
fn effective_ranks(maps: &Tensor) -> Result<Vec<f64>, TchError> {
    let off = maps - maps.f_mean_dim(-1, true, Kind::Double)?;
    let values = arrays(&off.f_svd(true, false)?.1)?;
    Ok(values.iter().map(|values| effective_rank(values)).collect())
}

/// The exponential of the entropy of values that are divided by their sum; 0 if all are zero.
pub fn effective_rank(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    if sum <= f64::MIN_POSITIVE {
        return 0.0;
    }
    let entropy = |value: &f64| if *value > 0.0 { -(value / sum) * (value / sum).ln() } else { 0.0 };
    values.iter().map(entropy).sum::<f64>().exp()
}

/// `[h,…]` as a list for each head.
fn arrays(maps: &Tensor) -> Result<Vec<Vec<f64>>, TchError> {
    let flat = maps.f_to_device(Device::Cpu)?.f_contiguous()?.f_reshape([maps.size()[0], -1])?;
    Vec::<Vec<f64>>::try_from(flat)
}

fn of_heads(values: &Tensor) -> Result<Vec<f64>, TchError> {
    Vec::try_from(values.f_to_device(Device::Cpu)?)
}
