//! The heads of win, draw and loss.

use super::head::{DeclaredHead, HeadContext, HeadDeclaration, Need, always};
use super::output::Reading;
use super::pooled::VectorForm;
use super::visit::Visit;
use crate::loss::examples::Column;
use crate::loss::{
    result_share_rows, value_cross_entropy_rows, value_share_rows, value_shares, value_shares_present,
    wdl_cross_entropy_rows,
};
use facts::HeadName;
use tch::Tensor;

pub(super) const LOGITS: HeadDeclaration = of_outcome(
    |visit| evaluate(visit, HeadName::Result, wdl_cross_entropy_rows),
    |at| at.config.outputs.result.map(|_| declare(at, LOGITS_FORM)),
);

pub(super) const SHARES: HeadDeclaration = of_outcome(
    |visit| evaluate(visit, HeadName::ResultShares, result_share_rows),
    |at| at.config.outputs.result_shares.map(|_| declare(at, SHARES_FORM)),
);

pub(super) const VALUE_LOGITS: HeadDeclaration = of_value(
    |visit| evaluate_value(visit, HeadName::ValueResult, value_cross_entropy_rows),
    |at| at.config.outputs.value_result.map(|_| declare(at, VALUE_LOGITS_FORM)),
);

pub(super) const VALUE_SHARES: HeadDeclaration = of_value(
    |visit| evaluate_value(visit, HeadName::ValueShares, value_share_rows),
    |at| at.config.outputs.value_shares.map(|_| declare(at, VALUE_SHARES_FORM)),
);

const fn of_outcome(
    evaluate: fn(&mut Visit<'_>),
    declare: fn(&mut HeadContext<'_>) -> Option<DeclaredHead>,
) -> HeadDeclaration {
    HeadDeclaration { columns: &[Column::Outcome], needs: &[Need::Results], asked: always, evaluate, declare }
}

const fn of_value(
    evaluate: fn(&mut Visit<'_>),
    declare: fn(&mut HeadContext<'_>) -> Option<DeclaredHead>,
) -> HeadDeclaration {
    let (columns, needs) = (&[Column::Value, Column::Draw], &[Need::Values, Need::Draws]);
    HeadDeclaration { columns, needs, asked: always, evaluate, declare }
}

fn declare(at: &mut HeadContext<'_>, form: VectorForm) -> DeclaredHead {
    at.vector_head(at.config.value, form)
}

/// The head's only loss, and its accuracy, which is its first metric.
fn evaluate(visit: &mut Visit<'_>, head: HeadName, rows: fn(&Tensor, &Tensor) -> Tensor) {
    let ([loss], [accuracy, ..]) = (head.measures().losses, head.measures().metrics) else { return };
    let (Some(wdl_b3), outcome_b) = (visit.output.get(head), visit.examples.get(Column::Outcome)) else { return };
    visit.loss(loss, || rows(wdl_b3, outcome_b));
    visit.value(accuracy, || wdl_b3.argmax(-1, false).eq_tensor(outcome_b));
}

fn evaluate_value(visit: &mut Visit<'_>, head: HeadName, rows: fn(&Tensor, &Tensor, &Tensor) -> Tensor) {
    let ([loss], [accuracy, ..]) = (head.measures().losses, head.measures().metrics) else { return };
    let Some(wdl_b3) = visit.output.get(head) else { return };
    let (value_b, draw_b) = (visit.examples.get(Column::Value), visit.examples.get(Column::Draw));
    visit.loss(loss, || rows(wdl_b3, value_b, draw_b));
    visit.value(accuracy, || {
        let is_largest = wdl_b3.argmax(-1, false).eq_tensor(&value_shares(value_b, draw_b).argmax(-1, false));
        is_largest.logical_and(&value_shares_present(value_b, draw_b))
    });
}

/// Logits: the winner output of the value head of Lc0's training code (`tf/tfprocess.py`, `value_head`).
pub(crate) const LOGITS_FORM: VectorForm =
    form(HeadName::Result, "value", Reading::Result, "value head (squares flattened)");

/// Shares as they are, without a softmax: ChessDecoder's value head.
const SHARES_FORM: VectorForm = form(
    HeadName::ResultShares,
    HeadName::ResultShares.name(),
    Reading::Shares,
    "result shares head (squares flattened)",
);

/// Logits whose target is the position's value and probability of a draw.
const VALUE_LOGITS_FORM: VectorForm =
    form(HeadName::ValueResult, HeadName::ValueResult.name(), Reading::Result, "value result head (squares flattened)");

/// Plain numbers whose target is that of [`VALUE_LOGITS_FORM`].
const VALUE_SHARES_FORM: VectorForm =
    form(HeadName::ValueShares, HeadName::ValueShares.name(), Reading::Shares, "value shares head (squares flattened)");

/// Three numbers from the pooled board.
const fn form(head: HeadName, scope: &'static str, reading: Reading, source: &'static str) -> VectorForm {
    VectorForm { head, scope, layer: ("wdl", 3), answer: std::convert::identity, reading, source }
}
