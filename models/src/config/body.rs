//! From which family of distributions weights start.

use nn::Init;
use serde::{Deserialize, Serialize};

/// From which family of distributions weights start. Biases start at zero in both (PyTorch's own do not).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitKind {
    /// Glorot's normal initialiser, as Lc0's training code has it; in blocks of attention as [`crate::NormPlace`] says.
    #[default]
    Glorot,
    /// Uniform in ±1/√fan_in, PyTorch's default for dense layers and convolutions, as dlshogi has it.
    Torch,
}

impl InitKind {
    /// The start of a layer outside blocks of attention.
    pub(crate) fn of(self, fan_in: i64, fan_out: i64) -> Init {
        match self {
            Self::Glorot => Init::glorot_normal(fan_in, fan_out, 1.0),
            Self::Torch => Init::torch(fan_in),
        }
    }
}
