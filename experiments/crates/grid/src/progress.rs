//! The output of a running grid on stderr: bars on a terminal, plain lines elsewhere.
//!
//! No colours are used, so `NO_COLOR` has no effect.

use crate::interrupt::StopRequest;
use crate::watched::Watched;
use crate::worker::{Outcome, Task};
use config::columns::{padded, shortened, without_rates};
use config::counted;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use records::Failure;
use std::collections::HashMap;
use std::io::{self, IsTerminal as _, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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

fn stopping(request: StopRequest, running: usize) -> String {
    match request {
        StopRequest::Kill => {
            format!("killing {}; the next run resumes from the last checkpoint", counted(running as u64, "cell"))
        }
        _ if running == 1 => "stopping: the cell writes a checkpoint (press Ctrl-C again to kill it)".to_owned(),
        _ => format!("stopping: {running} cells write a checkpoint (press Ctrl-C again to kill them)"),
    }
}

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

/// The local time of day: `14:03:22`.
fn time_of_day() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = now as libc::time_t;
    // SAFETY: zeros are a valid `tm`; the call reads the one argument and fills the other, or leaves it.
    let local = unsafe {
        let mut local: libc::tm = std::mem::zeroed();
        libc::localtime_r(&now, &mut local);
        local
    };
    format!("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec)
}

/// How often a log has a line about each running cell.
const LOG_INTERVAL: Duration = Duration::from_secs(300);

/// Lines such as `14:03:22 cell 3/24 done: chess-shaw seed 1 (12.3 s); about 2 min left`.
#[derive(Debug)]
pub struct Plain<W> {
    names: Vec<String>,
    watched: Watched,
    ended: usize,
    logged: Instant,
    to: W,
}

impl<W: Write> Plain<W> {
    /// Lines about these tasks. Write errors are ignored: a closed pipe must not end a grid.
    pub fn new(tasks: &[Task], to: W) -> Self {
        let names = tasks.iter().map(|task| task.name.clone()).collect();
        Self { names, watched: Watched::new(tasks), ended: 0, logged: Instant::now(), to }
    }

    fn print(&mut self, text: &str) {
        let _ = writeln!(self.to, "{} {text}", time_of_day());
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

    fn poll(&mut self, running: &[usize]) {
        if !self.watched.refresh_if_due(running) || self.logged.elapsed() < LOG_INTERVAL {
            return;
        }
        self.logged = Instant::now();
        for &task in running {
            let (progress, detail) = (self.watched.progress(task), after(&self.watched.detail(task)));
            self.print(&format!("{}: step {}/{}{detail}", self.names[task], progress.step, progress.steps));
        }
    }

    fn ended(&mut self, task: usize, outcome: &Outcome) {
        self.ended += 1;
        self.watched.ended(task, outcome);
        let place = format!("{}/{}", self.ended, self.names.len());
        if let Some(text) = ending(&place, &self.names[task], outcome) {
            let left = self.watched.grid_left().map_or_else(String::new, |left| format!("; {left}"));
            self.print(&(text + &left));
        }
    }

    fn request(&mut self, request: StopRequest, running: usize) {
        self.print(&stopping(request, running));
    }

    fn end(&mut self) {
        let _ = self.to.flush();
    }
}

const GRID: &str = "{wide_bar} {pos}/{len} cells, {elapsed} so far{msg}";
const STARTING: &str = "  {prefix} starting";
const TRAINING: &str = "  {prefix} {wide_bar} {pos}/{len}{msg}";

/// The columns of a cell's name beside its bar.
const NAME: usize = 24;

/// One bar for the grid, one for each running cell.
struct Bars {
    names: Vec<String>,
    /// The same for the columns beside a bar.
    brief: Vec<String>,
    watched: Watched,
    all: MultiProgress,
    grid: ProgressBar,
    cells: HashMap<usize, ProgressBar>,
}

impl Bars {
    fn new(tasks: &[Task]) -> Self {
        let all = MultiProgress::new();
        let grid = all.add(ProgressBar::new(tasks.len() as u64));
        style(&grid, GRID);
        let names: Vec<String> = tasks.iter().map(|task| task.name.clone()).collect();
        Self { brief: without_rates(&names), names, watched: Watched::new(tasks), all, grid, cells: HashMap::new() }
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

/// What follows steps or a bar, if anything.
fn after(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(", {text}") }
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
        bar.set_prefix(padded(&shortened(&self.brief[task], NAME), NAME));
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
        if !self.watched.refresh_if_due(running) {
            return;
        }
        for task in running {
            let progress = self.watched.progress(*task);
            let Some(bar) = self.cells.get(task).filter(|_| progress.steps > 0) else { continue };
            if bar.length() != Some(progress.steps) {
                bar.set_length(progress.steps);
                style(bar, TRAINING);
            }
            bar.set_position(progress.step);
            bar.set_message(after(&self.watched.detail(*task)));
        }
        self.grid.set_message(after(&self.watched.grid_left().unwrap_or_default()));
    }

    fn ended(&mut self, task: usize, outcome: &Outcome) {
        self.remove_bar(task);
        self.watched.ended(task, outcome);
        self.grid.inc(1);
        let place = format!("{}/{}", self.grid.position(), self.names.len());
        // The whole name is that of a failed cell's folder.
        let names = if matches!(outcome, Outcome::Finished { .. }) { &self.brief } else { &self.names };
        if let Some(text) = ending(&place, &names[task], outcome) {
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
