//! The head of maps with a label for each pair of squares.

use super::{Head, HeadDeclaration, HeadName, Need, Output, Reading, map};
use crate::config::ChessformerConfig;
use crate::loss::{pair_map_answer, pair_map_cells};
use crate::macs::HeadMacs;
use crate::measure::Visit;
use encodings::Tokens;
use nn::{Activation, Init, Linear, ParamId, Scope, Views};
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// Yes or no for each pair of squares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pairs {
    /// Width of the embedding from which queries and keys are made; the network's width by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<usize>,
    /// Width of queries and keys; the network's width by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

pub(super) const DECLARATION: HeadDeclaration = map::declaration(&[Need::PairMap], evaluate);

fn evaluate(visit: &mut Visit<'_>) {
    // A dataset has one map: a network with both heads is only timed, by the map of squares.
    if visit.output.get(HeadName::PerSquare).is_none() {
        let cells = |logits: &Tensor| logits.size()[1] * logits.size()[2];
        map::evaluate(visit, HeadName::Pairs, cells, pair_map_cells, pair_map_answer);
    }
}

/// `logit(from, to) = query(from)·key(to) / √depth + bias`, queries and keys made from an embedding of the squares: the
/// policy's logits without its vocabulary, promotions and drops, so that every pair is treated alike. The bias is one
/// number, since most pairs of most maps are a no.
#[derive(Debug)]
pub(super) struct PairsHead {
    embedding: Linear,
    query: Linear,
    key: Linear,
    bias: ParamId,
    activation: Activation,
    squares: i64,
    depth: i64,
}

impl PairsHead {
    pub(super) fn declare(scope: &mut Scope<'_>, options: Pairs, config: &ChessformerConfig, tokens: &Tokens) -> Self {
        let d = config.width as i64;
        let (e, depth) = (options.embedding.map_or(d, |e| e as i64), options.depth.map_or(d, |depth| depth as i64));
        let mut dense = |name, inputs, outputs| {
            Linear::declare(&mut scope.sub(name), inputs, outputs, Init::glorot_normal(inputs, outputs, 1.0), true)
        };
        Self {
            embedding: dense("embedding", d, e),
            query: dense("query", e, depth),
            key: dense("key", e, depth),
            bias: scope.f32_param("bias", &[1], Init::ZEROS),
            activation: config.activation,
            squares: tokens.geometry().squares() as i64,
            depth,
        }
    }
}

impl Head for PairsHead {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let squares = x_bld.narrow(1, 0, self.squares);
        let embedded = self.activation.apply(&self.embedding.forward(views, &squares));
        let queries = self.query.forward(views, &embedded) * (self.depth as f64).sqrt().recip();
        let keys = self.key.forward(views, &embedded);
        let logits_bnn = queries.matmul(&keys.transpose(1, 2)) + &views[self.bias];
        output.set(HeadName::Pairs, Reading::Pairs, logits_bnn);
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let (squares, depth) = (self.squares as u64, self.depth as u64);
        let weights = squares * (self.embedding.macs() + self.query.macs() + self.key.macs());
        vec![HeadMacs { name: "pairs", macs: weights + squares * squares * depth, weights }]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
