//! An experiment file: what it asks for, with the values of settings still as they were written.

use super::evaluate::Evaluations;
use super::interactions::entry::InteractionEntry;
use super::matched::entry::{ControlEntry, RowName};
use super::setting::{Conditional, Point, Setting};
use super::tree::Node;
use super::tune::TuneEntry;
use facts::numbers::above_zero_if_any;
use facts::{Extrapolate, Margins, Primary, ReadAt, Weights, described};
use games::GameKind;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

described! {
/// The whole document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentFile {
    /// The experiment's name, a folder below the output folder; the file's name by default.
    pub name: Option<String>,
    /// The question that it answers.
    pub question: Option<String>,
    /// What its author expects.
    pub expect: Option<String>,
    /// What it costs, in words.
    pub cost: Option<String>,
    /// A place for values with a YAML anchor (&name) that the rest of the file repeats (*name). The key itself is ignored.
    #[serde(default)]
    pub anchors: IgnoredAny,
    /// A run, without what the axes supply.
    pub base: Node,
    /// What is varied; every combination is a row. Any setting of `base` can be an axis, by its dotted name.
    #[serde(default)]
    pub axes: Point,
    /// Groups of axes whose values advance together instead of being combined.
    #[serde(default)]
    pub zip: Vec<Vec<Setting>>,
    /// Further axes for the rows that have certain values.
    #[serde(default)]
    pub conditional: Vec<Conditional>,
    /// Rows to leave out: those that have all the values named.
    #[serde(default)]
    pub exclude: Vec<Point>,
    /// Values to add to the rows that they fit to, or rows of their own.
    #[serde(default)]
    pub include: Vec<Point>,
    /// Rows to add whose network is made as large, as expensive or as slow as another's.
    #[serde(default)]
    pub controls: Vec<ControlEntry>,
    /// Settings to choose for every row by trials on seeds of their own, before the rows are trained.
    pub tune: Option<TuneEntry>,
    /// The seeds; each is run for every row. A verdict needs three or more.
    pub seeds: Vec<u64>,
    /// The row that differences are taken against. Where several rows of a game have these values, each row is compared with
    /// the one that agrees with it in the axes in which they differ.
    pub reference: Point,
    /// The rows whose differences to the reference are the question; none named: all of them. Reports correct p-values
    /// over these rows only. The others are exploratory and get no verdict.
    #[serde(default)]
    pub contrasts: Vec<Point>,
    /// Names for tables, figures and folders, each with its row: {Shaw q,k: {encoding: {shaw: {terms: [q, k]}}}}. A row is
    /// given by its values, as in `reference`, or by its label in `posenc check`. No hash depends on names.
    #[serde(default)]
    pub names: BTreeMap<String, RowName>,
    /// The metric that verdicts are about, when it is read, and of which weights.
    #[serde(with = "PrimaryEntry")]
    pub primary: Primary,
    /// The size below which a difference in the primary metric does not matter: {policy_loss: 0.02}. Rows whose difference
    /// is smaller with enough certainty are equivalent. Write it before the run; there is no default.
    #[serde(default)]
    pub equivalent_within: Margins,
    /// The least value of the primary metric that a network can reach: {policy_loss: 1.4}. Power laws of the loss use it. It
    /// changes no cell. The default is 0 for maps, and for policies the entropy of their targets.
    #[serde(default)]
    pub floor: Margins,
    /// Gaps between rows that are compared over something else that the rows vary.
    #[serde(default)]
    pub interactions: Vec<InteractionEntry>,
    /// A budget of training positions whose losses reports predict from smaller budgets: {to: 4096000}. It changes no cell.
    pub extrapolate: Option<Extrapolate>,
    /// What the finished cells of each game are asked as players. It changes no cell.
    #[serde(default)]
    pub evaluate: BTreeMap<GameKind, Evaluations>,
    /// Whether the first reference of each game gets a twin with other parameter streams, the A/A row: yes, unless it is switched
    /// off. A table without one does not show how large a difference is where there is none.
    #[serde(default = "yes")]
    pub twin: bool,
}
}

fn yes() -> bool {
    true
}

described! {
/// `primary:` as files write it: [`Primary`], of which only the difference has a default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, remote = "Primary")]
pub(crate) struct PrimaryEntry {
    /// Its name; whether more or less of it is better belongs to the metric.
    pub metric: String,
    /// When it is read: after the last step, on the test positions; or after a step, on the validation positions.
    pub at: ReadAt,
    /// Of which weights.
    pub weights: Weights,
    /// A difference that matters: reports name the number of seeds needed to detect it.
    #[serde(default, deserialize_with = "above_zero_if_any")]
    pub difference: Option<f64>,
}
}
