//! The win/draw/loss head.

use super::pooled::BoardVector;
use super::{Head, Output};
use crate::macs::HeadMacs;
use nn::{Linear, Scope, Views};
use tch::Tensor;

/// Three logits from the pooled board: the winner output of the value head of Lc0's training code (`tf/tfprocess.py`,
/// `value_head`).
#[derive(Debug)]
pub(crate) struct ResultHead<V> {
    pooled: V,
    wdl: Linear,
}

impl<V: BoardVector> ResultHead<V> {
    pub(crate) fn declare(scope: &mut Scope<'_>, pooled: V) -> Self {
        let wdl = pooled.output(scope, "wdl", 3);
        Self { pooled, wdl }
    }
}

impl<V: BoardVector> Head for ResultHead<V> {
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        output.wdl_b3 = Some(self.wdl.forward(views, &self.pooled.forward(views, x_bld)));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("value", self.pooled.macs() + self.wdl.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources("value head (squares flattened)")
    }
}

/// The same three numbers as they are, without a softmax: ChessDecoder's value head.
#[derive(Debug)]
pub(crate) struct SharesHead<V> {
    pooled: V,
    wdl: Linear,
}

impl<V: BoardVector> SharesHead<V> {
    pub(crate) fn declare(scope: &mut Scope<'_>, pooled: V) -> Self {
        let wdl = pooled.output(scope, "wdl", 3);
        Self { pooled, wdl }
    }
}

impl<V: BoardVector> Head for SharesHead<V> {
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        output.result_shares_b3 = Some(self.wdl.forward(views, &self.pooled.forward(views, x_bld)));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("result_shares", self.pooled.macs() + self.wdl.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources("result shares head (squares flattened)")
    }
}
