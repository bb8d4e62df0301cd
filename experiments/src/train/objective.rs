//! What a step minimises, and what its line says.

use super::tensors::Tensors;
use crate::config::{LossWeights, Mask};
use models::loss::{Sum, policy_cross_entropy, wdl_cross_entropy};
use models::{Network, Output};
use nn::Views;
use tch::Tensor;

/// The losses of one batch, scalars on the device.
#[derive(Debug)]
pub(super) struct Losses {
    /// The weighted sum, through which gradients flow.
    pub(super) objective: Tensor,
    /// Policy cross-entropy as evaluations measure it.
    pub(super) policy: Tensor,
    /// Win/draw/loss cross-entropy.
    pub(super) value: Tensor,
}

/// How the losses of a run are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Objective {
    pub(super) mask: Mask,
    pub(super) weights: LossWeights,
    /// Size of the vocabulary.
    pub(super) moves: usize,
}

impl Objective {
    /// Runs the network on a batch.
    pub(super) fn losses(&self, network: &Network, views: &Views, batch: &Tensors) -> Losses {
        let Output { policy_bv, wdl_b3 } = network.forward(views, &batch.packed);
        let value = wdl_cross_entropy(&wdl_b3, &batch.outcome).mean();
        let trained = self.policy(&policy_bv, batch, self.mask == Mask::Train);
        let objective = &trained * self.weights.policy + &value * self.weights.value;
        // Masked in evaluations only: the line shows what evaluations will, so that the two can be compared.
        let policy = match self.mask {
            Mask::Eval => tch::no_grad(|| self.policy(&policy_bv.detach(), batch, true)),
            Mask::Train | Mask::None => trained.detach(),
        };
        Losses { objective, policy, value: value.detach() }
    }

    fn policy(&self, policy_bv: &Tensor, batch: &Tensors, masked: bool) -> Tensor {
        let legal = masked.then(|| batch.legal(self.moves));
        let sum: Sum = policy_cross_entropy(policy_bv, legal.as_ref(), batch.targets());
        sum.mean()
    }
}
