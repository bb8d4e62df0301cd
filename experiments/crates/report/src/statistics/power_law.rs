//! Power laws of a loss over budgets: `L(D) = E + A · D^−α`, with a given floor `E` or a fitted one.
//!
//! The squared distances of the logarithms of the losses are least, all budgets with one weight. With a given floor it is the
//! straight line through `ln(L − E)`. A fitted floor is searched, and for each floor the exponent. Parameters and
//! predictions are then sums of means with known weights (for a fitted floor those of the linear approximation), and
//! [`combined`] gives their errors.

use super::curve::{Measured, combined};
use super::{Interval, MeanTest};

/// The budgets that a fit needs beside the plateau, with a given and with a fitted floor.
const NEEDED: [usize; 2] = [3, 4];
/// The largest exponent that is searched with a fitted floor.
const STEEPEST: f64 = 5.0;
/// A floor is searched by the share of the loss at the last budget that exceeds it: 1 to 10^−12, since steep curves come
/// close to their floor.
const EXCESS_DECADES: f64 = 12.0;
/// Floors that are tried before the best one's neighbourhood is searched, and the steps of a search.
const FLOOR_GRID: usize = 48;
const STEPS: usize = 50;

#[derive(Debug, Clone, PartialEq)]
pub struct PowerLaw {
    pub points: Vec<Measured>,
    /// `E`.
    pub floor: f64,
    /// `α`.
    pub exponent: MeanTest,
    model: Model,
    /// For each budget the derivatives of the fit by the parameters.
    slopes: Vec<Vec<f64>>,
}

/// A loss that the fit predicts for the mean over as many seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    pub loss: f64,
    /// The 95 % interval of a new mean.
    pub interval: Interval,
}

/// The fitted line by the distance from the first budget of the fit, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Model {
    first: f64,
    /// `ln A` at the first budget.
    scale: f64,
    exponent: f64,
    /// The fitted floor; a given one is already subtracted from the losses.
    fitted: Option<f64>,
}

impl Model {
    /// The logarithm of the loss (less a given floor) at a budget, and its derivatives by scale, exponent and fitted floor.
    fn at(&self, budget: f64) -> (f64, Vec<f64>) {
        let distance = budget - self.first;
        let falling = self.scale - self.exponent * distance;
        let Some(floor) = self.fitted else { return (falling, vec![1.0, -distance]) };
        let loss = floor + falling.exp();
        let share = falling.exp() / loss;
        (loss.ln(), vec![share, -share * distance, 1.0 / loss])
    }
}

impl PowerLaw {
    /// With a given floor, from losses of which it is subtracted. None below three budgets beside the plateau.
    pub fn with_floor(curve: &[Measured], floor: f64) -> Option<Self> {
        Self::line_through(curve[plateau(curve)..].to_vec(), floor)
    }

    fn line_through(points: Vec<Measured>, floor: f64) -> Option<Self> {
        let first = points.first().filter(|_| points.len() >= NEEDED[0])?.at;
        let weights = slope(&points);
        let exponent: f64 = weights.iter().zip(&points).map(|(weight, own)| weight * own.mean).sum();
        let count = points.len() as f64;
        let scale = points.iter().map(|own| own.mean + exponent * (own.at - first)).sum::<f64>() / count;
        Self::of(points, floor, Model { first, scale, exponent, fitted: None })
    }

    /// With a fitted floor, from losses. None below four budgets beside the plateau, and where the losses do not determine
    /// the floor or the exponent: the best ones are then the largest that are searched.
    pub fn fitted(curve: &[Measured]) -> Option<Self> {
        Self::curve_through(curve[plateau(curve)..].to_vec())
    }

    fn curve_through(points: Vec<Measured>) -> Option<Self> {
        let first = points.first().filter(|_| points.len() >= NEEDED[1])?.at;
        let decades_of = |part: usize| EXCESS_DECADES * part as f64 / FLOOR_GRID as f64;
        let cost = |decades: f64| best_exponent(&points, decades).distance;
        let best = (0..=FLOOR_GRID).min_by(|&a, &b| cost(decades_of(a)).total_cmp(&cost(decades_of(b))))?;
        let searched = least(decades_of(best.saturating_sub(1)), decades_of((best + 1).min(FLOOR_GRID)), cost);
        let decades = if cost(0.0) <= cost(searched) { 0.0 } else { searched };
        let Shape { exponent, scale, floor, .. } = best_exponent(&points, decades);
        if exponent > 0.999 * STEEPEST || decades > 0.999 * EXCESS_DECADES {
            return None;
        }
        Self::of(points, floor, Model { first, scale, exponent, fitted: Some(floor) })
    }

    /// The same law through those of its budgets that another one uses too: a curve that is no power law has another exponent over
    /// other budgets. None if they are too few.
    pub fn on_budgets_of(&self, other: &Self) -> Option<Self> {
        let is_shared = |own: &Measured| other.points.iter().any(|other| other.at == own.at);
        let points: Vec<Measured> = self.points.iter().copied().filter(is_shared).collect();
        match self.model.fitted {
            None => Self::line_through(points, self.floor),
            Some(_) => Self::curve_through(points),
        }
    }

    fn of(points: Vec<Measured>, floor: f64, model: Model) -> Option<Self> {
        let slopes: Vec<Vec<f64>> = points.iter().map(|own| model.at(own.at).1).collect();
        let towards: Vec<f64> = (0..slopes[0].len()).map(|parameter| f64::from(parameter == 1)).collect();
        let weights = weights(&slopes, &towards)?;
        let MeanTest { error, freedom, .. } = combined(weights.into_iter().zip(points.iter().copied()));
        let exponent = MeanTest::new(model.exponent, error, freedom);
        (exponent.mean.is_finite() && error.is_finite()).then_some(Self { points, floor, exponent, model, slopes })
    }

    /// The logarithm of the loss at a budget (less a given floor), with the error of the fit alone.
    pub fn log_at(&self, budget: f64) -> Option<MeanTest> {
        let (log, towards) = self.model.at(budget.ln());
        let MeanTest { error, freedom, .. } =
            combined(weights(&self.slopes, &towards)?.into_iter().zip(self.points.iter().copied()));
        Some(MeanTest::new(log, error, freedom))
    }

    /// The loss at a budget, for the mean over as many seeds as the budgets of the fit have, with their average variance.
    pub fn predict(&self, budget: f64) -> Option<Predicted> {
        let (log, towards) = self.model.at(budget.ln());
        let weights = weights(&self.slopes, &towards)?;
        let new = 1.0 / self.points.len() as f64;
        let terms = weights.iter().zip(&self.points).map(|(weight, own)| ((weight * weight + new).sqrt(), *own));
        let MeanTest { error, freedom, .. } = combined(terms);
        let given = if self.model.fitted.is_some() { 0.0 } else { self.floor };
        let Interval { low, high } = MeanTest::new(log, error, freedom).interval(0.95);
        let [loss, low, high] = [log, low, high].map(|log| given + log.exp());
        let is_finite = [loss, low, high].iter().all(|loss| loss.is_finite());
        is_finite.then_some(Predicted { loss, interval: Interval { low, high } })
    }
}

/// How many of the first budgets are left out of a fit. A first budget belongs to a plateau if the slope to the next budget
/// is less than half of that of the line through all later budgets, or less than it by a one-sided test at 25 %. The rest is
/// judged in the same way while it has three budgets.
pub fn plateau(curve: &[Measured]) -> usize {
    let most = curve.len().saturating_sub(2);
    (0..most).find(|&first| !starts_with_plateau(&curve[first..])).unwrap_or(most)
}

fn starts_with_plateau(curve: &[Measured]) -> bool {
    let step = curve[1].at - curve[0].at;
    let weights = slope(&curve[1..]);
    let later: f64 = weights.iter().zip(&curve[1..]).map(|(weight, own)| weight * own.mean).sum();
    let of_step = [1.0 / step, -1.0 / step].into_iter().chain(std::iter::repeat(0.0));
    let of_later = std::iter::once(0.0).chain(weights);
    let test = combined(of_step.zip(of_later).map(|(step, later)| step - later).zip(curve.iter().copied()));
    // Where nothing varies, rounding is no difference.
    let is_less = test.mean < -1e-9 * later.abs() && test.p < 0.5;
    test.mean + later < later / 2.0 || is_less
}

/// The weights of the means in the exponent of the straight line through them.
fn slope(points: &[Measured]) -> Vec<f64> {
    let middle = points.iter().map(|own| own.at).sum::<f64>() / points.len() as f64;
    let squares: f64 = points.iter().map(|own| (own.at - middle).powi(2)).sum();
    points.iter().map(|own| -(own.at - middle) / squares).collect()
}

/// A curve of which a share of the loss at the last budget is above the floor.
struct Shape {
    exponent: f64,
    scale: f64,
    floor: f64,
    /// The sum of the squared distances.
    distance: f64,
}

fn best_exponent(points: &[Measured], decades: f64) -> Shape {
    shape(points, decades, least(0.0, STEEPEST, |exponent| shape(points, decades, exponent).distance))
}

/// The share is 10 to the power of −`decades`.
fn shape(points: &[Measured], decades: f64, exponent: f64) -> Shape {
    let (first, last) = (points[0].at, points[points.len() - 1].at);
    let floor = (-exponent * (last - first)).exp() * (10.0_f64.powf(decades) - 1.0);
    let logs = || points.iter().map(|own| own.mean - (floor + (-exponent * (own.at - first)).exp()).ln());
    let scale = logs().sum::<f64>() / points.len() as f64;
    let distance = logs().map(|log| (log - scale).powi(2)).sum();
    Shape { exponent, scale, floor: floor * scale.exp(), distance }
}

/// The place of the least value of a function with one valley, by golden sections.
fn least(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (of(left), of(right));
    for _ in 0..STEPS {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = of(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = of(right);
        }
    }
    f64::midpoint(low, high)
}

/// The weights with which the means of the budgets enter a sum of the fitted parameters: `J (JᵀJ)⁻¹ g` for the derivatives `J`
/// and the sum's coefficients `g`. None if the budgets do not determine the parameters.
fn weights(slopes: &[Vec<f64>], towards: &[f64]) -> Option<Vec<f64>> {
    let count = towards.len();
    let product = |a: usize, b: usize| slopes.iter().map(|own| own[a] * own[b]).sum::<f64>();
    // JᵀJ with g as a last column, of which the rows are eliminated.
    let mut rows: Vec<Vec<f64>> =
        (0..count).map(|a| (0..count).map(|b| product(a, b)).chain([towards[a]]).collect()).collect();
    for a in 0..count {
        let pivot = rows[a][a];
        if pivot.is_nan() || pivot <= 1e-12 * product(a, a) {
            return None;
        }
        rows[a].iter_mut().for_each(|value| *value /= pivot);
        let own = rows[a].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(b, _)| *b != a) {
            let factor = row[a];
            row.iter_mut().zip(&own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    let solved: Vec<f64> = rows.iter().map(|row| row[count]).collect();
    Some(slopes.iter().map(|own| own.iter().zip(&solved).map(|(slope, one)| slope * one).sum()).collect())
}
