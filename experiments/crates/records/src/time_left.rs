//! How long cells still take, estimated from the steps and seconds that they took so far.

use crate::status::{CellState, Progress};
use std::collections::HashMap;

/// The work of a cell so far.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    pub row: &'a str,
    pub state: &'a CellState,
    pub progress: Progress,
    /// Seconds of training and evaluation so far, over all its processes.
    pub spent_s: Option<f64>,
}

impl Work<'_> {
    fn pace(&self) -> Option<f64> {
        let steps = self.progress.step;
        self.spent_s.filter(|_| steps > 0).map(|spent| spent / steps as f64)
    }
}

/// The remaining seconds of each cell, from its own pace, otherwise its row's, otherwise the grid's. None for cells that have
/// ended, without a pace, and whose number of steps is unknown.
pub fn of_cells(cells: &[Work<'_>]) -> Vec<Option<f64>> {
    let mut rows: HashMap<&str, Vec<f64>> = HashMap::new();
    for cell in cells {
        rows.entry(cell.row).or_default().extend(cell.pace());
    }
    let rows: HashMap<&str, Option<f64>> = rows.into_iter().map(|(row, paces)| (row, mean(&paces))).collect();
    let all = mean(&cells.iter().filter_map(Work::pace).collect::<Vec<_>>());
    let left = |cell: &Work<'_>| {
        if cell.state.has_ended() || cell.progress.steps == 0 {
            return None;
        }
        let pace = cell.pace().or(rows[cell.row]).or(all)?;
        Some(pace * cell.progress.steps.saturating_sub(cell.progress.step) as f64)
    };
    cells.iter().map(left).collect()
}

/// Seconds until the last cell ends with the current number of running cells, from the state and the remaining time of each
/// cell. None if no cell runs, or if the time of an open cell is unknown.
pub fn of_grid<'a>(cells: impl IntoIterator<Item = (&'a CellState, Option<f64>)>) -> Option<f64> {
    let (mut running, mut longest, mut sum) = (0_u32, 0.0_f64, 0.0);
    for (state, left) in cells {
        if state.has_ended() {
            continue;
        }
        let left = left?;
        running += u32::from(matches!(state, CellState::Running(_)));
        longest = longest.max(left);
        sum += left;
    }
    (running > 0).then(|| longest.max(sum / f64::from(running)))
}

/// `None` of no values.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_its_own_pace_or_that_of_its_row_or_of_the_grid() {
        let progress = |step: u64| Progress { step, steps: 100 };
        let (running, done, pending) = (CellState::Running(progress(50)), CellState::Done, CellState::Pending);
        let cell =
            |row: &'static str, state, step: u64, spent_s| Work { row, state, progress: progress(step), spent_s };
        let cells = [
            cell("a", &running, 50, Some(100.0)),
            cell("a", &done, 100, Some(400.0)),
            cell("a", &pending, 0, None),
            cell("b", &pending, 0, None),
        ];
        let left = of_cells(&cells);
        assert_eq!(left, [Some(100.0), None, Some(300.0), Some(300.0)]);
        let of_all = |cells: &[Work<'_>]| of_grid(cells.iter().map(|cell| cell.state).zip(of_cells(cells)));
        assert_eq!(of_all(&cells), Some(700.0));
        assert_eq!(of_all(&cells[1..]), None, "no cell runs");
        assert_eq!(of_all(&[cell("a", &running, 0, None)]), None, "no speed is known");
    }
}
