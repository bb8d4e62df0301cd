//! Import: game records to a dataset.
//!
//! Every record that is read ends up in exactly one count: kept, rejected or duplicate. What was left out stands in
//! `rejects.jsonl` beside the shards, one line each. Everything is written to a hidden folder beside the target,
//! which gets its name only when it is complete, so an interrupted import leaves no half dataset.
//!
//! Files are read ahead by threads of their own, records are examined by a pool, and what comes of them is collected in
//! the order of the command line: the result is the same to the byte, whatever the number of threads.
//!
//! A dataset is of games or of single positions ([`Unit`]), so the files of one import must agree in that.

mod collect;
mod container;
mod examine;
mod format;
mod reading;
mod rejects;
mod unpacked;

pub use format::Format;
pub use unpacked::unpacked;

use crate::build::{Output, SplitPlan};
use crate::error::DatasetError;
use crate::filter::{Buckets, Filters, OF_GAMES_ONLY};
use crate::manifest::{Manifest, Unit};
use crate::split::PerSplit;
use collect::Collector;
use examine::{Examined, examine};
use games::{Game, GameKind, Rejected, with_game};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use reading::{Chunk, Inputs};
use std::path::PathBuf;

/// The rejected games of an import, one JSON object a line, in the dataset's folder.
pub const REJECTS_FILE: &str = "rejects.jsonl";

/// What to import and how.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// The files, each plain or packed ([the containers](container) are told by their first bytes).
    pub inputs: Vec<PathBuf>,
    /// The format of their records; `None` to tell it by each file's name and content.
    pub format: Option<Format>,
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
    /// What is let in.
    pub filters: Filters,
    /// Named subsets by rating.
    pub buckets: Buckets,
    /// How the dataset is split. Single positions are always split by position.
    pub split: SplitPlan,
    /// Threads that examine records, 0 for one per core. The result does not depend on it.
    pub threads: usize,
    /// Fail at the first game that has to be rejected.
    pub strict: bool,
    /// Writes the manifest as YAML, which this crate does not know.
    pub manifest_text: fn(&Manifest) -> Result<String, String>,
}

impl ImportOptions {
    /// An import of everything in these files, to a dataset with the name of its folder: split by game with seed 0, a
    /// tenth each for validation and test.
    #[must_use]
    pub fn new(
        game: GameKind,
        inputs: Vec<PathBuf>,
        output: PathBuf,
        manifest_text: fn(&Manifest) -> Result<String, String>,
    ) -> Self {
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
            filters: Filters::default(),
            buckets: Buckets::default(),
            split: SplitPlan::by_game(0, PerSplit { train: 0.8, validation: 0.1, test: 0.1 }),
            threads: 0,
            strict: false,
            manifest_text,
        }
    }
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
    /// Positions of these games.
    pub positions: u64,
    /// Games that a filter left out.
    pub filtered: u64,
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
    if options.inputs.is_empty() {
        return wrong("inputs", "there is no file to import");
    }
    if options.filters.ply_cap == Some(0) {
        return wrong("ply_cap", "must be at least 1");
    }
    if options.filters.max_games == Some(0) {
        return wrong("max_games", "must be at least 1");
    }
    if options.format.is_some_and(|format| format.game() != options.game) {
        return wrong("format", "it is one of another game's");
    }
    options.split.check(Unit::Game)
}

fn import_game<G: Game>(
    options: &ImportOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<ImportReport, DatasetError> {
    let inputs = Inputs::check(&options.inputs, G::KIND, options.format)?;
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| DatasetError::Option {
        option: "threads",
        reason: format!("{threads} threads cannot be started ({error}): take fewer"),
    })?;
    let output = Output::create(&options.output)?;
    let mut collector = Collector::new(options, &output);
    let mut found: Option<(Format, String)> = None;
    inputs.read(threads, &mut |path, chunk| {
        agree(&mut found, &chunk, options)?;
        let Chunk { file, format, first, records } = chunk;
        let examined: Vec<Result<Examined, Rejected>> = pool.install(|| {
            let numbered = records.par_iter().enumerate();
            numbered.map(|(i, record)| examine::<G>(record, format, &file, first + i as u64, options)).collect()
        });
        for record in examined {
            collector.add(&file, record)?;
            if collector.is_full() {
                break;
            }
        }
        let counts = collector.counts();
        progress(Progress {
            file: path.to_owned(),
            bytes: inputs.bytes_read(),
            total_bytes: inputs.total_bytes(),
            read: counts.read,
            kept: collector.kept(),
            positions: collector.positions(),
            filtered: counts.filtered_games.values().sum(),
            rejected: counts.rejected,
        });
        Ok(!collector.is_full())
    })?;
    let report = collector.finish(found.map_or(Format::text(G::KIND), |(format, _)| format))?;
    output.publish(&report.manifest, options.manifest_text)?;
    Ok(report)
}

/// Refuses a file whose records become other rows than those of the files before.
fn agree(found: &mut Option<(Format, String)>, chunk: &Chunk, options: &ImportOptions) -> Result<(), DatasetError> {
    let wrong = |option, reason| Err(DatasetError::Option { option, reason });
    if chunk.records.iter().all(Result::is_err) {
        return Ok(());
    }
    let (first, file) = found.get_or_insert_with(|| (chunk.format, chunk.file.clone()));
    if first.unit() != chunk.format.unit() {
        let kind = |format: Format| match format.unit() {
            Unit::Game => "games",
            Unit::Position => "single positions",
        };
        let (here, there) = (kind(chunk.format), kind(*first));
        return wrong("inputs", format!("{} holds {here}, {file} {there}: import them one by one", chunk.file));
    }
    if chunk.format.unit() == Unit::Position
        && (options.filters.looks_at_games() || !options.buckets.names().is_empty())
    {
        return wrong("filters", format!("{}: {OF_GAMES_ONLY}", chunk.file));
    }
    Ok(())
}

/// How fast records are read.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ImportRate {
    /// Records that were read.
    pub records: u64,
    /// Records that cannot be used.
    pub rejected: u64,
    /// Positions (plies of games) in those that can.
    pub positions: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Seconds from the first byte to the last record.
    pub seconds: f64,
}

/// Reads files as [`import`] does, unpacking, parsing, checking every move and looking at every filter, and writes
/// nothing: what is measured is everything but the Parquet files.
///
/// # Errors
/// As [`import`].
pub fn bench_import(options: &ImportOptions) -> Result<ImportRate, DatasetError> {
    with_game!(options.game, G => measure::<G>(options))
}

fn measure<G: Game>(options: &ImportOptions) -> Result<ImportRate, DatasetError> {
    let start = std::time::Instant::now();
    let inputs = Inputs::check(&options.inputs, G::KIND, options.format)?;
    let mut rate = ImportRate { records: 0, rejected: 0, positions: 0, bytes: inputs.total_bytes(), seconds: 0.0 };
    inputs.read(1, &mut |_, chunk| {
        let Chunk { file, format, first, records } = chunk;
        for (i, record) in records.iter().enumerate() {
            rate.records += 1;
            match examine::<G>(record, format, &file, first + i as u64, options) {
                Ok(Examined::Row(draft, _)) => rate.positions += u64::from(draft.row.plies),
                Ok(Examined::Filtered(_)) => {}
                Err(_) => rate.rejected += 1,
            }
        }
        Ok(true)
    })?;
    rate.seconds = start.elapsed().as_secs_f64();
    Ok(rate)
}
