//! Sizes and choices of a residual network, as experiments write them.

use super::body::InitKind;
use super::defaults::{dense_channels, is_default, relu};
use super::error::{MOST_LAYERS, ModelError, check_limits};
use super::heads::{Outputs, check_offered};
use facts::HeadName;
use nn::Activation;
use nn::layout::LARGEST_SIZE;
use serde::{Deserialize, Serialize};

/// Sizes and choices of the residual network. The sizes that an experiment is about have no default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResnetConfig {
    /// Residual blocks.
    pub blocks: usize,
    /// Channels of every convolution of the trunk.
    pub channels: usize,
    /// The stem: from the input to channels.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stem: Stem,
    /// Squeeze-and-excitation at the end of each block; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub se: Option<SqueezeConfig>,
    /// The activation everywhere.
    #[serde(default = "relu")]
    pub activation: Activation,
    /// The normalisation after every convolution except a policy's last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub batch_norm: BatchNormConfig,
    /// The initialiser of convolutions and dense layers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub init: InitKind,
    /// The form of the policy head.
    #[serde(default)]
    pub policy: ResnetPolicy,
    /// Sizes of the value head.
    #[serde(default)]
    pub value: ResnetValue,
    /// Which heads it has: some of `policy`, `result`, `win_rate` and `moves_left`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub outputs: Outputs,
}

/// The stem: from the input to channels, before the first normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stem {
    /// One convolution 3×3.
    #[default]
    Single,
    /// The sum of three without bias: 3×3 and 1×1 of the channels about single squares, and 1×1 of those
    /// that are the same on all squares. On `dlshogi_62_57` it is dlshogi's of its 62 and 57 planes.
    Parted,
}

/// Squeeze-and-excitation: a scale and an offset for each channel, from the means of all channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqueezeConfig {
    /// Width of the hidden layer.
    pub channels: usize,
}

/// How running statistics follow the batches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BatchNormConfig {
    /// The share of a batch in the running statistics. PyTorch's default is 0.1, Lc0's training code has 0.01.
    pub momentum: f64,
}

impl Default for BatchNormConfig {
    fn default() -> Self {
        Self { momentum: 0.1 }
    }
}

/// How the board becomes logits over the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ResnetPolicy {
    /// Two convolutions 3×3; the second has a plane for each kind of move, read at the square that the move leaves.
    #[default]
    Convolution,
    /// A convolution 1×1 without bias to a plane for each kind of move, read where [`Self::Convolution`] reads it, and a
    /// bias for each move: dlshogi's.
    Planes,
    /// A convolution 1×1 and a dense layer from all squares to all moves.
    Dense {
        /// Channels that each square is reduced to; 32 by default.
        #[serde(default = "dense_channels")]
        channels: usize,
    },
}

/// Sizes of the value head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResnetValue {
    /// Channels that each square is reduced to.
    pub channels: usize,
    /// Width of the hidden layer.
    pub hidden: usize,
}

impl Default for ResnetValue {
    fn default() -> Self {
        Self { channels: 32, hidden: 128 }
    }
}

const HEADS: [HeadName; 4] = [HeadName::Policy, HeadName::Result, HeadName::WinRate, HeadName::MovesLeft];

impl ResnetConfig {
    /// For an architecture of this name.
    pub(crate) fn check_sizes(&self, model: &'static str) -> Result<(), ModelError> {
        let moves_left = self.outputs.moves_left;
        let sizes = [
            ("channels", self.channels),
            ("se.channels", self.se.map_or(1, |se| se.channels)),
            ("policy.dense.channels", if let ResnetPolicy::Dense { channels } = self.policy { channels } else { 1 }),
            ("value.channels", self.value.channels),
            ("value.hidden", self.value.hidden),
            ("outputs.moves_left.embedding", moves_left.map_or(1, |head| head.embedding)),
            ("outputs.moves_left.hidden", moves_left.map_or(1, |head| head.hidden)),
        ];
        check_limits(MOST_LAYERS, &[("blocks", self.blocks)])?;
        check_limits(LARGEST_SIZE, &sizes)?;
        let momentum = self.batch_norm.momentum;
        if !(momentum > 0.0 && momentum <= 1.0) {
            let wanted = "above 0 and at most 1; PyTorch's default is 0.1";
            return Err(ModelError::out_of_range("batch_norm.momentum", momentum, wanted));
        }
        check_offered(model, &self.outputs, &HEADS)
    }
}
