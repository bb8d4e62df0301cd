//! Collects examined records in input order: rows, counts and rejects.

use super::examine::Examined;
use super::format::Format;
use super::options::ImportOptions;
use super::rejects::{REJECTS_FILE, Rejects};
use crate::build::{Added, Builder, BuilderState, DatasetDescription, Output};
use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest, Unit};
use crate::split::SplitBy;
use games::Rejected;
use serde::{Deserialize, Serialize};
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

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Collected {
    counts: Counts,
    /// Bytes of the list of rejects.
    rejects: u64,
    first_rejected: Option<(String, Rejected)>,
    misread: bool,
    builder: BuilderState,
}

impl Collected {
    pub(super) fn read(&self) -> u64 {
        self.counts.read
    }
}

pub(super) struct Collector<'a> {
    options: &'a ImportOptions,
    output: &'a Output,
    builder: Builder<'a>,
    rejects: Rejects,
    first_rejected: Option<(String, Rejected)>,
    misread: bool,
    counts: Counts,
    /// The number of complete shards at the last checkpoint.
    shards: usize,
}

impl<'a> Collector<'a> {
    pub(super) fn new(options: &'a ImportOptions, output: &'a Output) -> Result<Self, DatasetError> {
        Ok(Self {
            options,
            output,
            builder: Builder::new(output.dir(), &options.split)?,
            rejects: Rejects::resume(output, 0)?,
            first_rejected: None,
            misread: false,
            counts: Counts::default(),
            shards: 0,
        })
    }

    pub(super) fn resume(
        options: &'a ImportOptions,
        output: &'a Output,
        collected: Collected,
    ) -> Result<Self, DatasetError> {
        let Collected { counts, rejects, first_rejected, misread, builder } = collected;
        output.keep_only(builder.shards())?;
        let shards = builder.shards().len();
        let builder = Builder::resume(output.dir(), &options.split, builder)?;
        let rejects = Rejects::resume(output, rejects)?;
        Ok(Self { options, output, builder, rejects, first_rejected, misread, counts, shards })
    }

    /// Syncs all files and returns the state, if a shard was completed since the last time.
    pub(super) fn checkpoint(&mut self) -> Result<Option<Collected>, DatasetError> {
        match self.builder.complete_shards() {
            Some(shards) if shards > self.shards => self.shards = shards,
            _ => return Ok(None),
        }
        let Some(builder) = self.builder.state()? else { return Ok(None) };
        let rejects = self.rejects.sync()?;
        let (counts, first_rejected) = (self.counts.clone(), self.first_rejected.clone());
        Ok(Some(Collected { counts, rejects, first_rejected, misread: self.misread, builder }))
    }

    pub(super) fn end(&mut self) -> Result<(), DatasetError> {
        self.builder.end_training()
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(super) fn kept(&self) -> u64 {
        self.builder.kept()
    }

    pub(super) fn positions(&self) -> u64 {
        self.builder.positions()
    }

    /// Whether the limit on kept games is reached.
    pub(super) fn is_full(&self) -> bool {
        self.options.filters.max_games.is_some_and(|max| self.kept() >= max)
    }

    pub(super) fn add(&mut self, file: &str, examined: Result<Examined, Rejected>) -> Result<(), DatasetError> {
        self.counts.read += 1;
        match examined {
            Err(rejected) => self.reject(file, rejected),
            Ok(Examined::Filtered(filter)) => {
                *self.counts.filtered_games.entry(filter.to_owned()).or_default() += 1;
                Ok(())
            }
            Ok(Examined::Row { draft, filtered, misread }) => {
                let number = draft.row.source_game;
                match self.builder.add(*draft)? {
                    Added::Duplicate(id) => {
                        self.counts.duplicates += 1;
                        self.rejects.duplicate(file, number, id)
                    }
                    Added::Kept => {
                        self.misread |= misread;
                        for (filter, positions) in filtered {
                            *self.counts.filtered_positions.entry(filter.to_owned()).or_default() += positions;
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
        self.counts.rejected += 1;
        *self.counts.rejected_by_kind.entry(rejected.kind.name().to_owned()).or_default() += 1;
        self.rejects.rejected(file, &rejected)?;
        self.first_rejected.get_or_insert_with(|| (file.to_owned(), rejected));
        Ok(())
    }

    pub(super) fn finish(self, format: Format) -> Result<ImportReport, DatasetError> {
        let Self { options, output, builder, mut rejects, first_rejected, misread, counts, .. } = self;
        if builder.kept() == 0 {
            return Err(DatasetError::NothingKept {
                read: counts.read,
                format: format.name().to_uppercase(),
                first: first_rejected.map(|(_, rejected)| Box::new(rejected)),
                filtered: counts.filtered_games.values().sum(),
            });
        }
        let mut built = builder.finish()?;
        let unit = format.unit();
        if unit == Unit::Position {
            built.split.by = SplitBy::Position;
            built.split.opening_plies = None;
        }
        let rejects = rejects.sync()? > 0;
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
            value_source: (format == Format::Lc0).then_some(options.value),
            rating_buckets,
            ..built.describe(description, counts)
        }
        .sealed();
        let rejects = rejects.then(|| output.target().join(REJECTS_FILE));
        Ok(ImportReport { manifest, rejects, first_rejected, taken_over: 0, misread })
    }
}
