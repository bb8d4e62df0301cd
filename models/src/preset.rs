//! Published networks by name.

use crate::config::{ChessformerConfig, NormPlace, PolicyConfig, Pool, ValueConfig};
use nn::{Activation, NormKind};
use serde::{Deserialize, Serialize};

/// A published network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    /// CF-6M of the Chessformer paper.
    #[serde(rename = "cf-6m")]
    Cf6m,
}

/// A preset in words, for `posenc list presets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresetDescription {
    /// The preset.
    pub preset: Preset,
    /// Its name in YAML.
    pub name: &'static str,
    /// What it is, in a line.
    pub description: &'static str,
}

/// Every preset.
#[must_use]
pub fn presets() -> &'static [PresetDescription] {
    &[PresetDescription {
        preset: Preset::Cf6m,
        name: "cf-6m",
        description: "Chessformer's CF-6M: 8 layers, width 256, 8 heads, feed-forward 256 (arXiv 2409.12272)",
    }]
}

impl Preset {
    /// Its name in YAML.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cf6m => "cf-6m",
        }
    }

    /// Its architecture.
    ///
    /// Deviations from the paper's CF-6M: one policy and one win/draw/loss head; its auxiliary heads (soft policy,
    /// q value, errors, moves left) are left out, and its input gate is an encoding of its own (`absolute: {at: gate}`).
    #[must_use]
    pub fn config(self) -> ChessformerConfig {
        match self {
            Self::Cf6m => ChessformerConfig {
                layers: 8,
                width: 256,
                heads: 8,
                ff: 256,
                norm: NormPlace::Post,
                normalisation: NormKind::Rms,
                activation: Activation::Mish,
                qkv_bias: false,
                policy: PolicyConfig { embedding: Some(256), depth: Some(256) },
                value: ValueConfig { embedding: 32, hidden: 128, pool: Pool::Flatten },
            },
        }
    }
}
