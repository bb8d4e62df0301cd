//! A run folder that is written by hand, so that every number in it is known.

use crate::by_hand;
use records::CellLock;
use records::plan::Plan;
use records::status::{State, Status};
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use watch::Watch;

pub(crate) const STEPS: u64 = 1000;

pub(crate) struct Folder {
    dir: TempDir,
    pub(crate) plan: Plan,
    /// Of the cells that run.
    locks: Vec<CellLock>,
}

impl Folder {
    /// Chess rows with these labels, of which the first is the reference. No cell has begun.
    pub(crate) fn new<L: AsRef<str>>(labels: &[L], seeds: u64) -> Self {
        let row = |(place, label): (usize, &L)| {
            let role = if place == 0 { "reference" } else { "compared" };
            by_hand::row(label.as_ref(), &format!("chess-{place}-0123456789ab"), role, 64)
        };
        let seeds: Vec<u64> = (0..seeds).collect();
        let rows: Vec<Value> = labels.iter().enumerate().map(row).collect();
        let mut plan: Plan = serde_json::from_value(by_hand::plan(&seeds, &rows)).expect("a plan");
        plan.question = Some("Which is best?".to_owned());
        let dir = tempfile::tempdir().expect("a folder for the test");
        plan.write(dir.path()).expect("the plan is written");
        Self { dir, plan, locks: Vec::new() }
    }

    /// Twelve cells: seven done, one that runs, one that failed, three that wait.
    pub(crate) fn half_way() -> Self {
        let mut folder = Self::new(&["absolute", "shaw", "rope", "none"], 3);
        for (seed, loss) in [(0, 2.40), (1, 2.42), (2, 2.41)] {
            folder.done(0, seed, loss);
        }
        for (seed, loss) in [(0, 2.30), (1, 2.33), (2, 2.31)] {
            folder.done(1, seed, loss);
        }
        folder.done(2, 0, 2.41);
        folder.running(2, 1, 400);
        folder.failed(2, 2, "step 7: the loss is not finite");
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn watch(&self) -> Watch {
        Watch::new(self.path()).expect("a run folder")
    }

    /// The page of a run folder that is read for the first time.
    pub(crate) fn page(&self) -> String {
        self.watch().page(None).expect("a page")
    }

    pub(crate) fn cell(&self, row: usize, seed: u64) -> PathBuf {
        let dir = Plan::cell_dir(self.path(), &self.plan.rows[row], seed);
        fs::create_dir_all(&dir).expect("the cell's folder");
        dir
    }

    fn status(&self, row: usize, seed: u64, status: &Status) {
        // Without waiting for the disk, as thousands of cells would.
        let text = serde_json::to_vec(status).expect("JSON");
        fs::write(self.cell(row, seed).join("status.json"), text).expect("a status");
    }

    /// Adds a line to a cell's metrics.
    pub(crate) fn add(&self, row: usize, seed: u64, step: u64, split: &str, metrics: &Value) {
        let time = json!({"unix_s": 0.0, "wall_s": step as f64 * 0.5, "positions_per_s": 650.0});
        let line = json!({"step": step, "split": split, "epochs": 0.5, "metrics": metrics, "time": time});
        let path = self.cell(row, seed).join("metrics.jsonl");
        let mut file = OpenOptions::new().create(true).append(true).open(path).expect("metrics");
        writeln!(file, "{line}").expect("a line");
    }

    fn curve(&self, row: usize, seed: u64, until: u64, loss: f64) {
        for step in (100..=until).step_by(100) {
            self.add(row, seed, step, "train", &json!({"loss": loss + 200.0 / step as f64}));
        }
    }

    /// A manifest, without which a cell is not compared, with the settings of its training.
    pub(crate) fn manifest(&self, row: usize, seed: u64, train: &Value) {
        let mut manifest = by_hand::manifest();
        manifest["config"] = json!({"train": train});
        fs::write(self.cell(row, seed).join("manifest.json"), manifest.to_string()).expect("a manifest");
    }

    /// A finished cell with this loss on test; if it ran, it no longer does.
    pub(crate) fn done(&mut self, row: usize, seed: u64, loss: f64) {
        self.locks.clear();
        self.manifest(row, seed, &json!({}));
        self.curve(row, seed, STEPS, loss);
        self.add(row, seed, STEPS, "test", &json!({"policy_loss": loss}));
        self.status(row, seed, &Status::new(State::Done, STEPS, STEPS));
    }

    /// A finished cell in few bytes, of a row with its own batch.
    pub(crate) fn done_in_short(&self, row: usize, seed: u64, loss: f64, batch: usize) {
        self.manifest(row, seed, &json!({"batch": batch}));
        self.add(row, seed, STEPS, "test", &json!({"policy_loss": loss}));
        self.status(row, seed, &Status::new(State::Done, STEPS, STEPS));
    }

    /// A cell that this process seems to train; it was validated once.
    pub(crate) fn running(&mut self, row: usize, seed: u64, step: u64) {
        let dir = self.cell(row, seed);
        self.manifest(row, seed, &json!({}));
        self.status(row, seed, &Status::new(State::Running, step, STEPS));
        self.curve(row, seed, step, 2.5);
        self.add(row, seed, step, "validation", &json!({"policy_loss": 2.987}));
        self.locks.push(CellLock::try_take(&dir).expect("a lock").expect("nobody trains it"));
    }

    pub(crate) fn failed(&self, row: usize, seed: u64, error: &str) {
        self.status(row, seed, &Status { error: Some(error.to_owned()), ..Status::new(State::Failed, 7, STEPS) });
    }
}
