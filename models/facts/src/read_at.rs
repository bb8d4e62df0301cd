//! The step at which the primary metric is read.

use super::number_or_word::NumberOrWord;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const LAST: &str = "last";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadAt {
    /// After the last step, on the test positions.
    #[default]
    Last,
    /// After this step, on the validation positions.
    Step(u64),
}

impl ReadAt {
    /// Whether it is read after the last step.
    pub const fn is_last(&self) -> bool {
        matches!(self, Self::Last)
    }
}

impl Serialize for ReadAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Last => serializer.serialize_str(LAST),
            Self::Step(step) => serializer.serialize_u64(*step),
        }
    }
}

impl<'de> Deserialize<'de> for ReadAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = NumberOrWord {
            expected: "`last` or the number of a step",
            number: |step| Some(Self::Step(step)),
            word: |word| (word == LAST).then_some(Self::Last),
        };
        written.read(deserializer)
    }
}
