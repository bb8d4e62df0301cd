//! How a step is computed, beside what it minimises: element type, products in f32, and micro-batches.

use facts::numbers::NumberOrWord;
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};
use tch::Kind;

games::named! {
    /// The element type of activations and of the weights of matrix products. Everything else is f32 always: the stored
    /// weights, norms, gates and tables, losses, gradients, the optimiser's state.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Dtype {
        #[default]
        F32 = "f32",
        /// The upper 16 bits of an f32.
        Bf16 = "bf16",
    }
}

impl Dtype {
    pub const fn kind(self) -> Kind {
        match self {
            Self::F32 => Kind::Float,
            Self::Bf16 => Kind::BFloat16,
        }
    }
}

/// How a GPU computes matrix products and convolutions of f32 tensors. CPUs always compute them in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Products {
    #[default]
    Ieee,
    /// On tensor cores, which round the operands to 10 bits after the point and add in f32.
    Tf32,
}

/// How many positions of a batch go through the network at once; the step is that of the whole batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MicroBatch {
    /// As many as the device has room for.
    Auto,
    /// This number, fewer in the last one.
    Of(usize),
}

const AUTO: &str = "auto";

impl Serialize for MicroBatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str(AUTO),
            Self::Of(positions) => serializer.serialize_u64(*positions as u64),
        }
    }
}

impl<'de> Deserialize<'de> for MicroBatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = NumberOrWord {
            expected: "`auto` or a number of positions, 1 or more",
            number: |positions| usize::try_from(positions).ok().filter(|&positions| positions > 0).map(Self::Of),
            word: |word| (word == AUTO).then_some(Self::Auto),
        };
        written.read(deserializer)
    }
}
