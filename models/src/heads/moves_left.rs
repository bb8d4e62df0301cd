//! The moves-left head.

use super::head::{Head, HeadDeclaration, Need};
use super::output::{Output, Reading};
use super::pooled::BoardVector;
use super::visit::Visit;
use crate::config::{HeadName, MovesLeft, PooledSizes};
use crate::loss::examples::{Column, Target};
use crate::loss::metric::{Direction, Loss, Metric, loss};
use crate::loss::{moves_left_present, moves_left_rows};
use crate::macs::HeadMacs;
use nn::{Linear, Scope, Views};
use tch::{Kind, Tensor};

/// The weight is that of the example in the code of the Chessformer paper.
const LOSS: Loss = loss!(
    "moves_left" = 1.0,
    "",
    Target::MovesLeft,
    "Huber's loss of the moves left, in units of 20.",
    "Huber's loss of the moves left, in units of 20"
);
const ERROR: Metric = Metric::mean(
    "moves_left_error",
    "moves",
    Direction::Lower,
    Target::MovesLeft,
    "mean absolute error of the moves left",
);
const TARGETS: Metric =
    Metric::count("moves_left_targets", "positions", Target::MovesLeft, "positions whose game has a known end");

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    losses: &[LOSS],
    metrics: &[ERROR, TARGETS],
    columns: &[Column::MovesLeft],
    needs: &[Need::Ends],
    evaluate,
    declare: |at| {
        let MovesLeft { embedding, hidden } = at.config.outputs.moves_left?;
        let sizes = PooledSizes { embedding, hidden, ..at.config.value_sizes() };
        Some(at.on_vector("moves_left", sizes, MovesLeftHead::declare))
    },
};

fn evaluate(visit: &mut Visit<'_>) {
    let (Some(moves_b), target_b) = (visit.output.get(HeadName::MovesLeft), visit.examples.get(Column::MovesLeft))
    else {
        return;
    };
    visit.loss(&LOSS, || moves_left_rows(moves_b, target_b));
    visit.value(&ERROR, || (moves_b - target_b).abs().where_self(&moves_left_present(target_b), &moves_b.zeros_like()));
}

/// How many moves the game will still last, never below 0 (Lc0's training code, `tf/tfprocess.py`, `moves_left`).
///
/// The squares become one vector as in the value heads, so `value: {pool: mean}` takes this source of position away too.
#[derive(Debug)]
pub(crate) struct MovesLeftHead<V> {
    pooled: V,
    out: Linear,
}

impl<V: BoardVector> MovesLeftHead<V> {
    pub(crate) fn declare(scope: &mut Scope<'_>, pooled: V) -> Self {
        let out = pooled.output(scope, "out", 1);
        Self { pooled, out }
    }
}

impl<V: BoardVector> Head for MovesLeftHead<V> {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let hidden = self.pooled.forward(views, x_bld);
        let moves_b = self.out.forward(views, &hidden).squeeze_dim(1).to_kind(Kind::Float).relu();
        output.set(HeadName::MovesLeft, Reading::Number, moves_b);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("moves_left", self.pooled.macs() + self.out.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources("moves-left head (squares flattened)")
    }
}
