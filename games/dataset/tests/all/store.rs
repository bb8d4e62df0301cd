//! Damaged datasets: one clear error each, with the file and what to do.

use crate::samples::{CHESS, imported, read_manifest, refused, rewritten};
use dataset::manifest::Shard;
use dataset::store::{GameRow, ShardRows, ShardWriter};
use dataset::{Dataset, DatasetError, Manifest, agreement};
use games::GameKind;
use std::fs;
use std::path::{Path, PathBuf};

fn read_shard(path: &Path) -> Result<Vec<GameRow>, DatasetError> {
    ShardRows::open(path)?.collect()
}

fn shard(dir: &Path, manifest: &Manifest) -> PathBuf {
    dir.join(&manifest.shards[0].file)
}

/// Changes a bit in the middle of a file.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, &bytes).expect("a file");
}

/// What is said of a damage of a shard, and the damage.
type Damage<'a> = (&'a str, &'a dyn Fn(&Path, &mut Manifest));

#[test]
fn a_damaged_shard_is_named_with_what_to_do() {
    let damages: [Damage<'_>; 4] = [
        ("is missing: fetch the dataset again", &|shard, _| fs::remove_file(shard).expect("it is there")),
        ("is damaged or was replaced (its size is ", &|shard, _| {
            let bytes = fs::read(shard).expect("it is there");
            fs::write(shard, &bytes[..bytes.len() - 100]).expect("a file");
        }),
        ("is damaged or was replaced (its hash is ", &|shard, _| flip(shard)),
        // Also where somebody made the manifest fit the damaged file.
        ("cannot be read as Parquet (", &|shard, manifest| {
            let bytes = b"these are not the bytes of a Parquet file";
            fs::write(shard, bytes).expect("a file");
            let Shard { bytes: size, blake3, .. } = &mut manifest.shards[0];
            (*size, *blake3) = (bytes.len() as u64, blake3::hash(bytes).to_hex().to_string());
            *manifest = manifest.clone().sealed();
        }),
    ];
    for (message, damage) in damages {
        let (dir, _) = imported(GameKind::Chess, CHESS);
        let dir = dir.path().join("dataset");
        let mut manifest = read_manifest(&dir);
        let shard = shard(&dir, &manifest);
        damage(&shard, &mut manifest);
        refused(Dataset::load(&dir, manifest), &[&format!("the shard {} {message}", shard.display())]);
    }
}

#[test]
fn labels_of_a_changed_shard_are_not_compared() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let dir = dir.path().join("dataset");
    flip(&shard(&dir, &read_manifest(&dir)));
    let error = agreement(&dir, &dir).expect_err("changed");
    assert!(matches!(error, DatasetError::ShardChanged { what: "hash", .. }), "{error:?}");
}

#[test]
fn games_that_cannot_be_replayed_are_not_left_out_of_a_comparison() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    rewritten(dir.path(), |row| row.moves.replace_range(..4, "e1e8"));
    let dir = dir.path().join("dataset");
    let error = agreement(&dir, &dir).expect_err("an illegal move");
    assert!(matches!(error, DatasetError::BadGame { ply: 0, .. }), "{error:?}");
}

/// What is read of a shard with one row of one move, which has these columns beside it.
fn read_back(row: GameRow) -> Result<Vec<GameRow>, DatasetError> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("00000-test.parquet");
    let mut writer = ShardWriter::create(&path).expect("a file");
    let row = GameRow { moves: "e2e4".to_owned(), plies: 1, value: vec![None], ..row };
    writer.push(&row).expect("written");
    writer.finish().expect("a shard");
    read_shard(&path)
}

#[test]
fn probabilities_that_are_none_are_refused() {
    let read = |probability: f32| {
        let policy = Some(vec![vec![("e2e4".to_owned(), probability)]]);
        read_back(GameRow { policy, ..GameRow::default() })
    };
    assert_eq!(read(1.0).expect("a row").len(), 1);
    for wrong in [f32::NAN, f32::INFINITY, -0.5] {
        refused(read(wrong), &[&format!("a probability of {wrong} at ply 0")]);
    }
}

#[test]
fn a_number_that_is_no_rating_is_read_as_an_unknown_one() {
    let row = GameRow { ratings: [Some(i32::MIN), Some(1_000_000)], ..GameRow::default() };
    assert_eq!(read_back(row).expect("a row")[0].ratings, [None, Some(1_000_000)]);
}

#[test]
fn unknown_fields_of_a_manifest_are_refused() {
    let (_dir, report) = imported(GameKind::Chess, CHESS);
    let mut json = serde_json::to_value(&report.manifest).expect("a manifest is JSON");
    json["licens"] = "a typing error".into();
    let error = serde_json::from_value::<Manifest>(json).expect_err("unknown");
    assert!(error.to_string().contains("unknown field `licens`"), "{error}");
}

/// A shard that is cut anywhere is an error, never a panic and never half of its games.
#[test]
fn cut_shards_are_errors() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let dir = dir.path().join("dataset");
    let path = shard(&dir, &read_manifest(&dir));
    let bytes = fs::read(&path).expect("it is there");
    for cut in (0..bytes.len()).step_by(bytes.len() / 64) {
        fs::write(&path, &bytes[..cut]).expect("a file");
        assert!(read_shard(&path).is_err(), "cut at {cut}");
    }
}
