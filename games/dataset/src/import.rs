//! Import: game records to a dataset.
//!
//! Every record that is read ends up in exactly one count: kept, rejected or duplicate. What was left out stands in
//! `rejects.jsonl` beside the shards, one line each. Everything is written to a hidden folder beside the target,
//! which gets its name only when it is complete, so an interrupted import leaves no half dataset.
//!
//! Training games go to their shards as they come. Validation and test games wait in memory (about 1 kB a game)
//! until all training positions are known, because they are marked by what occurs in training.

mod collect;
mod examine;
mod output;
mod source;

use crate::error::DatasetError;
use crate::manifest::Manifest;
use crate::split::PerSplit;
use collect::Collector;
use examine::{Examined, examine};
use games::{Game, GameKind, Rejected, with_game};
use output::Output;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use source::Source;
use std::path::PathBuf;

/// Records that are examined in parallel at a time.
const CHUNK_RECORDS: usize = 1024;

/// The rejected games of an import, one JSON object a line, in the dataset's folder.
pub const REJECTS_FILE: &str = "rejects.jsonl";

/// What to import and how.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The files: PGN for chess, CSA for shogi, each plain or compressed with zstd (which its first bytes tell).
    pub inputs: Vec<PathBuf>,
    /// The dataset's folder, which must not exist yet.
    pub output: PathBuf,
    /// The dataset's name.
    pub name: String,
    /// The game.
    pub game: GameKind,
    /// Where the games come from.
    pub source: String,
    /// Under which licence they may be used.
    pub licence: String,
    /// The command that this is.
    pub made_by: String,
    /// From this ply on, moves are the players' own choice and policy targets.
    pub policy_from_ply: u16,
    /// Games were stopped at so many plies: a game of that length which no rule ended has an unknown result instead
    /// of a draw, see [`games::ParsedGame::cut_off_at`].
    pub ply_cap: Option<u32>,
    /// Stop at so many games kept.
    pub max_games: Option<u64>,
    /// The shares of the splits, which add up to 1.
    pub fractions: PerSplit<f64>,
    /// The seed of the split.
    pub split_seed: u64,
    /// Fail at the first game that has to be rejected.
    pub strict: bool,
    /// Writes the manifest as YAML, which this crate does not know.
    pub manifest_text: fn(&Manifest) -> Result<String, String>,
}

/// How far an import is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The file that is being read.
    pub file: PathBuf,
    /// Bytes of all files that were read.
    pub bytes: u64,
    /// Bytes of all files.
    pub total_bytes: u64,
    /// Records that were read.
    pub read: u64,
    /// Games that were kept.
    pub kept: u64,
    /// Games that were rejected.
    pub rejected: u64,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// The dataset's manifest, its counts among it.
    pub manifest: Manifest,
    /// The list of games that were left out, if there are any.
    pub rejects: Option<PathBuf>,
    /// The first game that was rejected, if any was, and the name of its file.
    pub first_rejected: Option<(String, Rejected)>,
}

/// Imports game records into a new dataset. `progress` is called now and then.
///
/// # Errors
/// If an option makes no sense, the target exists, a file cannot be opened, nothing can be kept, or the disk is full;
/// with `strict`, at the first game that has to be rejected. A game that cannot be used and a file that ends in the
/// middle are no errors otherwise, but counted and listed.
pub fn import(options: &ImportOptions, progress: &mut dyn FnMut(Progress)) -> Result<ImportReport, DatasetError> {
    check(options)?;
    with_game!(options.game, G => import_game::<G>(options, progress))
}

fn check(options: &ImportOptions) -> Result<(), DatasetError> {
    let wrong = |option, reason: &str| Err(DatasetError::Option { option, reason: reason.to_owned() });
    let fractions = [options.fractions.train, options.fractions.validation, options.fractions.test];
    let sum: f64 = fractions.iter().sum();
    if fractions.iter().any(|fraction| !(0.0..=1.0).contains(fraction)) || (sum - 1.0).abs() > 1e-9 {
        return wrong("fractions", "the shares of train, validation and test must lie in 0…1 and add up to 1");
    }
    if options.inputs.is_empty() {
        return wrong("inputs", "there is no file to import");
    }
    if options.ply_cap == Some(0) {
        return wrong("ply_cap", "must be at least 1");
    }
    if options.max_games == Some(0) {
        return wrong("max_games", "must be at least 1");
    }
    Ok(())
}

fn import_game<G: Game>(
    options: &ImportOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<ImportReport, DatasetError> {
    // All files are opened first: a misspelt name must not cost an hour.
    let sources = options.inputs.iter().map(|path| Source::open(path, G::KIND)).collect::<Result<Vec<_>, _>>()?;
    let total_bytes = sources.iter().map(Source::total_bytes).sum();
    let output = Output::create(&options.output)?;
    let mut collector = Collector::new(options, &output);
    let mut bytes_before = 0;
    for mut source in sources {
        let file = source.file_name();
        while !collector.is_full() {
            let records = source.take(CHUNK_RECORDS);
            if records.is_empty() {
                break;
            }
            let first = source.taken() - records.len() as u64;
            let examined: Vec<Result<Examined, Rejected>> = records
                .par_iter()
                .enumerate()
                .map(|(i, record)| examine::<G>(record, first + i as u64, options))
                .collect();
            for game in examined {
                collector.add(&file, game)?;
                if collector.is_full() {
                    break;
                }
            }
            let counts = collector.counts();
            progress(Progress {
                file: source.path().to_owned(),
                bytes: bytes_before + source.bytes_read(),
                total_bytes,
                read: counts.read,
                kept: counts.kept,
                rejected: counts.rejected,
            });
        }
        bytes_before += source.total_bytes();
    }
    let report = collector.finish()?;
    output.publish(&report.manifest, options.manifest_text)?;
    Ok(report)
}
