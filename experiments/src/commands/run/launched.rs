//! `posenc run` in the processes that torchrun starts: they are the ranks of one cell. The first one runs the experiment, and the
//! process of its cell meets the others.

use crate::commands::cell;
use crate::commands::slots::Slots;
use anyhow::{bail, ensure};
use config::Experiment;
use grid::tuning::TuningSearch;
use grid::{Prepared, RunSelection, Task};
use records::CellState;
use std::process::ExitCode;
use train::ranks::RankId;

/// Set by torchrun. Under other launchers several runners may share a grid.
const TORCHRUN: &str = "TORCHELASTIC_RUN_ID";

/// Options of the process of the first rank's cell.
pub(super) const FLAGS: &[&str] = &[cell::RANKED];

/// The number of this process, if torchrun started several.
pub(super) fn rank(slots: &Slots, experiment: &Experiment, selection: &RunSelection) -> anyhow::Result<Option<usize>> {
    if std::env::var_os(TORCHRUN).is_none() {
        return Ok(None);
    }
    let Some(rank_id) = RankId::of_environment()?.filter(|rank_id| rank_id.size > 1) else { return Ok(None) };
    let tunes = TuningSearch::new(experiment, &selection.only)?.is_some();
    ensure!(
        !selection.smoke && !tunes && slots.ranks.get() == 1,
        "torchrun starts the ranks of one cell: that excludes --smoke, --ranks and `tune`"
    );
    Ok(Some(rank_id.rank))
}

pub(super) fn only_cell(prepared: &Prepared) -> anyhow::Result<&Task> {
    match &prepared.tasks[..] {
        [task] => Ok(task),
        tasks => bail!("torchrun starts the ranks of one cell, not of {}: choose it by --only", tasks.len()),
    }
}

/// Computes the share of a rank that is not the first.
pub(super) fn follow(slots: &Slots, experiment: &Experiment, selection: &RunSelection) -> anyhow::Result<ExitCode> {
    let prepared = Prepared::new(experiment, selection)?;
    let task = only_cell(&prepared)?;
    if CellState::of(&task.dir) == CellState::Done {
        return Ok(ExitCode::SUCCESS);
    }
    cell::run(&cell::Args::ranked(task.dir.clone(), slots.devices.clone(), slots.threads, slots.force))
}
