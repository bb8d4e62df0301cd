//! Collects examined records in input order: rows, counts and rejects.

use super::examine::Examined;
use super::format::Format;
use super::options::ImportOptions;
use crate::build::{AppendLog, Builder, BuilderState, DatasetDescription, Output, SplitPlan};
use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest, Unit};
use crate::split::SplitBy;
use games::Rejected;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq)]
pub struct ImportReport {
    /// The dataset's manifest, with its counts.
    pub manifest: Manifest,
    /// The list of rejected games, if there are any.
    pub rejects: Option<PathBuf>,
    /// The first rejected game, if any, and the name of its file.
    pub first_rejected: Option<(String, Rejected)>,
    /// Records that were not read again, because an interrupted import had saved them.
    pub taken_over: u64,
    /// Whether scores of Lichess, which follow a move, were taken as those of the position before it.
    pub misread: bool,
}

/// What became of the records so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) counts: Counts,
    first_rejected: Option<(String, Rejected)>,
    misread: bool,
    /// The games kept of Lc0's chunks.
    of_lc0: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Collected {
    pub(super) tally: Tally,
    /// Bytes of the list of rejects.
    rejects: u64,
    builder: BuilderState,
}

pub(super) struct Collector<'a> {
    options: &'a ImportOptions,
    output: &'a Output,
    pub(super) builder: Builder<'a>,
    rejects: Rejects,
    pub(super) tally: Tally,
    /// The number of complete shards at the last checkpoint.
    shards: usize,
}

impl<'a> Collector<'a> {
    pub(super) fn new(options: &'a ImportOptions, output: &'a Output) -> Result<Self, DatasetError> {
        Self::resume(options, output, Collected::default())
    }

    pub(super) fn resume(
        options: &'a ImportOptions,
        output: &'a Output,
        collected: Collected,
    ) -> Result<Self, DatasetError> {
        let Collected { tally, rejects, builder } = collected;
        output.keep_only(&builder.built.shards)?;
        let shards = builder.built.shards.len();
        let builder = Builder::resume(&output.dir, &options.split, builder)?;
        let rejects = Rejects::resume(output, rejects)?;
        Ok(Self { options, output, builder, rejects, tally, shards })
    }

    /// Syncs all files and returns the state, if a shard was completed since the last time.
    pub(super) fn checkpoint(&mut self) -> Result<Option<Collected>, DatasetError> {
        match self.builder.complete_shards() {
            Some(shards) if shards > self.shards => self.shards = shards,
            _ => return Ok(None),
        }
        let Some(builder) = self.builder.state()? else { return Ok(None) };
        Ok(Some(Collected { tally: self.tally.clone(), rejects: self.rejects.lines.sync()?, builder }))
    }

    /// Whether the limit on kept games is reached.
    pub(super) fn is_full(&self) -> bool {
        self.options.filters.max_games.is_some_and(|max| self.builder.built.kept >= max)
    }

    pub(super) fn add(
        &mut self,
        file: &str,
        format: Format,
        examined: Result<Examined, Rejected>,
    ) -> Result<(), DatasetError> {
        let tally = &mut self.tally;
        tally.counts.read += 1;
        match examined {
            Err(rejected) => self.reject(file, rejected),
            Ok(Examined::Filtered(filter)) => {
                *tally.counts.filtered_games.entry(filter.to_owned()).or_default() += 1;
                Ok(())
            }
            Ok(Examined::Row { draft, filtered, misread }) => {
                let number = draft.row.source_game;
                match self.builder.add(*draft)? {
                    Some(first) => {
                        tally.counts.duplicates += 1;
                        self.rejects.duplicate(file, number, first)
                    }
                    None => {
                        tally.misread |= misread;
                        tally.of_lc0 += u64::from(format == Format::Lc0);
                        for (filter, positions) in filtered {
                            *tally.counts.filtered_positions.entry(filter.to_owned()).or_default() += positions;
                        }
                        Ok(())
                    }
                }
            }
        }
    }

    fn reject(&mut self, file: &str, rejected: Rejected) -> Result<(), DatasetError> {
        if self.options.strict {
            return Err(DatasetError::Rejected { file: file.to_owned(), rejected });
        }
        self.tally.counts.rejected += 1;
        *self.tally.counts.rejected_by_kind.entry(rejected.kind.name().to_owned()).or_default() += 1;
        self.rejects.rejected(file, &rejected)?;
        self.tally.first_rejected.get_or_insert_with(|| (file.to_owned(), rejected));
        Ok(())
    }

    pub(super) fn finish(self, format: Format) -> Result<ImportReport, DatasetError> {
        let Self { options, output, builder, mut rejects, tally, .. } = self;
        let Tally { counts, first_rejected, misread, of_lc0 } = tally;
        if builder.built.kept == 0 {
            return Err(DatasetError::NothingKept {
                read: counts.read,
                format: format.name().to_uppercase(),
                first: first_rejected.map(|(_, rejected)| Box::new(rejected)),
                filtered: counts.filtered_games.values().sum(),
            });
        }
        let built = builder.finish()?;
        let unit = format.unit();
        let by = if unit == Unit::Position { SplitBy::Position } else { options.split.by };
        let plan = SplitPlan { by, ..options.split.clone() };
        let rejects = rejects.lines.sync()? > 0;
        let value_source = (of_lc0 == built.kept).then_some(options.value);
        let rating_buckets = built.contents.rating_buckets(options.buckets.names());
        let description = DatasetDescription {
            name: options.name.clone(),
            game: options.game,
            unit,
            source: options.source.clone(),
            licence: options.licence.clone(),
            made_by: options.made_by.clone(),
        };
        let manifest = Manifest {
            filters: options.filters.clone(),
            value_source,
            rating_buckets,
            ..built.describe(description, &plan, counts)
        }
        .sealed();
        let rejects = rejects.then(|| output.target.join(REJECTS_FILE));
        Ok(ImportReport { manifest, rejects, first_rejected, taken_over: 0, misread })
    }
}

/// The rejected games of an import, one JSON object a line, in the dataset's folder.
pub const REJECTS_FILE: &str = "rejects.jsonl";

/// The most characters of a reason. It may quote a token of a damaged file, which may have megabytes.
const LONGEST_REASON: usize = 400;

/// The characters at the beginning and at the end of a longer reason that are kept.
const KEPT: [usize; 2] = [200, 100];

/// A rejected game whose reason has a readable length: the middle of a long one is left out.
pub(super) fn shortened(rejected: Rejected) -> Rejected {
    let characters = rejected.reason.chars().count();
    if characters <= LONGEST_REASON {
        return rejected;
    }
    let [beginning, end] = KEPT;
    let left_out = characters - beginning - end;
    let beginning: String = rejected.reason.chars().take(beginning).collect();
    let end: String = rejected.reason.chars().skip(characters - end).collect();
    Rejected { reason: format!("{beginning}… ({left_out} characters left out) …{end}"), ..rejected }
}

#[derive(Serialize)]
struct RejectLine<'a> {
    file: &'a str,
    game: u64,
    ply: Option<u32>,
    kind: &'a str,
    reason: &'a str,
}

/// [`REJECTS_FILE`], created with its first line.
struct Rejects {
    path: PathBuf,
    lines: AppendLog,
}

impl Rejects {
    /// Resumes at a checkpoint's length; 0 bytes for a new list.
    fn resume(output: &Output, bytes: u64) -> Result<Self, DatasetError> {
        let path = output.dir.join(REJECTS_FILE);
        Ok(Self { lines: AppendLog::resume(path.clone(), bytes)?, path })
    }

    fn rejected(&mut self, file: &str, rejected: &Rejected) -> Result<(), DatasetError> {
        let Rejected { game, ply, kind, reason } = rejected;
        self.line(&RejectLine { file, game: *game, ply: *ply, kind: kind.name(), reason })
    }

    /// A duplicate of game `id` of the dataset.
    fn duplicate(&mut self, file: &str, game: u64, id: u32) -> Result<(), DatasetError> {
        let reason = format!("the same start and moves as game {id} of the dataset");
        self.line(&RejectLine { file, game, ply: None, kind: "duplicate", reason: &reason })
    }

    fn line(&mut self, line: &RejectLine<'_>) -> Result<(), DatasetError> {
        let mut text =
            serde_json::to_string(line).map_err(io::Error::other).map_err(DatasetError::io("write", &self.path))?;
        text.push('\n');
        self.lines.append(text.as_bytes())
    }
}
