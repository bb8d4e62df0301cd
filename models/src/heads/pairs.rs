//! The head of maps with a label for each pair of squares.

use super::config::Pairs;
use super::{Head, Output};
use crate::config::ChessformerConfig;
use crate::macs::HeadMacs;
use encodings::Tokens;
use nn::{Activation, Init, Linear, ParamId, Scope, Views};
use tch::Tensor;

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
    fn answer(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let squares = x_bld.narrow(1, 0, self.squares);
        let embedded = self.activation.apply(&self.embedding.forward(views, &squares));
        let queries = self.query.forward(views, &embedded) * (self.depth as f64).sqrt().recip();
        let keys = self.key.forward(views, &embedded);
        output.pairs_bnn = Some(queries.matmul(&keys.transpose(1, 2)) + &views[self.bias]);
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
