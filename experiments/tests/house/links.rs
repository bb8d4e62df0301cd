//! Links between pages: each leads to a file of the repository, and an anchor to a heading of its page.

use crate::expect_none;
use crate::metadata::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders with files that are no pages of the project.
const SKIPPED: [&str; 3] = ["target", ".git", "node_modules"];

/// Every page, relative to the project.
fn pages() -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![PathBuf::new()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = folder.join(&name);
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file() && name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The lines of a page outside of code blocks, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            lines.push((number, line));
        }
    }
    lines
}

/// The targets of the links and pictures of a line, outside of code.
fn targets(line: &str) -> Vec<&str> {
    let shown: Vec<&str> = line.split('`').step_by(2).collect();
    let linked =
        shown.iter().flat_map(|part| part.split("](").skip(1)).filter_map(|rest| rest.split([')', ' ']).next());
    let drawn = line.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    linked.chain(drawn).filter(|target| !target.contains("://") && !target.starts_with("mailto:")).collect()
}

/// The anchors of a page's headings, as GitHub makes them: lower case, without punctuation, hyphens for spaces, and a number where a
/// heading occurs again.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let headings = prose(text).into_iter().filter(|(_, line)| line.starts_with('#'));
    for (_, heading) in headings {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|&letter| letter.is_alphanumeric() || "-_ ".contains(letter));
        let plain: String = kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect();
        let again = (1..).map(|count| format!("{plain}-{count}"));
        let own = std::iter::once(plain.clone()).chain(again).find(|name| !found.contains(name));
        found.extend(own);
    }
    found
}

/// A path without `..`; none if it leaves the project.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if !clean.pop() {
                    return None;
                }
            }
            part => clean.push(part),
        }
    }
    Some(clean)
}

/// What is wrong with a link of a page; nothing if it leads somewhere.
fn wrong(page: &Path, target: &str) -> Option<String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = if path.is_empty() { page.to_owned() } else { page.parent().unwrap_or(Path::new("")).join(path) };
    let Some(to) = resolved(&to).filter(|to| root().join(to).exists()) else {
        return Some(format!("there is no {target}"));
    };
    if anchor.is_empty() || to.extension().is_none_or(|end| end != "md") {
        return None;
    }
    let text = fs::read_to_string(root().join(&to)).expect("a page");
    (!anchors(&text).contains(anchor)).then(|| format!("{} has no heading #{anchor}", to.display()))
}

#[test]
fn links_lead_to_files_and_headings() {
    // The chapters of the site are named from the top of the project; the next test looks at them.
    let breaches: Vec<String> = pages()
        .iter()
        .filter(|page| !page.starts_with("docs/site"))
        .flat_map(|page| {
            let text = fs::read_to_string(root().join(page)).expect("a page");
            let lines = prose(&text).into_iter();
            let found = lines.flat_map(|(number, line)| {
                let broken = targets(line).into_iter().filter_map(|target| wrong(page, target));
                broken.map(|what| format!("{}:{number}: {what}", page.display())).collect::<Vec<_>>()
            });
            found.collect::<Vec<_>>()
        })
        .collect();
    expect_none("Links that lead nowhere:", "Write the place as it is now.", &breaches);
}

#[test]
fn every_page_of_the_documentation_is_a_chapter_of_the_site() {
    let summary = fs::read_to_string(root().join("docs/site/SUMMARY.md")).expect("docs/site/SUMMARY.md");
    let chapters: BTreeSet<&str> = summary.lines().flat_map(targets).collect();
    let missing: Vec<String> = pages()
        .iter()
        .filter(|page| page.starts_with("docs") && !page.starts_with("docs/site"))
        .map(|page| page.display().to_string())
        .filter(|page| !chapters.contains(page.as_str()))
        .collect();
    expect_none("Pages that the site leaves out:", "Add them to docs/site/SUMMARY.md.", &missing);
    let gone: Vec<String> = chapters
        .iter()
        .filter(|chapter| !root().join(chapter).is_file())
        .map(|chapter| (*chapter).to_owned())
        .collect();
    expect_none("Chapters of docs/site/SUMMARY.md that are no files:", "Remove them.", &gone);
}

#[test]
fn links_and_anchors_are_told_from_code() {
    assert_eq!(targets("see [a](b.md#c) and `[x](y)`, [d](https://e) <img src=\"f.svg\">"), ["b.md#c", "f.svg"]);
    let page = "# Labels of a longer search\n```sh\n# a comment\n```\n## `from:` and *to*\n## Data\n## Data\n";
    let expected = ["data", "data-1", "from-and-to", "labels-of-a-longer-search"];
    assert_eq!(anchors(page).into_iter().collect::<Vec<_>>(), expected);
    assert!(wrong(Path::new("docs/concepts.md"), "no-such-page.md").is_some());
    assert!(wrong(Path::new("docs/concepts.md"), "data.md#no-such-heading").is_some());
    assert!(wrong(Path::new("docs/concepts.md"), "../../outside.md").is_some());
}
