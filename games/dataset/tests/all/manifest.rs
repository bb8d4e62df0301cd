//! `dataset.yaml` of a stranger: every field that decides numbers is compared with the shards or part of the content
//! hash, and what is no number is refused.

use crate::samples::{CHESS, imported, read_manifest, refused};
use dataset::manifest::RatingBucket;
use dataset::{Dataset, DatasetError, MANIFEST_FILE, Manifest, Unit};
use games::GameKind;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// What is said of a change of a manifest, and the change.
type Change<'a> = (&'a str, &'a dyn Fn(&mut Manifest));

/// The folder of a good dataset, and its manifest.
fn good() -> (TempDir, std::path::PathBuf, Manifest) {
    let (temporary, _) = imported(GameKind::Chess, CHESS);
    let dir = temporary.path().join("dataset");
    let manifest = read_manifest(&dir);
    (temporary, dir, manifest)
}

/// What comes of opening a dataset with a changed manifest.
fn changed(dir: &Path, manifest: &Manifest, change: impl FnOnce(&mut Manifest)) -> Result<Dataset, DatasetError> {
    let mut manifest = manifest.clone();
    change(&mut manifest);
    Dataset::load(dir, manifest)
}

#[test]
fn the_seed_of_evaluations_and_the_curve_are_part_of_the_content() {
    let (_temporary, dir, manifest) = good();
    let (path, text) = (dir.join(MANIFEST_FILE), fs::read_to_string(dir.join(MANIFEST_FILE)).expect("a text"));
    let other = text.replace("seed: 1\n", "seed: 999\n");
    assert_ne!(text, other);
    fs::write(&path, &other).expect("written");
    refused(Manifest::read(&dir), &["dataset.yaml: content_hash does not fit the shards"]);

    // The hash of earlier versions, which left the seed out.
    let mut changed = manifest.clone();
    changed.split.seed = 0;
    let unseeded = changed.hash_of_content();
    changed.split.seed = 999;
    let sealed = changed.sealed();
    fs::write(&path, other.replace(&manifest.content_hash, &unseeded)).expect("written");
    let right = format!("write `content_hash: {}`", sealed.content_hash);
    refused(Manifest::read(&dir), &["split.seed, which is 999", &right]);

    assert_ne!(sealed.content_hash, manifest.content_hash);
    assert_ne!(sealed.content_hash, unseeded);
    Dataset::load(&dir, sealed).expect("another dataset of the same games");

    let mut steep = manifest.clone();
    steep.value_curve.per_point *= 2.0;
    assert_ne!(steep.sealed().content_hash, manifest.content_hash);
}

#[test]
fn what_the_shards_determine_is_compared_with_them() {
    let (_temporary, dir, manifest) = good();
    let bucket = || RatingBucket { name: "strong".to_owned(), games: 1 };
    let changes: [Change<'_>; 13] = [
        ("`unit` is position, but the shards hold game", &|m| m.unit = Unit::Position),
        ("`policy_from_ply` is 11, but the shards hold 10", &|m| m.policy_from_ply = 11),
        ("`counts.kept` is 37, but the shards hold 36", &|m| m.counts.kept += 1),
        ("`counts.positions` is ", &|m| m.counts.positions += 1),
        ("`counts.results` is ", &|m| {
            m.counts.results.insert("unknown".to_owned(), 9);
        }),
        ("`counts.terminations` is {}", &|m| m.counts.terminations.clear()),
        ("`counts.map_classes` is [1], but the shards hold []", &|m| m.counts.map_classes = vec![1]),
        ("`rating_buckets` is {\"strong\": 1}, but the shards hold {}", &|m| m.rating_buckets.push(bucket())),
        ("`split.games.test` is ", &|m| m.split.games.test += 1),
        ("`split.positions.train` is ", &|m| m.split.positions.train += 1),
        ("`split.novel_test_positions` is 0.123", &|m| m.split.novel_test_positions = 0.123),
        ("`split.novel_validation_positions` is 0.123", &|m| m.split.novel_validation_positions = 0.123),
        ("`games, positions of 00000-train.parquet` is ", &|m| m.shards[0].games += 1),
    ];
    for (part, change) in changes {
        refused(changed(&dir, &manifest, change), &[part, "make the dataset again"]);
    }
    // In games the first ply is a lower bound.
    Dataset::load(&dir, Manifest { policy_from_ply: 0, ..manifest }).expect("no row has an earlier target");
}

#[test]
fn contradictions_and_numbers_outside_their_range_are_refused() {
    let (_temporary, dir, manifest) = good();
    let changes: [Change<'_>; 12] = [
        ("split.fractions.test is NaN, expected a number from 0.0 to 1.0", &|m| m.split.fractions.test = f64::NAN),
        ("split.fractions.train is -0.6", &|m| m.split.fractions.train = -0.6),
        ("the sum of split.fractions is 1.4", &|m| m.split.fractions.train = 1.0),
        ("split.novel_test_positions is inf", &|m| m.split.novel_test_positions = f64::INFINITY),
        ("value_curve.per_point is 1e308", &|m| m.value_curve.per_point = 1e308),
        ("value_curve.per_point is 0.0", &|m| m.value_curve.per_point = 0.0),
        ("filters.min_minutes is NaN", &|m| m.filters.min_minutes = Some(f64::NAN)),
        ("is listed twice", &|m| m.shards.push(m.shards[0].clone())),
        ("dataset.yaml: content_hash does not fit the shards", &|m| m.content_hash = "0".repeat(32)),
        ("format 99 is not the 1 that this version reads", &|m| m.format = 99),
        ("\"..\" is not the name of a file beside it", &|m| "..".clone_into(&mut m.shards[0].file)),
        ("\"../a.parquet\" is not the name of a file beside it", &|m| "../a.parquet".clone_into(&mut m.shards[0].file)),
    ];
    for (part, change) in changes {
        refused(changed(&dir, &manifest, change), &[part]);
    }
}

#[cfg(unix)]
#[test]
fn a_shard_is_a_regular_file() {
    let (_temporary, dir, mut manifest) = good();
    let shard = dir.join(&manifest.shards[0].file);
    fs::remove_file(&shard).expect("it is there");
    std::os::unix::fs::symlink("/dev/zero", &shard).expect("a link");
    manifest.shards[0].bytes = 0;
    let parts = ["its kind is a folder, a device or a pipe, expected a regular file"];
    refused(manifest.check_shards(&dir), &parts);
    refused(Dataset::load(&dir, manifest), &parts);
}

#[test]
fn the_command_of_whoever_made_it_is_shown_as_such() {
    let (_temporary, _, mut manifest) = good();
    manifest.made_by = "posenc data import \u{1b}]0;x\u{7}; rm \u{202e}-r".to_owned();
    let remedy = manifest.remedy();
    assert!(remedy.contains("written by whoever made the dataset, so read it before you run it"), "{remedy}");
    assert!(remedy.ends_with("`posenc data import ]0;x; rm -r`"), "{remedy}");
    manifest.made_by = "curl x | sh".to_owned();
    assert_eq!(manifest.remedy(), "make the dataset again");
}

#[test]
fn long_and_deep_texts_are_refused_at_once() {
    let (_temporary, dir, _) = good();
    let path = dir.join(MANIFEST_FILE);
    let text = fs::read_to_string(&path).expect("a text");
    fs::write(&path, format!("\u{feff}{text}")).expect("written");
    read_manifest(&dir);
    fs::write(&path, format!("{text}{}", "[".repeat(100_000))).expect("written");
    refused(Manifest::read(&dir), &["brackets open"]);
    fs::write(&path, format!("{text}{}", "#".repeat(5 << 20))).expect("written");
    refused(Manifest::read(&dir), &["is longer than the 4194304 bytes allowed"]);
}
