//! The policy heads: the moves of the data, and the same at a high temperature.

use super::from_to::FromToLogits;
use super::{Head, Output};
use crate::config::ChessformerConfig;
use crate::macs::HeadMacs;
use encodings::Tokens;
use games::FromTo;
use nn::{Activation, Init, LayoutBuilder, Linear, Part, Views};
use tch::Tensor;

/// The attention policy and its soft companion, which has queries, keys, promotions and drops of its own and shares the
/// embedding (Lc0's training code, `tf/tfprocess.py`, `policy_heads`).
#[derive(Debug)]
pub(super) struct PolicyHeads {
    embedding: Linear,
    vanilla: Option<FromToLogits>,
    soft: Option<FromToLogits>,
    activation: Activation,
    squares: u64,
}

impl PolicyHeads {
    pub(super) fn declare(
        builder: &mut LayoutBuilder,
        config: &ChessformerConfig,
        tokens: &Tokens,
        moves: &FromTo,
    ) -> Self {
        let (d, e) = (config.width as i64, config.policy_embedding() as i64);
        let outputs = &config.outputs;
        let mut policy = builder.scope("policy", Part::Head);
        let embedding = Linear::declare(&mut policy.sub("embedding"), d, e, Init::glorot_normal(d, e, 1.0), true);
        let vanilla =
            outputs.policy.map(|_| FromToLogits::declare(&mut policy, config.policy_depth(), config, tokens, moves));
        let soft = outputs.soft_policy.map(|soft| {
            let depth = soft.depth.unwrap_or(config.policy_depth());
            FromToLogits::declare(&mut builder.scope("soft_policy", Part::Head), depth, config, tokens, moves)
        });
        Self { embedding, vanilla, soft, activation: config.activation, squares: tokens.geometry().squares() as u64 }
    }

    /// The costs of a head, that of the embedding with the first one.
    fn cost(&self, name: &'static str, logits: &FromToLogits, first: bool) -> HeadMacs {
        let embedding = if first { self.squares * self.embedding.macs() } else { 0 };
        let weights = embedding + logits.weight_macs(self.embedding.macs());
        HeadMacs { name, macs: weights + logits.product_macs(), weights }
    }
}

impl Head for PolicyHeads {
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let embedded = self.activation.apply(&self.embedding.forward(views, x_bld));
        output.policy_bv = self.vanilla.as_ref().map(|logits| logits.forward(views, &embedded));
        output.soft_policy_bv = self.soft.as_ref().map(|logits| logits.forward(views, &embedded));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let vanilla = self.vanilla.as_ref().map(|logits| self.cost("policy", logits, true));
        let soft = self.soft.as_ref().map(|logits| self.cost("soft_policy", logits, self.vanilla.is_none()));
        vanilla.into_iter().chain(soft).collect()
    }

    fn position_sources(&self) -> Vec<&'static str> {
        let mut sources = vec!["policy vocabulary (only structurally possible moves)"];
        if [&self.vanilla, &self.soft].into_iter().flatten().any(FromToLogits::promotes) {
            sources.push("promotion logits (only where pieces promote)");
        }
        sources
    }

    fn paper_macs_per_square(&self) -> u64 {
        self.vanilla.as_ref().map_or(0, |logits| self.embedding.macs() + logits.weight_macs_per_square())
    }
}
