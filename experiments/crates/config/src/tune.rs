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

use super::seeds::repeated;
use super::setting::{Conditional, Point};
use super::source::{ConfigError, at};
use super::tree::Node;
use facts::numbers::at_least_one;
use serde::Deserialize;

/// `tune` as a file writes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TuneEntry {
    /// What every row tries: all combinations of these values.
    pub(crate) axes: Point,
    /// Other axes for the rows that have certain values, with equally many combinations.
    #[serde(default)]
    pub(crate) conditional: Vec<Conditional>,
    #[serde(default)]
    pub(crate) search: Search,
    pub(crate) seeds: Vec<u64>,
    /// What all trials have otherwise than the rows.
    #[serde(default)]
    pub(crate) set: Point,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Search {
    #[default]
    Grid,
    /// As many as the number says, drawn without replacement, the same places of the axes for every row.
    Random(#[serde(deserialize_with = "at_least_one")] usize),
    /// All of them for the first number of steps, the better third of each row for the next, and so on.
    Halving(Halving),
}

/// Successive halving (Jamieson & Talwalkar 2016, arXiv 1502.07943).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Halving {
    /// Optimiser steps of each round.
    pub(crate) steps: Vec<u64>,
    /// A round keeps one trial in so many.
    #[serde(default = "three", deserialize_with = "at_least_one")]
    pub(crate) keep_one_in: usize,
}

fn three() -> usize {
    3
}

impl TuneEntry {
    /// Refuses what cannot be tuned.
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
        if let Some(i) = repeated(&self.seeds) {
            let message = format!("the seed {} stands twice", self.seeds[i]);
            let error = document.error_at(&at!["tune", "seeds", i], message);
            return Err(error.help("a repeated seed repeats the same numbers; name each once"));
        }
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
        match &self.search {
            Search::Halving(halving) if halving.steps.len() < 2 || !halving.steps.is_sorted_by(|a, b| a < b) => {
                let error =
                    document.error_at(&at!["tune", "search"], "`halving.steps` must be two or more rising numbers");
                Err(error.help("write the steps of each round: search: {halving: {steps: [100, 300]}}"))
            }
            _ => Ok(()),
        }
    }

    /// The steps of each round of trials, where they differ from the rows', and how many trials of a row it keeps.
    pub(crate) fn rounds(&self, trials: usize) -> Vec<(Option<u64>, usize)> {
        let Search::Halving(Halving { steps, keep_one_in }) = &self.search else { return vec![(None, 1)] };
        let mut left = trials;
        let last = steps.len() - 1;
        let keep = |(i, &steps): (usize, &u64)| {
            left = if i == last { 1 } else { left.div_ceil(*keep_one_in) };
            (Some(steps), left)
        };
        steps.iter().enumerate().map(keep).collect()
    }
}
