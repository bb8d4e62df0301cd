//! Predicted tokens: moves, and the tokens of boards.

use crate::heads::{Head, HeadName, Output, Reading};
use crate::macs::HeadMacs;
use games::InputLayout;
use nn::{Init, ParamId, Scope, Views, dense};
use tch::{Kind, Tensor};

/// A logit for each token: `W·x + b`, the moves first. Moves and board tokens share one weight, as in ChessDecoder.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenLogits {
    weight: ParamId,
    bias: ParamId,
    size: [i64; 2],
}

impl TokenLogits {
    pub(super) fn declare(scope: &mut Scope<'_>, width: i64, tokens: i64) -> Self {
        let mut scope = scope.sub("words");
        Self {
            weight: scope.matrix("weight", &[tokens, width], Init::glorot_normal(width, tokens, 1.0)),
            bias: scope.f32_param("bias", &[tokens], Init::ZEROS),
            size: [width, tokens],
        }
    }

    pub(super) fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let bias = views[self.bias].to_kind(views.kind());
        dense(&x.to_kind(views.kind()), &views[self.weight], Some(&bias))
    }

    pub(super) fn macs(&self) -> u64 {
        (self.size[0] * self.size[1]) as u64
    }
}

/// The policy: the logits of the tokens that are moves.
#[derive(Debug)]
pub(super) struct MovePolicy {
    pub(super) logits: TokenLogits,
    pub(super) moves: i64,
}

impl Head for MovePolicy {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let logits_bv = self.logits.forward(views, &x_bld.select(1, 0)).narrow(1, 0, self.moves);
        output.set(HeadName::Policy, Reading::Policy, logits_bv);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("policy", self.logits.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        vec!["policy (a weight for each move)"]
    }
}

/// The index of the move that was played in each packed row `[b,row]`: `[b]`, i64.
pub(super) fn played_moves(packed: &Tensor) -> Tensor {
    let at = packed.size()[1] - InputLayout::MOVE_BYTES as i64;
    let byte = |i: i64| packed.select(1, at + i).to_kind(Kind::Int64);
    byte(0) + byte(1) * (i64::from(u8::MAX) + 1)
}

/// The packed rows `[b,row]` whose board tokens are predicted, bool `[b]`: positions that are not the first of their
/// sequence of `plies` plies.
pub fn predicts_board(packed: &Tensor, plies: i64) -> Tensor {
    let first = Tensor::arange(packed.size()[0], (Kind::Int64, packed.device())).remainder(plies).eq(0);
    played_moves(packed).ne(i64::from(InputLayout::NO_MOVE)).logical_and(&first.logical_not())
}
