//! The axes of a grid: what an experiment may vary. A new axis is one line.

use super::phases::Phase;
use super::run::{Mask, RunConfig};
use super::values::{EncodingStack, OptimizerChoice, RateChoice};
use games::{GameKind, InputName, MovesName};
use models::ModelConfig;
use serde::{Deserialize, Serialize};

macro_rules! axes {
    ($($variant:ident $field:ident: $type:ty, $doc:literal;)*) => {
        /// The name of an axis.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum AxisName {
            $(#[doc = $doc] $variant,)*
        }

        impl AxisName {
            /// Every axis, in the order in which labels name them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its key in YAML.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($field),)*
                }
            }
        }

        /// The values of each axis that an experiment varies, as written.
        #[derive(Debug, Clone, Default, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Axes {
            $(#[doc = $doc] pub $field: Option<Vec<$type>>,)*
        }

        impl Axes {
            /// The values of one axis, each as a point that says nothing about the others; `None` if it is not varied.
            #[must_use]
            pub fn points(&self, axis: AxisName) -> Option<Vec<Point>> {
                match axis {
                    $(AxisName::$variant => self.$field.as_ref().map(|values| {
                        values.iter().map(|v| Point { $field: Some(v.clone()), ..Point::default() }).collect()
                    }),)*
                }
            }
        }

        /// A point of the grid, or a part of one: a value on some of the axes.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Point {
            $(#[doc = $doc] #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
        }

        impl Point {
            /// The axes that it says something about.
            #[must_use]
            pub fn axes(&self) -> Vec<AxisName> {
                let mut axes = Vec::new();
                $(if self.$field.is_some() {
                    axes.push(AxisName::$variant);
                })*
                axes
            }

            /// This point, with what it leaves open taken from another.
            #[must_use]
            pub fn or(&self, other: &Self) -> Self {
                Self { $($field: self.$field.clone().or_else(|| other.$field.clone()),)* }
            }

            /// This point, saying nothing about these axes.
            #[must_use]
            pub fn without(&self, axes: &[AxisName]) -> Self {
                Self { $($field: self.$field.clone().filter(|_| !axes.contains(&AxisName::$variant)),)* }
            }

            /// Whether both say the same about an axis; also if both say nothing.
            #[must_use]
            pub fn same(&self, other: &Self, axis: AxisName) -> bool {
                match axis {
                    $(AxisName::$variant => self.$field == other.$field,)*
                }
            }
        }
    };
}

axes! {
    Game game: GameKind, "The game.";
    Encoding encoding: EncodingStack, "The position encodings: each value is one encoding or a list (a stack).";
    Model model: ModelConfig, "The network.";
    Input input: InputName, "How a position becomes tokens.";
    Moves moves: MovesName, "How moves are numbered.";
    Mask mask: Mask, "When illegal moves are masked.";
    Optimizer optimizer: OptimizerChoice, "The optimiser.";
    LearningRate learning_rate: RateChoice, "Learning rate over steps.";
    Batch batch: usize, "Positions a step.";
    Steps steps: u64, "Optimiser steps.";
    Phases phases: Vec<Phase>, "In which order training takes the rating buckets.";
}

impl Point {
    /// Whether a row's point has everything that this partial one asks for.
    #[must_use]
    pub fn matches(&self, row: &Self) -> bool {
        self.axes().into_iter().all(|axis| self.same(row, axis))
    }

    /// The same point with presets spelled out, so that two spellings of one value are equal.
    #[must_use]
    pub fn normalised(mut self) -> Self {
        self.model = self.model.map(super::run::spelled_out);
        self
    }

    /// The point of a complete run.
    #[must_use]
    pub fn of(run: &RunConfig) -> Self {
        Self {
            game: Some(run.game),
            encoding: Some(EncodingStack(run.encoding.clone())),
            model: Some(run.model.clone()),
            input: Some(run.input),
            moves: Some(run.moves),
            mask: Some(run.train.mask),
            optimizer: Some(OptimizerChoice(run.train.optimizer.clone())),
            learning_rate: Some(RateChoice(run.train.learning_rate.clone())),
            batch: Some(run.train.batch),
            steps: Some(run.train.steps),
            phases: Some(run.train.phases.clone()),
        }
    }
}

impl std::fmt::Display for AxisName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
