//! Labs: crates that depend on the core, and on which only the binary depends, by features.

use crate::crates::{BETWEEN_LABS, LABS};
use crate::expect_none;
use crate::metadata::{packages, root};
use crate::source::{paths, sources};
use std::collections::BTreeSet;
use std::fs;

/// The only crate that may name labs.
const BINARY: &str = "experiments";

#[test]
fn labs_depend_on_the_core_and_the_core_on_no_lab() {
    let packages = packages();
    let in_folder = packages.iter().filter(|package| package.dir().starts_with(root().join("labs")));
    let in_folder: BTreeSet<&str> = in_folder.map(|package| package.name.as_str()).collect();
    assert_eq!(in_folder, BTreeSet::from(LABS), "LABS in experiments/tests/house/crates.rs names the crates of labs/");
    let mut breaches = vec![];
    for package in &packages {
        for lab in package.dependencies.iter().filter(|dependency| LABS.contains(&dependency.name())) {
            let is_allowed = (package.name == BINARY && lab.is_optional)
                || BETWEEN_LABS.iter().any(|(who, whom, _)| package.name == *who && lab.name() == *whom);
            if !is_allowed {
                breaches.push(format!("`{}` depends on the lab `{}`", package.name, lab.name()));
            }
        }
    }
    let remedy =
        "Move what the core needs into the core. The binary has labs as optional dependencies, each by a feature.";
    expect_none("Dependencies on labs:", remedy, &breaches);
}

#[test]
fn the_binary_names_labs_in_one_folder() {
    let dir = root().join(BINARY);
    let registry = dir.join("src/labs");
    let mut breaches = vec![];
    for source in sources(root(), &dir) {
        let path = root().join(&source.path);
        if path.starts_with(&registry) || path == registry.with_extension("rs") {
            continue;
        }
        let named = paths(source.shipped()).into_iter().filter(|(_, path)| LABS.contains(&path[0].as_str()));
        breaches.extend(named.map(|(line, path)| format!("{}: {}", source.place(line), path.join("::"))));
    }
    expect_none("Labs outside experiments/src/labs:", "Register it in experiments/src/labs.rs.", &breaches);
}

#[test]
fn the_docs_have_one_idea_for_every_crate() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("docs/architecture.md");
    let folders = packages()
        .into_iter()
        .map(|package| package.dir().strip_prefix(root()).expect("below the root").display().to_string());
    let missing: Vec<String> = folders.filter(|folder| !page.contains(&format!("\n| `{folder}` | "))).collect();
    expect_none("Crates without a row in docs/architecture.md:", "Write there the one idea of the crate.", &missing);
}
