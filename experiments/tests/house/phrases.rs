//! Plain English: phrases that no page and no help text has.

use crate::expect_none;
use crate::metadata::{packages, root};
use crate::source::sources;
use std::fs;
use std::path::{Path, PathBuf};

/// A phrase that readers from elsewhere stumble over, and what to write.
const PHRASES: [(&str, &str); 15] = [
    ("anew", "again"),
    ("as if nothing had happened", "bit-identically"),
    ("behind the last", "after the last"),
    ("go on where", "resume"),
    ("goes on where", "resumes"),
    ("in turns", "interleaved"),
    ("is no number", "must be a number"),
    ("nobody reads", "ignored"),
    ("of its own make", "its own"),
    ("put aside", "rename, keep"),
    ("second look", "refinement pass"),
    ("set down", "write"),
    ("to no effect", "that change nothing"),
    ("what there is", "the available …"),
    ("which there is none of", "missing"),
];

/// Pages of the project, experiment files and the Makefile.
fn pages() -> Vec<PathBuf> {
    let within = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).expect(folder).map(|entry| entry.expect("an entry").path());
        entries.collect::<Vec<_>>()
    };
    let folders = within("experiments").into_iter().filter(|path| path.is_dir());
    let experiments = folders.flat_map(|path| within(&path.display().to_string()));
    let all = ["", "docs", "runs", "experiments"].iter().flat_map(|folder| within(folder)).chain(experiments);
    let is_page = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name == "Makefile")
            || path.extension().is_some_and(|end| end == "md" || end == "yaml")
    };
    all.filter(is_page).collect()
}

/// Texts with the name of their file: pages, and the doc comments of the command line's options, which its help prints.
fn texts() -> Vec<(String, String)> {
    let named = |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let pages = pages().into_iter().map(|path| (named(&path), fs::read_to_string(&path).expect("a readable page")));
    let sources = packages().into_iter().flat_map(|package| sources(root(), package.dir()));
    let of_commands =
        sources.filter(|source| source.path.iter().any(|part| part == "commands" || part == "commands.rs"));
    let help = of_commands.map(|source| {
        let lines = source.text.lines().map(|line| line.trim_start().strip_prefix("/// ").unwrap_or_default());
        (source.path.display().to_string(), lines.collect::<Vec<_>>().join("\n"))
    });
    pages.chain(help).collect()
}

/// The lines of a text in which phrases begin. A phrase may go on in the next line, also of a comment.
fn found(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    let lines: Vec<String> =
        text.lines().map(|line| line.trim().trim_start_matches(['#', ' ']).to_lowercase()).collect();
    let mut hits = vec![];
    for (index, line) in lines.iter().enumerate() {
        let next = lines.get(index + 1).map_or("", String::as_str);
        let both = format!(" {line} {next} ");
        for (phrase, instead) in PHRASES {
            let begins_here = |at: usize| at <= line.len() && is_word(&both, at, phrase.len());
            if both.match_indices(phrase).any(|(at, _)| begins_here(at)) {
                hits.push((index + 1, phrase, instead));
            }
        }
    }
    hits
}

/// Whether no letter stands directly before or after this part.
fn is_word(text: &str, at: usize, len: usize) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    !letter(text[..at].chars().next_back()) && !letter(text[at + len..].chars().next())
}

#[test]
fn pages_and_help_are_in_plain_english() {
    let mut breaches = vec![];
    for (place, text) in texts() {
        for (line, phrase, instead) in found(&text) {
            breaches.push(format!("{place}:{line}: \"{phrase}\": write {instead}"));
        }
    }
    let remedy = "Subject, verb, field term; one fact a sentence. docs/concepts.md has the terms.";
    expect_none("Phrases that are not plain English:", remedy, &breaches);
}

#[test]
fn phrases_are_found_across_lines_and_not_within_words() {
    assert_eq!(found("it says what\n# there is, twice"), [(1, "what there is", "the available …")]);
    assert!(found("the manewal\nof Anewton").is_empty());
}
