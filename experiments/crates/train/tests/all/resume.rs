//! Cells that crashed, were stopped or damaged resume to the same bits.

use records::Revision;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use testing::{Bench, assert_same_bits, flip, manifest, options, status, train, train_with};
use train::{CellOptions, CellOutcome, run_cell};

/// The tensor files of the checkpoints, by step.
fn tensor_files(dir: &Path) -> Vec<(u64, PathBuf)> {
    let entries =
        fs::read_dir(dir.join("checkpoints")).expect("checkpoints").map(|entry| entry.expect("a file").path());
    let tensors = entries.filter(|path| path.extension().is_some_and(|e| e == "safetensors"));
    let step = |path: &PathBuf| path.file_stem()?.to_str()?.strip_prefix("step-")?.parse().ok();
    let mut files: Vec<_> = tensors.filter_map(|path| Some((step(&path)?, path))).collect();
    files.sort();
    files
}

fn with_two_checkpoints(bench: &Bench, name: &str) -> PathBuf {
    let dir = bench.crashed(name);
    assert_eq!(tensor_files(&dir).iter().map(|(step, _)| *step).collect::<Vec<_>>(), [10, 20]);
    dir
}

/// Changes a text in the header beside a file of tensors.
fn change_header(tensors: &Path, from: &str, to: &str) {
    let path = tensors.with_extension("yaml");
    let text = fs::read_to_string(&path).expect("a header");
    assert_eq!(text.matches(from).count(), 1, "{text}");
    fs::write(path, text.replace(from, to)).expect("written");
}

#[test]
fn without_its_newest_checkpoint_it_goes_on_from_the_one_before() {
    let bench = Bench::new();
    let undisturbed = bench.trained("undisturbed", &bench.run(29));
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("deleted", |path| fs::remove_file(path).expect("removed")),
        ("cut", |path| fs::OpenOptions::new().write(true).open(path).expect("open").set_len(1000).expect("cut")),
        ("changed", |path| flip(path, |length| length - 1)),
        ("another step", |path| change_header(path, "  step: 20\n", "  step: 21\n")),
        ("no hash", |path| change_header(path, "  batches: ", "  batches: x")),
    ];
    for (name, damage) in damages {
        let dir = with_two_checkpoints(&bench, name);
        damage(&tensor_files(&dir)[1].1);
        let (outcome, notes) = train_with(&dir, &options());
        assert_eq!(outcome.expect("it resumes"), CellOutcome::Done);
        assert!(notes.iter().any(|note| note.contains("step 20 is skipped")), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("resuming from the checkpoint of step 10")), "{notes:?}");
        assert_same_bits(&undisturbed, &dir);
    }
}

#[test]
fn lines_that_a_checkpoint_vouches_for_must_be_there() {
    let bench = Bench::new();
    let dir = with_two_checkpoints(&bench, "lines");
    let metrics = dir.join("metrics.jsonl");
    let text = fs::read_to_string(&metrics).expect("metrics");
    fs::write(&metrics, text.replacen("\"step\":0", "\"step\":7", 1)).expect("written");
    let message = train(&dir).expect_err("the truth was changed").to_string();
    assert!(message.contains("no checkpoint") && message.contains("were changed"), "{message}");
    assert!(message.contains("begin this cell again"), "{message}");
    fs::remove_dir_all(dir.join("checkpoints")).expect("as the message says");
    assert_eq!(train(&dir).expect("from the beginning"), CellOutcome::Done);
    assert_same_bits(&bench.trained("undisturbed", &bench.run(29)), &dir);
}

#[test]
fn other_bits_are_refused_unless_forced() {
    let bench = Bench::new();
    let dir = with_two_checkpoints(&bench, "threads");
    let two = CellOptions { threads: 2, ..options() };
    let message = train_with(&dir, &two).0.expect_err("another number of threads").to_string();
    assert!(message.contains("threads: began with 1, now 2") && message.contains("--force"), "{message}");
    assert!(status(&dir).resumable);
    let (outcome, _) = train_with(&dir, &CellOptions { force: true, ..two });
    assert_eq!(outcome.expect("forced"), CellOutcome::Done);
    assert_eq!(manifest(&dir).sessions.last().expect("a session").forced, ["threads: began with 1, now 2"]);
}

#[test]
fn a_cell_that_was_stopped_before_its_first_step_resumes_by_another_revision_which_is_recorded() {
    let bench = Bench::new();
    let revision = |commit: &str| {
        let revision = Revision { commit: commit.to_owned(), described: None, dirty: false, diff: None };
        CellOptions { revision: Some(revision), ..options() }
    };
    let dir = bench.cell("revisions", &bench.run(12));
    let begin = run_cell(&dir, &revision("first"), Vec::new(), &mut |_| {}, &AtomicBool::new(true));
    assert_eq!(begin.expect("no error"), CellOutcome::Interrupted { step: 0 });
    let (outcome, _) = train_with(&dir, &revision("second"));
    assert_eq!(outcome.expect("it resumes"), CellOutcome::Done);
    let manifest = manifest(&dir);
    assert_eq!(manifest.revision.map(|revision| revision.commit).as_deref(), Some("first"));
    let of_sessions = manifest.sessions.iter().map(|session| session.revision.as_ref().map(|own| own.commit.as_str()));
    assert_eq!(of_sessions.collect::<Vec<_>>(), [None, Some("second")]);
    assert_same_bits(&bench.trained("undisturbed", &bench.run(12)), &dir);
}
