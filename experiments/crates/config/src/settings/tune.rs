//! `tune`: settings that are chosen for every row by trials, before the rows are trained.
//!
//! ```yaml
//! tune:
//!   axes: {train.encoding_rate: [1, 3, 10, 30]}   # every row tries all of these
//!   seeds: [100, 101]                             # none of the experiment's own
//!   set: {steps: 200}                             # what trials have otherwise than rows, such as a smaller budget
//! ```
//! A trial is a row like any other, in a grid of its own. The choice is made on validation positions; the rows are then
//! trained with it, and tested. Every row has equally many trials: the tuning budget is a part of what is compared (Dodge
//! et al., "Show your work: improved reporting of experimental results", EMNLP 2019).

use super::setting::{Conditional, Point};
use crate::checks::seeds::each_once;
use crate::yaml::source::{ConfigError, at};
use crate::yaml::tree::Node;
use facts::described;
use facts::numbers::at_least_one;
use serde::Deserialize;

described! {
/// `tune` as a file writes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TuneEntry {
    /// What every row tries: all combinations of these values.
    pub(crate) axes: Point,
    /// Other axes for some rows, with equally many trials.
    #[serde(default)]
    pub(crate) conditional: Vec<Conditional>,
    /// All combinations, or this number of them, drawn without replacement, the same places for every row.
    #[serde(default)]
    pub(crate) search: SearchMethod,
    /// Seeds of the trials, none of the experiment's own.
    pub(crate) seeds: Vec<u64>,
    /// Settings of the trials only, such as a smaller budget.
    #[serde(default)]
    pub(crate) set: Point,
}
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum SearchMethod {
    #[default]
    Grid,
    /// As many as the number says, drawn without replacement, the same places of the axes for every row.
    Random(#[serde(deserialize_with = "at_least_one")] usize),
}

impl TuneEntry {
    pub(crate) fn check(&self, seeds: &[u64], document: &Node) -> Result<(), ConfigError> {
        if self.seeds.is_empty() {
            let error = document.error_at(&at!["tune", "seeds"], "there is no seed");
            return Err(error.help("list one or more that are not among `seeds`: [100, 101]"));
        }
        if let Some(i) = self.seeds.iter().position(|seed| seeds.contains(seed)) {
            let message = format!("the seed {} is also one of `seeds`", self.seeds[i]);
            let error = document.error_at(&at!["tune", "seeds", i], message);
            return Err(error.help("a choice made on a seed that is reported favours the row: take other seeds"));
        }
        each_once(&self.seeds, at!["tune", "seeds"], document)?;
        if self.axes.0.is_empty() {
            let error = document.error_at(&at!["tune", "axes"], "there is nothing to tune");
            return Err(error.help("list settings with the values to try: axes: {train.encoding_rate: [1, 3, 10, 30]}"));
        }
        for (setting, values) in
            std::iter::once(&self.axes).chain(self.conditional.iter().map(|one| &one.axes)).flat_map(|axes| &axes.0)
        {
            if let Some(reason) = setting.fixed() {
                return Err(values.origin.key_error(format!("`{setting}` cannot be tuned: {reason}")));
            }
            if values.elements().is_empty() {
                let error = values.origin.error(format!("`{setting}` has no values to try"));
                return Err(error.help(format!("list them: {setting}: [1, 3, 10, 30]")));
            }
        }
        Ok(())
    }
}
