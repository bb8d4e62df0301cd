//! Small datasets in temporary folders.

use dataset::store::{GameRow, ShardRows, ShardWriter};
use dataset::{
    Batch, Dataset, DatasetError, DatasetFolder, ExportFormat, Exported, GeneratedOptions, ImportOptions, ImportReport,
    LoaderConfig, MANIFEST_FILE, Manifest, PerSplit, RemakeOptions, Split, SplitBy, SplitPlan, TrainLoader,
    Verification, evaluation_batches, export, import, verify,
};
use games::{GameKind, InputName, Line, ParsedGame, Position, Rejected, chess::pgn, shogi::csa};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) const CHESS: &str = "chess_engine_36.pgn.zst";
pub(crate) const LICHESS: &str = "chess_lichess_40.pgn.zst";
pub(crate) const LICHESS_438: &str = "chess_lichess_438.pgn.zst";
pub(crate) const SHOGI: &str = "shogi_engine_41.csa.zst";

/// Where a sample lies: here, or among those of crate `games`, which its own tests read too.
pub(crate) fn sample(file: impl AsRef<Path>) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = crates.join("tests/data").join(&file);
    if here.exists() { here } else { crates.join("../tests/data").join(file) }
}

/// The unpacked content of a sample, by its name, or of any file, by its path.
pub(crate) fn sample_text(file: impl AsRef<Path>) -> Vec<u8> {
    let packed = fs::read(sample(file)).expect("the sample is part of the project");
    zstd::decode_all(packed.as_slice()).expect("zstd")
}

/// What the game's usual format says about a text, record by record.
pub(crate) fn parsed(game: GameKind, text: &[u8]) -> Vec<Result<ParsedGame, Rejected>> {
    match game {
        GameKind::Chess => (0..).zip(pgn::records(text)).map(|(i, record)| pgn::parse(&record.unwrap(), i)).collect(),
        GameKind::Shogi => (0..).zip(csa::records(text)).map(|(i, record)| csa::parse(&record.unwrap(), i)).collect(),
        other => unreachable!("{other:?}"),
    }
}

/// Options that import one file into `dir/dataset`.
pub(crate) fn options(game: GameKind, input: PathBuf, dir: &Path) -> ImportOptions {
    ImportOptions {
        name: "sample".to_owned(),
        source: "a test".to_owned(),
        licence: "free to use".to_owned(),
        made_by: "cargo test".to_owned(),
        policy_from_ply: 10,
        split: SplitPlan::by_game(1, PerSplit { train: 0.6, validation: 0.2, test: 0.2 }),
        ..ImportOptions::new(game, vec![input], dir.join("dataset"))
    }
}

/// A folder with a dataset of this sample.
pub(crate) fn imported(game: GameKind, file: &str) -> (TempDir, ImportReport) {
    imported_with(game, sample(file), |_| {})
}

/// A folder with a dataset of a file, imported with changed options.
pub(crate) fn imported_with(
    game: GameKind,
    input: PathBuf,
    change: impl FnOnce(&mut ImportOptions),
) -> (TempDir, ImportReport) {
    import_into(tempfile::tempdir().expect("a temporary folder"), game, input, change)
}

/// The same of a file that is written into the folder beside the dataset.
pub(crate) fn imported_bytes(
    game: GameKind,
    name: &str,
    bytes: impl AsRef<[u8]>,
    change: impl FnOnce(&mut ImportOptions),
) -> (TempDir, ImportReport) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let input = dir.path().join(name);
    fs::write(&input, bytes).expect("a temporary file");
    import_into(dir, game, input, change)
}

fn import_into(
    dir: TempDir,
    game: GameKind,
    input: PathBuf,
    change: impl FnOnce(&mut ImportOptions),
) -> (TempDir, ImportReport) {
    let mut options = options(game, input, dir.path());
    change(&mut options);
    let report = import(&options, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    (dir, report)
}

pub(crate) fn read_manifest(dir: &Path) -> Manifest {
    Manifest::read(dir).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn open(dir: &Path) -> Arc<Dataset> {
    Arc::new(opened(dir))
}

pub(crate) fn opened(dir: &Path) -> Dataset {
    Dataset::open(&dir.join("dataset")).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that something was refused with these parts of a message.
#[track_caller]
pub(crate) fn refused<T>(outcome: Result<T, DatasetError>, parts: &[&str]) {
    let Err(error) = outcome else { panic!("not refused: {parts:?}") };
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

/// The names of what is in a folder, in their order.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort_unstable();
    names
}

/// What a check finds in the dataset of a folder.
pub(crate) fn verified(dir: &Path, by_position: bool) -> Verification {
    let (_, found) = verify(dir, by_position, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    found
}

/// A dataset of this sample, in memory only.
pub(crate) fn dataset(game: GameKind, file: &str) -> Arc<Dataset> {
    let (dir, _) = imported(game, file);
    open(dir.path())
}

/// All rows of the dataset in `dir/dataset`, by id.
pub(crate) fn rows(dir: &Path) -> Vec<GameRow> {
    let dir = dir.join("dataset");
    let manifest = read_manifest(&dir);
    let rows = manifest.rows(&dir).map(|row| row.unwrap_or_else(|error| panic!("{error}")));
    let mut rows: Vec<GameRow> = rows.collect();
    rows.sort_by_key(|row| row.id);
    rows
}

/// What `each` says of a game's plies, by a replay that knows nothing of the loader: of the line before a move, and the move.
pub(crate) fn replayed<P: Position, T>(row: &GameRow, each: impl FnMut(&Line<P>, P::Move) -> T) -> Vec<T> {
    replayed_from(Line::new, row, each)
}

/// The same with a line of another kind.
pub(crate) fn replayed_from<P: Position, T>(
    begin: impl FnOnce(P) -> Line<P>,
    row: &GameRow,
    mut each: impl FnMut(&Line<P>, P::Move) -> T,
) -> Vec<T> {
    let mut line = begin(P::beginning(row.start.as_deref()).expect("a stored start"));
    let ply = |text: &str| {
        let mv = line.position().parse_move(text).expect("a stored move");
        let said = each(&line, mv);
        line.play(mv);
        said
    };
    row.moves.split(' ').map(ply).collect()
}

/// A position's text without clocks and move number: what counts as the same position, found without any hashing.
pub(crate) fn identity(game: GameKind, text: &str) -> String {
    text.split(' ').take(if game == GameKind::Chess { 4 } else { 3 }).collect::<Vec<_>>().join(" ")
}

pub(crate) fn training(dataset: &Arc<Dataset>, config: LoaderConfig, start: u64, count: usize) -> Vec<Batch> {
    let mut loader = TrainLoader::new(dataset, config, start).unwrap_or_else(|error| panic!("{error}"));
    (0..count).map(|_| loader.next().unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Checks that the first `count` batches, which cross the end of an epoch, depend neither on the number of workers nor on where
/// a run stopped.
pub(crate) fn expect_one_order(dataset: &Arc<Dataset>, config: LoaderConfig, count: usize) {
    // Values that are NaN are equal where their bits are.
    let bits = |mut batch: Batch| {
        let values = std::mem::take(&mut batch.value);
        (batch, values.into_iter().map(f32::to_bits).collect::<Vec<u32>>())
    };
    let made = |workers: usize, start: usize, count: usize| -> Vec<(Batch, Vec<u32>)> {
        let config = LoaderConfig { workers, ..config };
        training(dataset, config, start as u64, count).into_iter().map(bits).collect()
    };
    let whole = made(1, 0, count);
    for workers in [2, 3] {
        assert!(whole == made(workers, 0, count), "{workers} workers");
    }
    let epoch = dataset.rows(Split::Train) as usize / config.batch;
    assert!(epoch + 2 < count, "the batches cross the end of an epoch");
    for start in [1, 7, epoch - 1, epoch, epoch + 1, count - 1] {
        assert!(made(2, start, 1)[0] == whole[start], "batch {start}");
    }
}

pub(crate) fn evaluation(dataset: &Dataset, split: Split, input: InputName, max: u64) -> Vec<Batch> {
    let batches = evaluation_batches(dataset, split, input, 64, max).unwrap_or_else(|error| panic!("{error}"));
    batches.map(|batch| batch.unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The places of the bits that are set, the lowest first.
pub(crate) fn bits(mask: &[u8]) -> impl Iterator<Item = u16> {
    (0..8 * mask.len() as u16).filter(move |&bit| mask[usize::from(bit / 8)] >> (bit % 8) & 1 == 1)
}

/// Game and ply of each row.
pub(crate) fn places(batches: &[Batch]) -> Vec<(u32, u16)> {
    batches.iter().flat_map(|batch| batch.game.iter().copied().zip(batch.ply.iter().copied())).collect()
}

/// A dataset of this file in `dir/dataset`, all moves targets.
pub(crate) fn all_targets(game: GameKind, input: PathBuf) -> TempDir {
    imported_with(game, input, |options| options.policy_from_ply = 0).0
}

/// The dataset in `dir/dataset` in another format.
pub(crate) fn exported(dir: &Path, format: ExportFormat) -> (Vec<u8>, Exported) {
    let mut bytes = Vec::new();
    let done = export(&on_disk(dir), &Split::ALL, format, &mut bytes, Path::new("memory")).expect("good games");
    (bytes, done)
}

/// The dataset in `dir/dataset` as a source of others.
pub(crate) fn on_disk(dir: &Path) -> DatasetFolder {
    DatasetFolder::read(&dir.join("dataset")).unwrap_or_else(|error| panic!("{error}"))
}

/// Changes the rows of the dataset in `dir/dataset`, as a stranger may. The manifest is sealed again and otherwise stays.
pub(crate) fn rewritten(dir: &Path, change: impl Fn(&mut GameRow)) -> Manifest {
    let dir = dir.join("dataset");
    let mut manifest = read_manifest(&dir);
    for shard in &mut manifest.shards {
        let path = dir.join(&shard.file);
        let rows = ShardRows::open(&path).expect("a shard").map(|row| row.expect("a good row"));
        let mut rows: Vec<GameRow> = rows.collect();
        rows.iter_mut().for_each(&change);
        let mut writer = ShardWriter::create(&path).expect("a file");
        rows.iter().for_each(|row| writer.push(row).expect("it is written"));
        *shard = writer.finish().expect("a shard");
    }
    let manifest = manifest.sealed();
    fs::write(dir.join(MANIFEST_FILE), manifest.to_yaml().expect("YAML")).expect("written");
    manifest
}

/// Options that make `dir/dataset` of other datasets.
pub(crate) fn remade(sources: Vec<DatasetFolder>, dir: &Path, split: SplitPlan) -> RemakeOptions {
    let output = dir.join("dataset");
    RemakeOptions { sources, output, name: "remade".to_owned(), made_by: "a test".to_owned(), split }
}

/// Options that make the dataset `dir/name` of positions.
pub(crate) fn made(dir: &Path, name: &str, fractions: PerSplit<f64>) -> GeneratedOptions {
    GeneratedOptions {
        output: dir.join(name),
        name: name.to_owned(),
        game: GameKind::Chess,
        maker: "a test".to_owned(),
        source: "a test".to_owned(),
        licence: "CC0-1.0".to_owned(),
        made_by: "cargo test".to_owned(),
        split: SplitPlan { by: SplitBy::Position, ..SplitPlan::by_game(0, fractions) },
    }
}
