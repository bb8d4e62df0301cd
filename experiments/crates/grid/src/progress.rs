//! The output of a running grid on stderr: bars on a terminal, plain lines elsewhere.
//!
//! No colours are used, so `NO_COLOR` has no effect.

use crate::interrupt::StopRequest;
use crate::worker::{Outcome, Task};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use records::{Failure, Status};
use std::collections::HashMap;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Bars if stderr is a terminal, plain lines otherwise.
pub fn on_stderr(tasks: &[Task]) -> Box<dyn Observer> {
    if io::stderr().is_terminal() { Box::new(Bars::new(tasks)) } else { Box::new(Plain::new(tasks, io::stderr())) }
}

/// Observes the scheduler. Tasks are named by their index.
pub trait Observer {
    fn started(&mut self, task: usize);

    /// Another runner trains the cell; this one waits for it.
    fn elsewhere(&mut self, task: usize);

    /// A cell failed with a temporary failure, and will be retried.
    fn retry_later(&mut self, task: usize, failure: &Failure);

    /// Called often, with the running cells.
    fn poll(&mut self, running: &[usize]);

    fn ended(&mut self, task: usize, outcome: &Outcome);

    /// The run is being stopped; `running` cells still run.
    fn request(&mut self, request: StopRequest, running: usize);

    fn end(&mut self);
}

/// The message when a run is being stopped.
fn stopping(request: StopRequest, running: usize) -> String {
    match request {
        StopRequest::Kill => format!("killing {running} cells; the next run resumes each from its last checkpoint"),
        _ => format!("stopping: {running} cells write a checkpoint (press Ctrl-C again to kill them)"),
    }
}

/// The message about a cell that will be retried.
fn retrying(name: &str, failure: &Failure) -> String {
    format!("{name}: {failure}; it is retried when no other cell runs")
}

/// The message about a cell that has ended; none if it needed no work.
fn ending(place: &str, name: &str, outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Finished { took } => Some(format!("cell {place} done: {name} ({:.1} s)", took.as_secs_f64())),
        Outcome::Failed(failure) => Some(format!("cell {place} FAILED: {name}: {failure}")),
        Outcome::Interrupted => Some(format!("cell {place} stopped at a checkpoint: {name}")),
        Outcome::AlreadyFinished | Outcome::NotStarted => None,
    }
}

/// Lines such as `cell 3/24 done: chess-shaw seed 1 (12.3 s)`.
#[derive(Debug)]
pub struct Plain<W> {
    names: Vec<String>,
    ended: usize,
    to: W,
}

impl<W: Write> Plain<W> {
    /// Lines about these tasks. Write errors are ignored: a closed pipe must not end a grid.
    pub fn new(tasks: &[Task], to: W) -> Self {
        Self { names: tasks.iter().map(|task| task.name.clone()).collect(), ended: 0, to }
    }

    fn print(&mut self, text: &str) {
        let _ = writeln!(self.to, "{text}");
    }
}

impl<W: Write> Observer for Plain<W> {
    fn started(&mut self, task: usize) {
        self.print(&format!("cell started: {}", self.names[task]));
    }

    fn elsewhere(&mut self, task: usize) {
        self.print(&format!("another runner trains {}; waiting for it", self.names[task]));
    }

    fn retry_later(&mut self, task: usize, failure: &Failure) {
        self.print(&retrying(&self.names[task], failure));
    }

    fn poll(&mut self, _running: &[usize]) {}

    fn ended(&mut self, task: usize, outcome: &Outcome) {
        self.ended += 1;
        let place = format!("{}/{}", self.ended, self.names.len());
        if let Some(text) = ending(&place, &self.names[task], outcome) {
            self.print(&text);
        }
    }

    fn request(&mut self, request: StopRequest, running: usize) {
        self.print(&stopping(request, running));
    }

    fn end(&mut self) {
        let _ = self.to.flush();
    }
}

/// The interval of reading status files and drawing bars.
const DRAW_INTERVAL: Duration = Duration::from_millis(200);

const GRID: &str = "{wide_bar} {pos}/{len} cells, {elapsed} so far";
/// The remaining time is unknown before the first cell has ended.
const GRID_WITH_ETA: &str = "{wide_bar} {pos}/{len} cells, {elapsed} so far, {eta} left";
const STARTING: &str = "  {msg:<40} starting";
const TRAINING: &str = "  {msg:<40} {wide_bar} {pos}/{len} steps";

/// One bar for the grid, one for each running cell.
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
