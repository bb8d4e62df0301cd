//! The moves-left head.

use super::head::{HeadDeclaration, Need, always};
use super::output::Reading;
use super::pooled::VectorForm;
use super::visit::Visit;
use crate::config::{MovesLeft, ValueConfig};
use crate::loss::examples::Column;
use crate::loss::{known, moves_left_rows};
use facts::HeadName;
use facts::heads::moves_left::{ERROR, LOSS};
use tch::Kind;

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::MovesLeft],
    needs: &[Need::Ends],
    asked: always,
    evaluate,
    declare: |at| {
        let MovesLeft { embedding, hidden } = at.config.outputs.moves_left?;
        let sizes = ValueConfig { embedding, hidden, ..at.config.value };
        Some(at.vector_head(sizes, FORM))
    },
};

fn evaluate(visit: &mut Visit<'_>) {
    let (Some(moves_b), target_b) = (visit.output.get(HeadName::MovesLeft), visit.examples.get(Column::MovesLeft))
    else {
        return;
    };
    visit.loss(&LOSS, || moves_left_rows(moves_b, target_b));
    visit.value(&ERROR, || (moves_b - target_b).abs().where_self(&known(target_b), &moves_b.zeros_like()));
}

/// How many moves the game will still last, never below 0 (Lc0's training code, `tf/tfprocess.py`, `moves_left`).
///
/// The squares become one vector as in the value heads, so `value: {pool: mean}` takes this source of position away too.
pub(crate) const FORM: VectorForm = VectorForm {
    head: HeadName::MovesLeft,
    scope: "moves_left",
    layer: ("out", 1),
    answer: |moves_b1| moves_b1.squeeze_dim(1).to_kind(Kind::Float).relu(),
    reading: Reading::Number,
    source: "moves-left head (squares flattened)",
};
