//! The heads of win, draw and loss.

use super::head::{DeclaredHead, Head, HeadDeclaration, Need, Site, always};
use super::output::{Output, Reading};
use super::pooled::BoardVector;
use super::visit::Visit;
use crate::loss::examples::Column;
use crate::loss::{
    result_share_rows, value_cross_entropy_rows, value_share_rows, value_shares, value_shares_present,
    wdl_cross_entropy_rows,
};
use crate::macs::HeadMacs;
use facts::HeadName;
use facts::heads::result::{
    LOGITS_ACCURACY, LOGITS_LOSS, SHARES_ACCURACY, SHARES_LOSS, VALUE_LOGITS_ACCURACY, VALUE_LOGITS_LOSS,
    VALUE_SHARES_ACCURACY, VALUE_SHARES_LOSS,
};
use facts::{Loss, Metric};
use nn::{Linear, Scope, Views};
use tch::Tensor;

pub(super) const LOGITS: HeadDeclaration = of_outcome(
    |visit| evaluate(visit, HeadName::Result, &LOGITS_LOSS, &LOGITS_ACCURACY, wdl_cross_entropy_rows),
    |at| at.config.outputs.result.map(|_| declare(at, ReadAs::Logits)),
);

/// [`ReadAs::Shares`].
pub(super) const SHARES: HeadDeclaration = of_outcome(
    |visit| evaluate(visit, HeadName::ResultShares, &SHARES_LOSS, &SHARES_ACCURACY, result_share_rows),
    |at| at.config.outputs.result_shares.map(|_| declare(at, ReadAs::Shares)),
);

/// [`ReadAs::ValueLogits`].
pub(super) const VALUE_LOGITS: HeadDeclaration = of_value(
    |visit| {
        let (loss, accuracy) = (&VALUE_LOGITS_LOSS, &VALUE_LOGITS_ACCURACY);
        evaluate_value(visit, HeadName::ValueResult, loss, accuracy, value_cross_entropy_rows);
    },
    |at| at.config.outputs.value_result.map(|_| declare(at, ReadAs::ValueLogits)),
);

/// [`ReadAs::ValueShares`].
pub(super) const VALUE_SHARES: HeadDeclaration = of_value(
    |visit| evaluate_value(visit, HeadName::ValueShares, &VALUE_SHARES_LOSS, &VALUE_SHARES_ACCURACY, value_share_rows),
    |at| at.config.outputs.value_shares.map(|_| declare(at, ReadAs::ValueShares)),
);

const fn of_outcome(
    evaluate: fn(&mut Visit<'_>),
    declare: fn(&mut Site<'_>) -> Option<DeclaredHead>,
) -> HeadDeclaration {
    HeadDeclaration { columns: &[Column::Outcome], needs: &[Need::Results], asked: always, evaluate, declare }
}

const fn of_value(evaluate: fn(&mut Visit<'_>), declare: fn(&mut Site<'_>) -> Option<DeclaredHead>) -> HeadDeclaration {
    let (columns, needs) = (&[Column::Value, Column::Draw], &[Need::Values, Need::Draws]);
    HeadDeclaration { columns, needs, asked: always, evaluate, declare }
}

fn declare(at: &mut Site<'_>, read_as: ReadAs) -> DeclaredHead {
    at.on_vector(read_as.name(), at.config.value_sizes(), |scope, vector| ResultHead::declare(scope, vector, read_as))
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

fn evaluate_value(
    visit: &mut Visit<'_>,
    head: HeadName,
    loss: &'static Loss,
    accuracy: &'static Metric,
    rows: fn(&Tensor, &Tensor, &Tensor) -> Tensor,
) {
    let Some(wdl_b3) = visit.output.get(head) else { return };
    let (value_b, draw_b) = (visit.examples.get(Column::Value), visit.examples.get(Column::Draw));
    visit.loss(loss, || rows(wdl_b3, value_b, draw_b));
    visit.value(accuracy, || {
        let is_largest = wdl_b3.argmax(-1, false).eq_tensor(&value_shares(value_b, draw_b).argmax(-1, false));
        is_largest.logical_and(&value_shares_present(value_b, draw_b))
    });
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
    /// Logits whose target is the position's value and probability of a draw.
    ValueLogits,
    /// Shares with that target.
    ValueShares,
}

impl ReadAs {
    const fn head(self) -> HeadName {
        match self {
            Self::Logits => HeadName::Result,
            Self::Shares => HeadName::ResultShares,
            Self::ValueLogits => HeadName::ValueResult,
            Self::ValueShares => HeadName::ValueShares,
        }
    }

    const fn reading(self) -> Reading {
        match self {
            Self::Logits | Self::ValueLogits => Reading::Result,
            Self::Shares | Self::ValueShares => Reading::Shares,
        }
    }

    /// The name of its scope.
    const fn name(self) -> &'static str {
        match self {
            Self::Logits => "value",
            Self::Shares | Self::ValueLogits | Self::ValueShares => self.head().name(),
        }
    }
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
        output.set(self.read_as.head(), self.read_as.reading(), wdl_b3);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights(self.read_as.name(), self.pooled.macs() + self.wdl.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources(match self.read_as {
            ReadAs::Logits => "value head (squares flattened)",
            ReadAs::Shares => "result shares head (squares flattened)",
            ReadAs::ValueLogits => "value result head (squares flattened)",
            ReadAs::ValueShares => "value shares head (squares flattened)",
        })
    }
}
