//! The moves-left head.

use super::head::{Head, HeadDeclaration, Need, always};
use super::output::{Output, Reading};
use super::pooled::BoardVector;
use super::visit::Visit;
use crate::config::{MovesLeft, PooledSizes};
use crate::loss::examples::Column;
use crate::loss::{known, moves_left_rows};
use crate::macs::HeadMacs;
use facts::HeadName;
use facts::heads::moves_left::{ERROR, LOSS};
use nn::{Linear, Scope, Views};
use tch::{Kind, Tensor};

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::MovesLeft],
    needs: &[Need::Ends],
    asked: always,
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
    visit.value(&ERROR, || (moves_b - target_b).abs().where_self(&known(target_b), &moves_b.zeros_like()));
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
