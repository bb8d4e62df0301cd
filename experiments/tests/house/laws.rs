//! Laws of sources, dependencies and features of libraries that no lint has.

use crate::crates::ONE_BUILD;
use crate::expect_none;
use crate::lines::rust_files;
use crate::metadata::{packages, root, tree};
use std::collections::BTreeSet;
use std::fs;

#[test]
fn no_test_is_switched_off() {
    let mut breaches = vec![];
    for (path, text) in rust_files() {
        let ignored = (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with("#[ignore"));
        breaches.extend(ignored.map(|(line, _)| format!("{}:{line}", path.display())));
    }
    expect_none("Tests that never run:", "Mend the test or remove it.", &breaches);
}

#[test]
fn every_dependency_has_its_reason() {
    let page = fs::read_to_string(root().join("docs/dependencies.md")).expect("docs/dependencies.md");
    let rows: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .collect();
    let packages = packages();
    let own: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let used: BTreeSet<String> = packages
        .iter()
        .filter(|package| package.name != ONE_BUILD)
        .flat_map(|package| package.dependencies.iter().map(|dependency| dependency.name().to_owned()))
        .filter(|name| !own.contains(name.as_str()))
        .collect();
    let unexplained: Vec<String> = used.difference(&rows).cloned().collect();
    expect_none("Dependencies without a row in docs/dependencies.md:", "Say there why it is needed.", &unexplained);
    let gone: Vec<String> = rows.difference(&used).cloned().collect();
    expect_none("Rows of docs/dependencies.md that no crate depends on:", "Remove them.", &gone);
}

#[test]
fn every_invariant_names_the_test_that_holds_it() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("docs/architecture.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| **")).collect();
    assert!(!rows.is_empty(), "docs/architecture.md has no table of invariants");
    let mut breaches = vec![];
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, invariant, tests, file, _] = cells[..] else { panic!("not a row of three cells: {row}") };
        let text = fs::read_to_string(root().join(file.trim_matches('`'))).unwrap_or_default();
        for test in tests.split(", ").map(|test| test.trim_matches('`')) {
            if !text.contains(&format!("fn {test}(")) {
                breaches.push(format!("{file} has no test `{test}`, which should hold {invariant}"));
            }
        }
    }
    expect_none("Invariants without their test:", "Name the test that holds it now, or write one.", &breaches);
}

#[test]
fn every_path_of_the_architecture_exists() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("docs/architecture.md");
    // `NAME` is a file to be written.
    let is_path = |word: &&str| {
        let (first, _) = word.split_once('/').unwrap_or((word, ""));
        !word.contains("NAME") && (word.ends_with(".rs") || (word.contains('/') && root().join(first).exists()))
    };
    let paths: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(paths.len() > 100, "{} paths", paths.len());
    let missing = paths.into_iter().filter(|path| !root().join(path).exists());
    let missing: Vec<String> = missing.map(str::to_owned).collect();
    expect_none(
        "Paths of docs/architecture.md that lead nowhere:",
        "Name the files from the root as they are now.",
        &missing,
    );
}

/// Every library in the tree of a selection of crates, with its features.
fn libraries(selection: &[&str]) -> BTreeSet<String> {
    let own = root().display().to_string();
    let library = |line: &String| line.trim_end_matches(" (*)").replace(" (proc-macro)", "");
    let crates = tree(&[&["--format", "{p} with the features [{f}]"][..], selection].concat());
    crates.iter().filter(|line| !line.contains(&own)).map(library).collect()
}

/// Otherwise `cargo test -p encodings` after `cargo build` compiles tch, and all that stands on it, a second time.
#[test]
fn one_set_of_features_serves_every_crate() {
    let of_all = libraries(&["--workspace"]);
    let mut breaches = vec![];
    for package in packages().iter().filter(|package| package.name != ONE_BUILD) {
        let alone = libraries(&["--package", &package.name]);
        breaches.extend(alone.difference(&of_all).map(|library| format!("`{}` alone builds {library}", package.name)));
    }
    let core = libraries(&["--package", "experiments", "--no-default-features"]);
    breaches.extend(core.difference(&of_all).map(|library| format!("the binary without labs builds {library}")));
    let remedy = "Add `one-build.workspace = true` to the crate, and to scripts/one-build/Cargo.toml the features that the \
                  library has in `cargo tree --workspace`.";
    expect_none("Libraries that cargo compiles once more for a crate by itself:", remedy, &breaches);
}
