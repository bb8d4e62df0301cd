//! Rows from a derived file: the batches of rows in memory, whoever wrote the file, or an error that names the block.

use crate::damage::counts::Counts;
use crate::damage::{seeded, small};
use crate::samples::{
    CHESS, LICHESS, LICHESS_438, SHOGI, all_targets, evaluation, imported, imported_with, names, on_disk, places,
    read_manifest, refused, sample, verified,
};
use crate::test_set::all_test;
use dataset::filter::Buckets;
use dataset::{
    Batch, DataCost, Dataset, DatasetError, DerivedOptions, EXACT_BELOW, LoaderConfig, Manifest, Split, Targets,
    TrainLoader, Unit, ValueTarget, evaluation_batches, repeat, summarise,
};
use games::map_labels::MapTask;
use games::{GameKind, InputName};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const SAMPLES: [(GameKind, &str); 6] = [
    (GameKind::Chess, CHESS),
    (GameKind::Chess, "lc0_v6_selfplay.tar"),
    (GameKind::Shogi, SHOGI),
    (GameKind::Shogi, "shogi_selfplay_40games.hcpe3"),
    (GameKind::Shogi, "shogi_selfplay_40games.hcpe"),
    (GameKind::Shogi, "shogi_selfplay_40games.psv"),
];

fn in_memory() -> DerivedOptions {
    DerivedOptions { cache: None, in_memory: u64::MAX, exact_below: EXACT_BELOW }
}

/// All rows in a file, however few.
fn in_file(cache: &Path) -> DerivedOptions {
    DerivedOptions { cache: Some(cache.to_owned()), in_memory: 0, exact_below: EXACT_BELOW }
}

fn open(dir: &Path, options: &DerivedOptions) -> Result<Dataset, DatasetError> {
    Dataset::load_with(dir, read_manifest(dir), options, &mut |_| {})
}

fn opened(dir: &Path, options: &DerivedOptions) -> Dataset {
    open(dir, options).unwrap_or_else(|error| panic!("{error}"))
}

fn derived(cache: &Path) -> PathBuf {
    let files: Vec<String> = names(cache).into_iter().filter(|name| name.ends_with(".rows")).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    cache.join(&files[0])
}

fn config(workers: usize) -> LoaderConfig {
    LoaderConfig { input: InputName::PieceTokens, batch: 32, seed: 3, workers, block_games: 5 }
}

fn batches(dataset: &Arc<Dataset>, workers: usize, start: u64, count: usize) -> Result<Vec<Batch>, DatasetError> {
    let mut loader = TrainLoader::new(dataset, config(workers), start)?;
    (0..count).map(|_| loader.next()).collect()
}

/// Everything that training and evaluation read, as text, in which NaN equals NaN.
fn read(dataset: &Arc<Dataset>) -> Result<String, DatasetError> {
    let mut all = batches(dataset, 1, 0, 12)?;
    for split in Split::ALL.into_iter().filter(|&split| dataset.games(split) > 0) {
        let input = InputName::PieceTokens;
        all.extend(evaluation_batches(dataset, split, input, 50, u64::MAX)?.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(format!("{all:?}"))
}

#[test]
fn a_file_gives_the_batches_of_memory() {
    for (game, file) in SAMPLES {
        let (dir, cache) = (all_targets(game, sample(file)), tempfile::tempdir().expect("a temporary folder"));
        let dir = dir.path().join("dataset");
        let memory = opened(&dir, &in_memory());
        assert_eq!(memory.derived_file(), None);
        assert_eq!(verified(&dir, false).described, [""; 0], "{file}");
        let summary = format!("{:?}", summarise(&memory).expect("good games"));
        let expected = read(&Arc::new(memory)).expect("good games");
        // Made, then found.
        for _ in 0..2 {
            let from_file = opened(&dir, &in_file(cache.path()));
            assert_eq!(from_file.derived_file(), Some(&*derived(cache.path())), "{file}");
            assert_eq!(format!("{:?}", summarise(&from_file).expect("good games")), summary, "{file}");
            assert!(read(&Arc::new(from_file)).expect("good games") == expected, "{file}");
        }
    }
}

#[test]
fn rows_are_counted_while_they_are_read_from_the_shards() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let dir = dir.path().join("dataset");
    let mut seen = Vec::new();
    let dataset = Dataset::open_shown(&dir, &mut |work| seen.push((work.done, work.total))).expect("a good dataset");
    let games = Split::ALL.iter().map(|&split| dataset.games(split) as u64).sum();
    assert!(seen.is_sorted());
    assert_eq!(seen.last(), Some(&(games, games)));
}

#[test]
fn targets_and_buckets_come_from_a_file_too() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let buckets = Buckets::new(vec![1000, 1500, 2000]);
    let (dir, _) = imported_with(GameKind::Chess, sample(LICHESS_438), |options| options.buckets = buckets);
    let targets = Targets { value: Some(ValueTarget::Result), plies_left: true, points: true, ..Targets::default() };
    let texts = [in_memory(), in_file(cache.path())].map(|options| {
        let mut dataset = opened(&dir.path().join("dataset"), &options);
        dataset.set_targets(targets).expect("games have results");
        let part = dataset.training_part(&["1000-1500"]);
        dataset.restrict(&["below-1000", "2000-up"]).expect("they exist");
        assert!(part.games(Split::Train) > 0 && part.games(Split::Test) == 0);
        let part = batches(&Arc::new(part), 1, 0, 5).expect("good games");
        format!("{part:?}{}", read(&Arc::new(dataset)).expect("good games"))
    });
    assert!(texts[0] == texts[1]);
}

#[test]
fn a_test_set_and_what_is_left_beside_it_come_from_files_too() {
    let ((own, _), test) = (imported(GameKind::Chess, LICHESS_438), all_test(GameKind::Chess, LICHESS));
    let cache = tempfile::tempdir().expect("a temporary folder");
    for exact_below in [EXACT_BELOW, 2] {
        let texts = [in_memory(), in_file(cache.path())].map(|options| {
            let options = DerivedOptions { exact_below, ..options };
            let [mut dataset, test] = [&own, &test].map(|dir| opened(&dir.path().join("dataset"), &options));
            let before = dataset.positions(Split::Train);
            dataset.set_test(test).expect("both are games of chess");
            let validation = evaluation(&dataset, Split::Validation, InputName::PieceTokens, u64::MAX);
            assert_eq!(places(&validation).len() as u64, dataset.positions(Split::Validation));
            assert!(dataset.positions(Split::Train) < before);
            read(&Arc::new(dataset)).expect("good games")
        });
        assert!(texts[0] == texts[1]);
    }
}

#[test]
fn large_splits_are_shuffled_in_groups_and_resume_at_the_exact_batch() {
    for (game, file) in [(GameKind::Chess, CHESS), (GameKind::Shogi, "shogi_selfplay_40games.psv")] {
        let (dir, cache) = (all_targets(game, sample(file)), tempfile::tempdir().expect("a temporary folder"));
        let dir = dir.path().join("dataset");
        let options = DerivedOptions { exact_below: 2, ..in_file(cache.path()) };
        let dataset = Arc::new(opened(&dir, &options));
        let epoch = dataset.positions(Split::Train).div_ceil(32) as usize;
        let whole = batches(&dataset, 1, 0, epoch + 2).expect("good games");
        for start in [1, epoch / 2, epoch - 1, epoch, epoch + 1] {
            let resumed = batches(&dataset, 2, start as u64, 1).expect("good games");
            assert_eq!(format!("{:?}", resumed[0]), format!("{:?}", whole[start]), "{file}, batch {start}");
        }
        let places = places(&whole).into_iter();
        let first: BTreeSet<(u32, u16)> = places.take(dataset.positions(Split::Train) as usize).collect();
        assert_eq!(first.len() as u64, dataset.positions(Split::Train), "every position once");
        let exact = Arc::new(opened(&dir, &in_memory()));
        let exact = batches(&exact, 1, 0, 1).expect("good games");
        // Single positions have larger blocks.
        assert_ne!(exact[0].game, whole[0].game, "{file}");
    }
}

#[test]
fn held_out_positions_that_are_read_together_keep_their_order() {
    let dir = all_targets(GameKind::Shogi, sample("shogi_selfplay_40games.psv"));
    let dir = dir.path().join("dataset");
    let rows = opened(&dir, &in_memory()).games(Split::Train) as u64;
    let (single, together) = [EXACT_BELOW, rows + 1]
        .map(|exact_below| {
            let cache = tempfile::tempdir().expect("a temporary folder");
            let dataset = Arc::new(opened(&dir, &DerivedOptions { exact_below, ..in_file(cache.path()) }));
            let bytes = fs::metadata(derived(cache.path())).expect("it is there").len();
            (read(&dataset).expect("good positions"), bytes)
        })
        .into();
    assert!(single.0 == together.0);
    let held_out = read_manifest(&dir).split.games;
    // The digest, offset and length of each of sixteen rows but one.
    let saved = 20 * 15 * ((held_out[Split::Validation] + held_out[Split::Test]) / 16 - 2);
    assert!(together.1 + saved <= single.1, "{together:?} and {single:?}", together = together.1, single = single.1);
}

#[test]
fn the_order_of_large_splits_is_a_part_of_the_identity() {
    let dir = small();
    let mut manifest = read_manifest(&dir.path().join("dataset"));
    assert_eq!(manifest.identity(), manifest.content_hash);
    manifest.split.games[Split::Train] = EXACT_BELOW - 1;
    assert_eq!(manifest.identity(), manifest.content_hash);
    manifest.split.games[Split::Train] = EXACT_BELOW;
    assert_eq!(manifest.identity(), format!("{}-groups1", manifest.content_hash));
}

#[test]
fn processes_that_open_at_once_write_one_file() {
    let (dir, cache) = (small(), tempfile::tempdir().expect("a temporary folder"));
    let dir = dir.path().join("dataset");
    let expected = read(&Arc::new(opened(&dir, &in_memory()))).expect("good games");
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| read(&Arc::new(opened(&dir, &in_file(cache.path())))).expect("good games")))
            .collect();
        for reader in readers {
            assert!(reader.join().expect("no panic") == expected);
        }
    });
    let file = derived(cache.path());
    let files: Vec<PathBuf> = names(cache.path()).iter().map(|name| cache.path().join(name)).collect();
    assert_eq!(files, [file.with_extension("lock"), file], "no partial file is left");
}

#[test]
fn the_partial_file_of_a_killed_process_is_removed() {
    let (dir, cache) = (small(), tempfile::tempdir().expect("a temporary folder"));
    let dir = dir.path().join("dataset");
    let hash = read_manifest(&dir).content_hash;
    let left = cache.path().join(format!("{hash}-v5.123-0.partial"));
    fs::write(&left, b"half of it").expect("written");
    opened(&dir, &in_file(cache.path()));
    assert!(left.exists(), "another node may write it");
    fs::remove_file(derived(cache.path())).expect("removed");
    let long_ago = SystemTime::now() - Duration::from_secs(7200);
    File::options().write(true).open(&left).and_then(|file| file.set_modified(long_ago)).expect("an old file");
    opened(&dir, &in_file(cache.path()));
    assert!(!left.exists());
}

#[test]
fn without_a_writable_cache_rows_stay_in_memory() {
    let dir = small();
    let cache = dir.path().join("games.pgn").join("no folder");
    let dir = dir.path().join("dataset");
    let dataset = opened(&dir, &in_file(&cache));
    assert_eq!(dataset.derived_file(), None);
    let expected = read(&Arc::new(opened(&dir, &in_memory()))).expect("good games");
    assert!(read(&Arc::new(dataset)).expect("good games") == expected);
}

#[test]
fn a_file_does_not_replace_shards_nor_the_checks_of_the_manifest() {
    let (dir, cache) = (small(), tempfile::tempdir().expect("a temporary folder"));
    let dir = dir.path().join("dataset");
    let manifest = read_manifest(&dir);
    opened(&dir, &in_file(cache.path()));
    type Change = (fn(&mut Manifest), &'static str);
    let changes: [Change; 3] = [
        (|manifest| manifest.counts.positions += 1, "`counts.positions` is"),
        (|manifest| manifest.unit = Unit::Position, "`unit` is"),
        (|manifest| manifest.shards[0].games += 1, "games, positions of 00000-train.parquet"),
    ];
    for (change, part) in changes {
        let mut manifest = manifest.clone();
        change(&mut manifest);
        refused(Dataset::load_with(&dir, manifest, &in_file(cache.path()), &mut |_| {}), &[part]);
    }
    fs::remove_file(dir.join(&manifest.shards[0].file)).expect("it is there");
    let error = open(&dir, &in_file(cache.path())).expect_err("incomplete");
    assert!(matches!(error, DatasetError::ShardMissing(_)), "{error:?}");
}

#[test]
fn damage_is_an_error_that_names_the_block() {
    let (dir, cache) = (small(), tempfile::tempdir().expect("a temporary folder"));
    let dir = dir.path().join("dataset");
    let dataset = Arc::new(opened(&dir, &in_file(cache.path())));
    let file = derived(cache.path());
    let bytes = fs::read(&file).expect("a file");
    let write = |bytes: &[u8]| fs::write(&file, bytes).expect("written");

    // In the first unit, after the magic and the hash.
    let mut flipped = bytes.clone();
    flipped[16 + 8 + 4] ^= 1;
    write(&flipped);
    refused(read(&dataset), &["is damaged (block 0 of train: its hash is another one): remove it"]);

    // While it is open.
    write(&bytes[..100]);
    refused(read(&dataset), &[" of train: the file ends before it"]);

    for (bytes, reason) in [
        (&bytes[..bytes.len() - 1], "the file was cut off"),
        (&bytes[..20], "the file is too short"),
        (&[&bytes[..], b"more"].concat()[..], "the file was cut off"),
    ] {
        write(bytes);
        refused(open(&dir, &in_file(cache.path())), &["(block index: ", reason]);
    }
    write(&bytes);
    let expected = read(&Arc::new(opened(&dir, &in_memory()))).expect("good games");
    assert!(read(&dataset).expect("it is whole again") == expected);
}

#[test]
fn a_repeated_dataset_has_the_rows_of_its_source_again_and_again() {
    let dir = small();
    let source = on_disk(dir.path());
    let out = dir.path().join("repeated");
    let made = repeat(&source, &out, 1_000, &mut |_| {}).expect("a dataset");
    assert_eq!((made.counts.kept, made.counts.positions), (250, 1_000));
    let dataset = opened(&out, &in_memory());
    let once = opened(&source.dir, &in_memory());
    let share = |dataset: &Dataset| dataset.games(Split::Train) as f64 / dataset.manifest().counts.kept as f64;
    assert!((share(&dataset) - share(&once)).abs() < 0.02);
    assert!(matches!(repeat(&source, &out, 1, &mut |_| {}), Err(DatasetError::OutputExists(_))));
}

#[test]
fn the_cost_of_a_dataset_is_known_before_it_is_opened() {
    let (dir, cache) = (small(), tempfile::tempdir().expect("a temporary folder"));
    let dir = dir.path().join("dataset");
    let cost = |options| DataCost::of(&dir, &read_manifest(&dir), &options).expect("readable shards");
    let memory = cost(in_memory());
    assert!((memory.disk, memory.is_made) == (0, false) && memory.seconds > 0.0, "{memory:?}");
    let before = cost(in_file(cache.path()));
    assert!(before.disk > 0 && !before.is_made && before.memory > 0, "{before:?}");
    opened(&dir, &in_file(cache.path()));
    let after = cost(in_file(cache.path()));
    let bytes = fs::metadata(derived(cache.path())).expect("a file").len();
    assert_eq!((after.disk, after.is_made, after.seconds), (bytes, true, 0.0));
    // The numbers that a manifest states are not believed, and their products may be no u64.
    let mut stated = read_manifest(&dir);
    stated.split.positions.train = u64::MAX;
    assert_eq!(after.with_map(&stated, MapTask::Attackers).memory, u64::MAX);
    stated.split.games.train = u64::MAX;
    let most = DataCost::of(&dir, &stated, &in_file(cache.path())).expect("readable shards");
    assert_eq!(most.memory, u64::MAX);
}

#[test]
fn the_estimated_bytes_of_rows_are_close_to_the_real_ones() {
    let cache = tempfile::tempdir().expect("a temporary folder");
    for name in ["chess-starter", "shogi-starter", "minishogi-starter"] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/data").join(name);
        let cost = DataCost::of(&dir, &read_manifest(&dir), &in_file(cache.path())).expect("readable shards");
        let bytes = opened(&dir, &in_memory()).row_bytes();
        assert!(cost.disk.abs_diff(bytes) < bytes / 50, "{name}: {} for {bytes}", cost.disk);
    }
}

#[test]
fn a_file_of_another_dataset_is_refused() {
    let (dir, cache) = (small(), tempfile::tempdir().expect("a temporary folder"));
    let dir = dir.path().join("dataset");
    opened(&dir, &in_file(cache.path()));
    let mut other = read_manifest(&dir);
    other.split.seed += 1;
    let other = other.sealed();
    let name = format!("{}-v5.rows", other.content_hash);
    fs::rename(derived(cache.path()), cache.path().join(name)).expect("renamed");
    let opened = Dataset::load_with(&dir, other, &in_file(cache.path()), &mut |_| {});
    refused(opened, &["block index: it is of the content"]);
}

#[test]
fn derived_files_are_safe() {
    let (dir, cache) = (small(), tempfile::tempdir().expect("a temporary folder"));
    let dir = dir.path().join("dataset");
    let expected = read(&Arc::new(opened(&dir, &in_file(cache.path())))).expect("good games");
    let file = derived(cache.path());
    let piece = fs::read(&file).expect("a file");
    let law = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        let found = open(&dir, &in_file(cache.path())).and_then(|dataset| read(&Arc::new(dataset)));
        Counts::of(found, |found| assert!(found == expected, "other rows than those of the dataset"))
    };
    seeded::damage("derived file", 2_000, piece, law);
}
