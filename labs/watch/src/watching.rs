//! A run folder that is followed.

use crate::cell::{End, LiveCell};
use crate::page;
use crate::token::token;
use crate::view::View;
use anyhow::Context as _;
use records::atomic;
use records::plan::{self, Plan};
use records::status::Progress;
use records::time_left::{self, Work};
use report::Report;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// After a report, while cells are open, no other one is made for this many times its time: with thousands of cells it takes
/// seconds.
const REST: u32 = 20;

/// A run folder, read once and then only as far as it is new.
#[derive(Debug)]
pub struct Watch {
    run_dir: PathBuf,
    /// The run folder, or that of a round of trials.
    stage: PathBuf,
    plan: Plan,
    /// Row by row, in the order of the seeds.
    cells: Vec<LiveCell>,
    report: Report,
    /// How the cells had ended when the report was made, and when that was.
    ends: Vec<End>,
    made: Instant,
    took: Duration,
}

impl Watch {
    pub fn new(run_dir: &Path) -> anyhow::Result<Self> {
        let stage = plan::stage(run_dir);
        let plan = Plan::of_run_folder(&stage)?;
        let mut cells = Vec::new();
        for row in &plan.rows {
            cells.extend(plan.seeds.iter().map(|&seed| LiveCell::new(Plan::cell_dir(&stage, row, seed), seed)));
        }
        cells.iter_mut().for_each(|cell| cell.refresh(&plan.primary));
        let (ends, began) = (ends(&cells), Instant::now());
        let report = Report::of(&stage)?;
        Ok(Self {
            run_dir: run_dir.to_owned(),
            stage,
            plan,
            cells,
            report,
            ends,
            made: Instant::now(),
            took: began.elapsed(),
        })
    }

    /// Reads new records; all of them if the plan has changed.
    /// An error keeps what was read before.
    pub fn refresh(&mut self) -> anyhow::Result<()> {
        let stage = plan::stage(&self.run_dir);
        if stage != self.stage || Plan::read(&stage)? != self.plan {
            *self = Self::new(&self.run_dir)?;
            return Ok(());
        }
        let primary = &self.plan.primary;
        self.cells.iter_mut().for_each(|cell| cell.refresh(primary));
        let (ends, began) = (ends(&self.cells), Instant::now());
        let is_over = ends.iter().all(|end| *end != End::Open);
        if ends != self.ends && (is_over || self.made.elapsed() >= self.took * REST) {
            self.report = Report::of(&self.stage)?;
            (self.ends, self.made, self.took) = (ends, Instant::now(), began.elapsed());
        }
        Ok(())
    }

    /// Whether the report was made after every cell was done or had failed.
    pub fn is_over(&self) -> bool {
        self.ends.iter().all(|end| *end != End::Open)
    }

    /// The page; a browser loads it again after `every`, unless the run is over.
    pub fn page(&self, every: Option<Duration>) -> anyhow::Result<String> {
        Ok(page::draw(&View {
            plan: &self.plan,
            report: &self.report,
            cells: &self.cells,
            left_s: &self.left_s(),
            unix_s: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64(),
            refresh_s: every.filter(|_| !self.is_over()).map(|every| every.as_secs().max(1)),
            nonce: &token()?,
        }))
    }

    /// The remaining seconds of every cell. One that has not begun has as many steps as its row, or as all that have begun.
    fn left_s(&self) -> Vec<Option<f64>> {
        let most = |cells: &[LiveCell]| cells.iter().map(|cell| cell.progress.steps).max().filter(|&steps| steps > 0);
        let known: BTreeSet<u64> =
            self.cells.iter().map(|cell| cell.progress.steps).filter(|&steps| steps > 0).collect();
        // If rows began with different numbers of steps, the number of the others is unknown: 0.
        let of_grid = known.first().copied().filter(|_| known.len() == 1).unwrap_or_default();
        let mut work = Vec::new();
        for (row, cells) in self.plan.rows.iter().zip(self.cells.chunks(self.plan.seeds.len().max(1))) {
            let planned = row.steps().filter(|_| !self.plan.smoke);
            let of_row = most(cells).or(planned).unwrap_or(of_grid);
            work.extend(cells.iter().map(|cell| Work {
                row: &row.folder,
                state: &cell.state,
                progress: match cell.progress {
                    Progress { step, steps: 0 } => Progress { step, steps: of_row },
                    known => known,
                },
                spent_s: cell.values.spent_s,
            }));
        }
        time_left::of_cells(&work)
    }
}

fn ends(cells: &[LiveCell]) -> Vec<End> {
    cells.iter().map(LiveCell::end).collect()
}

/// Writes the page into a file, again after each `every`, until every cell has ended. `note` is told why a page shows old
/// numbers.
pub fn write(watch: &mut Watch, path: &Path, every: Duration, note: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
    loop {
        let page = watch.page(Some(every))?;
        atomic::replace(path, page.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        if watch.is_over() {
            return Ok(());
        }
        thread::sleep(every);
        if let Err(error) = watch.refresh() {
            note(&format!("{error:#}"));
        }
    }
}
