//! The objective of a step, and its gradient, accumulated over micro-batches.
//!
//! A loss is a sum over rows divided by the number of rows of the *whole* batch that have its target. That number is
//! known before any forward pass, so every micro-batch is differentiated with its final weight. The sum over
//! micro-batches is the gradient of the whole batch, up to the order of additions in f32. They are added by halves, so that
//! ranks which take equal shares of them, in powers of two, add in the same order as one process.

use crate::error::TrainError;
use crate::ranks::Ranks;
use config::{LossWeights, Mask, RunConfig};
use models::loss::mean;
use models::{Examples, Loss, Masking, Measure, Network, Term};
use nn::{Arena, DropoutKey, Observation};
use std::ops::Range;
use tch::{Kind, TchError, Tensor};

#[derive(Debug, Clone)]
pub(super) struct Objective {
    pub(super) measure: Measure,
    pub(super) weights: LossWeights,
}

impl Objective {
    /// With the weights outside of phases.
    pub(super) fn of(run: &RunConfig) -> Self {
        Self { measure: measure(run), weights: run.train.loss.clone() }
    }
}

pub(super) fn measure(run: &RunConfig) -> Measure {
    let mask = run.train.mask;
    let masking = Masking { training: mask == Mask::Train, measuring: mask != Mask::None };
    Measure::new(&run.model, &run.spec(), masking)
}

#[derive(Debug)]
pub(super) struct Gradient {
    /// The gradient of the objective, f32, in layout order.
    pub(super) flat: Tensor,
    /// The objective: the weighted sum of the losses' means, a scalar on the device.
    pub(super) objective: Tensor,
    /// The losses, in the order of [`Loss::all`].
    pub(super) terms: Vec<LossMean>,
    /// New values of running statistics: the mean over micro-batches, weighted by their positions.
    pub(super) observed: Vec<Observation>,
}

#[derive(Debug)]
pub(super) struct LossMean {
    pub(super) loss: &'static Loss,
    pub(super) weight: f64,
    /// Without its weight, a scalar on the device.
    pub(super) mean: Tensor,
}

/// The network and parameters to differentiate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model<'a> {
    pub(super) network: &'a Network,
    pub(super) arena: &'a Arena,
    /// The element type of matrix products.
    pub(super) kind: Kind,
    /// The masks of dropout, where numbers are dropped.
    pub(super) masks: Option<DropoutKey>,
}

impl Gradient {
    /// The gradient on a whole batch in f32, like a training step before clipping and without dropout, to compare
    /// implementations.
    pub(super) fn of_batch(
        run: &RunConfig,
        network: &Network,
        arena: &Arena,
        batch: &Examples,
    ) -> Result<Self, TrainError> {
        let model = Model { network, arena, kind: Kind::Float, masks: None };
        Self::of(&Objective::of(run), model, batch, batch.rows() as usize, None)
    }

    /// The gradient on `batch`, with `micro` positions (at least one) at once, divided among ranks if there are several.
    pub(super) fn of(
        objective: &Objective,
        model: Model<'_>,
        batch: &Examples,
        micro: usize,
        ranks: Option<&Ranks>,
    ) -> Result<Self, TrainError> {
        let (rows, micro) = (batch.rows(), micro.max(1) as i64);
        let of_part = &mut |number: usize| -> Result<Self, TrainError> {
            let start = number as i64 * micro;
            let part = batch.narrow(start, micro.min(rows - start));
            let share = part.rows() as f64 / rows as f64;
            let masks = model.masks.map(|key| DropoutKey { first: start as u64, ..key });
            let model = Model { masks, ..model };
            let mut part = Self::of_micro_batch(objective, model, &part, batch)?;
            for observation in &mut part.observed {
                let _share = observation.value.f_mul_scalar_(share)?;
            }
            Ok(part)
        };
        let parts = (rows as usize).div_ceil(micro as usize);
        if parts == 0 {
            return Err(torch_error("the batch is empty"));
        }
        let Some(ranks) = ranks else { return Self::by_halves(0..parts, of_part) };
        let mut whole = Self::by_halves(ranks.share(parts), of_part)?;
        whole.add_ranks(ranks)?;
        Ok(whole)
    }

    /// The sum of these parts, at least one: of the first half and the second, each added in the same way. An odd part is in
    /// the first half.
    fn by_halves(
        parts: Range<usize>,
        of_part: &mut impl FnMut(usize) -> Result<Self, TrainError>,
    ) -> Result<Self, TrainError> {
        if parts.len() == 1 {
            return of_part(parts.start);
        }
        let middle = parts.start + parts.len().div_ceil(2);
        let mut first = Self::by_halves(parts.start..middle, of_part)?;
        first.add(&Self::by_halves(middle..parts.end, of_part)?)?;
        Ok(first)
    }

    fn add_ranks(&mut self, ranks: &Ranks) -> Result<(), TrainError> {
        let mut rest = vec![&mut self.objective];
        rest.extend(self.terms.iter_mut().map(|term| &mut term.mean));
        rest.extend(self.observed.iter_mut().map(|observation| &mut observation.value));
        let flat: Vec<Tensor> = rest.iter().map(|tensor| tensor.f_flatten(0, -1)).collect::<Result<_, _>>()?;
        let mut sums = Tensor::f_cat(&flat, 0)?;
        ranks.sum(&mut sums)?;
        let mut from = 0;
        for tensor in rest {
            let length = tensor.numel() as i64;
            tensor.f_copy_(&sums.f_narrow(0, from, length)?.f_view(&tensor.size()[..])?)?;
            from += length;
        }
        ranks.sum(&mut self.flat)
    }

    fn of_micro_batch(
        objective: &Objective,
        model: Model<'_>,
        part: &Examples,
        batch: &Examples,
    ) -> Result<Self, TrainError> {
        let views = model.arena.views_in(model.kind).for_training();
        let views = if let Some(key) = model.masks { views.with_dropout(key) } else { views };
        let Objective { measure, weights } = objective;
        let output = measure.answer_for_terms(model.network, &views, part);
        let terms = measure.terms(&output, part);
        let counts: Vec<Tensor> = terms.iter().map(|term| measure.count(term.loss, batch)).collect();
        let weighted =
            terms.iter().zip(&counts).map(|(term, count)| mean(&term.trained, count) * weights.of(term.loss));
        let sum = weighted.reduce(|sum, term| sum + term);
        let objective = sum.ok_or_else(|| torch_error("the network has no head with a loss"))?;
        let flat = model.arena.gradient(&objective)?;
        let mean = |(term, count): (&Term, &Tensor)| LossMean {
            loss: term.loss,
            weight: weights.of(term.loss),
            mean: mean(term.shown(), count).detach(),
        };
        let terms = terms.iter().zip(&counts).map(mean).collect();
        Ok(Self { flat, objective: objective.detach(), terms, observed: views.into_observed() })
    }

    fn add(&mut self, other: &Self) -> Result<(), TrainError> {
        let _sum = self.flat.f_add_(&other.flat)?;
        let _sum = self.objective.f_add_(&other.objective)?;
        for (own, other) in self.terms.iter_mut().zip(&other.terms) {
            let _sum = own.mean.f_add_(&other.mean)?;
        }
        for (own, other) in self.observed.iter_mut().zip(&other.observed) {
            let _sum = own.value.f_add_(&other.value)?;
        }
        Ok(())
    }
}

fn torch_error(what: &str) -> TrainError {
    TrainError::from(TchError::Torch(what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::Device;

    /// Numbers whose sum depends on the order of additions.
    fn part(number: usize) -> Gradient {
        let numbers = Tensor::arange(1000_i64, (Kind::Float, Device::Cpu)) * (number as f64 + 1.0);
        let flat = (numbers.sin() * 9.0).exp();
        Gradient { objective: flat.sum(Kind::Float), flat, terms: Vec::new(), observed: Vec::new() }
    }

    fn sum(parts: Range<usize>) -> Tensor {
        Gradient::by_halves(parts, &mut |number| Ok(part(number))).expect("a sum").flat
    }

    #[test]
    fn up_to_three_micro_batches_are_added_one_after_the_other() {
        let mut one_by_one = part(0).flat;
        for last in 1..4 {
            one_by_one += part(last).flat;
            assert_eq!(sum(0..last + 1) == one_by_one, last < 3, "{last}");
        }
    }

    #[test]
    fn equal_shares_are_subtrees_of_the_whole_sum() {
        for parts in [4, 12, 20] {
            let quarter = parts / 4;
            let shares: Vec<Tensor> = (0..4).map(|rank| sum(rank * quarter..(rank + 1) * quarter)).collect();
            assert_eq!(sum(0..parts), (&shares[0] + &shares[1]) + (&shares[2] + &shares[3]));
        }
    }
}
