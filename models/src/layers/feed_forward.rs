//! The feed-forward layer.

use super::residual::{Residual, Sublayer};
use crate::config::{BodyConfig, FeedForwardKind};
use nn::{Activation, Linear, Scope, Views};
use tch::Tensor;

/// The gate of the gated forms.
fn gate(kind: FeedForwardKind) -> Option<Activation> {
    match kind {
        FeedForwardKind::Dense => None,
        FeedForwardKind::Glu => Some(Activation::Sigmoid),
        FeedForwardKind::Swiglu => Some(Activation::Swish),
        FeedForwardKind::Geglu => Some(Activation::Gelu),
    }
}

/// `W₂·inside(x) + b₂`, the hidden part as in [`FeedForwardKind`], all weights from the initialiser of [`Residual::scaled`].
///
/// A gated layer's W and V are one weight `[2·ff, d]`, W's rows first, so that they are one product; each starts as a
/// weight `[ff, d]` does. W, V and W₂ all have biases, or none has.
#[derive(Debug)]
pub(crate) struct FeedForward {
    hidden: Linear,
    out: Linear,
    activation: Activation,
    gate: Option<Activation>,
}

impl FeedForward {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (d, ff, bias) = (config.width(), config.ff as i64, config.ff_bias);
        let residual = Residual::of(config, Sublayer::FeedForward);
        let gate = gate(config.ff_kind);
        let inside = if gate.is_some() { 2 * ff } else { ff };
        let hidden = Linear::declare(&mut scope.sub("hidden"), d, inside, residual.scaled(d, ff), bias);
        let out = Linear::declare(&mut scope.sub("out"), ff, d, residual.scaled(ff, d), bias);
        Self { hidden, out, activation: config.ff_activation.unwrap_or(config.activation), gate }
    }

    /// Its output times a factor.
    pub(crate) fn forward(&self, views: &Views, x_bld: &Tensor, factor: f64) -> Tensor {
        let inside = match self.gate {
            None => self.hidden.forward_activated(views, x_bld, self.activation),
            Some(gate) => {
                let parts = self.hidden.forward(views, x_bld).chunk(2, -1);
                gate.apply(&parts[0]) * &parts[1]
            }
        };
        self.out.forward_times(views, &inside, factor)
    }

    /// W₁, W₂ and the activation, without a gate.
    pub(crate) fn dense_layers(&self) -> Option<(&Linear, &Linear, Activation)> {
        self.gate.is_none().then_some((&self.hidden, &self.out, self.activation))
    }

    pub(crate) fn macs_per_token(&self) -> u64 {
        self.hidden.macs() + self.out.macs()
    }
}
