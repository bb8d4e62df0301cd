//! The win/draw/loss head.

use super::pooled::Pooled;
use super::{Head, Output};
use crate::config::ChessformerConfig;
use crate::macs::HeadMacs;
use encodings::Tokens;
use nn::{Linear, Scope, Views};
use tch::Tensor;

/// Three logits from the pooled board: the winner output of the value head of Lc0's training code (`tf/tfprocess.py`,
/// `value_head`).
#[derive(Debug)]
pub(super) struct ResultHead {
    pooled: Pooled,
    wdl: Linear,
}

impl ResultHead {
    pub(super) fn declare(scope: &mut Scope<'_>, config: &ChessformerConfig, tokens: &Tokens) -> Self {
        let pooled = Pooled::declare(scope, config.value_sizes(), tokens);
        let wdl = pooled.output(scope, "wdl", 3);
        Self { pooled, wdl }
    }
}

impl Head for ResultHead {
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        output.wdl_b3 = Some(self.wdl.forward(views, &self.pooled.forward(views, x_bld)));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("value", self.pooled.macs() + self.wdl.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources("value head (squares flattened)")
    }
}
