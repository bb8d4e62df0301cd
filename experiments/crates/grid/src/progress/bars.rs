//! Bars: one for the grid, one for each running cell.

use super::observer::{Observer, ending, retrying, stopping};
use crate::interrupt::StopRequest;
use crate::task::{Outcome, Task};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use records::failure::Failure;
use records::status::Status;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often status files are read and bars drawn.
const DRAW_INTERVAL: Duration = Duration::from_millis(200);

const GRID: &str = "{wide_bar} {pos}/{len} cells, {elapsed} so far";
/// The remaining time is unknown before the first cell has ended.
const GRID_WITH_ETA: &str = "{wide_bar} {pos}/{len} cells, {elapsed} so far, {eta} left";
const STARTING: &str = "  {msg:<40} starting";
const TRAINING: &str = "  {msg:<40} {wide_bar} {pos}/{len} steps";

#[derive(Debug)]
pub struct Bars {
    names: Vec<String>,
    dirs: Vec<PathBuf>,
    all: MultiProgress,
    grid: ProgressBar,
    cells: HashMap<usize, ProgressBar>,
    drawn: Instant,
}

impl Bars {
    pub fn new(tasks: &[Task]) -> Self {
        let all = MultiProgress::new();
        let grid = all.add(ProgressBar::new(tasks.len() as u64));
        style(&grid, GRID);
        Self {
            names: tasks.iter().map(|task| task.name.clone()).collect(),
            dirs: tasks.iter().map(|task| task.dir.clone()).collect(),
            all,
            grid,
            cells: HashMap::new(),
            drawn: Instant::now(),
        }
    }

    fn remove_bar(&mut self, task: usize) {
        if let Some(bar) = self.cells.remove(&task) {
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
    }

    fn print(&self, text: &str) {
        // Errors of the terminal are ignored.
        let _ = self.all.println(text);
    }
}

fn style(bar: &ProgressBar, template: &str) {
    // An invalid template would be a mistake in this file; indicatif's default is used then.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Observer for Bars {
    fn started(&mut self, task: usize) {
        let bar = self.all.add(ProgressBar::new(0));
        style(&bar, STARTING);
        bar.set_message(self.names[task].clone());
        self.cells.insert(task, bar);
    }

    fn elsewhere(&mut self, task: usize) {
        self.print(&format!("another runner trains {}; waiting for it", self.names[task]));
    }

    fn retry_later(&mut self, task: usize, failure: &Failure) {
        self.remove_bar(task);
        self.print(&retrying(&self.names[task], failure));
    }

    fn poll(&mut self, running: &[usize]) {
        if self.drawn.elapsed() < DRAW_INTERVAL {
            return;
        }
        self.drawn = Instant::now();
        for task in running {
            let status = Status::read(&self.dirs[*task]).ok().flatten();
            if let (Some(status), Some(bar)) = (status.filter(|status| status.steps > 0), self.cells.get(task)) {
                if bar.length() != Some(status.steps) {
                    bar.set_length(status.steps);
                    style(bar, TRAINING);
                }
                bar.set_position(status.step);
            }
        }
        self.grid.tick();
    }

    fn ended(&mut self, task: usize, outcome: &Outcome) {
        self.remove_bar(task);
        self.grid.inc(1);
        match outcome {
            Outcome::Finished { .. } => style(&self.grid, GRID_WITH_ETA),
            // Cells that were done before do not count in the estimate.
            _ => self.grid.reset_eta(),
        }
        let place = format!("{}/{}", self.grid.position(), self.names.len());
        if let Some(text) = ending(&place, &self.names[task], outcome) {
            self.print(&text);
        }
    }

    fn request(&mut self, request: StopRequest, running: usize) {
        self.print(&stopping(request, running));
    }

    fn end(&mut self) {
        self.grid.finish_and_clear();
    }
}
