//! The heads of a scalar reward: the data's own estimate, and the average over the plies to come.

use super::head::{DeclaredHead, Head, HeadContext, HeadDeclaration, Need};
use super::output::{Output, Reading};
use super::pooled::{BoardVector as _, Pooled};
use super::visit::Visit;
use crate::config::RewardOptions;
use crate::loss::examples::Column;
use crate::loss::{Targets, reward_bucket_rows, reward_error_rows, reward_squared_error_rows};
use crate::macs::HeadMacs;
use facts::{HeadName, Loss};
use nn::{Linear, Scope, Views};
use tch::{Kind, Tensor};

const WDL: i64 = 3;

pub(super) const Q: HeadDeclaration = HeadDeclaration {
    columns: &[Column::Value],
    needs: &[Need::Values],
    asked: |loss, outputs| asked(loss, HeadName::Q, outputs.q),
    evaluate: |visit| evaluate(visit, HeadName::Q, Column::Value),
    declare: |at| at.config.outputs.q.map(|options| declare(at, HeadName::Q, options)),
};

pub(super) const SHORT_TERM: HeadDeclaration = HeadDeclaration {
    columns: &[Column::ShortTerm],
    needs: &[Need::StoredValues],
    asked: |loss, outputs| asked(loss, HeadName::ShortTerm, outputs.short_term),
    evaluate: |visit| evaluate(visit, HeadName::ShortTerm, Column::ShortTerm),
    declare: |at| at.config.outputs.short_term.map(|options| declare(at, HeadName::ShortTerm, options)),
};

fn asked(loss: &Loss, head: HeadName, options: Option<RewardOptions>) -> bool {
    let [_, of_error, of_buckets] = head.measures().losses else { return false };
    let has = |option: fn(RewardOptions) -> bool| options.is_some_and(option);
    (loss != of_error || has(|options| options.error)) && (loss != of_buckets || has(|options| options.buckets > 0))
}

fn declare(at: &mut HeadContext<'_>, head: HeadName, options: RewardOptions) -> DeclaredHead {
    at.on_vector(head.name(), at.config.value, |scope, pooled| RewardHead::declare(scope, pooled, head, options))
}

fn evaluate(visit: &mut Visit<'_>, head: HeadName, column: Column) {
    let [of_value, of_error, of_buckets] = head.measures().losses else { return };
    let Some(value_b) = visit.output.get(head) else { return };
    let targets = Targets::rewards(visit.examples.get(column));
    visit.loss(of_value, || reward_squared_error_rows(value_b, &targets));
    if let Some(error_b) = visit.output.part(head, ERROR) {
        visit.loss(of_error, || reward_error_rows(error_b, value_b, &targets));
    }
    if let Some(buckets_bn) = visit.output.part(head, BUCKETS) {
        visit.loss(of_buckets, || reward_bucket_rows(buckets_bn, &targets));
    }
}

/// Logits `[b,3]` of win, draw and loss that a reward comes from.
const RESULT: &str = "wdl";
/// The expected squared error of a reward, 0…1, `[b]`.
const ERROR: &str = "error";
/// Logits `[b,buckets]` of the interval that a reward lies in.
const BUCKETS: &str = "buckets";

/// A reward by tanh, or by win, draw and loss (the `q` head of Lc0's larger networks), its expected squared error by a sigmoid, and logits over equal intervals, all from one pooled board
/// that no other head shares (Lc0's training code, `tf/tfprocess.py`, `value_head`).
#[derive(Debug)]
struct RewardHead {
    name: HeadName,
    pooled: Pooled,
    wdl: bool,
    value: Linear,
    error: Option<Linear>,
    buckets: Option<Linear>,
}

impl RewardHead {
    fn declare(scope: &mut Scope<'_>, pooled: Pooled, name: HeadName, options: RewardOptions) -> Self {
        let value = pooled.output(scope, "value", if options.wdl { WDL } else { 1 });
        let error = options.error.then(|| pooled.output(scope, "error", 1));
        let buckets = (options.buckets > 0).then(|| pooled.output(scope, "buckets", options.buckets as i64));
        Self { name, pooled, wdl: options.wdl, value, error, buckets }
    }
}

fn win_minus_loss(wdl_b3: &Tensor) -> Tensor {
    let shares = wdl_b3.softmax(-1, Kind::Float);
    shares.select(1, 0) - shares.select(1, WDL - 1)
}

impl Head for RewardHead {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let hidden = self.pooled.forward(views, x_bld);
        let scalar = |layer: &Linear| layer.forward(views, &hidden).squeeze_dim(1).to_kind(Kind::Float);
        let wdl_b3 = self.wdl.then(|| self.value.forward(views, &hidden).to_kind(Kind::Float));
        let value_b = wdl_b3.as_ref().map_or_else(|| scalar(&self.value).tanh(), win_minus_loss);
        output.set(self.name, Reading::Number, value_b);
        if let Some(wdl_b3) = wdl_b3 {
            output.set_part(self.name, RESULT, Reading::Result, wdl_b3);
        }
        if let Some(layer) = &self.error {
            output.set_part(self.name, ERROR, Reading::Number, scalar(layer).sigmoid());
        }
        if let Some(layer) = &self.buckets {
            output.set_part(self.name, BUCKETS, Reading::Intervals, layer.forward(views, &hidden));
        }
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let further: u64 = [&self.error, &self.buckets].into_iter().flatten().map(Linear::macs).sum();
        vec![HeadMacs::of_weights(self.name.name(), self.pooled.macs() + self.value.macs() + further)]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources(match self.name {
            HeadName::Q => "q head (squares flattened)",
            _ => "short-term head (squares flattened)",
        })
    }
}
