//! Networks that learn one batch by heart.

use super::{initialise, mixed, packed, policy_of};
use models::loss::{PolicyTargets, policy_cross_entropy_rows, policy_log_probs};
use models::optimizer::NadamConfig;
use models::{Network, Optimizer, OptimizerConfig, Output, Schedule, Spec, clip_global_norm};
use nn::{Arena, Layout, Views};
use std::sync::Arc;
use tch::{Kind, Tensor};

pub(crate) const BATCH: usize = 6;

pub(crate) fn nadam() -> OptimizerConfig {
    OptimizerConfig::Nadam(NadamConfig::default())
}

pub(crate) fn constant(rate: f64) -> Schedule {
    Schedule::new(0, vec![rate], Vec::new()).expect("a valid schedule")
}

/// A move for each row as its policy: its index and its probability of one, `[rows, 1]`.
pub(crate) fn one_move_each(moves: usize, rows: usize) -> [Tensor; 2] {
    let index: Vec<i64> = (0..rows as u64).map(|row| i64::from(mixed(row)) % moves as i64).collect();
    let index = Tensor::from_slice(&index).unsqueeze(1);
    let prob = index.ones_like().to_kind(Kind::Float);
    [index, prob]
}

/// Steps down the sum of these losses, statistics followed; each loss before the last step.
pub(crate) fn minimise(
    arena: &mut Arena,
    optimizer: OptimizerConfig,
    clip: Option<f64>,
    steps: u64,
    rates: &Schedule,
    losses: impl Fn(&Views) -> Vec<Tensor>,
) -> Vec<f64> {
    let mut optimizer = Optimizer::new(optimizer, arena.layout(), arena.device()).expect("a valid configuration");
    let mut last = Vec::new();
    for step in 0..steps {
        let views = arena.views().for_training();
        let losses = losses(&views);
        last = losses.iter().map(|loss| loss.double_value(&[])).collect();
        let sum = losses.into_iter().reduce(|sum, loss| sum + loss).expect("a loss");
        let mut gradient = arena.gradient(&sum).expect("the loss depends on the parameters");
        clip_global_norm(&mut gradient, clip).expect("memory suffices");
        optimizer.step(&mut arena.flat(), &gradient, rates.at(step)).expect("memory suffices");
        arena.update_statistics(&views.into_observed()).expect("memory suffices");
    }
    last
}

/// Trains a network with running statistics for `steps` steps on one batch, with a move as each row's policy and what
/// `value` makes of an output beside it; the means of both losses at the end, in training and outside.
pub(crate) fn memorise(
    network: &Network,
    layout: &Arc<Layout>,
    spec: &Spec,
    steps: u64,
    value: impl Fn(&Output) -> Tensor,
) -> [Vec<f64>; 2] {
    let mut arena = initialise(layout, 1);
    let (packed, [index, prob]) = (packed(spec, BATCH), one_move_each(spec.moves.len(), BATCH));
    let losses = |views: &Views| {
        let output = network.forward(views, &packed);
        let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
        let policy = policy_cross_entropy_rows(&policy_log_probs(policy_of(&output), None), targets);
        vec![policy.mean(Kind::Float), value(&output).mean(Kind::Float)]
    };
    let training = minimise(&mut arena, nadam(), None, steps, &constant(3e-3), losses);
    let outside = losses(&arena.frozen_views()).iter().map(|loss| loss.double_value(&[])).collect();
    [training, outside]
}
