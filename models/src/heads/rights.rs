//! The head of the rights that the move played leaves.

use super::pooled::dense;
use super::summary::Summary;
use super::{Head, HeadDeclaration, HeadName, Need, Output, Reading, always};
use crate::config::ChessformerConfig;
use crate::examples::Column;
use crate::loss::{rights_hit_rows, rights_rows};
use crate::macs::HeadMacs;
use crate::measure::Visit;
use crate::start::InitKind;
use encodings::Tokens;
use facts::heads::rights::{ACCURACY, LOSS};
use nn::{Linear, Scope, Views};
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// The rights of castling and en passant behind the move that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RightsOptions {
    /// 13: four castling rights, whether en passant is possible, and on which file. 11, which the same text says elsewhere
    /// without saying which: those without the other player's castling rights, which a move seldom changes.
    pub bits: usize,
}

impl Default for RightsOptions {
    fn default() -> Self {
        Self { bits: 13 }
    }
}

impl RightsOptions {
    /// Which of the thirteen rights there are; `None` if there is no such choice.
    pub fn columns(self) -> Option<Vec<i64>> {
        match self.bits {
            13 => Some((0..13).collect()),
            11 => Some((0..13).filter(|&bit| bit != 2 && bit != 3).collect()),
            _ => None,
        }
    }
}

pub(super) const DECLARATION: HeadDeclaration =
    HeadDeclaration { columns: &[Column::Rights], needs: &[Need::Rights], asked: always, evaluate };

fn evaluate(visit: &mut Visit<'_>) {
    let bits = visit.outputs().rights.and_then(RightsOptions::columns);
    let (Some(logits_bn), Some(bits)) = (visit.output.get(HeadName::Rights), bits) else { return };
    let targets = visit.examples.rights(&bits);
    visit.loss(&LOSS, || rights_rows(logits_bn, &targets));
    visit.value(&ACCURACY, || rights_hit_rows(logits_bn, &targets));
}

/// One dense layer from the summary token to a logit for each right of castling and en passant behind the move that is
/// played (Heshtin/Chess-Transformer, "fc3" of its text; no code of it was published).
#[derive(Debug)]
pub(super) struct RightsHead {
    summary: Summary,
    dense: Linear,
}

impl RightsHead {
    pub(super) fn declare(
        scope: &mut Scope<'_>,
        options: RightsOptions,
        config: &ChessformerConfig,
        tokens: &Tokens,
    ) -> Self {
        let dense = dense(scope, "bits", [config.width as i64, options.bits as i64], InitKind::Glorot);
        Self { summary: Summary::of(tokens), dense }
    }
}

impl Head for RightsHead {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        output.set(HeadName::Rights, Reading::Bits, self.dense.forward(views, &self.summary.read(x_bld)));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("rights", self.dense.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        // One number for each file; which squares these are, nothing tells it.
        Vec::new()
    }
}
