//! The policy over a list of moves.

use super::head::Head;
use super::output::{Output, Reading};
use super::pooled::Summary;
use crate::config::{ChessformerConfig, InitKind};
use crate::layers::dense;
use crate::macs::HeadMacs;
use encodings::Tokens;
use facts::HeadName;
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
    policies: Vec<(HeadName, Linear)>,
}

impl TokenPolicyHeads {
    pub(super) fn declare(
        builder: &mut LayoutBuilder,
        config: &ChessformerConfig,
        tokens: &Tokens,
        moves: usize,
    ) -> Self {
        let policies = config.outputs.declare_policies(|head| {
            let scope = &mut builder.scope(head.name(), Part::Head);
            dense(scope, "moves", [config.width as i64, moves as i64], InitKind::Glorot)
        });
        Self { summary: Summary::of(tokens), policies }
    }
}

impl Head for TokenPolicyHeads {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let x_bd = self.summary.read(x_bld);
        for (head, logits) in &self.policies {
            output.set(*head, Reading::Policy, logits.forward(views, &x_bd));
        }
    }

    fn macs(&self) -> Vec<HeadMacs> {
        self.policies.iter().map(|(head, logits)| HeadMacs::of_weights(head.name(), logits.macs())).collect()
    }

    fn position_sources(&self) -> Vec<&'static str> {
        vec!["policy (a weight for each move)"]
    }
}
