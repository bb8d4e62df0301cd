//! The heads of one number: the moves that the game will still last, and how likely the side to move wins.

use super::head::{HeadDeclaration, Need, always};
use super::output::Reading;
use super::pooled::VectorForm;
use super::visit::Visit;
use crate::config::{MovesLeft, ValueConfig};
use crate::loss::examples::{Column, DRAWN};
use crate::loss::{known, moves_left_rows, win_rate_entropy_rows, win_rate_rows};
use facts::HeadName;
use facts::heads::{moves_left, win_rate};
use tch::Kind;

pub(super) const MOVES_LEFT: HeadDeclaration = HeadDeclaration {
    columns: &[Column::MovesLeft],
    needs: &[Need::Ends],
    asked: always,
    evaluate: evaluate_moves_left,
    declare: |at| {
        let MovesLeft { embedding, hidden } = at.config.outputs.moves_left?;
        let sizes = ValueConfig { embedding, hidden, ..at.config.value };
        Some(at.vector_head(sizes, MOVES_LEFT_FORM))
    },
};

fn evaluate_moves_left(visit: &mut Visit<'_>) {
    let (Some(moves_b), target_b) = (visit.output.get(HeadName::MovesLeft), visit.examples.get(Column::MovesLeft))
    else {
        return;
    };
    visit.loss(&moves_left::LOSS, || moves_left_rows(moves_b, target_b));
    visit.value(&moves_left::ERROR, || (moves_b - target_b).abs().where_self(&known(target_b), &moves_b.zeros_like()));
}

/// How many moves the game will still last, never below 0 (Lc0's training code, `tf/tfprocess.py`, `moves_left`).
///
/// The squares become one vector as in the value heads, so `value: {pool: mean}` takes this source of position away too.
pub(crate) const MOVES_LEFT_FORM: VectorForm = VectorForm {
    head: HeadName::MovesLeft,
    scope: "moves_left",
    layer: ("out", 1),
    answer: |moves_b1| moves_b1.squeeze_dim(1).to_kind(Kind::Float).relu(),
    reading: Reading::Number,
    source: "moves-left head (squares flattened)",
};

pub(super) const WIN_RATE: HeadDeclaration = HeadDeclaration {
    columns: &[Column::Points, Column::Value],
    needs: &[Need::Results, Need::Values],
    asked: always,
    evaluate: evaluate_win_rate,
    declare: |at| at.config.outputs.win_rate.map(|_| at.vector_head(at.config.value, WIN_RATE_FORM)),
};

/// As dlshogi's training prints it, and without its counting of draws.
fn evaluate_win_rate(visit: &mut Visit<'_>) {
    let Some(logit_b) = visit.output.get(HeadName::WinRate) else { return };
    let (points_b, value_b) = (visit.examples.get(Column::Points), visit.examples.get(Column::Value));
    visit.loss(&win_rate::RESULT_LOSS, || win_rate_rows(logit_b, points_b));
    visit.loss(&win_rate::VALUE_LOSS, || win_rate_rows(logit_b, value_b));
    // Unknown points are no half, and count in neither metric.
    let hit = || logit_b.ge(0).eq_tensor(&points_b.ge(DRAWN));
    visit.value(&win_rate::ACCURACY, hit);
    visit.value(&win_rate::DRAWS_WON, hit);
    visit.value(&win_rate::ENTROPY, || win_rate_entropy_rows(logit_b));
}

/// One logit from the pooled board, whose sigmoid is the share of points that the side to move gets: dlshogi's value head
/// (`dlshogi/network` in TadaoYamaoka/DeepLearningShogi), which takes the sigmoid into its losses.
pub(crate) const WIN_RATE_FORM: VectorForm = VectorForm {
    head: HeadName::WinRate,
    scope: "win_rate",
    layer: ("logit", 1),
    answer: |logit_b1| logit_b1.squeeze_dim(1),
    reading: Reading::WinRate,
    source: "win-rate head (squares flattened)",
};
