//! An import that is killed, or whose disk is full, goes on from where it was, to the same bytes.

use crate::bundles::contents;
use crate::cli::{answer, posenc, run, with_little_room};
use config::grouped;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use testing::flip;

const PATIENCE: Duration = Duration::from_secs(60);

/// Games of the two files together: half of them each, one that is illegal and one that occurs twice.
const GAMES: u64 = 16 * 14 * 16 * 14 * 2;

const IMPORT: &str = "data import --game chess --validation 0.02 --test 0.02 --split-seed 3 --out set";

/// Different games of pawn moves, in two files of `dir`.
fn two_files(dir: &Path) {
    let pairs = |rows: [char; 2]| -> Vec<[String; 2]> {
        let moves: Vec<String> = ('a'..='h').flat_map(|file| rows.map(|row| format!("{file}{row}"))).collect();
        let of_first = |first: &String| -> Vec<[String; 2]> {
            let others = moves.iter().filter(|other| other[..1] != first[..1]);
            others.map(|other| [first.clone(), other.clone()]).collect()
        };
        moves.iter().flat_map(of_first).collect()
    };
    let (white, black) = (pairs(['3', '4']), pairs(['6', '5']));
    let mut texts = [String::new(), String::new()];
    for (number, [first, second]) in white.iter().enumerate() {
        let is_free = |&file: &char| !first.starts_with(file) && !second.starts_with(file);
        let third = ('a'..='h').find(is_free).expect("eight files");
        for ([answer, other], row) in black.iter().flat_map(|moves| [(moves, 3), (moves, 4)]) {
            let game = format!("1. {first} {answer} 2. {second} {other} 3. {third}{row} 1-0\n\n");
            texts[number % 2].push_str(&format!("[Result \"1-0\"]\n\n{game}"));
        }
    }
    texts[0].push_str("[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n\n");
    let again = texts[0][..texts[0].find("1-0\n\n").expect("a game") + 5].to_owned();
    texts[1].push_str(&again);
    for (name, text) in ["one.pgn", "two.pgn"].into_iter().zip(&texts) {
        fs::write(dir.join(name), text).expect("the folder can be written");
    }
}

fn import(dir: &Path, threads: usize) -> Command {
    let words = format!("{IMPORT} --threads {threads} --from one.pgn two.pgn");
    posenc(dir, &words.split(' ').collect::<Vec<_>>())
}

/// Records that the folder's checkpoint vouches for, and the file in which they end.
fn safe(dir: &Path) -> Option<(u64, u64)> {
    let text = fs::read(dir.join(".set.importing/.checkpoint.json")).ok()?;
    let checkpoint: serde_json::Value = serde_json::from_slice(&text).expect("never half a checkpoint");
    Some((checkpoint["collected"]["tally"]["counts"]["read"].as_u64()?, checkpoint["place"]["file"].as_u64()?))
}

/// Starts the import and kills it as soon as `so_far` says so; whether it was still at work.
fn killed(dir: &Path, threads: usize, so_far: impl Fn() -> bool) {
    let mut child = import(dir, threads).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("posenc starts");
    let began = Instant::now();
    while !so_far() {
        assert!(began.elapsed() < PATIENCE, "it does not get that far");
        assert!(child.try_wait().expect("a child").is_none(), "it ended before it could be killed");
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("it ends");
    assert!(!dir.join("set").exists(), "it was killed before its end");
}

fn undisturbed(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let answer = answer(&mut import(dir, 1)).succeeds().says(&[&format!("read {}", grouped(GAMES + 2))]);
    assert!(!answer.stdout.contains("taken over"), "{}", answer.stdout);
    let whole = contents(&dir.join("set"));
    assert!(whole.keys().filter(|name| name.ends_with("train.parquet")).count() >= 4, "{:?}", whole.keys());
    assert!(whole.contains_key("rejects.jsonl") && whole.keys().all(|name| !name.starts_with('.')));
    fs::remove_dir_all(dir.join("set")).expect("removed");
    whole
}

fn folder() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    two_files(dir.path());
    dir
}

#[test]
fn killed_again_and_again_it_comes_to_the_same_bytes_whatever_is_behind_its_checkpoint() {
    let dir = folder();
    let dir = dir.path();
    let whole = undisturbed(dir);
    // Before there is anything to keep; then in the first file, in the second one, and when all are read.
    killed(dir, 2, || dir.join(".set.importing").exists());
    assert_eq!(safe(dir), None);
    let mut last = 0;
    let moments: [&dyn Fn(u64, u64) -> bool; 4] =
        [&|read, _| read > 0, &|read, _| read > 20_000, &|_, file| file == 1, &|_, file| file == 2];
    for (moment, threads) in moments.into_iter().zip([2, 1, 3, 2]) {
        killed(dir, threads, || safe(dir).is_some_and(|(read, file)| moment(read, file)));
        let (read, _) = safe(dir).expect("a checkpoint");
        assert!(read > last, "{read} records after {last}");
        if last == 0 {
            write_behind_the_checkpoint(&dir.join(".set.importing"));
        }
        last = read;
    }
    assert_eq!(last, GAMES + 2);
    let taken_over = format!("taken over from an interrupted import: the first {} records", grouped(last));
    answer(&mut import(dir, 2)).succeeds().says(&[&taken_over]);
    assert!(contents(&dir.join("set")) == whole, "other bytes");
    assert!(!dir.join(".set.importing").exists());
}

/// Half a shard, and a longer end of each log, which must not get into the dataset.
fn write_behind_the_checkpoint(hidden: &Path) {
    fs::write(hidden.join("00009-train.parquet"), "half a shard").expect("written");
    for log in [".games", ".train-keys", "rejects.jsonl"] {
        let mut bytes = fs::read(hidden.join(log)).unwrap_or_default();
        bytes.extend([7; 33]);
        fs::write(hidden.join(log), bytes).expect("written");
    }
}

#[test]
fn other_conditions_and_damage_are_refused_and_nothing_is_lost() {
    let dir = folder();
    let dir = dir.path();
    killed(dir, 2, || safe(dir).is_some());
    let before = contents(&dir.join(".set.importing"));
    let remedy = ["repeat them to resume it", "remove that folder"];
    let message = answer(import(dir, 2).args(["--min-plies", "3", "--strict"])).fails_with(&remedy);
    message.fails_with(&[".set.importing", "min_plies was null and is 3", "strict was false and is true"]);
    let text = fs::read_to_string(dir.join("two.pgn")).expect("readable");
    let changed = fs::metadata(dir.join("two.pgn")).and_then(|metadata| metadata.modified()).expect("a time");
    fs::write(dir.join("two.pgn"), text.replacen("a3", "a4", 1)).expect("written");
    answer(&mut import(dir, 2)).fails_with(&remedy).fails_with(&["files was [\"one.pgn (", "two.pgn ("]);
    assert!(contents(&dir.join(".set.importing")) == before, "nothing was touched");
    // Another command with the same target does not take the folder away either.
    run(dir, &format!("{IMPORT} --from one.pgn --name x")).fails_with(&["files was"]);
    for name in ["a", "b"] {
        run(dir, &format!("data import --game chess --max-games 9 --from one.pgn --out {name}")).succeeds();
    }
    run(dir, "data merge a b --out set").fails_with(&["holds an interrupted import", "choose another name"]);
    // The file as it was is the file that the checkpoint knows; a shard that was changed is none of its shards.
    fs::write(dir.join("two.pgn"), text).expect("written");
    let file = fs::File::options().write(true).open(dir.join("two.pgn")).expect("there");
    file.set_modified(changed).expect("a time");
    let shard = dir.join(".set.importing/00000-train.parquet");
    let flip = || flip(&shard, |length| length / 2);
    flip();
    answer(&mut import(dir, 2)).fails_with(&["cannot be resumed", "00000-train.parquet", "hash", "remove it to start"]);
    flip();
    answer(&mut import(dir, 2)).succeeds().says(&["taken over from an interrupted import"]);
}

#[test]
fn a_full_disk_costs_nothing_that_was_done() {
    let dir = folder();
    let dir = dir.path();
    let whole = undisturbed(dir);
    let kept = ["cannot write", ".train-keys", "the results of the first ", "the same command resumes from there"];
    // Keys of 40,000 training games of five plies.
    with_little_room(import(dir, 2), 40_000 * 5 * 8).fails_with(&kept);
    let (read, _) = safe(dir).expect("a checkpoint");
    assert!((32_768..=42_000).contains(&read), "{read}");
    // Nothing at all fits before the first checkpoint: nothing stays.
    let other: Vec<&str> = IMPORT.split(' ').map(|word| if word == "set" { "none" } else { word }).collect();
    let other = [&other[..], &["--from", "one.pgn"]].concat();
    let full = with_little_room(posenc(dir, &other), 1_000);
    assert!(!full.fails_with(&["cannot write"]).stderr.contains("resumes from there"));
    assert!(!dir.join(".none.importing").exists());
    answer(&mut import(dir, 1)).succeeds().says(&[&format!("the first {} records", grouped(read))]);
    assert!(contents(&dir.join("set")) == whole, "other bytes");
}
