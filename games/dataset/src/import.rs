//! Import of game records into a dataset.
//!
//! Every record counts as exactly one of kept, filtered, rejected or duplicate. Rejected games and duplicates are
//! listed in `rejects.jsonl` beside the shards, one per line. All files are written to a hidden folder beside the
//! target, which is renamed when complete, so an interrupted import leaves no incomplete dataset. The folder of a long
//! import is kept, and the same command resumes it.
//!
//! Files are read ahead by separate threads, records are examined by a thread pool, and the results are collected in
//! the order of the command line. So the dataset does not depend on the number of threads.
//!
//! A dataset holds either games or single positions ([`Unit`]), so all files of an import must hold the same.

mod checkpoint;
mod collect;
mod container;
mod examine;
mod format;
mod options;
mod reading;

pub use collect::{ImportReport, REJECTS_FILE};
pub use container::unpacked;
pub use format::Format;
pub use options::ImportOptions;

use crate::build::Output;
use crate::error::DatasetError;
use crate::filter::OF_GAMES_ONLY;
use crate::manifest::Unit;
use checkpoint::{Checkpoint, ImportConditions, InputOffset, conditions};
use collect::{Collector, shortened};
use examine::{Examined, examine};
use games::{Referee, Rejected, with_game};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use reading::{Chunk, Inputs};
use std::io::ErrorKind;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProgress {
    pub file: PathBuf,
    pub bytes: u64,
    pub total_bytes: u64,
    /// Records read, with those of an interrupted import.
    pub read: u64,
    /// Records read by an interrupted import.
    pub taken_over: u64,
    pub kept: u64,
    pub positions: u64,
    pub filtered: u64,
    pub rejected: u64,
}

/// Imports game records into a new dataset, or resumes an interrupted import with identical output. `progress` is
/// called at intervals.
/// Counts and lists rejected games and truncated files; `strict` refuses the first rejected game.
pub fn import(options: &ImportOptions, progress: &mut dyn FnMut(ImportProgress)) -> Result<ImportReport, DatasetError> {
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
    if let Some(format) = options.format.filter(|format| !format.supports(options.game)) {
        let formats = with_game!(options.game, G => G::FORMATS).join(", ");
        let (format, game) = (format.name(), options.game.name());
        return wrong("format", &format!("{format} is not a format of {game}; valid: {formats}"));
    }
    options.split.check(Unit::Game)
}

fn import_game<G: Referee>(
    options: &ImportOptions,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<ImportReport, DatasetError> {
    Inputs::check(&options.inputs, G::KIND, options.format)?;
    let conditions = conditions(options)?;
    // Before the folder is opened: what the same command can do with fewer threads must not remove a checkpoint.
    let pool = pool(options.threads)?;
    let (output, checkpoint) = Output::resume(&options.output)?;
    let checkpoint = checkpoint.map(|text| Checkpoint::read(&text, &conditions, &output)).transpose()?;
    let mut safe = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.collected.tally.counts.read);
    let run = ImportRun { options, conditions, pool, output: &output, safe: &mut safe };
    let report = run.all::<G>(checkpoint, progress);
    match report {
        Ok(report) => {
            output.publish(&report.manifest)?;
            Ok(report)
        }
        Err(DatasetError::Io { action, path, source }) if safe > 0 => {
            let source = Box::new(DatasetError::Io { action, path, source });
            Err(DatasetError::ImportInterrupted { source, records: safe, dir: output.dir.clone() })
        }
        Err(damaged @ DatasetError::DamagedImport { .. }) => Err(damaged),
        Err(error) => {
            output.discard();
            Err(error)
        }
    }
}

struct ImportRun<'a> {
    options: &'a ImportOptions,
    conditions: ImportConditions,
    pool: ThreadPool,
    output: &'a Output,
    /// Records whose results are saved in the checkpoint.
    safe: &'a mut u64,
}

impl ImportRun<'_> {
    fn all<G: Referee>(
        mut self,
        checkpoint: Option<Checkpoint>,
        progress: &mut dyn FnMut(ImportProgress),
    ) -> Result<ImportReport, DatasetError> {
        let (options, taken_over, threads) = (self.options, *self.safe, self.pool.current_num_threads());
        let (mut offset, mut collector) = match checkpoint {
            None => (InputOffset::default(), Collector::new(options, self.output)?),
            Some(Checkpoint { place: offset, collected, .. }) => {
                (offset, Collector::resume(options, self.output, collected).map_err(|error| self.damaged(error))?)
            }
        };
        // Finished files are not read again; in the current one, the saved records are skipped.
        let done = offset.file.min(options.inputs.len());
        let inputs = Inputs::check(&options.inputs[done..], G::KIND, options.format)?;
        let total_bytes = Inputs::check(&options.inputs, G::KIND, options.format)?.total_bytes;
        let mut known = taken_over - offset.before;
        let finished = done == options.inputs.len() || collector.is_full();
        let mut read = |number: usize, chunk: Chunk| -> Result<bool, DatasetError> {
            if offset.file != done + number {
                (offset.file, offset.before) = (done + number, collector.tally.counts.read);
            }
            check_same_kind(&mut offset.found, &chunk, options)?;
            let Chunk { file, format, first, records } = chunk;
            let skipped = known.min(records.len() as u64);
            known -= skipped;
            let (first, records) = (first + skipped, &records[skipped as usize..]);
            let examined: Vec<Result<Examined, Rejected>> = self.pool.install(|| {
                let numbered = records.par_iter().enumerate();
                let examined = numbered.map(|(i, record)| {
                    examine::<G>(record, format, &file, first + i as u64, options).map_err(shortened)
                });
                examined.collect()
            });
            for record in examined {
                collector.add(&file, format, record)?;
                self.keep(&mut collector, &offset)?;
                if collector.is_full() {
                    break;
                }
            }
            let counts = &collector.tally.counts;
            progress(ImportProgress {
                file: options.inputs[done + number].clone(),
                bytes: total_bytes - inputs.total_bytes + inputs.bytes_read(),
                total_bytes,
                read: counts.read,
                taken_over,
                kept: collector.builder.built.kept,
                positions: collector.builder.built.positions,
                filtered: counts.filtered_games.values().sum(),
                rejected: counts.rejected,
            });
            Ok(!collector.is_full())
        };
        if !finished {
            inputs.read(threads, &mut read)?;
        }
        if known > 0 && !finished {
            return Err(self.unusable(format!("its files hold {known} records fewer than it read in them")));
        }
        (offset.file, offset.before) = (options.inputs.len(), collector.tally.counts.read);
        if *self.safe > 0 {
            // The remaining steps also take long if the import was long enough for a checkpoint.
            collector.builder.end_training()?;
            self.keep(&mut collector, &offset)?;
        }
        let format = offset.found.as_ref().map_or(Format::text(G::KIND), |&(first, _)| first);
        let report = collector.finish(format)?;
        Ok(ImportReport { taken_over, ..report })
    }

    /// Saves a checkpoint if there is new progress.
    fn keep(&mut self, collector: &mut Collector<'_>, offset: &InputOffset) -> Result<(), DatasetError> {
        if let Some(collected) = collector.checkpoint()? {
            let records = collected.tally.counts.read;
            Checkpoint::write(&self.conditions, offset, collected, self.output)?;
            *self.safe = records;
        }
        Ok(())
    }

    /// The error for an import that cannot be resumed: damaged files, or a full disk.
    fn damaged(&self, error: DatasetError) -> DatasetError {
        match error {
            DatasetError::Io { ref source, .. }
                if ![ErrorKind::UnexpectedEof, ErrorKind::NotFound].contains(&source.kind()) =>
            {
                error
            }
            error => self.unusable(error.to_string()),
        }
    }

    fn unusable(&self, reason: String) -> DatasetError {
        DatasetError::DamagedImport { dir: self.output.dir.clone(), reason }
    }
}

fn pool(threads: usize) -> Result<ThreadPool, DatasetError> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| DatasetError::Option {
        option: "threads",
        reason: format!("{threads} threads cannot be started ({error}): take fewer"),
    })
}

/// Refuses a file whose records have another unit than those of the files before.
fn check_same_kind(
    found: &mut Option<(Format, String)>,
    chunk: &Chunk,
    options: &ImportOptions,
) -> Result<(), DatasetError> {
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
    if options.filters.eval_after && chunk.format != Format::Pgn {
        return wrong("eval_after", format!("{} is not PGN, which alone has [%eval]: leave it out", chunk.file));
    }
    if chunk.format.unit() == Unit::Game {
        return Ok(());
    }
    if options.filters.looks_at_games() || !options.buckets.names().is_empty() {
        return wrong("filters", format!("{}: {OF_GAMES_ONLY}", chunk.file));
    }
    if options.policy_from_ply > 0 {
        return wrong(
            "policy_from_ply",
            format!("{}: single positions have no earlier plies: leave it out", chunk.file),
        );
    }
    if options.filters.skip_plies.is_some() && chunk.format != Format::Psv {
        let format = chunk.format.name();
        return wrong(
            "skip_plies",
            format!("{}: {format} does not say the ply of a position: leave it out", chunk.file),
        );
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ImportRate {
    pub records: u64,
    pub rejected: u64,
    /// Positions (plies of games) in valid records.
    pub positions: u64,
    pub bytes: u64,
    pub seconds: f64,
}

/// Reads files like [`import`] (decompression, parsing, legality of every move, all filters) without writing, so that
/// everything except the Parquet files is measured.
pub fn bench_import(options: &ImportOptions) -> Result<ImportRate, DatasetError> {
    with_game!(options.game, G => measure::<G>(options))
}

fn measure<G: Referee>(options: &ImportOptions) -> Result<ImportRate, DatasetError> {
    let start = std::time::Instant::now();
    let inputs = Inputs::check(&options.inputs, G::KIND, options.format)?;
    let mut rate = ImportRate { records: 0, rejected: 0, positions: 0, bytes: inputs.total_bytes, seconds: 0.0 };
    inputs.read(1, &mut |_, chunk| {
        let Chunk { file, format, first, records } = chunk;
        for (i, record) in records.iter().enumerate() {
            rate.records += 1;
            match examine::<G>(record, format, &file, first + i as u64, options) {
                Ok(Examined::Row { draft, .. }) => rate.positions += u64::from(draft.row.plies),
                Ok(Examined::Filtered(_)) => {}
                Err(_) => rate.rejected += 1,
            }
        }
        Ok(true)
    })?;
    rate.seconds = start.elapsed().as_secs_f64();
    Ok(rate)
}
