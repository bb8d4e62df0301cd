//! From packed rows to tokens, and blocks over tokens.

pub(crate) mod attention;
pub(crate) mod body;
pub(crate) mod cls_parts;
pub(crate) mod edge;
pub(crate) mod embedding;
pub(crate) mod feed_forward;
pub mod input;
pub(crate) mod registers;
pub(crate) mod residual;

use crate::config::InitKind;
use nn::{Backend, Init, Linear, Scope};
use tch::Tensor;

impl InitKind {
    /// The start of a layer outside blocks of attention.
    pub(crate) fn of(self, fan_in: i64, fan_out: i64) -> Init {
        match self {
            Self::Glorot => Init::glorot_normal(fan_in, fan_out, 1.0),
            Self::Torch => Init::torch(fan_in),
        }
    }
}

/// `count` tokens of `[b,l,…]`, from `first` on. The gradient of a part is a copy of the whole, so that LibTorch's fused operations
/// read the whole where the part is all of it.
pub(crate) fn tokens(x: &Tensor, first: i64, count: i64) -> Tensor {
    let are_all = x.size()[1] == count;
    if are_all && Backend::on(x.device()) == Backend::Fused { x.shallow_clone() } else { x.narrow(1, first, count) }
}

/// A dense layer with bias, `[inputs, outputs]` wide.
pub(crate) fn dense(scope: &mut Scope<'_>, name: &str, [inputs, outputs]: [i64; 2], init: InitKind) -> Linear {
    Linear::declare(&mut scope.sub(name), inputs, outputs, init.of(inputs, outputs), true)
}
