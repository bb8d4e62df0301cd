//! What a dataset knows beside moves and results: Lc0's values and draws, and what batches make of them.

use crate::samples::{
    self, CHESS, LICHESS, evaluation, imported, imported_bytes, imported_with, on_disk, opened, refused, rows, sample,
    sample_text,
};
use dataset::store::{GameRow, ShardRows, ShardWriter};
use dataset::value::SHORT_TERM_DECAY;
use dataset::{
    Batch, Dataset, DatasetError, DatasetFolder, LoaderConfig, Merge, RemakeOptions, Split, Targets, ValueTarget,
    average, remake, store,
};
use games::chess::lc0::ValueSource;
use games::{GameKind, GameResult, InputName, Termination};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::path::Path;

const LC0: &str = "lc0_v6_selfplay.tar";

/// The chunks with one of their values.
fn lc0(value: ValueSource) -> tempfile::TempDir {
    let (dir, report) = imported_with(GameKind::Chess, sample(LC0), |options| {
        (options.value, options.policy_from_ply) = (value, 0);
    });
    assert_eq!((report.manifest.value_source, report.manifest.counts.positions), (Some(value), 6_459));
    dir
}

/// Another program decoded 110 records; see ORIGIN.md beside the sample.
#[test]
fn values_and_draws_are_those_of_another_decoder() {
    let text = String::from_utf8(sample_text("lc0_v6_truth.jsonl.zst")).expect("JSON");
    let truth: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    for (source, name) in [(ValueSource::Root, "root"), (ValueSource::Best, "best"), (ValueSource::Played, "played")] {
        let dir = lc0(source);
        let rows: BTreeMap<String, GameRow> =
            rows(dir.path()).into_iter().map(|row| (row.source_file.clone(), row)).collect();
        let mut compared = 0;
        for record in &truth {
            let file = record["file"].as_str().expect("a name");
            let Some(row) = rows.iter().find_map(|(name, row)| name.ends_with(file).then_some(row)) else { continue };
            let ply = record["rec"].as_u64().expect("a number") as usize;
            let stated = |what: &str| record[format!("{name}_{what}")].as_f64().expect("a number");
            let value = row.value[ply].expect("every record has values");
            let draw = row.draw.as_ref().expect("every record has draws")[ply].expect("every record");
            assert!((f64::from(value) - (1.0 + stated("q")) / 2.0).abs() < 1e-6, "{file} {ply}");
            assert!((f64::from(draw) - stated("d")).abs() < 1e-6, "{file} {ply}");
            compared += 1;
        }
        assert!(compared >= 100, "{compared} of {}", truth.len());
    }
}

fn batches(dataset: &Dataset) -> Vec<Batch> {
    evaluation(dataset, Split::Test, InputName::PieceTokens, u64::MAX)
}

fn all_targets() -> Targets {
    let short_term = Some(SHORT_TERM_DECAY);
    Targets { draw: true, short_term, plies_left: true, points: true, ..Targets::default() }
}

/// The averages as sums: at ply p, Σ_{k<n} (1 − θ) θ^k x_{p+k} + θ^n x_{p+n}, with the last ply at p + n.
fn weighted(column: &[f64], ply: usize) -> f64 {
    let ahead = column.len() - 1 - ply;
    let inner = (0..ahead).map(|k| (1.0 - SHORT_TERM_DECAY) * SHORT_TERM_DECAY.powi(k as i32) * column[ply + k]);
    inner.sum::<f64>() + SHORT_TERM_DECAY.powi(ahead as i32) * column[column.len() - 1]
}

#[test]
fn batches_hold_every_target_that_was_asked_for() {
    let dir = lc0(ValueSource::Root);
    let rows = rows(dir.path());
    let mut dataset = opened(dir.path());
    for batch in batches(&dataset) {
        let lists = [&batch.draw, &batch.short_term, &batch.short_term_draw, &batch.plies_left, &batch.points];
        assert!(lists.iter().all(|list| list.is_empty()), "nothing was asked for");
        assert!(batch.rights.is_empty() && batch.repeats.is_empty(), "nothing was asked for");
    }
    dataset.set_targets(all_targets()).expect("Lc0 says everything");
    let mut ends = 0;
    for batch in batches(&dataset) {
        for i in 0..batch.size {
            let row = &rows[batch.game[i] as usize];
            let ply = usize::from(batch.ply[i]);
            let value: Vec<f64> = row.value.iter().map(|v| f64::from(v.expect("Lc0"))).collect();
            let draw: Vec<f64> = row.draw.as_ref().expect("Lc0").iter().map(|v| f64::from(v.expect("Lc0"))).collect();
            // From the view of whoever is to move at `ply`.
            let own: Vec<f64> =
                value.iter().enumerate().map(|(k, &p)| if k % 2 == ply % 2 { p } else { 1.0 - p }).collect();
            let close = |found: f32, expected: f64| assert!((f64::from(found) - expected).abs() < 1e-5, "{found}");
            close(batch.value[i], value[ply]);
            close(batch.draw[i], draw[ply]);
            close(batch.short_term[i], weighted(&own, ply));
            close(batch.short_term_draw[i], weighted(&draw, ply));
            let points = match batch.outcome[i] {
                -1 => f32::NAN,
                outcome => 1.0 - outcome as f32 / 2.0,
            };
            assert!(batch.points[i] == points || batch.points[i].is_nan() && points.is_nan());
            let is_cut = row.result == GameResult::Unknown || row.termination == Termination::PlyCap;
            assert_eq!(batch.plies_left[i].is_nan(), is_cut);
            if !is_cut {
                assert_eq!(batch.plies_left[i] as usize + ply, usize::from(row.plies));
                ends += 1;
            }
        }
    }
    assert!(ends > 100, "{ends}");
}

#[test]
fn targets_do_not_depend_on_what_was_asked_before_or_on_workers() {
    let dir = lc0(ValueSource::Root);
    let open = || opened(dir.path());
    let result = Targets { value: Some(ValueTarget::Result), ..all_targets() };
    let (mut once, mut twice) = (open(), open());
    once.set_targets(result).expect("results are always there");
    twice.set_targets(Targets { value: Some(ValueTarget::ShortTerm { decay: 0.5 }), ..all_targets() }).expect("values");
    twice.set_targets(result).expect("results");
    let bits = |list: &[f32]| list.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let all = |batch: &Batch| {
        [&batch.value, &batch.draw, &batch.short_term, &batch.short_term_draw, &batch.plies_left].map(|list| bits(list))
    };
    let of = |dataset: &Dataset| batches(dataset).iter().map(all).collect::<Vec<_>>();
    assert!(of(&once) == of(&twice));
    let once = std::sync::Arc::new(once);
    let training = |workers| {
        let input = InputName::PieceTokens;
        let config = LoaderConfig { input, batch: 100, seed: 1, workers, block_games: 7 };
        samples::training(&once, config, 0, 30).iter().map(all).collect::<Vec<_>>()
    };
    assert!(training(1) == training(3));
}

#[test]
fn a_target_that_the_dataset_lacks_is_an_error_with_the_column() {
    let (dir, _) = imported(GameKind::Chess, LICHESS);
    let mut dataset = opened(dir.path());
    let draw = Targets { draw: true, ..Targets::default() };
    refused(dataset.set_targets(draw), &["\"sample\" has an empty column \"draw\", which the target \"draw\"", "Lc0"]);
    let decay = Targets { short_term: Some(1.5), ..Targets::default() };
    refused(dataset.set_targets(decay), &["1.5", "0…1"]);
    // Footers say the same as the rows.
    for (file, column, expected) in [(CHESS, "value", true), (CHESS, "draw", false), (LICHESS, "draw", false)] {
        let (dir, _) = imported(GameKind::Chess, file);
        let DatasetFolder { dir, manifest } = on_disk(dir.path());
        assert_eq!(store::has_values(&dir, &manifest, column).expect("good shards"), expected, "{file} {column}");
    }
    let silent = "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n";
    let (dir, _) = imported_bytes(GameKind::Chess, "x.pgn", silent, |_| {});
    let DatasetFolder { dir, manifest } = on_disk(dir.path());
    assert!(!store::has_values(&dir, &manifest, "value").expect("good shards"));
    let mut dataset = Dataset::load(&dir, manifest).expect("a dataset");
    let score = Targets { value: Some(ValueTarget::Score), ..Targets::default() };
    assert!(matches!(dataset.set_targets(score), Err(DatasetError::NoTarget { column: "value", target: "score", .. })));
}

#[test]
fn values_of_several_formats_have_no_source() {
    for inputs in [[LC0, CHESS], [CHESS, LC0]] {
        let (_dir, report) = imported_with(GameKind::Chess, sample(LC0), |options| {
            options.inputs = inputs.map(sample).into();
        });
        assert_eq!((report.manifest.counts.kept, report.manifest.value_source), (116, None));
    }
}

fn remade(sources: Vec<DatasetFolder>, dir: &Path, split_seed: u64) -> RemakeOptions {
    let split = dataset::SplitPlan::by_game(split_seed, dataset::PerSplit { train: 0.5, validation: 0.25, test: 0.25 });
    samples::remade(sources, dir, split)
}

#[test]
fn draws_come_through_merging_and_averaging() {
    let (lc0, (pgn, _)) = (lc0(ValueSource::Best), imported(GameKind::Chess, CHESS));
    let before: BTreeMap<(String, String), GameRow> = [rows(lc0.path()), rows(pgn.path())]
        .concat()
        .into_iter()
        .map(|row| ((row.source_file.clone(), row.moves.clone()), row))
        .collect();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let manifest =
        remake(&remade(vec![on_disk(pgn.path()), on_disk(lc0.path())], dir.path(), 5), &mut |_| {}).expect("they fit");
    assert_eq!(manifest.value_source, None, "PGN's values are from elsewhere");
    let merged = rows(dir.path());
    assert_eq!(merged.iter().filter(|row| row.draw.is_some()).count(), 80);
    for row in &merged {
        let old = &before[&(row.source_file.clone(), row.moves.clone())];
        assert_eq!((&row.draw, &row.value), (&old.draw, &old.value));
    }
    // Averages: the mean of the start position over all games that begin there.
    let first = |row: &GameRow| row.draw.as_ref().filter(|_| row.start.is_none())?[0];
    let starts: Vec<f32> = rows(lc0.path()).iter().filter_map(first).collect();
    assert!(starts.len() > 1);
    let mean = starts.iter().map(|&d| f64::from(d)).sum::<f64>() / starts.len() as f64;
    let averaged = tempfile::tempdir().expect("a temporary folder");
    let done = average(&remade(vec![on_disk(lc0.path())], averaged.path(), 5), Merge::Mean, 1 << 20, &mut |_| {})
        .expect("it fits");
    assert_eq!(done.manifest.value_source, Some(ValueSource::Best));
    let averaged = rows(averaged.path());
    let start = averaged.iter().find(|row| {
        row.start.as_deref().is_some_and(|fen| fen.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"))
    });
    let found = start.and_then(|row| row.draw.as_ref()?[0]).expect("the start position is in it");
    assert!((f64::from(found) - mean).abs() < 1e-6, "{found} and {mean}");
}

/// The column is written only where something stands in it, also where that comes behind the first row groups.
#[test]
fn a_shard_gets_the_column_when_it_is_needed() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let row = rows(dir.path()).remove(0);
    let with_draw = |id| GameRow { id, draw: Some(vec![Some(0.25); row.plies.into()]), ..row.clone() };
    let without = |id| GameRow { id, draw: None, ..row.clone() };
    let write = |name: &str, rows: &[GameRow]| {
        let path = dir.path().join(name);
        let mut writer = ShardWriter::create(&path).expect("a file");
        rows.iter().for_each(|row| writer.push(row).expect("it is written"));
        (writer.finish().expect("a shard"), path)
    };
    let late: Vec<GameRow> = (0..5000).map(|id| if id < 4500 { without(id) } else { with_draw(id) }).collect();
    let (shard, path) = write("late.parquet", &late);
    let read = |path: &Path| -> Vec<GameRow> {
        ShardRows::open(path).expect("a shard").map(|row| row.expect("a good row")).collect()
    };
    assert!(read(&path) == late);
    assert_eq!(shard.games, 5000);
    assert!(!path.with_extension("narrow").exists());
    let plain: Vec<GameRow> = late[..4500].to_vec();
    let (narrow, path) = write("plain.parquet", &plain);
    assert!(read(&path) == plain);
    let holds_column = |shard: &dataset::manifest::Shard| {
        let file = std::fs::File::open(dir.path().join(&shard.file)).expect("it is there");
        let footer = ParquetRecordBatchReaderBuilder::try_new(file).expect("a good shard");
        footer.schema().field_with_name("draw").is_ok()
    };
    assert!(holds_column(&shard) && !holds_column(&narrow));
}
