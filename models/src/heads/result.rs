//! The heads of win, draw and loss.

use super::head::{DeclaredHead, Head, HeadDeclaration, Need, Site, always};
use super::output::{Output, Reading};
use super::pooled::BoardVector;
use super::visit::Visit;
use crate::loss::examples::Column;
use crate::loss::{result_share_rows, wdl_cross_entropy_rows};
use crate::macs::HeadMacs;
use facts::HeadName;
use facts::heads::result::{LOGITS_ACCURACY, LOGITS_LOSS, SHARES_ACCURACY, SHARES_LOSS};
use facts::{Loss, Metric};
use nn::{Linear, Scope, Views};
use tch::Tensor;

pub(super) const LOGITS: HeadDeclaration = HeadDeclaration {
    columns: &[Column::Outcome],
    needs: &[Need::Results],
    asked: always,
    evaluate: |visit| {
        evaluate(visit, HeadName::Result, &LOGITS_LOSS, &LOGITS_ACCURACY, wdl_cross_entropy_rows);
    },
    declare: |at| at.config.outputs.result.map(|_| declare(at, "value", ReadAs::Logits)),
};

/// [`ReadAs::Shares`].
pub(super) const SHARES: HeadDeclaration = HeadDeclaration {
    columns: &[Column::Outcome],
    needs: &[Need::Results],
    asked: always,
    evaluate: |visit| {
        evaluate(visit, HeadName::ResultShares, &SHARES_LOSS, &SHARES_ACCURACY, result_share_rows);
    },
    declare: |at| at.config.outputs.result_shares.map(|_| declare(at, "result_shares", ReadAs::Shares)),
};

fn declare(at: &mut Site<'_>, scope: &str, read_as: ReadAs) -> DeclaredHead {
    at.on_vector(scope, at.config.value_sizes(), |scope, vector| ResultHead::declare(scope, vector, read_as))
}

fn evaluate(
    visit: &mut Visit<'_>,
    head: HeadName,
    loss: &'static Loss,
    accuracy: &'static Metric,
    rows: fn(&Tensor, &Tensor) -> Tensor,
) {
    let (Some(wdl_b3), outcome_b) = (visit.output.get(head), visit.examples.get(Column::Outcome)) else { return };
    visit.loss(loss, || rows(wdl_b3, outcome_b));
    visit.value(accuracy, || wdl_b3.argmax(-1, false).eq_tensor(outcome_b));
}

/// Three numbers from the pooled board.
#[derive(Debug)]
pub(crate) struct ResultHead<V> {
    pooled: V,
    wdl: Linear,
    read_as: ReadAs,
}

/// The meaning of the three numbers.
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
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let wdl_b3 = self.wdl.forward(views, &self.pooled.forward(views, x_bld));
        match self.read_as {
            ReadAs::Logits => output.set(HeadName::Result, Reading::Result, wdl_b3),
            ReadAs::Shares => output.set(HeadName::ResultShares, Reading::Shares, wdl_b3),
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
