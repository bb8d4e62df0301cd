//! The head of one number: how likely the side to move wins.

use super::head::{Head, HeadDeclaration, Need};
use super::output::{Output, Reading};
use super::policy;
use super::pooled::BoardVector;
use super::visit::Visit;
use crate::config::HeadName;
use crate::loss::examples::{Column, DRAWN, Target};
use crate::loss::metric::{Direction, Lookup, Loss, Metric, loss};
use crate::loss::{win_rate_entropy_rows, win_rate_rows};
use crate::macs::HeadMacs;
use nn::{Linear, Scope, Views};
use tch::Tensor;

/// The share of the value of the position in dlshogi's loss, its `val_lambda`; the weights are 1 − λ and λ.
const LAMBDA: f64 = 0.333;

const RESULT_LOSS: Loss = loss!(
    "win_rate_result" = 0.667,
    "nats",
    Target::Points,
    "Binary cross-entropy of the win rate with the game's result.",
    "binary cross-entropy of the win rate with the game's result"
);
const VALUE_LOSS: Loss = loss!(
    "win_rate_value" = 0.333,
    "nats",
    Target::Value,
    "Binary cross-entropy of the win rate with the value of the position.",
    "binary cross-entropy of the win rate with the position's value"
);
const ACCURACY: Metric = Metric::mean(
    "win_rate_accuracy",
    "share",
    Direction::Higher,
    Target::DecidedPoints,
    "positions of decided games whose win rate is on the winner's side of one half; draws are left out",
);
const DRAWS_WON: Metric = Metric::mean(
    "win_rate_accuracy_draws_won",
    "share",
    Direction::Higher,
    Target::Points,
    "the same of all games with draws counted as wins of the side to move, as dlshogi's training prints it",
);
const ENTROPY: Metric =
    Metric::mean("win_rate_entropy", "nats", Direction::Neither, Target::Points, "entropy of the win rate");
const DLSHOGI_LOSS: Metric = Metric::mean(
    "dlshogi_loss",
    "nats",
    Direction::Lower,
    Target::Value,
    "policy_loss_unmasked + 0.667 win_rate_result_loss + 0.333 win_rate_value_loss, as dlshogi's training prints it",
)
.derived(dlshogi_loss)
.of_illegal_moves();

fn dlshogi_loss(of: Lookup<'_>) -> Option<f64> {
    let [policy, result, value] = [policy::LOSS_UNMASKED.name, RESULT_LOSS.metric.name, VALUE_LOSS.metric.name].map(of);
    Some(policy? + (1.0 - LAMBDA) * result? + LAMBDA * value?)
}

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    losses: &[RESULT_LOSS, VALUE_LOSS],
    metrics: &[
        ACCURACY,
        DRAWS_WON,
        ENTROPY,
        Metric::count("win_rate_targets", "positions", Target::Points, "positions whose game has a known result"),
        Metric::count("win_rate_decided", "positions", Target::DecidedPoints, "those whose game is not drawn"),
        Metric::count("win_rate_value_targets", "positions", Target::Value, "positions that have a value"),
        DLSHOGI_LOSS,
    ],
    columns: &[Column::Points, Column::Value],
    needs: &[Need::Results, Need::Values],
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
        output.set(HeadName::WinRate, Reading::Logit, logit_b);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights("win_rate", self.pooled.macs() + self.logit.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources("win-rate head (squares flattened)")
    }
}
