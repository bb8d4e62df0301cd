//! Finished cells that a new plan of a run folder would drop: reports and `posenc status` show the cells of the plan only.

use super::error::GridError;
use records::CellState;
use records::plan::Plan;
use std::collections::HashSet;
use std::path::Path;

/// Refuses a plan that lacks finished cells of the one in the run folder. A folder without a readable plan loses none. Cells
/// are known by their hash: a row that a new row gives another label keeps its cells.
pub(super) fn refuse(run_dir: &Path, new: &Plan) -> Result<(), GridError> {
    let Ok(old) = Plan::read(run_dir) else { return Ok(()) };
    let hashes: HashSet<&str> = new.rows.iter().map(|row| hash(&row.folder)).collect();
    let seeds: HashSet<u64> = new.seeds.iter().copied().collect();
    let mut cells = 0;
    let mut rows = Vec::new();
    for row in &old.rows {
        let stays = hashes.contains(hash(&row.folder));
        let gone = old.seeds.iter().copied().filter(|seed| !stays || !seeds.contains(seed));
        let finished =
            gone.filter(|&seed| CellState::of(&Plan::cell_dir(run_dir, row, seed)) == CellState::Done).count();
        if finished > 0 {
            cells += finished;
            rows.push(row.folder.clone());
        }
    }
    match cells {
        0 => Ok(()),
        _ => Err(GridError::Dropped { run_dir: run_dir.to_owned(), cells, rows }),
    }
}

/// The hash at the end of the name of a row's folder.
fn hash(folder: &str) -> &str {
    folder.rsplit_once('-').map_or(folder, |(_, hash)| hash)
}
