//! How long the sources and the documentation are: no file is long, and growth is a decision.

use crate::expect_none;
use crate::metadata::root;
use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES: usize = 500;

/// A part of the sources, whether a path belongs to it, and its most lines of Rust, tests included.
type Ceiling = (&'static str, fn(&Path) -> bool, usize);

/// The core is everything but labs and benches. Room for a few small changes is left; growth beyond it is a decision: whoever
/// raises a number says in the commit what the lines buy.
const CEILINGS: [Ceiling; 3] = [
    ("core", |path| !path.starts_with("labs") && !path.starts_with("benches"), 141_600),
    ("labs", |path| path.starts_with("labs"), 18_950),
    ("all", |_| true, 160_500),
];

/// Every Rust file below the project, with its path from there and its text.
pub(crate) fn rust_files() -> Vec<(PathBuf, String)> {
    let (mut folders, mut found) = (vec![root().to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if entry.file_type().expect("a kind").is_dir() {
                if !name.starts_with('.') && !["target", "node_modules"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                found.push((path.strip_prefix(root()).expect("below the project").to_owned(), text));
            }
        }
    }
    found
}

#[test]
fn no_file_is_long() {
    let long = lengths().into_iter().filter(|(_, lines)| *lines > MOST_LINES);
    let breaches: Vec<String> = long.map(|(path, lines)| format!("{}: {lines} lines", path.display())).collect();
    expect_none(
        &format!("Files of more than {MOST_LINES} lines:"),
        "One idea a file: split it by its ideas.",
        &breaches,
    );
}

/// The parts that have more lines than their ceiling, in sources of which each file adds a number of lines.
pub(crate) fn above_ceilings(files: &[(PathBuf, usize)]) -> Vec<String> {
    let count = |belongs: fn(&Path) -> bool| -> usize {
        files.iter().filter(|(path, _)| belongs(path.as_path())).map(|(_, lines)| lines).sum()
    };
    let counted = CEILINGS.map(|(part, belongs, ceiling)| (part, count(belongs), ceiling));
    let over = counted.iter().filter(|(_, lines, ceiling)| lines > ceiling);
    over.map(|(part, lines, ceiling)| format!("{part}: {lines} lines, the ceiling is {ceiling}")).collect()
}

pub(crate) fn lengths() -> Vec<(PathBuf, usize)> {
    rust_files().into_iter().map(|(path, text)| (path, text.lines().count())).collect()
}

#[test]
fn the_sources_stay_below_their_ceilings() {
    let remedy = "Delete what the new lines make unnecessary, or raise CEILINGS in experiments/tests/house/lines.rs.";
    expect_none("More lines than were agreed:", remedy, &above_ceilings(&lengths()));
}

/// The most words of the documentation, and its most pages below `docs/`; CONTRIBUTING.md has both numbers.
const DOCUMENTATION: (usize, usize) = (48_000, 20);

fn markdown_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

/// `wc -w README.md docs/*.md docs/*/*.md`
#[test]
fn the_documentation_stays_short() {
    let docs = root().join("docs");
    let mut files = markdown_in(&docs);
    for entry in fs::read_dir(&docs).expect("docs").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            files.extend(markdown_in(&entry));
        }
    }
    // The index of the site has links only.
    let pages = files.iter().filter(|file| !file.ends_with("SUMMARY.md")).count();
    files.push(root().join("README.md"));
    let texts = files.iter().map(|file| fs::read_to_string(file).expect("a text"));
    let words: usize = texts.map(|text| text.split_whitespace().count()).sum();
    let (most_words, most_pages) = DOCUMENTATION;
    assert!(words <= most_words, "{words} words, at most {most_words}: a new fact replaces an old one");
    assert!(pages <= most_pages, "{pages} pages below docs, at most {most_pages}");
}
