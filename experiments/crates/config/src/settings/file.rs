//! An experiment file: what it asks for, with the values of settings still as they were written.

use super::evaluate::Evaluations;
use super::setting::{Conditional, Point, Setting};
use super::tune::TuneEntry;
use crate::rows::matched::entry::{ControlEntry, RowName};
use crate::yaml::tree::Node;
use crate::yaml::visitors::one_or_list;
use facts::numbers::above_zero_if_any;
use facts::{Extrapolate, Margins, Primary, ReadAt, Weights, described};
use games::GameKind;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use std::collections::BTreeMap;

described! {
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentFile {
    /// The run folder, `runs/NAME`; the file's name by default.
    pub name: Option<String>,
    /// The question, for readers.
    pub question: Option<String>,
    /// The expected answer, for readers.
    pub expect: Option<String>,
    /// The cost in words, for readers.
    pub cost: Option<String>,
    /// A place for values with a YAML anchor (`&name`) that the file repeats (`*name`). The key is ignored; merge keys
    /// `<<` are refused.
    #[serde(default)]
    pub anchors: IgnoredAny,
    /// The settings that no axis varies.
    pub base: Node,
    /// Settings that vary, with their values; every combination is a row.
    #[serde(default)]
    pub axes: Point,
    /// Groups of axes whose values advance together.
    #[serde(default)]
    pub zip: Vec<Vec<Setting>>,
    /// Further axes for the rows that have certain values.
    #[serde(default)]
    pub conditional: Vec<Conditional>,
    /// Rows to leave out: those that have all these values.
    #[serde(default)]
    pub exclude: Vec<Point>,
    /// Values to add to the rows that they fit; otherwise rows to add.
    #[serde(default)]
    pub include: Vec<Point>,
    /// Rows to add whose network matches another row in parameters, FLOPs or step time.
    #[serde(default)]
    pub controls: Vec<ControlEntry>,
    /// Trials that choose settings for every row before the rows are trained.
    pub tune: Option<TuneEntry>,
    /// Each is run for every row; a verdict needs three or more.
    pub seeds: Vec<u64>,
    /// Warnings to suppress in `posenc check`: `few_seeds`, `many_epochs`.
    #[serde(default)]
    pub accepts: Vec<Accepted>,
    /// The row against which differences are taken, or one for each group of rows.
    pub reference: Point,
    /// Rows whose differences are the question; all by default. Holm's correction counts these only; other rows are
    /// exploratory, without a verdict.
    #[serde(default)]
    pub contrasts: Vec<Point>,
    /// Names of rows in tables, figures and folders. No hash depends on them.
    #[serde(default)]
    pub names: BTreeMap<String, RowName>,
    /// The metric that verdicts are about.
    #[serde(with = "PrimaryEntry")]
    pub primary: Primary,
    /// The margin of equivalence, `{policy_loss: 0.02}`. Write it before the run; reports mark a later margin.
    #[serde(default)]
    pub equivalent_within: Margins,
    /// The least loss that a network can reach, `{policy_loss: 1.4}`, for power laws of the loss. By default 0 for
    /// maps, and the entropy of the targets for policies. It changes no cell.
    #[serde(default)]
    pub floor: Margins,
    /// Gaps between rows, compared over another setting.
    #[serde(default)]
    pub interactions: Vec<InteractionEntry>,
    /// A budget in positions whose losses reports predict from three smaller budgets or more. It needs three seeds, and
    /// a loss as `primary` with `at: last`. It changes no cell.
    pub extrapolate: Option<Extrapolate>,
    /// Playing-strength evaluations of the finished cells. It changes no cell.
    #[serde(default)]
    pub evaluate: BTreeMap<GameKind, Evaluations>,
    /// Whether the first reference of each game gets an A/A control: the same run with other parameter streams.
    #[serde(default = "yes")]
    pub twin: bool,
}
}

/// A warning that a file suppresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accepted {
    /// Fewer seeds than a verdict needs.
    FewSeeds,
    /// Training positions that are seen more than once.
    ManyEpochs,
}

fn yes() -> bool {
    true
}

described! {
/// `primary:` as files write it: [`Primary`], of which only the difference has a default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, remote = "Primary")]
pub(crate) struct PrimaryEntry {
    /// Its name; `posenc list metrics` shows all.
    pub metric: String,
    /// `last` reads test positions after the last step; a step reads validation positions.
    pub at: ReadAt,
    /// The trained weights, or their average.
    pub weights: Weights,
    /// An effect size; reports give the number of seeds needed to detect it.
    #[serde(default, deserialize_with = "above_zero_if_any")]
    pub difference: Option<f64>,
}
}

/// A gap between two rows, compared over another setting.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InteractionEntry {
    /// Two values; the gap is the primary metric with the second less that with the first.
    #[serde(deserialize_with = "places")]
    pub(crate) gap: Vec<VariedAxis>,
    /// Two values or more; the gap with each later one is compared with that of the first.
    #[serde(deserialize_with = "places")]
    pub(crate) by: Vec<VariedAxis>,
}

impl InteractionEntry {
    /// All its values, with their settings.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&Setting, &Node)> {
        let places = self.gap.iter().chain(&self.by);
        places.flat_map(|place| place.values.iter().map(move |value| (&place.axis, value)))
    }
}

/// The varied axes: one, or several whose values advance together.
fn places<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<VariedAxis>, D::Error> {
    one_or_list("a map {axis, values} or a list of such", deserializer)
}

/// An axis and the values that rows have there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariedAxis {
    pub(crate) axis: Setting,
    /// The values, as in `axes`.
    pub(crate) values: Vec<Node>,
}
