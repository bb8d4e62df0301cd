//! A log-linear model: the probability of a legal move is proportional to exp(w · features of the move).

use crate::choices::{Choice, Choices};
use crate::linear::{Symmetric, dot};
use crate::scores::log_sum_exp;

/// Weight of the penalty λ/2 · |w|² beside the mean loss. It keeps weights finite that the data leave open.
pub(crate) const PENALTY: f64 = 1e-4;
/// The fit ends when a further step promises less than this, in nats.
const ENOUGH: f64 = 1e-10;
/// Steps after which the fit ends in any case; it usually takes about ten.
const MOST_STEPS: usize = 50;
/// Halvings of a step that does not lower the objective.
const MOST_HALVINGS: usize = 30;
/// The share of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LogLinear {
    pub(crate) weights: Vec<f64>,
    /// How many features occur in the moves that it was fitted on; the weights of the others are 0.
    pub(crate) fitted: usize,
    pub(crate) steps: usize,
    /// Mean loss on the positions that it was fitted on, penalty left out.
    pub(crate) loss: f64,
}

struct Objective {
    value: f64,
    gradient: Vec<f64>,
    hessian: Symmetric,
}

impl LogLinear {
    /// Fits a model with this number of features by Newton's method with exact second derivatives. The objective is convex and
    /// strictly so with the penalty: there is one solution.
    pub(crate) fn fit(choices: &Choices, features: usize) -> Self {
        let mut weights = vec![0.0; features];
        let mut steps = 0;
        while steps < MOST_STEPS {
            let Objective { value, gradient, hessian } = objective(choices, &weights);
            let Some(step) = hessian.solve(&gradient) else { break };
            let promised = dot(&gradient, &step);
            if promised < ENOUGH {
                break;
            }
            let at = |share: f64| -> Vec<f64> { weights.iter().zip(&step).map(|(w, step)| w - share * step).collect() };
            let shares = (0..MOST_HALVINGS).map(|halvings| 0.5_f64.powi(halvings as i32));
            let lower = |&share: &f64| objective_value(choices, &at(share)) <= value - ARMIJO * share * promised;
            let Some(share) = shares.into_iter().find(lower) else { break };
            weights = at(share);
            steps += 1;
        }
        let fitted = choices.seen(features).into_iter().filter(|&seen| seen).count();
        let loss = objective_value(choices, &weights) - penalty(&weights);
        Self { weights, fitted, steps, loss }
    }
}

/// The logits of a position's moves, into `out`.
pub(crate) fn logits(weights: &[f64], choice: Choice<'_>, out: &mut Vec<f64>) {
    out.clear();
    out.extend(choice.moves().map(|present| present.iter().map(|&feature| weights[usize::from(feature)]).sum::<f64>()));
}

fn penalty(weights: &[f64]) -> f64 {
    PENALTY / 2.0 * dot(weights, weights)
}

fn objective_value(choices: &Choices, weights: &[f64]) -> f64 {
    let mut moves = Vec::new();
    let loss = |choice: Choice<'_>| {
        logits(weights, choice, &mut moves);
        let log_total = log_sum_exp(&moves);
        choice.target().iter().zip(&moves).map(|(target, logit)| target * (log_total - logit)).sum::<f64>()
    };
    let total: f64 = choices.positions().map(loss).sum();
    total / choices.len().max(1) as f64 + penalty(weights)
}

fn objective(choices: &Choices, weights: &[f64]) -> Objective {
    let features = weights.len();
    let each = 1.0 / choices.len().max(1) as f64;
    let mut gradient: Vec<f64> = weights.iter().map(|w| PENALTY * w).collect();
    let mut hessian = Symmetric::zero(features);
    (0..features).for_each(|feature| hessian.add(feature, feature, PENALTY));
    let mut loss = 0.0;
    let (mut moves, mut mean) = (Vec::new(), vec![0.0; features]);
    for choice in choices.positions() {
        logits(weights, choice, &mut moves);
        let log_total = log_sum_exp(&moves);
        let mass: f64 = choice.target().iter().sum();
        mean.fill(0.0);
        for ((present, &logit), &target) in choice.moves().zip(&moves).zip(choice.target()) {
            let probability = (logit - log_total).exp();
            loss += target * (log_total - logit);
            for (place, &feature) in present.iter().enumerate() {
                let row = usize::from(feature);
                mean[row] += probability;
                gradient[row] += each * (mass * probability - target);
                for &other in &present[..=place] {
                    hessian.add(row, usize::from(other), each * mass * probability);
                }
            }
        }
        for row in (0..features).filter(|&row| mean[row] != 0.0) {
            for column in 0..=row {
                hessian.add(row, column, -each * mass * mean[row] * mean[column]);
            }
        }
    }
    Objective { value: loss * each + penalty(weights), gradient, hessian }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURES: usize = 4;

    fn choices() -> Choices {
        let mut choices = Choices::default();
        choices.push_moves([(&[0, 2][..], 0.7), (&[1][..], 0.3), (&[][..], 0.0)]);
        choices.push_moves([(&[1, 2][..], 0.0), (&[0][..], 0.1), (&[0, 1, 2][..], 0.9)]);
        choices.push_moves([(&[2][..], 0.5), (&[0, 1][..], 0.5)]);
        choices
    }

    #[test]
    fn derivatives_equal_finite_differences() {
        const STEP: f64 = 1e-5;
        let (choices, at) = (choices(), [0.3, -0.7, 0.2, 0.1]);
        let moved = |feature: usize, by: f64| {
            let mut weights = at.to_vec();
            weights[feature] += by;
            weights
        };
        let here = objective(&choices, &at);
        assert!((here.value - objective_value(&choices, &at)).abs() < 1e-15);
        for feature in 0..FEATURES {
            let (up, down) = (moved(feature, STEP), moved(feature, -STEP));
            let slope = (objective_value(&choices, &up) - objective_value(&choices, &down)) / (2.0 * STEP);
            assert!((here.gradient[feature] - slope).abs() < 1e-9, "{feature}: {} {slope}", here.gradient[feature]);
            let (up, down) = (objective(&choices, &up).gradient, objective(&choices, &down).gradient);
            for other in 0..FEATURES {
                let curvature = (up[other] - down[other]) / (2.0 * STEP);
                let got = here.hessian.at(feature, other);
                assert!((got - curvature).abs() < 1e-9, "{feature}, {other}: {got} {curvature}");
            }
        }
    }

    #[test]
    fn the_fit_is_the_minimum_and_what_never_occurs_has_no_weight() {
        let choices = choices();
        let model = LogLinear::fit(&choices, FEATURES);
        let gradient = objective(&choices, &model.weights).gradient;
        assert!(gradient.iter().all(|slope| slope.abs() < 1e-5), "{gradient:?}");
        assert_eq!((model.fitted, model.weights[3]), (3, 0.0));
        let uniform = objective_value(&choices, &[0.0; FEATURES]);
        assert!(model.loss < uniform, "{} {uniform}", model.loss);
        assert_eq!(LogLinear::fit(&choices, FEATURES), model);
    }

    #[test]
    fn shares_that_the_data_fix_are_found() {
        // One feature, present in one of two moves that is chosen in three of four cases: its weight is ln 3.
        let mut choices = Choices::default();
        choices.push_moves([(&[0][..], 0.75), (&[][..], 0.25)]);
        let model = LogLinear::fit(&choices, 1);
        assert!((model.weights[0] - 3.0_f64.ln()).abs() < 1e-2, "{model:?}");
    }
}
