//! Answers against targets: the terms of a step and the values of each example, from one visit of each head.

use crate::config::ModelConfig;
use crate::examples::{Column, Examples, Sequence};
use crate::heads::{HeadDeclaration, Output, Outputs};
use crate::loss::{mask_policy, policy_log_probs};
use crate::network::{Network, Spec};
use crate::refine::MoveContext;
use facts::{HeadName, Loss, Metric, Target};
use nn::Views;
use tch::{Device, Kind, Tensor};

/// When illegal moves are masked out of policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masking {
    /// In what is trained.
    pub training: bool,
    /// In what is measured and shown.
    pub measuring: bool,
}

/// How the answers of a network are measured.
#[derive(Debug, Clone)]
pub struct Measure {
    heads: Vec<HeadName>,
    outputs: Outputs,
    masking: Masking,
    moves: usize,
    sequence: Sequence,
}

/// One loss on examples.
#[derive(Debug)]
pub struct Term {
    /// Which.
    pub loss: &'static Loss,
    /// What gradients flow through: the sum over examples, a scalar, f32.
    pub trained: Tensor,
    /// The same as evaluations measure it, where that is not what is trained.
    shown: Option<Tensor>,
}

impl Term {
    /// What lines show.
    pub fn shown(&self) -> &Tensor {
        self.shown.as_ref().unwrap_or(&self.trained)
    }
}

impl Measure {
    /// For a network of this architecture.
    pub fn new(model: &ModelConfig, spec: &Spec, masking: Masking) -> Self {
        let sequence = Sequence { plies: model.plies() as i64, tokens: spec.input.tokens() as i64 };
        Self { heads: model.heads(), outputs: model.outputs().clone(), masking, moves: spec.moves.len(), sequence }
    }

    /// The losses of the network, in the order in which they are added up.
    pub fn losses(&self) -> Vec<&'static Loss> {
        losses(&self.heads, &self.outputs)
    }

    /// The metrics of the network's heads, those of its losses among them.
    pub fn metrics(&self) -> Vec<&'static Metric> {
        let of_losses = self.losses().into_iter().map(|loss| &loss.metric);
        of_losses.chain(self.heads.iter().flat_map(|head| head.measures().metrics)).collect()
    }

    /// Whether some head reads a column of targets.
    pub fn reads(&self, column: Column) -> bool {
        self.heads.iter().any(|&head| HeadDeclaration::of(head).columns.contains(&column))
    }

    /// What a network answers about examples.
    pub fn answer(&self, network: &Network, views: &Views, examples: &Examples) -> Output {
        let packed = examples.get(Column::Packed);
        if !network.refines() {
            return network.forward(views, packed);
        }
        let (legal, repeats) = (examples.legal(self.moves), examples.repeated(self.moves));
        network.answer(views, packed, Some(MoveContext { legal_bv: &legal, repeats_bv: &repeats }))
    }

    /// The same for the terms of a step, which may read the logits of legal moves only. On GPUs all logits are one product.
    pub fn answer_for_terms(&self, network: &Network, views: &Views, examples: &Examples) -> Output {
        let reads_legal = self.masking.training && self.masking.measuring && self.reads(Column::Legal);
        if reads_legal && !network.refines() && views.device() == Device::Cpu {
            network.forward_legal(views, examples.get(Column::Packed), examples.legal(self.moves))
        } else {
            self.answer(network, views, examples)
        }
    }

    /// The terms of a step: the loss of each head, in the order in which they are added up.
    pub fn terms(&self, output: &Output, examples: &Examples) -> Vec<Term> {
        self.visit(output, examples, Wanted::Terms).terms
    }

    /// What evaluations measure: the values of each example `[b]`, f32, by their metric. An example with several cells has
    /// the sum over them.
    pub fn values(&self, output: &Output, examples: &Examples) -> Vec<(&'static Metric, Tensor)> {
        self.visit(output, examples, Wanted::Values).values
    }

    /// How much of a target each example has, `[b]`, f32.
    pub fn counts(&self, target: Target, examples: &Examples) -> Tensor {
        per_example(&examples.present(target, self.sequence))
    }

    /// How much of a loss's target the examples have, a scalar, f32: what its sum is divided by.
    pub fn count(&self, loss: &Loss, examples: &Examples) -> Tensor {
        examples.present(loss.target, self.sequence).sum(Kind::Float)
    }

    fn visit<'a>(&'a self, output: &'a Output, examples: &'a Examples, wanted: Wanted) -> Visit<'a> {
        let mut visit = Visit { output, examples, measure: self, wanted, terms: Vec::new(), values: Vec::new() };
        for &head in &self.heads {
            (HeadDeclaration::of(head).evaluate)(&mut visit);
        }
        visit
    }
}

/// The losses of these heads, in the order in which they are added up.
fn losses(heads: &[HeadName], outputs: &Outputs) -> Vec<&'static Loss> {
    let there = |loss: &&&Loss| {
        let own = |&head: &HeadName| {
            head.measures().losses.contains(loss) && (HeadDeclaration::of(head).asked)(loss, outputs)
        };
        heads.iter().any(own)
    };
    Loss::all().iter().filter(there).copied().collect()
}

impl ModelConfig {
    /// The losses of its networks, in the order in which they are added up.
    pub fn losses(&self) -> Vec<&'static Loss> {
        losses(&self.heads(), self.outputs())
    }
}

/// What a visit is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Terms,
    Values,
}

/// A visit of one head after another. A head gives the values of its losses and metrics; those that nobody wants are not
/// computed.
#[derive(Debug)]
pub(crate) struct Visit<'a> {
    pub(crate) output: &'a Output,
    pub(crate) examples: &'a Examples,
    measure: &'a Measure,
    wanted: Wanted,
    terms: Vec<Term>,
    values: Vec<(&'static Metric, Tensor)>,
}

impl Visit<'_> {
    /// The options of the heads.
    pub(crate) fn outputs(&self) -> &Outputs {
        &self.measure.outputs
    }

    pub(crate) fn moves(&self) -> usize {
        self.measure.moves
    }

    /// Whether the values of metrics are wanted, and not the losses alone.
    pub(crate) fn wants_values(&self) -> bool {
        self.wanted == Wanted::Values
    }

    pub(crate) fn legal(&self) -> Tensor {
        self.output.legal().map_or_else(|| self.examples.legal(self.measure.moves), Tensor::shallow_clone)
    }

    /// Log-probabilities of a policy as evaluations take them.
    pub(crate) fn measured_log_probs(&self, logits_bv: &Tensor) -> Tensor {
        policy_log_probs(logits_bv, self.measure.masking.measuring.then(|| self.legal()).as_ref())
    }

    /// The logits of a policy as training takes them.
    pub(crate) fn trained_logits(&self, logits_bv: &Tensor) -> Tensor {
        match self.measure.masking.training {
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
        let Masking { training, measuring } = self.measure.masking;
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

    /// What evaluations measure beside the losses: values `[b]` or `[b,cells]`, numbers or booleans, of which those count that
    /// have the metric's target.
    pub(crate) fn value(&mut self, metric: &'static Metric, values: impl FnOnce() -> Tensor) {
        if self.wanted == Wanted::Values {
            self.values.push((metric, per_example(&values())));
        }
    }
}

/// `[b]` or `[b,cells]` → `[b]`, f32: the sum over cells.
fn per_example(values: &Tensor) -> Tensor {
    match values.dim() {
        1 => values.to_kind(Kind::Float),
        _ => values.sum_dim_intlist([1i64].as_slice(), false, Kind::Float),
    }
}
