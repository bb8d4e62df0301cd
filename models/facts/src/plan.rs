//! Parts of a plan beside its rows: the primary metric, interactions, a budget to predict, limits of the grid.

use super::numbers::{NumberOrWord, at_least_one};
use games::GameKind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Cells that a grid may have. A plan with more is refused, so that a small file cannot take all memory.
pub const MOST_CELLS: usize = 100_000;

/// The folder of trials in a run folder.
pub const TRIALS: &str = "tuning";

const LAST: &str = "last";

/// The metric that verdicts are about, as a plan stores it: without a step, it is read after the last one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Primary {
    /// Its name; whether more or less of it is better belongs to the metric.
    pub metric: String,
    #[serde(default, skip_serializing_if = "ReadAt::is_last")]
    pub at: ReadAt,
    pub weights: Weights,
    /// A difference that matters: reports name the number of seeds needed to detect it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
}

/// The step at which the primary metric is read.
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
            expected: "`last` or the number of a step (step 0 is before training)",
            number: |step| (step > 0).then_some(Self::Step(step)),
            word: |word| (word == LAST).then_some(Self::Last),
        };
        written.read(deserializer)
    }
}

games::named! {
    /// Which weights of a cell are evaluated.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Weights {
        /// The weights of the step.
        #[default]
        Raw = "raw",
        /// Their average, as configured by `averaging`.
        Averaged = "averaged",
    }
}

impl Weights {
    /// Whether they are the weights of the step.
    pub const fn are_raw(&self) -> bool {
        matches!(self, Self::Raw)
    }
}

/// An interaction: a gap with one value against the same gap with another, in four rows of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interaction {
    pub game: GameKind,
    /// The two values between which the gap lies, in words.
    pub gap: [String; 2],
    /// The two values that it is compared over, in words.
    pub by: [String; 2],
    /// The values that the four rows share, if the experiment has other such fours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The folders of the rows, `[by][gap]`.
    pub rows: [[String; 2]; 2],
}

/// The budget whose losses are predicted from those of smaller budgets: `{to: 4096000}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extrapolate {
    /// Training positions.
    #[serde(deserialize_with = "at_least_one")]
    pub to: u64,
}
