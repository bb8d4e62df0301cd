//! The head of maps with a label for each square.

use super::config::PerSquare;
use super::{Head, Output};
use crate::config::ChessformerConfig;
use crate::macs::HeadMacs;
use encodings::Tokens;
use nn::{Init, Linear, Scope, Views};
use tch::Tensor;

/// One dense layer from a square's token to the logits of its label, the same for every square: whatever it says about a
/// place, the trunk must have put into the token.
#[derive(Debug)]
pub(super) struct PerSquareHead {
    dense: Linear,
    squares: i64,
}

impl PerSquareHead {
    pub(super) fn declare(
        scope: &mut Scope<'_>,
        options: PerSquare,
        config: &ChessformerConfig,
        tokens: &Tokens,
    ) -> Self {
        let (d, classes) = (config.width as i64, options.classes as i64);
        let dense = Linear::declare(scope, d, classes, Init::glorot_normal(d, classes, 1.0), true);
        Self { dense, squares: tokens.geometry().squares() as i64 }
    }
}

impl Head for PerSquareHead {
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        output.squares_bnc = Some(self.dense.forward(views, &x_bld.narrow(1, 0, self.squares)));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("per_square", self.squares as u64 * self.dense.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
