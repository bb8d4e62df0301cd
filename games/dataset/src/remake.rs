//! Datasets made from other datasets: merged, or split in another way.

use crate::WorkDone;
use crate::build::{Builder, DatasetDescription, Draft, Output, SplitPlan, fingerprint};
use crate::error::DatasetError;
use crate::filter::Filters;
use crate::folder::DatasetFolder;
use crate::manifest::{Counts, Manifest, Sampled, Unit};
use crate::split::{SplitBy, group, without_counters};
use crate::store::{GameRow, ShardRows, verify};
use games::chess::lc0::ValueSource;
use games::{Game, GameKind, Position as _, with_game};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub struct RemakeOptions {
    /// The datasets, in order; all of one game and one unit.
    pub sources: Vec<DatasetFolder>,
    /// The new dataset's folder, which must not exist yet.
    pub output: PathBuf,
    pub name: String,
    pub made_by: String,
    /// The split. Single positions are always split by position, those of random games by game.
    pub split: SplitPlan,
}

impl RemakeOptions {
    /// The game and the unit that all sources share.
    pub(crate) fn common(&self) -> Result<(GameKind, Unit), DatasetError> {
        let wrong = |reason: String| Err(DatasetError::Option { option: "sources", reason });
        let Some(first) = self.sources.first() else { return wrong("there is no dataset".to_owned()) };
        let every = |manifest: &Manifest| manifest.sampled.map(|sampled| sampled.every);
        let kind = |manifest: &Manifest| (manifest.game, manifest.unit, manifest.map.clone(), every(manifest));
        match self.sources.iter().find(|source| kind(&source.manifest) != kind(&first.manifest)) {
            None => Ok((first.manifest.game, first.manifest.unit)),
            Some(other) => wrong(format!(
                "{} and {} do not hold the same kind of rows: games of chess, games of shogi and single positions \
                 cannot be mixed, nor maps of different tasks, nor positions every N plies and others",
                first.manifest.name, other.manifest.name
            )),
        }
    }

    /// Refuses sets whose test positions are of a kind that training lacks: another split mixes the kinds.
    fn check_unseen(&self) -> Result<(), DatasetError> {
        let is_unseen =
            |source: &&DatasetFolder| source.manifest.made_by.split_whitespace().any(|word| word == "--unseen");
        let Some(DatasetFolder { manifest, .. }) = self.sources.iter().find(is_unseen) else { return Ok(()) };
        let reason = format!(
            "{} was made with --unseen, and another split would mix what its training lacks into it: generate it again \
             with the shares that you want",
            manifest.name
        );
        Err(DatasetError::Option { option: "sources", reason })
    }

    pub(crate) fn rows(&self) -> u64 {
        let kept = self.sources.iter().map(|source| source.manifest.counts.kept);
        kept.fold(0, u64::saturating_add)
    }

    /// The distinct texts of all sources.
    fn distinct(&self, of: fn(&Manifest) -> &str) -> String {
        distinct(self.sources.iter().map(|source| of(&source.manifest))).join("; ")
    }

    pub(crate) fn description(&self, game: GameKind, unit: Unit) -> DatasetDescription {
        DatasetDescription {
            name: self.name.clone(),
            game,
            unit,
            source: self.distinct(|manifest| &manifest.source),
            licence: self.distinct(|manifest| &manifest.licence),
            made_by: self.made_by.clone(),
        }
    }

    /// Which of Lc0's values the sources hold, if they agree.
    pub(crate) fn value_source(&self) -> Option<ValueSource> {
        let mut sources = self.sources.iter().map(|source| source.manifest.value_source);
        sources.next().flatten().filter(|&first| sources.all(|other| other == Some(first)))
    }
}

fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in all {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// Merges all sources' rows, in order, into one dataset with a new split. Duplicates are kept once. The manifest keeps
/// filters on which all sources agree; rows keep their marks in any case. `progress` is called at intervals.
pub fn remake(options: &RemakeOptions, progress: &mut dyn FnMut(WorkDone)) -> Result<Manifest, DatasetError> {
    let (game, unit) = options.common()?;
    options.check_unseen()?;
    let plan = match unit {
        Unit::Game => options.split.clone(),
        Unit::Position => SplitPlan { by: SplitBy::Position, opening_plies: 0, ..options.split.clone() },
    };
    plan.check(unit)?;
    let output = Output::create(&options.output)?;
    let mut builder = Builder::new(&output.dir, &plan)?;
    let mut counts = Counts::default();
    for source in &options.sources {
        rows_of(source, &mut |rows| {
            let drafts: Vec<Result<Draft, DatasetError>> =
                with_game!(game, G => rows.into_par_iter().map(|row| draft::<G>(row, &plan, source)).collect());
            for draft in drafts {
                counts.read += 1;
                let duplicate_of = builder.add(draft?)?;
                counts.duplicates += u64::from(duplicate_of.is_some());
            }
            progress(WorkDone { what: "rows", done: counts.read, total: options.rows() });
            Ok(())
        })?;
    }
    let manifest = describe(options, builder, counts)?;
    output.publish(&manifest)?;
    Ok(manifest)
}

/// Checks the shards of a dataset and passes on all rows in order, some at a time.
pub(crate) fn rows_of(
    source: &DatasetFolder,
    take: &mut dyn FnMut(Vec<GameRow>) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    for shard in &source.manifest.shards {
        verify(&source.dir, shard)?;
        let mut rows = ShardRows::open(&source.dir.join(&shard.file))?;
        while let Some(some) = rows.more()? {
            take(some)?;
        }
    }
    Ok(())
}

fn draft<G: Game>(mut row: GameRow, plan: &SplitPlan, source: &DatasetFolder) -> Result<Draft, DatasetError> {
    let mut keys = Vec::with_capacity(row.plies.into());
    let mut together = None;
    let marked = match plan.by {
        SplitBy::Game => None,
        SplitBy::Position => Some(0),
        SplitBy::Opening => Some(usize::from(plan.opening_plies.min(row.plies.saturating_sub(1)))),
    };
    row.play_through::<G>(|line, _| {
        keys.push(line.key());
        if marked == Some(line.plies()) {
            together = Some(without_counters(G::KIND, &line.position().to_text()));
        }
    })?;
    let mut known = row.group.is_none().then(|| fingerprint(row.start.as_deref(), &row.moves));
    if source.manifest.sampled.is_some()
        && let Some(number) = row.group
    {
        // A random game stays whole, other sources have other games, and no position is there twice.
        known = together.as_deref().map(|text| fingerprint(Some(text), ""));
        let game = format!("{} {number}", source.manifest.content_hash);
        row.group = Some(group(&game));
        together = Some(game);
    }
    Ok(Draft { row, keys, fingerprint: known, together })
}

fn describe(options: &RemakeOptions, builder: Builder<'_>, counts: Counts) -> Result<Manifest, DatasetError> {
    let (plan, built) = (builder.plan, builder.finish()?);
    let manifests = || options.sources.iter().map(|source| &source.manifest);
    let first = &options.sources[0].manifest;
    let agree = manifests().all(|manifest| manifest.filters == first.filters);
    let names = distinct(manifests().flat_map(|manifest| &manifest.rating_buckets).map(|bucket| bucket.name.clone()));
    Ok(Manifest {
        filters: if agree { first.filters.clone() } else { Filters::default() },
        value_curve: first.value_curve.clone(),
        value_source: options.value_source(),
        rating_buckets: built.contents.rating_buckets(names),
        map: first.map.clone(),
        sampled: first.sampled.map(|sampled| Sampled { games: built.games, ..sampled }),
        ..built.describe(options.description(first.game, first.unit), plan, counts)
    }
    .sealed())
}
