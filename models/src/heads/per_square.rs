//! The head of maps with a label for each square.

use super::{Head, HeadDeclaration, HeadName, Need, Output, Reading, map};
use crate::config::ChessformerConfig;
use crate::loss::{square_map_answer, square_map_cells};
use crate::macs::HeadMacs;
use crate::measure::Visit;
use encodings::Tokens;
use nn::{Init, Linear, Scope, Views};
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// A label for each square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerSquare {
    /// How many labels there are, as the dataset says.
    pub classes: usize,
}

pub(super) const DECLARATION: HeadDeclaration = map::declaration(&[Need::SquareMap], evaluate);

fn evaluate(visit: &mut Visit<'_>) {
    map::evaluate(visit, HeadName::PerSquare, |logits| logits.size()[1], square_map_cells, square_map_answer);
}

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
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let logits_bnc = self.dense.forward(views, &x_bld.narrow(1, 0, self.squares));
        output.set(HeadName::PerSquare, Reading::Labels, logits_bnc);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("per_square", self.squares as u64 * self.dense.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
