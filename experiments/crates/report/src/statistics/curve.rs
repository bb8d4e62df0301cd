//! Losses over budgets, and the budget at which a curve reaches a loss.
//!
//! A curve is taken in logarithms of loss and budget: a power law is a straight line, and the noise of seeds is a share of the
//! loss. Budgets may have different noise. So a sum of means takes the variance of each from its own seeds, and its degrees
//! of freedom are Satterthwaite's ("An approximate distribution of estimates of variance components", Biometrics Bulletin 2,
//! 1946). The test `simulation::scaling` counts how often the intervals cover.

use super::ladder::{Bounded, Ladder, Multiple, non_increasing};
use super::{MeanTest, Summary};
use facts::metrics::Direction;

/// The mean over seeds at a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Natural logarithm of the budget.
    pub at: f64,
    /// Mean of the logarithms of the losses, less a floor.
    pub mean: f64,
    pub variance: f64,
    pub freedom: f64,
}

impl Measured {
    /// Of the losses of several seeds; none below two, or if one of them does not exceed the floor.
    pub fn of(budget: f64, losses: &[f64], floor: f64) -> Option<Self> {
        let logs: Vec<f64> = losses.iter().map(|loss| (loss - floor).ln()).collect();
        let Summary { n, mean, sd: Some(sd) } = Summary::of(&logs)? else { return None };
        let own = Self { at: budget.ln(), mean, variance: sd * sd / n as f64, freedom: (n - 1) as f64 };
        (own.at.is_finite() && mean.is_finite() && sd.is_finite()).then_some(own)
    }

    pub fn test(self) -> MeanTest {
        combined([(1.0, self)])
    }
}

/// The curve of budgets, ascending, each with the losses of its seeds; none if [`Measured::of`] is none for one of them.
pub fn curve(budgets: &[(f64, Vec<f64>)], floor: f64) -> Option<Vec<Measured>> {
    budgets.iter().map(|(budget, losses)| Measured::of(*budget, losses, floor)).collect()
}

/// The test of a weighted sum of independent means.
pub fn combined(terms: impl IntoIterator<Item = (f64, Measured)>) -> MeanTest {
    let (mut mean, mut variance, mut squares) = (0.0, 0.0, 0.0);
    for (weight, own) in terms {
        let part = weight * weight * own.variance;
        mean += weight * own.mean;
        variance += part;
        squares += part * part / own.freedom;
    }
    // Also where the squares are too small for a number.
    let freedom = (variance * variance / squares).max(1.0);
    MeanTest::new(mean, variance.sqrt(), freedom)
}

/// How many times as much the reference needs as the curve, for the loss that the reference has at one of its budgets: a
/// budget of the reference, divided by the curve's budget with the same loss. The interval is at 95 %. None below two
/// budgets of the curve.
pub fn multiplier(curve: &[Measured], reference: &[Measured], budget: usize) -> Option<Multiple> {
    let level = *isotonic_fit(reference).get(budget)?;
    Some(reached(&isotonic_fit(curve), level)?.dividing(level.at.exp()))
}

/// The same curve with the nearest means of which no larger budget is worse.
fn isotonic_fit(curve: &[Measured]) -> Vec<Measured> {
    let means = non_increasing(&curve.iter().map(|own| own.mean).collect::<Vec<_>>());
    curve.iter().zip(means).map(|(own, mean)| Measured { mean, ..*own }).collect()
}

/// Places between two budgets that are tested before the ends of an interval are searched between two of them.
const PARTS: usize = 8;
const HALVINGS: usize = 40;
const ALPHA: f64 = 0.05;

/// The budget at which a curve that never rises has a loss. The interval holds the budgets at which a t-test does not reject
/// that the curve has this loss; beyond the curve's budgets it is open.
fn reached(curve: &[Measured], level: Measured) -> Option<Multiple> {
    let rungs: Vec<(f64, f64)> = curve.iter().map(|own| (own.at.exp(), own.mean)).collect();
    let at = Ladder::of(&rungs, Direction::Lower)?.size_at(level.mean);
    let (smallest, largest) = (rungs[0].0, rungs[rungs.len() - 1].0);
    // A place is a number of budgets from the first one.
    let between = |place: f64| {
        let left = (place.floor() as usize).min(curve.len() - 2);
        (curve[left], curve[left + 1], place - left as f64)
    };
    let test = |place: f64| {
        let (left, right, share) = between(place);
        combined([(1.0 - share, left), (share, right), (-1.0, level)])
    };
    let budget = |place: f64| {
        let (left, right, share) = between(place);
        (left.at + share * (right.at - left.at)).exp()
    };
    let differs = |place: f64, sign: f64| {
        let test = test(place);
        test.p < ALPHA && sign * test.mean > 0.0
    };
    let is_worse = |place: f64| differs(place, 1.0);
    let is_better = |place: f64| differs(place, -1.0);
    let last = (curve.len() - 1) * PARTS;
    let place = |part: usize| part as f64 / PARTS as f64;
    let low = match (0..=last).rev().find(|&part| is_worse(place(part))) {
        Some(part) if part == last => Bounded::AtLeast(largest),
        Some(part) if is_worse(0.0) => Bounded::At(budget(end(is_worse, place(part), place(part + 1)))),
        _ => Bounded::AtMost(smallest),
    };
    let high = match (0..=last).find(|&part| is_better(place(part))) {
        Some(0) => Bounded::AtMost(smallest),
        Some(part) if is_better(place(last)) => Bounded::At(budget(end(is_better, place(part), place(part - 1)))),
        _ => Bounded::AtLeast(largest),
    };
    Some(Multiple { at, ends: [low, high] })
}

/// The place between two at which something that holds at the first ceases to hold.
fn end(holds: impl Fn(f64) -> bool, mut first: f64, mut second: f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(first, second);
        *(if holds(middle) { &mut first } else { &mut second }) = middle;
    }
    first
}
