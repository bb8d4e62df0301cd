//! Progress from the files of training cells: steps, loss, speed, and the remaining time.

use crate::worker::{Outcome, Task};
use config::{grouped, in_words};
use records::folder::METRICS_FILE;
use records::lines::Follower;
use records::plan::Plan;
use records::status::Progress;
use records::time_left::{self, Work};
use records::{CellState, MetricLine, Part, Status};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The cells of a run, named by their place among its tasks.
#[derive(Debug)]
pub(crate) struct CellProgress {
    cells: Vec<GridCell>,
    /// How many cells run at a time.
    slots: usize,
    read: Instant,
}

const READ_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug)]
struct GridCell {
    dir: PathBuf,
    row: String,
    /// Its steps as the plan has them, where rows differ in them; else 0.
    planned: u64,
    state: CellState,
    progress: Progress,
    follower: Follower,
    /// The step of its last line, and the seconds until then.
    measured: Option<(u64, f64)>,
    loss: Option<f64>,
    positions_per_s: Option<f64>,
}

impl CellProgress {
    pub(crate) fn new(tasks: &[Task]) -> Self {
        let run_dir = tasks.first().and_then(|task| task.dir.parent()?.parent());
        let plan = run_dir.and_then(|dir| Plan::read(dir).ok()).filter(|plan| !plan.smoke);
        let planned = |task: &Task| {
            let folder = task.dir.parent()?.file_name()?;
            plan.as_ref()?.rows.iter().find(|row| folder == row.folder.as_str())?.steps()
        };
        let cell = |task: &Task| GridCell {
            dir: task.dir.clone(),
            row: task.dir.parent().map_or_else(String::new, |row| row.to_string_lossy().into_owned()),
            planned: planned(task).unwrap_or_default(),
            state: CellState::Pending,
            progress: Progress::default(),
            follower: Follower::default(),
            measured: None,
            loss: None,
            positions_per_s: None,
        };
        Self { cells: tasks.iter().map(cell).collect(), slots: 1, read: Instant::now() }
    }

    /// Reads what running cells have written, if an interval has passed; returns whether it has.
    pub(crate) fn refresh_if_due(&mut self, running: &[usize]) -> bool {
        let is_due = self.read.elapsed() >= READ_INTERVAL;
        if is_due {
            self.read = Instant::now();
            self.refresh(running);
        }
        is_due
    }

    /// Reads what running cells have written since the last time. What cannot be read is left as it was.
    fn refresh(&mut self, running: &[usize]) {
        self.slots = self.slots.max(running.len());
        for &task in running {
            self.cells[task].refresh();
        }
    }

    pub(crate) fn ended(&mut self, task: usize, outcome: &Outcome) {
        let cell = &mut self.cells[task];
        match outcome {
            Outcome::Finished { .. } => {
                cell.refresh();
                cell.state = CellState::Done;
            }
            Outcome::AlreadyFinished => cell.state = CellState::Done,
            Outcome::Failed(failure) => cell.state = CellState::Failed(failure.clone()),
            Outcome::Interrupted | Outcome::NotStarted => cell.state = CellState::Pending,
        }
    }

    /// Steps of a cell; the total is 0 until it is known.
    pub(crate) fn progress(&self, task: usize) -> Progress {
        self.cells[task].progress
    }

    /// `loss 0.8123, 1,234 pos/s, 12 s left`, as far as it is known.
    pub(crate) fn detail(&self, task: usize) -> String {
        let cell = &self.cells[task];
        let parts = [
            cell.loss.map(|loss| format!("loss {loss:.4}")),
            cell.positions_per_s.map(|speed| format!("{} pos/s", grouped(speed.round() as u64))),
            self.left()[task].map(|seconds| format!("{} left", in_words(seconds))),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// `about 2 min left`, once the time of every open cell is known; none after the last one.
    pub(crate) fn grid_left(&self) -> Option<String> {
        let open = self.cells.iter().zip(self.left()).filter(|(cell, _)| !cell.state.has_ended());
        let left = open.map(|(_, left)| left).collect::<Option<Vec<f64>>>().filter(|left| !left.is_empty())?;
        let longest = left.iter().copied().fold(0.0, f64::max);
        let seconds = longest.max(left.iter().sum::<f64>() / self.slots as f64);
        Some(format!("about {} left", in_words(seconds)))
    }

    /// The remaining seconds of each cell. A cell that has not begun counts with the steps of its row, or of all that have begun.
    fn left(&self) -> Vec<Option<f64>> {
        let known = |cell: &&GridCell| cell.progress.steps > 0;
        let all_known: BTreeSet<u64> = self.cells.iter().filter(known).map(|cell| cell.progress.steps).collect();
        let any = all_known.first().copied().filter(|_| all_known.len() == 1).unwrap_or_default();
        let of_row = |cell: &GridCell| self.cells.iter().filter(known).find(|other| other.row == cell.row);
        let steps = |cell: &GridCell| match (cell.progress.steps, cell.planned) {
            (0, 0) => of_row(cell).map_or(any, |row| row.progress.steps),
            (0, planned) => planned,
            (steps, _) => steps,
        };
        let progress =
            |cell: &GridCell| Progress { step: cell.measured.map_or(0, |(step, _)| step), steps: steps(cell) };
        let work = self.cells.iter().map(|cell| {
            let spent_s = cell.measured.map(|(_, seconds)| seconds);
            Work { row: &cell.row, state: &cell.state, progress: progress(cell), spent_s }
        });
        time_left::of_cells(&work.collect::<Vec<_>>())
    }
}

impl GridCell {
    fn refresh(&mut self) {
        if let Some(status) = Status::read(&self.dir).ok().flatten() {
            self.progress = Progress { step: status.step, steps: status.steps };
        }
        self.state = CellState::Running(self.progress);
        let new = self.follower.new_lines(&self.dir.join(METRICS_FILE));
        new.into_iter().flat_map(|new| new.lines).for_each(|line| self.add(&line));
    }

    fn add(&mut self, line: &MetricLine) {
        self.measured = Some((line.step, line.time.wall_s));
        if line.split == Part::Train {
            self.loss = line.loss();
            self.positions_per_s = Some(line.time.positions_per_s).filter(|&speed| speed > 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::status::State;
    use std::fs;
    use std::path::Path;

    fn write(dir: &Path, step: u64, wall_s: f64) {
        Status::new(State::Running, step, 100).write(dir).expect("a status");
        let time = format!(r#"{{"unix_s":0.0,"wall_s":{wall_s},"positions_per_s":1234.5}}"#);
        let line =
            format!(r#"{{"step":{step},"split":"train","epochs":0.5,"metrics":{{"policy_loss":2.5}},"time":{time}}}"#);
        fs::write(dir.join(METRICS_FILE), line + "\n").expect("metrics");
    }

    #[test]
    fn a_running_cell_has_a_loss_a_speed_and_a_time_and_so_has_the_grid() {
        let dir = tempfile::tempdir().expect("a folder");
        let task = |row: &str, seed: u64| {
            let dir = dir.path().join(row).join(format!("seed-{seed}"));
            fs::create_dir_all(&dir).expect("the cell's folder");
            Task { name: format!("{row} seed {seed}"), dir, config: None }
        };
        let tasks = [task("a", 0), task("b", 0), task("b", 1)];
        let mut cells = CellProgress::new(&tasks);
        cells.refresh(&[0]);
        assert_eq!((cells.detail(0), cells.grid_left()), (String::new(), None), "nothing is known");

        write(&tasks[0].dir, 50, 100.0);
        cells.refresh(&[0]);
        assert_eq!(cells.detail(0), "loss 2.5000, 1,235 pos/s, 1 min 40 s left");
        assert_eq!(cells.progress(0), Progress { step: 50, steps: 100 });
        // 50 steps of the first cell, and 200 of the others at its pace.
        assert_eq!(cells.grid_left().as_deref(), Some("about 8 min 20 s left"));

        cells.ended(0, &Outcome::Finished { took: Duration::ZERO });
        write(&tasks[1].dir, 10, 10.0);
        cells.refresh(&[1]);
        // Its own pace, which is that of its row.
        assert_eq!(cells.grid_left().as_deref(), Some("about 3 min 10 s left"));
    }
}
