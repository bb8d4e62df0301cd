//! How long the sources are: no file is long, and growth is a decision.

use crate::expect_none;
use crate::metadata::root;
use std::fs;
use std::path::{Path, PathBuf};

/// No file may be longer.
const MOST_LINES: usize = 500;

/// The most lines of Rust, tests included: in the core, which is everything but labs and benches, in the labs, and in all.
/// Whoever needs more raises a number here and says in the commit what the lines buy; whoever deletes lowers it.
const CEILINGS: [(&str, usize); 3] = [("core", 146_964), ("labs", 19_044), ("all", 166_008)];

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
    let long = rust_files().into_iter().map(|(path, text)| (path, text.lines().count()));
    let long = long.filter(|(_, lines)| *lines > MOST_LINES);
    let breaches: Vec<String> = long.map(|(path, lines)| format!("{}: {lines} lines", path.display())).collect();
    expect_none(
        &format!("Files of more than {MOST_LINES} lines:"),
        "One idea a file: split it by its ideas.",
        &breaches,
    );
}

fn lines(files: &[(PathBuf, String)], belongs: impl Fn(&Path) -> bool) -> usize {
    files.iter().filter(|(path, _)| belongs(path.as_path())).map(|(_, text)| text.lines().count()).sum()
}

#[test]
fn the_sources_stay_below_their_ceilings() {
    let files = rust_files();
    let is_lab = |path: &Path| path.starts_with("labs");
    let counted = [
        ("core", lines(&files, |path| !is_lab(path) && !path.starts_with("benches"))),
        ("labs", lines(&files, is_lab)),
        ("all", lines(&files, |_| true)),
    ];
    let over = counted.iter().zip(CEILINGS).filter(|((_, lines), (_, ceiling))| lines > ceiling);
    let breaches: Vec<String> =
        over.map(|((part, lines), (_, ceiling))| format!("{part}: {lines} lines, the ceiling is {ceiling}")).collect();
    let remedy = "Delete what the new lines make unnecessary, or raise CEILINGS in experiments/tests/house/lines.rs.";
    expect_none("More lines than were agreed:", remedy, &breaches);
}
