//! The feed-forward layer.

use crate::body::BodyConfig;
use nn::{Activation, Linear, Scope, Views};
use serde::{Deserialize, Serialize};
use tch::Tensor;

/// What stands between the two widths of a feed-forward layer. The gated forms have two weights inside, `ff` wide each:
/// two thirds of a dense layer's `ff` cost as much as that layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedForwardKind {
    /// `activation(W₁·x)`.
    #[default]
    Dense,
    /// `σ(W·x) ⊙ V·x` (Dauphin et al. 2016, arXiv 1612.08083).
    Glu,
    /// `swish(W·x) ⊙ V·x` (Shazeer 2020, arXiv 2002.05202; `glu` of Lc0's training code).
    Swiglu,
    /// `gelu(W·x) ⊙ V·x` (the same paper).
    Geglu,
}

impl FeedForwardKind {
    /// The gate of the gated forms.
    fn gate(self) -> Option<Gate> {
        match self {
            Self::Dense => None,
            Self::Glu => Some(Gate::Sigmoid),
            Self::Swiglu => Some(Gate::Activation(Activation::Swish)),
            Self::Geglu => Some(Gate::Activation(Activation::Gelu)),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Gate {
    Sigmoid,
    Activation(Activation),
}

impl Gate {
    fn apply(self, x: &Tensor) -> Tensor {
        match self {
            Self::Sigmoid => x.sigmoid(),
            Self::Activation(activation) => activation.apply(x),
        }
    }
}

/// `W₂·inside(x) + b₂`, the inside as [`FeedForwardKind`] says, all weights from the initialiser of [`crate::residual::Residual::scaled`].
///
/// A gated layer's W and V are one weight `[2·ff, d]`, W's rows first, so that they are one product; each starts as a
/// weight `[ff, d]` does. Biases stand beside W, V and W₂, or nowhere.
#[derive(Debug)]
pub(crate) struct FeedForward {
    hidden: Linear,
    out: Linear,
    activation: Activation,
    gate: Option<Gate>,
}

impl FeedForward {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (d, ff, bias, residual) = (config.width(), config.ff as i64, config.ff_bias, config.residual());
        let gate = config.ff_kind.gate();
        let inside = if gate.is_some() { 2 * ff } else { ff };
        let hidden = Linear::declare(&mut scope.sub("hidden"), d, inside, residual.scaled(d, ff), bias);
        let out = Linear::declare(&mut scope.sub("out"), ff, d, residual.scaled(ff, d), bias);
        Self { hidden, out, activation: config.ff_activation.unwrap_or(config.activation), gate }
    }

    pub(crate) fn forward(&self, views: &Views, x_bld: &Tensor) -> Tensor {
        let inside = match self.gate {
            None => self.hidden.forward_activated(views, x_bld, self.activation),
            Some(gate) => {
                let parts = self.hidden.forward(views, x_bld).chunk(2, -1);
                gate.apply(&parts[0]) * &parts[1]
            }
        };
        self.out.forward(views, &inside)
    }

    /// W₁ and W₂ with what stands between them, where no gate does.
    pub(crate) fn dense_layers(&self) -> Option<(&Linear, &Linear, Activation)> {
        self.gate.is_none().then_some((&self.hidden, &self.out, self.activation))
    }

    pub(crate) fn macs_per_token(&self) -> u64 {
        self.hidden.macs() + self.out.macs()
    }
}
