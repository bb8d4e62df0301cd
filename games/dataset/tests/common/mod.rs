//! Small datasets in temporary folders.

#![allow(dead_code, reason = "each test binary uses its part")]

use dataset::store::{GameRow, read_shard};
use dataset::{Dataset, ImportOptions, ImportReport, MANIFEST_FILE, Manifest, PerSplit, SplitPlan, import};
use games::{GameKind, ParsedGame, Rejected, chess::pgn, shogi::csa};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const CHESS: &str = "chess_engine_36.pgn.zst";
pub(crate) const LICHESS: &str = "chess_lichess_40.pgn.zst";
pub(crate) const LICHESS_438: &str = "chess_lichess_438.pgn.zst";
pub(crate) const SHOGI: &str = "shogi_engine_41.csa.zst";

/// The samples of crate `games`, which its own tests read too.
pub(crate) fn sample(file: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(file)
}

/// The unpacked content of a sample, by its name, or of any file, by its path.
pub(crate) fn sample_text(file: impl AsRef<Path>) -> Vec<u8> {
    let packed = fs::read(sample(file)).expect("the sample is part of the project");
    zstd::decode_all(packed.as_slice()).expect("zstd")
}

/// What the formats say about a text, record by record.
pub(crate) fn parsed(game: GameKind, text: &[u8]) -> Vec<Result<ParsedGame, Rejected>> {
    let records: Vec<Vec<u8>> = match game {
        GameKind::Chess => pgn::records(text).map(Result::unwrap).collect(),
        GameKind::Shogi => csa::records(text).map(Result::unwrap).collect(),
    };
    let numbered = records.iter().enumerate();
    numbered
        .map(|(number, record)| match game {
            GameKind::Chess => pgn::parse(record, number as u64),
            GameKind::Shogi => csa::parse(record, number as u64),
        })
        .collect()
}

/// JSON is YAML, and this crate knows no YAML.
fn manifest_text(manifest: &Manifest) -> Result<String, String> {
    serde_json::to_string_pretty(manifest).map_err(|error| error.to_string())
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
        ..ImportOptions::new(game, vec![input], dir.join("dataset"), manifest_text)
    }
}

/// A folder with a dataset of this sample.
pub(crate) fn imported(game: GameKind, file: &str) -> (tempfile::TempDir, ImportReport) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let report =
        import(&options(game, sample(file), dir.path()), &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    (dir, report)
}

pub(crate) fn read_manifest(dir: &Path) -> Manifest {
    let text = fs::read_to_string(dir.join(MANIFEST_FILE)).expect("the import wrote a manifest");
    serde_json::from_str(&text).expect("the manifest is JSON here")
}

pub(crate) fn open(dir: &Path) -> Arc<Dataset> {
    let dir = dir.join("dataset");
    Arc::new(Dataset::open(&dir, read_manifest(&dir)).unwrap_or_else(|error| panic!("{error}")))
}

/// A dataset of this sample, in memory only.
pub(crate) fn dataset(game: GameKind, file: &str) -> Arc<Dataset> {
    let (dir, _) = imported(game, file);
    open(dir.path())
}

/// All rows of the dataset in `dir/dataset`, by id.
pub(crate) fn rows(dir: &Path) -> Vec<GameRow> {
    let dir = dir.join("dataset");
    let mut rows = Vec::new();
    for shard in read_manifest(&dir).shards {
        read_shard(&dir.join(shard.file), &mut |row| rows.push(row)).unwrap_or_else(|error| panic!("{error}"));
    }
    rows.sort_by_key(|row| row.id);
    rows
}
