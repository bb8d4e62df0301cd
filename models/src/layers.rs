//! From packed rows to tokens, and blocks over tokens.

pub(crate) mod attention;
pub(crate) mod body;
pub(crate) mod edge;
pub(crate) mod embedding;
pub(crate) mod feed_forward;
pub mod input;
pub(crate) mod parts;
pub(crate) mod registers;
pub(crate) mod residual;

use crate::config::InitKind;
use nn::{Init, Linear, Scope};

impl InitKind {
    /// The start of a layer outside blocks of attention.
    pub(crate) fn of(self, fan_in: i64, fan_out: i64) -> Init {
        match self {
            Self::Glorot => Init::glorot_normal(fan_in, fan_out, 1.0),
            Self::Torch => Init::torch(fan_in),
        }
    }
}

/// A dense layer with bias, `[inputs, outputs]` wide.
pub(crate) fn dense(scope: &mut Scope<'_>, name: &str, [inputs, outputs]: [i64; 2], init: InitKind) -> Linear {
    Linear::declare(&mut scope.sub(name), inputs, outputs, init.of(inputs, outputs), true)
}
