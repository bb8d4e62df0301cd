//! The options of an import.

use super::format::Format;
use crate::build::SplitPlan;
use crate::filter::{Buckets, Filters};
use crate::split::PerSplit;
use games::GameKind;
use games::chess::lc0::ValueSource;
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The files, plain or packed (containers are recognised by their first bytes).
    pub inputs: Vec<PathBuf>,
    /// The format of their records; `None` to detect it for each file.
    pub format: Option<Format>,
    /// The dataset's folder, which must not exist yet.
    pub output: PathBuf,
    pub name: String,
    pub game: GameKind,
    pub source: String,
    pub licence: String,
    pub made_by: String,
    /// Moves before this ply are not policy targets; 0 for single positions.
    pub policy_from_ply: u16,
    /// Which value of Lc0's chunks is used, with its draw probability.
    pub value: ValueSource,
    pub filters: Filters,
    pub buckets: Buckets,
    /// The split. Single positions are always split by position.
    pub split: SplitPlan,
    /// Threads that examine records, 0 for one per core. The result does not depend on it.
    pub threads: usize,
    pub strict: bool,
}

impl ImportOptions {
    /// An import of all records of these files, to a dataset named like its folder: split by game with seed 0, 10 %
    /// each for validation and test.
    pub fn new(game: GameKind, inputs: Vec<PathBuf>, output: PathBuf) -> Self {
        let folder = output.file_name().map(|name| name.to_string_lossy().into_owned());
        Self {
            inputs,
            format: None,
            name: folder.unwrap_or_else(|| game.name().to_owned()),
            output,
            game,
            source: "not stated".to_owned(),
            licence: "not stated".to_owned(),
            made_by: "not stated".to_owned(),
            policy_from_ply: 0,
            value: ValueSource::Root,
            filters: Filters::default(),
            buckets: Buckets::default(),
            split: SplitPlan::by_game(0, PerSplit { train: 0.8, validation: 0.1, test: 0.1 }),
            threads: 0,
            strict: false,
        }
    }
}
