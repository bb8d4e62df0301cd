//! The head of one number: how likely the side to move wins.

use super::head::{Head, HeadDeclaration, Need, always};
use super::output::{Output, Reading};
use super::pooled::BoardVector;
use super::visit::Visit;
use crate::loss::examples::{Column, DRAWN};
use crate::loss::{win_rate_entropy_rows, win_rate_rows};
use crate::macs::HeadMacs;
use facts::HeadName;
use facts::heads::win_rate::{ACCURACY, DRAWS_WON, ENTROPY, RESULT_LOSS, VALUE_LOSS};
use nn::{Linear, Scope, Views};
use tch::Tensor;

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::Points, Column::Value],
    needs: &[Need::Results, Need::Values],
    asked: always,
    evaluate,
    declare: |at| {
        let sizes = at.config.value_sizes();
        at.config.outputs.win_rate.map(|_| at.on_vector("win_rate", sizes, WinRateHead::declare))
    },
};

/// As dlshogi's training prints it, and without its counting of draws.
fn evaluate(visit: &mut Visit<'_>) {
    let Some(logit_b) = visit.output.get(HeadName::WinRate) else { return };
    let (points_b, value_b) = (visit.examples.get(Column::Points), visit.examples.get(Column::Value));
    visit.loss(&RESULT_LOSS, || win_rate_rows(logit_b, points_b));
    visit.loss(&VALUE_LOSS, || win_rate_rows(logit_b, value_b));
    // Unknown points are no half, and count in neither metric.
    let hit = || logit_b.ge(0).eq_tensor(&points_b.ge(DRAWN));
    visit.value(&ACCURACY, hit);
    visit.value(&DRAWS_WON, hit);
    visit.value(&ENTROPY, || win_rate_entropy_rows(logit_b));
}

/// One logit from the pooled board, whose sigmoid is the share of points that the side to move gets: dlshogi's value head
/// (`dlshogi/network` in TadaoYamaoka/DeepLearningShogi), which takes the sigmoid into its losses.
#[derive(Debug)]
pub(crate) struct WinRateHead<V> {
    pooled: V,
    logit: Linear,
}

impl<V: BoardVector> WinRateHead<V> {
    pub(crate) fn declare(scope: &mut Scope<'_>, pooled: V) -> Self {
        let logit = pooled.output(scope, "logit", 1);
        Self { pooled, logit }
    }
}

impl<V: BoardVector> Head for WinRateHead<V> {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let logit_b = self.logit.forward(views, &self.pooled.forward(views, x_bld)).squeeze_dim(1);
        output.set(HeadName::WinRate, Reading::WinRate, logit_b);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("win_rate", self.pooled.macs() + self.logit.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources("win-rate head (squares flattened)")
    }
}
