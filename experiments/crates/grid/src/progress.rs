//! The output of a running grid on stderr: bars on a terminal, plain lines elsewhere.
//!
//! No colours are used, so `NO_COLOR` has no effect.

use crate::cell_progress::CellProgress;
use crate::interrupt::StopRequest;
use crate::worker::{Outcome, Task};
use config::columns::{padded, shortened, without_rates};
use config::counted;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use records::Failure;
use std::collections::HashMap;
use std::io::{self, IsTerminal as _, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What a grid tells while it runs. Tasks are named by their index.
pub struct GridProgress<'a> {
    names: Vec<String>,
    cells: CellProgress,
    ended: usize,
    shown: Shown<'a>,
}

enum Shown<'a> {
    /// Lines such as `14:03:22 cell 3/24 done: chess-shaw seed 1 (12.3 s); about 2 min left`.
    Lines {
        to: Box<dyn Write + 'a>,
        logged: Instant,
    },
    Bars(Bars),
}

/// Bars if stderr is a terminal, plain lines otherwise.
pub fn on_stderr(tasks: &[Task]) -> GridProgress<'static> {
    match io::stderr().is_terminal() {
        true => GridProgress::new(tasks, Shown::Bars(Bars::new(tasks))),
        false => GridProgress::lines(tasks, io::stderr()),
    }
}

impl<'a> GridProgress<'a> {
    fn new(tasks: &[Task], shown: Shown<'a>) -> Self {
        Self { names: names(tasks), cells: CellProgress::new(tasks), ended: 0, shown }
    }

    pub fn lines(tasks: &[Task], to: impl Write + 'a) -> Self {
        Self::new(tasks, Shown::Lines { to: Box::new(to), logged: Instant::now() })
    }

    /// Errors are ignored: a closed pipe must not end a grid.
    fn print(&mut self, text: &str) {
        let _ = match &mut self.shown {
            Shown::Lines { to, .. } => writeln!(to, "{} {text}", time_of_day()),
            Shown::Bars(bars) => bars.all.println(text),
        };
    }

    pub(crate) fn started(&mut self, task: usize) {
        match &mut self.shown {
            Shown::Lines { .. } => self.print(&format!("cell started: {}", self.names[task])),
            Shown::Bars(bars) => bars.start(task),
        }
    }

    /// Another runner trains the cell; this one waits for it.
    pub(crate) fn waiting_for_runner(&mut self, task: usize) {
        self.print(&format!("another runner trains {}; waiting for it", self.names[task]));
    }

    /// A cell failed with a temporary failure, and will be retried.
    pub(crate) fn retry_later(&mut self, task: usize, failure: &Failure) {
        if let Shown::Bars(bars) = &mut self.shown {
            bars.remove(task);
        }
        self.print(&format!("{}: {failure}; it is retried when no other cell runs", self.names[task]));
    }

    /// Called often, with the running cells.
    pub(crate) fn poll(&mut self, running: &[usize]) {
        if !self.cells.refresh_if_due(running) {
            return;
        }
        match &mut self.shown {
            Shown::Lines { logged, .. } => {
                if logged.elapsed() < LOG_INTERVAL {
                    return;
                }
                *logged = Instant::now();
                for &task in running {
                    let (progress, detail) = (self.cells.progress(task), after(&self.cells.detail(task)));
                    self.print(&format!("{}: step {}/{}{detail}", self.names[task], progress.step, progress.steps));
                }
            }
            Shown::Bars(bars) => bars.update(&self.cells, running),
        }
    }

    pub fn ended(&mut self, task: usize, outcome: &Outcome) {
        self.ended += 1;
        self.cells.ended(task, outcome);
        let place = format!("{}/{}", self.ended, self.names.len());
        let text = match &mut self.shown {
            Shown::Lines { .. } => {
                let left = self.cells.grid_left().map_or_else(String::new, |left| format!("; {left}"));
                ending(&place, &self.names[task], outcome).map(|text| text + &left)
            }
            Shown::Bars(bars) => {
                bars.remove(task);
                bars.grid.inc(1);
                // The whole name is that of a failed cell's folder.
                let names = if matches!(outcome, Outcome::Finished { .. }) { &bars.brief } else { &self.names };
                ending(&place, &names[task], outcome)
            }
        };
        if let Some(text) = text {
            self.print(&text);
        }
    }

    /// The run is being stopped; `running` cells still run.
    pub(crate) fn request(&mut self, request: StopRequest, running: usize) {
        self.print(&stopping(request, running));
    }

    pub(crate) fn end(&mut self) {
        match &mut self.shown {
            Shown::Lines { to, .. } => drop(to.flush()),
            Shown::Bars(bars) => bars.grid.finish_and_clear(),
        }
    }
}

fn names(tasks: &[Task]) -> Vec<String> {
    tasks.iter().map(|task| task.name.clone()).collect()
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

const GRID: &str = "{wide_bar} {pos}/{len} cells, {elapsed} so far{msg}";
const STARTING: &str = "  {prefix} starting";
const TRAINING: &str = "  {prefix} {wide_bar} {pos}/{len}{msg}";

/// The columns of a cell's name beside its bar.
const NAME: usize = 24;

/// One bar for the grid, one for each running cell.
struct Bars {
    /// The cells' names for the columns beside a bar.
    brief: Vec<String>,
    all: MultiProgress,
    grid: ProgressBar,
    cells: HashMap<usize, ProgressBar>,
}

impl Bars {
    fn new(tasks: &[Task]) -> Self {
        let all = MultiProgress::new();
        let grid = all.add(ProgressBar::new(tasks.len() as u64));
        style(&grid, GRID);
        Self { brief: without_rates(&names(tasks)), all, grid, cells: HashMap::new() }
    }

    fn start(&mut self, task: usize) {
        let bar = self.all.add(ProgressBar::new(0));
        style(&bar, STARTING);
        bar.set_prefix(padded(&shortened(&self.brief[task], NAME), NAME));
        self.cells.insert(task, bar);
    }

    fn update(&self, cells: &CellProgress, running: &[usize]) {
        for task in running {
            let progress = cells.progress(*task);
            let Some(bar) = self.cells.get(task).filter(|_| progress.steps > 0) else { continue };
            if bar.length() != Some(progress.steps) {
                bar.set_length(progress.steps);
                style(bar, TRAINING);
            }
            bar.set_position(progress.step);
            bar.set_message(after(&cells.detail(*task)));
        }
        self.grid.set_message(after(&cells.grid_left().unwrap_or_default()));
    }

    fn remove(&mut self, task: usize) {
        if let Some(bar) = self.cells.remove(&task) {
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
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
