//! `step-times.json`: what a training step of each row costs, measured in turns after the cells are done. Cells that
//! ran side by side give no honest times.

use crate::atomic;
use crate::record_error::RecordError;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The file's name in an experiment's run folder.
pub const FILE: &str = "step-times.json";

/// Step times of a grid's rows on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    pub device: String,
    pub cpu: String,
    pub threads: usize,
    pub unix_s: u64,
    /// How often each row had its turn.
    pub rounds: usize,
    pub rows: Vec<StepTime>,
}

/// Step times of one row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepTime {
    pub folder: String,
    pub batch: usize,
    /// Seconds of a step, the median over its turns.
    pub median_s: f64,
    /// Relative to its reference: the median of the ratios within each turn.
    pub ratio: Option<f64>,
}

impl StepTimes {
    /// Reads those of a run folder; none if they cannot be read (they are then measured again).
    pub fn read(run_dir: &Path) -> Option<Self> {
        RecordError::read_json(&run_dir.join(FILE)).ok()?
    }

    /// Writes them into a run folder.
    pub fn write(&self, run_dir: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        atomic::replace(&run_dir.join(FILE), &text)
    }

    /// The step time of a row.
    pub fn of(&self, folder: &str) -> Option<&StepTime> {
        self.rows.iter().find(|row| row.folder == folder)
    }
}
