//! The win/draw/loss head.

use crate::config::{ChessformerConfig, Pool};
use encodings::Tokens;
use nn::{Activation, Init, Linear, Scope, Views};
use tch::{Kind, Tensor};

/// Each square reduced to a few channels, then flattened (or averaged), a hidden layer, and three logits.
///
/// The value head of Lc0's training code (`tf/tfprocess.py`, `value_head`), its winner output only. Every weight
/// starts from Glorot's normal initialiser.
#[derive(Debug)]
pub(crate) struct ValueHead {
    embedding: Linear,
    hidden: Linear,
    wdl: Linear,
    activation: Activation,
    pool: Pool,
    squares: i64,
}

impl ValueHead {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &ChessformerConfig, tokens: &Tokens) -> Self {
        let squares = tokens.geometry().squares() as i64;
        let (d, e, hidden) = (config.width as i64, config.value.embedding as i64, config.value.hidden as i64);
        let pooled = match config.value.pool {
            Pool::Flatten => squares * e,
            Pool::Mean => e,
        };
        let mut dense = |name, inputs, outputs| {
            Linear::declare(&mut scope.sub(name), inputs, outputs, Init::glorot_normal(inputs, outputs, 1.0), true)
        };
        Self {
            embedding: dense("embedding", d, e),
            hidden: dense("hidden", pooled, hidden),
            wdl: dense("wdl", hidden, 3),
            activation: config.activation,
            pool: config.value.pool,
            squares,
        }
    }

    /// The trunk's output `[b,l,d]` → logits `[b,3]` of win, draw and loss.
    pub(crate) fn forward(&self, views: &Views, x_bld: &Tensor) -> Tensor {
        let squares = x_bld.narrow(1, 0, self.squares);
        let embedded = self.activation.apply(&self.embedding.forward(views, &squares));
        let pooled = match self.pool {
            Pool::Flatten => embedded.flatten(1, 2),
            Pool::Mean => embedded.mean_dim([1i64].as_slice(), false, Kind::Float),
        };
        let hidden = self.activation.apply(&self.hidden.forward(views, &pooled));
        self.wdl.forward(views, &hidden)
    }

    pub(crate) fn position_sources(&self) -> Vec<&'static str> {
        match self.pool {
            Pool::Flatten => vec!["value head (squares flattened)"],
            Pool::Mean => Vec::new(),
        }
    }

    /// Multiplications for a position.
    pub(crate) fn macs(&self) -> u64 {
        self.squares as u64 * self.embedding.macs() + self.hidden.macs() + self.wdl.macs()
    }
}
