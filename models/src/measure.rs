//! Answers against targets: the terms of a step and the values of each example, from one visit of each head.

use crate::config::{GameSpec, ModelConfig, Outputs};
use crate::heads::output::Output;
use crate::heads::visit::{Masking, Term, Visit, Wanted, per_example};
use crate::heads::{HeadDeclaration, losses};
use crate::loss::examples::{Column, Examples, Sequence};
use crate::network::Network;
use crate::trunks::refine::MoveContext;
use facts::{HeadName, Loss, Metric, Target};
use nn::Views;
use tch::{Device, Kind, Tensor};

/// How the answers of a network are measured.
#[derive(Debug, Clone)]
pub struct Measure {
    heads: Vec<HeadName>,
    outputs: Outputs,
    masking: Masking,
    moves: usize,
    sequence: Sequence,
}

impl Measure {
    /// For a network of this architecture.
    pub fn new(model: &ModelConfig, spec: &GameSpec, masking: Masking) -> Self {
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

    /// The outputs of a network for examples.
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

    /// The metrics of evaluations: the values of each example `[b]`, f32, by their metric. An example with several cells has
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
        let mut visit = Visit {
            output,
            examples,
            outputs: &self.outputs,
            masking: self.masking,
            moves: self.moves,
            wanted,
            terms: Vec::new(),
            values: Vec::new(),
        };
        for &head in &self.heads {
            (HeadDeclaration::of(head).evaluate)(&mut visit);
        }
        visit
    }
}

impl ModelConfig {
    /// The losses of its networks, in the order in which they are added up.
    pub fn losses(&self) -> Vec<&'static Loss> {
        losses(&self.heads(), self.outputs())
    }
}
