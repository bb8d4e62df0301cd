//! `step-times.json`: the time of a training step of each row, measured in turns after the cells are done, because cells
//! that run side by side slow each other down.

use crate::files::{read_json, write_json};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

pub const FILE: &str = "step-times.json";

/// Step times of a grid's rows on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    pub device: String,
    pub cpu: String,
    pub threads: usize,
    pub unix_s: u64,
    pub rounds: usize,
    pub rows: Vec<StepTime>,
}

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
    /// Reads a run folder's; `None` if they are missing or unreadable: they are then measured again.
    pub fn read(run_dir: &Path) -> Option<Self> {
        read_json(&run_dir.join(FILE)).ok()?
    }

    pub fn write(&self, run_dir: &Path) -> io::Result<()> {
        write_json(&run_dir.join(FILE), self)
    }

    pub fn of(&self, folder: &str) -> Option<&StepTime> {
        self.rows.iter().find(|row| row.folder == folder)
    }
}
