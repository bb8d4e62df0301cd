//! Answers against targets, head by head: the terms of a step and the values of each example.

use super::output::Output;
use crate::config::Outputs;
use crate::loss::examples::Examples;
use crate::loss::{mask_policy, policy_log_probs};
use facts::{Loss, Metric};
use tch::{Kind, Tensor};

/// When illegal moves are masked out of policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masking {
    /// In training.
    pub training: bool,
    /// In measured and shown values.
    pub measuring: bool,
}

/// A loss on a batch of examples.
#[derive(Debug)]
pub struct Term {
    /// Its name, weight and metric.
    pub loss: &'static Loss,
    /// The differentiable loss: the sum over examples, a scalar, f32.
    pub trained: Tensor,
    /// The same as evaluations measure it, if that differs.
    shown: Option<Tensor>,
}

impl Term {
    /// The values in metric lines.
    pub fn shown(&self) -> &Tensor {
        self.shown.as_ref().unwrap_or(&self.trained)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Terms,
    Values,
}

/// A visit of one head after another. A head gives the values of its losses and metrics; unused ones are not
/// computed.
#[derive(Debug)]
pub(crate) struct Visit<'a> {
    pub(crate) output: &'a Output,
    pub(crate) examples: &'a Examples,
    pub(crate) outputs: &'a Outputs,
    pub(crate) masking: Masking,
    pub(crate) moves: usize,
    pub(crate) wanted: Wanted,
    pub(crate) terms: Vec<Term>,
    pub(crate) values: Vec<(&'static Metric, Tensor)>,
}

impl Visit<'_> {
    /// Whether the values of metrics are wanted, and not the losses alone.
    pub(crate) fn wants_values(&self) -> bool {
        self.wanted == Wanted::Values
    }

    pub(crate) fn legal(&self) -> Tensor {
        self.output.legal().map_or_else(|| self.examples.legal(self.moves), Tensor::shallow_clone)
    }

    /// Log-probabilities of a policy as evaluations take them.
    pub(crate) fn measured_log_probs(&self, logits_bv: &Tensor) -> Tensor {
        policy_log_probs(logits_bv, self.masking.measuring.then(|| self.legal()).as_ref())
    }

    /// The logits of a policy as training takes them.
    pub(crate) fn trained_logits(&self, logits_bv: &Tensor) -> Tensor {
        match self.masking.training {
            true => mask_policy(logits_bv, &self.legal()),
            false => logits_bv.shallow_clone(),
        }
    }

    /// A loss of examples: values `[b]` or `[b,cells]`, f32, 0 where there is no target.
    pub(crate) fn loss(&mut self, loss: &'static Loss, values: impl FnOnce() -> Tensor) {
        match self.wanted {
            Wanted::Terms => self.terms.push(Term { loss, trained: values().sum(Kind::Float), shown: None }),
            Wanted::Values => self.values.push((&loss.metric, per_example(&values()))),
        }
    }

    /// A loss of a policy, from what its log-probabilities `[b,v]` make of it. Masked in evaluations only, training lines
    /// show what evaluations will, so that the two can be compared.
    pub(crate) fn policy_loss(&mut self, loss: &'static Loss, logits_bv: &Tensor, values: impl Fn(&Tensor) -> Tensor) {
        let Masking { training, measuring } = self.masking;
        if self.wanted == Wanted::Values {
            let measured = values(&self.measured_log_probs(logits_bv));
            return self.values.push((&loss.metric, per_example(&measured)));
        }
        let legal = (training || measuring).then(|| self.legal());
        let sum = |logits: &Tensor, legal: Option<&Tensor>| values(&policy_log_probs(logits, legal)).sum(Kind::Float);
        let trained = sum(logits_bv, legal.as_ref().filter(|_| training));
        let shown = (training != measuring)
            .then(|| tch::no_grad(|| sum(&logits_bv.detach(), legal.as_ref().filter(|_| measuring))));
        self.terms.push(Term { loss, trained, shown });
    }

    /// Further metrics of evaluations: values `[b]` or `[b,cells]`, numbers or booleans, of which those count that
    /// have the metric's target.
    pub(crate) fn value(&mut self, metric: &'static Metric, values: impl FnOnce() -> Tensor) {
        if self.wanted == Wanted::Values {
            self.values.push((metric, per_example(&values())));
        }
    }
}

/// `[b]` or `[b,cells]` → `[b]`, f32: the sum over cells.
pub(crate) fn per_example(values: &Tensor) -> Tensor {
    match values.dim() {
        1 => values.to_kind(Kind::Float),
        _ => values.sum_dim_intlist([1i64].as_slice(), false, Kind::Float),
    }
}
