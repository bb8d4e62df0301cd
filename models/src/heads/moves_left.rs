//! The moves-left head.

use super::config::MovesLeft;
use super::pooled::{Pooled, PooledSizes};
use super::{Head, Output};
use crate::config::ChessformerConfig;
use crate::macs::HeadMacs;
use encodings::Tokens;
use nn::{Linear, Scope, Views};
use tch::{Kind, Tensor};

/// How many moves the game will still last, never below 0 (Lc0's training code, `tf/tfprocess.py`, `moves_left`).
///
/// The squares become one vector as in the value heads, so `value: {pool: mean}` takes this source of position away too.
#[derive(Debug)]
pub(super) struct MovesLeftHead {
    pooled: Pooled,
    out: Linear,
}

impl MovesLeftHead {
    pub(super) fn declare(
        scope: &mut Scope<'_>,
        options: MovesLeft,
        config: &ChessformerConfig,
        tokens: &Tokens,
    ) -> Self {
        let sizes = PooledSizes { embedding: options.embedding, hidden: options.hidden, ..config.value_sizes() };
        let pooled = Pooled::declare(scope, sizes, tokens);
        let out = pooled.output(scope, "out", 1);
        Self { pooled, out }
    }
}

impl Head for MovesLeftHead {
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let hidden = self.pooled.forward(views, x_bld);
        output.moves_left_b = Some(self.out.forward(views, &hidden).squeeze_dim(1).to_kind(Kind::Float).relu());
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("moves_left", self.pooled.macs() + self.out.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources("moves-left head (squares flattened)")
    }
}
