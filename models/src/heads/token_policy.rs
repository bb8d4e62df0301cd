//! The policy over a list of moves.

use super::head::Head;
use super::output::Output;
use super::pooled::Summary;
use crate::config::{ChessformerConfig, InitKind};
use crate::layers::dense;
use crate::macs::HeadMacs;
use encodings::Tokens;
use nn::{LayoutBuilder, Linear, Part, Views};
use tch::Tensor;

/// A logit for each move by a dense layer from the summary token, or from the mean of the squares where there is none, and
/// an optional soft companion with its own weights.
///
/// Reference: maxlegrec1/ChessDecoder `encoder.py` (`policy_head` on `start_pos`), Sid3024/Chess-AI (on its summary token);
/// deviation: weights start from Glorot's normal initialiser and biases at zero, as those of the other heads.
#[derive(Debug)]
pub(super) struct TokenPolicyHeads {
    summary: Summary,
    vanilla: Option<Linear>,
    soft: Option<Linear>,
}

impl TokenPolicyHeads {
    pub(super) fn declare(
        builder: &mut LayoutBuilder,
        config: &ChessformerConfig,
        tokens: &Tokens,
        moves: usize,
    ) -> Self {
        let mut logits = |name: &str| {
            let scope = &mut builder.scope(name, Part::Head);
            dense(scope, "moves", [config.width as i64, moves as i64], InitKind::Glorot)
        };
        let vanilla = config.outputs.policy.map(|_| logits("policy"));
        let soft = config.outputs.soft_policy.map(|_| logits("soft_policy"));
        Self { summary: Summary::of(tokens), vanilla, soft }
    }
}

impl Head for TokenPolicyHeads {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let x_bd = self.summary.read(x_bld);
        output.set_policies(self.vanilla.as_ref(), self.soft.as_ref(), |logits| logits.forward(views, &x_bd));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        HeadMacs::of_policies(self.vanilla.as_ref().map(Linear::macs), self.soft.as_ref().map(Linear::macs))
    }

    fn position_sources(&self) -> Vec<&'static str> {
        vec!["policy (a weight for each move)"]
    }
}
