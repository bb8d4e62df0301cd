//! When the cells of a grid were trained.

use crate::clocks::Clock;
use crate::fields::{Fields, fault};
use crate::library::Grid;
use minijinja::{Error, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which cells of a grid are meant.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// `trial` or `cell`; both without it.
    pub(crate) of: Option<String>,
    /// Without those that this grid has too.
    pub(crate) without: Option<Arc<Grid>>,
}

/// How many cells a grid has, and when the first began and the last ended.
pub(crate) fn trained(grid: &Grid, selection: &Selection) -> Result<Value, Error> {
    let is_trial = match selection.of.as_deref() {
        None => None,
        Some("trial") => Some(true),
        Some("cell") => Some(false),
        Some(other) => return Err(fault(format!("of is \"trial\" or \"cell\", got {other:?}"))),
    };
    let theirs: BTreeSet<&str> =
        selection.without.iter().flat_map(|other| &other.clocks).map(|clock| clock.id.as_str()).collect();
    let meant =
        |clock: &&Clock| is_trial.is_none_or(|wanted| clock.is_trial == wanted) && !theirs.contains(clock.id.as_str());
    let clocks: Vec<&Clock> = grid.clocks.iter().filter(meant).collect();
    let fields = Fields::of(format!("the times of {}", grid.name))
        .with("count", clocks.len())
        .with_some("began", clocks.iter().map(|clock| clock.began).reduce(f64::min))
        .with_some("ended", clocks.iter().map(|clock| clock.ended).reduce(f64::max));
    Ok(fields.value())
}
