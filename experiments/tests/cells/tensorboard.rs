//! Event files hold what `metrics.jsonl` holds, for our reader and for TensorBoard's own.

use crate::support::{Bench, lines, train};
use experiments::sinks::tensorboard::{PREFIX, Scalar, read, read_dir, rebuild, tag};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the event files must hold: tag, step, value, in the order of the lines.
fn expected(dir: &Path) -> Vec<(String, i64, f32)> {
    let mut scalars = Vec::new();
    for line in lines(dir) {
        let mut push = |metric: &str, value: f64| scalars.push((tag(&line, metric), line.step as i64, value as f32));
        line.metrics.iter().for_each(|(name, value)| push(name, value));
        push("positions_per_s", line.time.positions_per_s);
    }
    scalars
}

fn found(scalars: Vec<Scalar>) -> Vec<(String, i64, f32)> {
    scalars.into_iter().map(|scalar| (scalar.tag, scalar.step, scalar.value)).collect()
}

fn event_files(dir: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))).collect()
}

/// A cell that wrote lines after its last checkpoint, crashed, and went on.
fn resumed(bench: &Bench) -> PathBuf {
    let dir = bench.crashed("resumed");
    train(&dir).expect("it goes on");
    assert_eq!(event_files(&dir).len(), 2);
    dir
}

#[test]
fn event_files_hold_the_values_of_the_lines() {
    let bench = Bench::new();
    let dir = bench.trained("events", &bench.run(12));
    assert_eq!(found(read_dir(&dir).expect("readable")), expected(&dir));
    let file = read(&event_files(&dir)[0]).expect("readable");
    assert_eq!((&file.version[..], &file.starts[..]), ("brain.Event:2", &[0][..]));
    assert_eq!(file.scalars[0].wall_time, lines(&dir)[0].time.unix_s);
}

#[test]
fn going_on_withdraws_what_came_after_the_checkpoint() {
    let bench = Bench::new();
    let dir = resumed(&bench);
    assert_eq!(found(read_dir(&dir).expect("readable")), expected(&dir));
}

#[test]
fn event_files_can_be_rebuilt_from_the_lines() {
    let bench = Bench::new();
    let dir = resumed(&bench);
    let path = rebuild(&dir.join("metrics.jsonl"), &dir).expect("rebuilt");
    assert_eq!(event_files(&dir), [path]);
    assert_eq!(found(read_dir(&dir).expect("readable")), expected(&dir));
}

#[test]
fn a_torn_record_ends_a_file_and_a_changed_one_is_an_error() {
    let bench = Bench::new();
    let dir = bench.trained("torn", &bench.run(2));
    let path = event_files(&dir).remove(0);
    let bytes = fs::read(&path).expect("bytes");
    let whole = read(&path).expect("readable").scalars;
    fs::write(&path, &bytes[..bytes.len() - 3]).expect("written");
    assert_eq!(read(&path).expect("readable").scalars, whole[..whole.len() - 1]);
    let mut changed = bytes;
    let at = changed.len() - 10;
    changed[at] ^= 1;
    fs::write(&path, &changed).expect("written");
    let message = read(&path).expect_err("a wrong checksum").to_string();
    assert!(message.contains("damaged") && message.contains("metrics.jsonl"), "{message}");
}

/// Prints tag, step and value of every scalar that TensorBoard would show.
const PYTHON: &str = "
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0})
events.Reload()
for tag in events.Tags()['scalars']:
    for scalar in events.Scalars(tag):
        print(tag, scalar.step, repr(scalar.value))
";

#[test]
fn tensorboard_itself_reads_the_same() {
    let installed = Command::new("python3").args(["-c", "import tensorboard"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python3 has no package tensorboard; the other tests read the files with our own reader");
        return;
    }
    let bench = Bench::new();
    let dir = resumed(&bench);
    let output = Command::new("python3").args(["-c", PYTHON]).arg(&dir).output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let parse = |line: &str| {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("three words");
        (word().to_owned(), word().parse::<i64>().expect("a step"), word().parse::<f64>().expect("a value") as f32)
    };
    let mut shown: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(parse).collect();
    let mut expected = expected(&dir);
    let key = |scalar: &(String, i64, f32)| (scalar.0.clone(), scalar.1);
    shown.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(shown, expected);
}
