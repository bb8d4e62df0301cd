//! Experiment files that are refused with a message. The files of `tests/refusals/` have sections, `# title`, of cases between
//! empty lines; what stands right below a title begins each case of its section, and is the case where there is no other.
//!
//! - `- ` lines: a text that stands once in the small experiment. The `+ ` lines after them take its place; without these, its
//!   lines are removed. `+ ` lines alone are added at the end.
//! - `WORD = text`: this text in place of the word.
//! - `--set ` lines: settings of the command line.
//! - `> ` lines: what the message must have, several parts with ` … ` between them. `|` continues the last part in a new line.
//! - `! ` lines: what the message must not have.
//! - `accepted`: there is no error.

use super::changes::{DATASETS, once, with};
use config::bounded;
use std::iter::{Peekable, from_fn};
use std::str::Lines;
use testing::{DATA, EXPERIMENT, hashes, load, load_in, refused};

/// The next lines with this mark, without it.
fn marked<'a>(lines: &mut Peekable<Lines<'a>>, mark: &str) -> Vec<&'a str> {
    from_fn(|| lines.next_if(|line| line.starts_with(mark))).map(|line| &line[mark.len()..]).collect()
}

/// A text in which a `WORD = text` line has replaced its word; any other line changes nothing.
fn filled(text: String, line: &str) -> String {
    match line.split_once(" = ") {
        Some((word, value)) if word.chars().all(|c| c.is_ascii_uppercase()) => once(&text, word, value),
        _ => text,
    }
}

/// A text after the changes of a case.
fn changed(text: String, case: &str) -> String {
    let (mut text, mut lines) = (text, case.lines().peekable());
    while lines.peek().is_some() {
        let (old, new) = (marked(&mut lines, "- ").join("\n"), marked(&mut lines, "+ ").join("\n"));
        text = match (old.is_empty(), new.is_empty()) {
            (true, true) => filled(text, lines.next().unwrap_or_default()),
            (true, false) => format!("{text}{new}\n"),
            (false, true) => once(&text, &format!("{old}\n"), ""),
            (false, false) => once(&text, &old, &new),
        };
    }
    text
}

/// What is wrong with a case.
fn fault(shared: &str, case: &str) -> Option<String> {
    let text = changed(changed(EXPERIMENT.to_owned(), shared), case);
    let lines: Vec<&str> = shared.lines().chain(case.lines()).collect();
    let of = |mark: &'static str| lines.iter().filter_map(move |line| line.strip_prefix(mark));
    let (sets, unwanted): (Vec<&str>, Vec<&str>) = (of("--set ").collect(), of("! ").collect());
    let mut wanted: Vec<String> = Vec::new();
    for line in &lines {
        if let Some(part) = line.strip_prefix("> ") {
            wanted.push(part.to_owned());
        } else if let Some(more) = line.strip_prefix('|') {
            let part = wanted.last_mut().expect("a part before");
            part.push('\n');
            part.push_str(more.strip_prefix(' ').unwrap_or(more));
        }
    }
    let accepted = lines.contains(&"accepted");
    let message = match load_in(DATASETS.path(), &text, &sets) {
        Ok(_) => return (!accepted).then(|| "it is accepted".to_owned()),
        Err(message) if accepted => return Some(message),
        Err(message) => message,
    };
    let mut wanted = wanted.iter().flat_map(|part| part.split(" … "));
    let absent = wanted.find(|part| !message.contains(*part)).map(|part| format!("{part:?} is not in"));
    let present = unwanted.iter().find(|part| message.contains(**part)).map(|part| format!("{part:?} is in"));
    Some(format!("{}:\n{message}", absent.or(present)?))
}

/// Runs all cases of a file.
fn run(file: &str) {
    let mut faults: Vec<String> = Vec::new();
    for section in file.split("\n# ").skip(1) {
        let mut blocks = section.trim_end().split("\n\n");
        let head = blocks.next().unwrap_or_default();
        let (title, shared) = head.split_once('\n').unwrap_or((head, ""));
        let own: Vec<&str> = blocks.collect();
        let cases = if own.is_empty() { vec![""] } else { own };
        let of_case = |case: &str| Some(format!("{title}\n{case}\n{}", fault(shared, case)?));
        faults.extend(cases.into_iter().filter_map(of_case));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn unknown_keys_missing_keys_and_wrong_values_are_refused() {
    run(include_str!("../refusals/file.txt"));
}

#[test]
fn training_that_cannot_be_is_refused() {
    run(include_str!("../refusals/training.txt"));
}

#[test]
fn data_and_heads_that_do_not_fit_are_refused() {
    run(include_str!("../refusals/data.txt"));
}

#[test]
fn wrong_grids_are_refused() {
    run(include_str!("../refusals/grid.txt"));
}

#[test]
fn wrong_interactions_trials_and_controls_are_refused() {
    run(include_str!("../refusals/rows.txt"));
}

#[test]
fn a_file_without_keys_is_refused() {
    refused("", &["experiment.yaml: the file is empty"]);
    refused("- a\n- b\n", &["expected a map of keys to values, found a list"]);
}

#[test]
fn a_wrong_file_that_an_experiment_names_is_refused() {
    let write = |name: &str, text: &str| std::fs::write(DATA.path().join(name), text).expect("written");
    let from = |name: &str| with(&[("base:\n", &format!("base:\n  from: {name}\n")[..])]);
    write("circle.yaml", "base: {from: circle.yaml}\n");
    refused(&from("circle.yaml"), &["more than 10 files", "must not come from itself"]);
    write("typo.yaml", "base: {inptu: piece_tokens}\n");
    refused(&from("typo.yaml"), &["typo.yaml:1:8: unknown key `inptu`", "did you mean `input`?"]);
    // A start may be as long as a network's weights; the file is sparse.
    let long = std::fs::File::create(DATA.path().join("long.safetensors")).expect("a file");
    long.set_len(bounded::WEIGHTS + 1).expect("a sparse file");
    let started = with(&[("    steps: 8\n", "    steps: 8\n    start: {network: long.safetensors}\n")]);
    refused(&started, &["longer than the 68719476736 bytes allowed here"]);
}

#[test]
fn margins_floors_and_predictions_change_no_cell() {
    let margin = load(&format!("{EXPERIMENT}equivalent_within: {{policy_loss: 0.02}}\n"));
    assert_eq!(margin.equivalent_within.of("policy_loss"), Some(0.02));
    let plain = load(EXPERIMENT);
    assert!(plain.equivalent_within.is_empty(), "there is no default");
    assert_eq!(hashes(&margin), hashes(&plain));
    let floor = load(&format!("{EXPERIMENT}floor: {{policy_loss: 1.4}}\n"));
    assert_eq!(floor.floor.of("policy_loss"), Some(1.4));
    // A step has four positions.
    let budgets = with(&[("    steps: 8\n", ""), ("axes:\n", "axes:\n  steps: [4, 8, 12, 16]\n")]);
    let predicted = load(&format!("{budgets}extrapolate: {{to: 64}}\n"));
    assert_eq!(predicted.extrapolate.map(|asked| asked.to), Some(64));
    assert_eq!(hashes(&predicted), hashes(&load(&budgets)));
}
