//! The head of the rights that the move played leaves.

use super::head::{Head, HeadDeclaration, Need, always};
use super::output::{Output, Reading};
use super::pooled::Summary;
use super::visit::Visit;
use crate::config::{InitKind, RightsOptions};
use crate::layers::dense;
use crate::loss::examples::Column;
use crate::loss::{Targets, rights_hit_rows, rights_rows};
use crate::macs::HeadMacs;
use facts::HeadName;
use facts::heads::rights::{ACCURACY, LOSS};
use nn::{Linear, Views};
use tch::Tensor;

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::Rights],
    needs: &[Need::Rights],
    asked: always,
    evaluate,
    declare: |at| {
        let bits = at.config.outputs.rights?.bits as i64;
        Some(at.in_scope("rights", |scope, config, tokens| RightsHead {
            summary: Summary::of(tokens),
            dense: dense(scope, "bits", [config.width as i64, bits], InitKind::Glorot),
        }))
    },
};

fn evaluate(visit: &mut Visit<'_>) {
    let bits = visit.outputs.rights.and_then(RightsOptions::columns);
    let (Some(logits_bn), Some(bits)) = (visit.output.get(HeadName::Rights), bits) else { return };
    let targets = Targets::rights(visit.examples.get(Column::Rights), &bits);
    visit.loss(&LOSS, || rights_rows(logits_bn, &targets));
    visit.value(&ACCURACY, || rights_hit_rows(logits_bn, &targets));
}

/// One dense layer from the summary token to a logit for each right of castling and en passant after the move that is
/// played (Heshtin/Chess-Transformer, "fc3" of its text; no code of it was published).
#[derive(Debug)]
struct RightsHead {
    summary: Summary,
    dense: Linear,
}

impl Head for RightsHead {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        output.set(HeadName::Rights, Reading::Bits, self.dense.forward(views, &self.summary.read(x_bld)));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("rights", self.dense.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        // One number for each file, without information about squares.
        Vec::new()
    }
}
