//! Networks that learn one batch by heart, and single steps of optimisers.

use super::{fraction, initialise, mixed, packed, policy_of, stirred};
use models::loss::{PolicyTargets, policy_cross_entropy_rows, policy_log_probs};
use models::optimizer::NadamConfig;
use models::{GameSpec, Network, Optimizer, OptimizerConfig, Output, Schedule, clip_global_norm};
use nn::{Arena, Layout, ParamSpec, Views};
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

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

/// Numbers between −½ and ½ as a gradient, other ones from another place on.
pub(crate) fn gradient_from(layout: &Layout, first: u64) -> Tensor {
    Tensor::from_slice(&(0..layout.len() as u64).map(|i| fraction(i + first) - 0.5).collect::<Vec<f32>>())
}

/// Stirred weights before and after a step of an optimiser for each of these gradients.
pub(crate) fn stepped(
    config: &OptimizerConfig,
    layout: &Arc<Layout>,
    gradients: impl IntoIterator<Item = Tensor>,
    rate: f64,
) -> [Vec<f32>; 2] {
    let arena = stirred(layout);
    let before = arena.values().expect("the CPU's values can be read");
    let mut optimizer = Optimizer::new(config.clone(), layout, Device::Cpu).expect("a valid configuration");
    for gradient in gradients {
        optimizer.step(&mut arena.flat(), &gradient, rate).expect("memory suffices");
    }
    [before, arena.values().expect("the CPU's values can be read")]
}

/// Checks that a step at a rate of 0.1 without gradient takes this share off each weight.
pub(crate) fn assert_shrinks(config: &OptimizerConfig, layout: &Arc<Layout>, share: impl Fn(&ParamSpec) -> f64) {
    let still = Tensor::zeros([layout.len() as i64], (Kind::Float, Device::Cpu));
    let [before, after] = stepped(config, layout, [still], 0.1);
    for param in layout.params() {
        for i in param.elements() {
            let expected = (1.0 - share(param)) * f64::from(before[i]);
            assert!((f64::from(after[i]) - expected).abs() < 1e-6, "{}: {} → {}", param.name, before[i], after[i]);
        }
    }
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
    spec: &GameSpec,
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
