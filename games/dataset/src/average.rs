//! Averaging: merges equal positions of datasets into one row each.
//!
//! As in dlshogi's `use_average`: the policy of the merged position is the mean distribution over its occurrences (a
//! hard target counts as a distribution on one move); value and result are means. Positions are equal by board, side to
//! move, hands, castling and en passant; clocks and history are dropped, so inputs with history refuse the result.
//! Reference: dlshogi `cppshogi/python_module.cpp` (`hcpe3_cache_re_eval`'s sums), which holds all positions in memory.
//! Here they are sorted on disk within a memory limit, on which the result does not depend.

mod merged;
mod runs;

pub use merged::Merge;

use crate::WorkDone;
use crate::build::{Builder, Draft, Output, SplitPlan};
use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest, Unit};
use crate::remake::{RemakeOptions, rows_of};
use crate::split::{SplitBy, without_counters};
use crate::store::GameRow;
use crate::value::result_for;
use games::{Game, Position as _, with_game};
use merged::{Entry, Merged};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use runs::Sorter;

/// Positions between two reports of progress.
const POSITIONS_A_REPORT: u64 = 1 << 14;

#[derive(Debug, Clone, PartialEq)]
pub struct Averaged {
    pub manifest: Manifest,
    pub positions: u64,
    /// The number of sorted runs written to disk.
    pub runs: usize,
}

/// Writes a dataset of the distinct positions of all sources. `memory` limits the bytes of buffered positions.
/// `progress` is called at intervals: first for rows read, then for positions merged.
pub fn average(
    options: &RemakeOptions,
    merge: Merge,
    memory: usize,
    progress: &mut dyn FnMut(WorkDone),
) -> Result<Averaged, DatasetError> {
    let (game, _) = options.common()?;
    check(options)?;
    let plan = SplitPlan { by: SplitBy::Position, opening_plies: 0, ..options.split.clone() };
    plan.check(Unit::Position)?;
    let output = Output::create(&options.output)?;
    let mut sorter = Sorter::new(&output.dir, memory);
    let (mut read, mut positions) = (0, 0);
    for source in &options.sources {
        rows_of(source, &mut |rows| {
            let entries: Vec<Result<Vec<Entry>, DatasetError>> =
                with_game!(game, G => rows.into_par_iter().map(|row| entries::<G>(&row, merge)).collect());
            read += entries.len() as u64;
            for entries in entries {
                for entry in entries? {
                    positions += 1;
                    sorter.push(&entry)?;
                }
            }
            progress(WorkDone { what: "rows", done: read, total: options.rows() });
            Ok(())
        })?;
    }
    let runs = sorter.made;
    let mut builder = Builder::new(&output.dir, &plan)?;
    let mut current: Option<Merged> = None;
    let name = &options.name;
    let mut merged_so_far = 0;
    sorter.finish(|entry| {
        merged_so_far += 1;
        if merged_so_far % POSITIONS_A_REPORT == 0 {
            progress(WorkDone { what: "positions", done: merged_so_far, total: positions });
        }
        match &mut current {
            Some(merged) if merged.is(&entry) => merged.add(entry),
            current => {
                if let Some(complete) = current.replace(Merged::new(entry, merge)) {
                    with_game!(game, G => keep::<G>(complete, name, &mut builder))?;
                }
            }
        }
        Ok(())
    })?;
    if let Some(last) = current {
        with_game!(game, G => keep::<G>(last, name, &mut builder))?;
    }
    let manifest = describe(options, builder, positions)?;
    output.publish(&manifest)?;
    Ok(Averaged { manifest, positions, runs })
}

/// Refuses what a mean of equal positions does not keep: maps, and random games that stay whole.
fn check(options: &RemakeOptions) -> Result<(), DatasetError> {
    let mut manifests = options.sources.iter().map(|source| &source.manifest);
    match manifests.find(|manifest| manifest.map.is_some() || manifest.sampled.is_some()) {
        None => Ok(()),
        Some(manifest) => {
            let reason = format!(
                "{} has maps, or several positions of each random game, which averages lose: use `posenc data merge`",
                manifest.name
            );
            Err(DatasetError::Option { option: "sources", reason })
        }
    }
}

/// The used positions of a row, each with its targets.
fn entries<G: Game>(row: &GameRow, merge: Merge) -> Result<Vec<Entry>, DatasetError> {
    let mut entries = Vec::with_capacity(row.plies.into());
    row.play_through::<G>(|line, mv| {
        let (position, ply) = (line.position(), line.plies());
        if !row.is_used(ply) {
            return;
        }
        let is_target = ply >= usize::from(row.policy_from_ply) || merge == Merge::Best;
        let candidates = match row.candidates(ply) {
            _ if !is_target => Vec::new(),
            [] => vec![(position.move_text(mv), 1.0)],
            weighed => weighed.to_vec(),
        };
        let result = match &row.mean_result {
            Some(means) => means[ply].unwrap_or(f32::NAN),
            None => result_for(row.result, position.side_to_move()),
        };
        let text = without_counters(G::KIND, &position.to_text());
        let value = row.value[ply].unwrap_or(f32::NAN);
        let draw = row.draw.as_ref().and_then(|draws| draws[ply]).unwrap_or(f32::NAN);
        let count = row.count.unwrap_or(1);
        entries.push(Entry { text, count, value, draw, result, outcome: row.result, candidates });
    })?;
    Ok(entries)
}

fn keep<G: Game>(merged: Merged, name: &str, builder: &mut Builder<'_>) -> Result<(), DatasetError> {
    let number = builder.built.kept;
    let wrong = |reason: String| DatasetError::BadGame { game: number as u32, ply: 0, reason };
    let text = merged.text.clone();
    let position =
        G::Position::parse(&merged::with_counters(G::KIND, &text)).map_err(|error| wrong(error.to_string()))?;
    let first = position.list_moves().first().map(|&mv| position.move_text(mv));
    let row = merged.row(G::KIND, name, number, first).ok_or_else(|| wrong("it has no legal move".to_owned()))?;
    let draft = Draft { row, keys: vec![position.repetition_key()], fingerprint: None, together: Some(text) };
    builder.add(draft).map(|_| ())
}

fn describe(options: &RemakeOptions, builder: Builder<'_>, read: u64) -> Result<Manifest, DatasetError> {
    let (plan, built) = (builder.plan, builder.finish()?);
    let first = &options.sources[0].manifest;
    let counts = Counts { read, duplicates: read - built.kept, ..Counts::default() };
    Ok(Manifest {
        value_curve: first.value_curve.clone(),
        value_source: options.value_source(),
        ..built.describe(options.description(first.game, Unit::Position), plan, counts)
    }
    .sealed())
}
