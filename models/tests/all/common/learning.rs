//! One batch learnt by heart.

use super::{initialise, mixed, packed, policy_of};
use models::loss::{PolicyTargets, policy_cross_entropy_rows, policy_log_probs};
use models::optimizer::NadamConfig;
use models::{Network, Optimizer, OptimizerConfig, Output, Spec};
use nn::{Layout, Views};
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

pub(crate) const MEMORISED: usize = 6;

/// Trains a network with running statistics for `steps` steps on one batch, with a move as each row's policy and what
/// `value` makes of an output beside it; the means of both losses at the end, in training and outside.
pub(crate) fn memorise(
    network: &Network,
    layout: &Arc<Layout>,
    spec: &Spec,
    steps: usize,
    value: impl Fn(&Output) -> Tensor,
) -> ([f64; 2], [f64; 2]) {
    let mut arena = initialise(layout, 1);
    let nadam = OptimizerConfig::Nadam(NadamConfig::default());
    let mut optimizer = Optimizer::new(nadam, layout, Device::Cpu).expect("a valid configuration");
    let packed = packed(spec, MEMORISED);
    let index: Vec<i64> = (0..MEMORISED).map(|i| (mixed(i as u64) as usize % spec.moves.len()) as i64).collect();
    let index = Tensor::from_slice(&index).view([MEMORISED as i64, 1]);
    let prob = Tensor::ones([MEMORISED as i64, 1], (Kind::Float, Device::Cpu));
    let losses = |views: &Views| {
        let output = network.forward(views, &packed);
        let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
        let policy = policy_cross_entropy_rows(&policy_log_probs(policy_of(&output), None), targets);
        [policy.mean(Kind::Float), value(&output).mean(Kind::Float)]
    };
    let mut last = [f64::NAN; 2];
    for _ in 0..steps {
        let views = arena.views().for_training();
        let [policy, value] = losses(&views);
        last = [policy.double_value(&[]), value.double_value(&[])];
        let gradient = arena.gradient(&(policy + value)).expect("a gradient");
        optimizer.step(&mut arena.flat(), &gradient, 3e-3).expect("memory");
        arena.update_statistics(&views.into_observed()).expect("memory");
    }
    (last, losses(&arena.frozen_views()).map(|loss| loss.double_value(&[])))
}
