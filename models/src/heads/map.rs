//! What the heads of maps share: their loss and how they are measured.

use super::{HeadDeclaration, HeadName, Need, always};
use crate::examples::Column;
use crate::loss::MapTargets;
use crate::measure::Visit;
use facts::heads::map::{ACCURACY, LOSS, RECALL, SPECIFICITY};
use tch::Tensor;

/// The declaration of a head that learns maps of one shape.
pub(super) const fn declaration(needs: &'static [Need], evaluate: fn(&mut Visit<'_>)) -> HeadDeclaration {
    HeadDeclaration { columns: &[Column::Map], needs, asked: always, evaluate }
}

/// Measures the answer of a head to a map of `cells`: by its losses `[b,cells]` and its likeliest labels `[b,cells]`, i64.
pub(super) fn evaluate(
    visit: &mut Visit<'_>,
    head: HeadName,
    cells: fn(&Tensor) -> i64,
    losses: fn(&Tensor, &MapTargets) -> Tensor,
    answers: fn(&Tensor) -> Tensor,
) {
    let Some(logits) = visit.output.get(head) else { return };
    let targets = visit.examples.map(cells(logits));
    visit.loss(&LOSS, || losses(logits, &targets));
    let MapTargets { label_bc, present_bc } = &targets;
    let right = || answers(logits).eq_tensor(label_bc).logical_and(present_bc);
    visit.value(&ACCURACY, right);
    visit.value(&RECALL, || right().logical_and(&label_bc.gt(0)));
    visit.value(&SPECIFICITY, || right().logical_and(&label_bc.eq(0)));
}
