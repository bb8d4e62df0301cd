//! When pictures of the encodings are drawn: `ends`, `none`, or a number of steps.

use facts::numbers::NumberOrWord;
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};
use std::num::NonZeroU64;

/// When a cell draws what its encodings do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pictures {
    /// Before the first step and after the last one.
    #[default]
    Ends,
    None,
    /// Also at this interval of steps.
    Every(NonZeroU64),
}

const ENDS: &str = "ends";
const NONE: &str = "none";

impl Pictures {
    /// Whether a step between the first and the last gets pictures.
    pub fn is_due(self, step: u64) -> bool {
        matches!(self, Self::Every(steps) if step.is_multiple_of(steps.get()))
    }
}

impl Serialize for Pictures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ends => serializer.serialize_str(ENDS),
            Self::None => serializer.serialize_str(NONE),
            Self::Every(steps) => serializer.serialize_u64(steps.get()),
        }
    }
}

impl<'de> Deserialize<'de> for Pictures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = NumberOrWord {
            expected: "`ends`, `none` or a number of steps, 1 or more",
            number: |steps| NonZeroU64::new(steps).map(Self::Every),
            word: |word| match word {
                ENDS => Some(Self::Ends),
                NONE => Some(Self::None),
                _ => None,
            },
        };
        written.read(deserializer)
    }
}
