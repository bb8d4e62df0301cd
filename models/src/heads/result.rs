//! The heads of win, draw and loss.

use super::pooled::BoardVector;
use super::{Head, Output};
use crate::macs::HeadMacs;
use nn::{Linear, Scope, Views};
use tch::Tensor;

/// Three numbers from the pooled board.
#[derive(Debug)]
pub(crate) struct ResultHead<V> {
    pooled: V,
    wdl: Linear,
    read_as: ReadAs,
}

/// What the three numbers are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadAs {
    /// Logits: the winner output of the value head of Lc0's training code (`tf/tfprocess.py`, `value_head`).
    Logits,
    /// Shares as they are, without a softmax: ChessDecoder's value head.
    Shares,
}

impl<V: BoardVector> ResultHead<V> {
    pub(crate) fn declare(scope: &mut Scope<'_>, pooled: V, read_as: ReadAs) -> Self {
        let wdl = pooled.output(scope, "wdl", 3);
        Self { pooled, wdl, read_as }
    }
}

impl<V: BoardVector> Head for ResultHead<V> {
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let wdl_b3 = Some(self.wdl.forward(views, &self.pooled.forward(views, x_bld)));
        match self.read_as {
            ReadAs::Logits => output.wdl_b3 = wdl_b3,
            ReadAs::Shares => output.result_shares_b3 = wdl_b3,
        }
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let name = match self.read_as {
            ReadAs::Logits => "value",
            ReadAs::Shares => "result_shares",
        };
        vec![HeadMacs::of_weights(name, self.pooled.macs() + self.wdl.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources(match self.read_as {
            ReadAs::Logits => "value head (squares flattened)",
            ReadAs::Shares => "result shares head (squares flattened)",
        })
    }
}
