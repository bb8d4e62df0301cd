//! The head of one number: how likely the side to move wins.

use super::head::{HeadDeclaration, Need, always};
use super::output::Reading;
use super::pooled::VectorForm;
use super::visit::Visit;
use crate::loss::examples::{Column, DRAWN};
use crate::loss::{win_rate_entropy_rows, win_rate_rows};
use facts::HeadName;
use facts::heads::win_rate::{ACCURACY, DRAWS_WON, ENTROPY, RESULT_LOSS, VALUE_LOSS};

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::Points, Column::Value],
    needs: &[Need::Results, Need::Values],
    asked: always,
    evaluate,
    declare: |at| at.config.outputs.win_rate.map(|_| at.vector_head(at.config.value, FORM)),
};

/// As dlshogi's training prints it, and without its counting of draws.
fn evaluate(visit: &mut Visit<'_>) {
    let Some(logit_b) = visit.output.get(HeadName::WinRate) else { return };
    let (points_b, value_b) = (visit.examples.get(Column::Points), visit.examples.get(Column::Value));
    visit.loss(&RESULT_LOSS, || win_rate_rows(logit_b, points_b));
    visit.loss(&VALUE_LOSS, || win_rate_rows(logit_b, value_b));
    // Unknown points are no half, and count in neither metric.
    let hit = || logit_b.ge(0).eq_tensor(&points_b.ge(DRAWN));
    visit.value(&ACCURACY, hit);
    visit.value(&DRAWS_WON, hit);
    visit.value(&ENTROPY, || win_rate_entropy_rows(logit_b));
}

/// One logit from the pooled board, whose sigmoid is the share of points that the side to move gets: dlshogi's value head
/// (`dlshogi/network` in TadaoYamaoka/DeepLearningShogi), which takes the sigmoid into its losses.
pub(crate) const FORM: VectorForm = VectorForm {
    head: HeadName::WinRate,
    scope: "win_rate",
    layer: ("logit", 1),
    answer: |logit_b1| logit_b1.squeeze_dim(1),
    reading: Reading::WinRate,
    source: "win-rate head (squares flattened)",
};
