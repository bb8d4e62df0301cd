//! Pages are what their templates give, whose numbers come from the published bundles, and they type no number in secret.

use render::{EXTENSION, Renderer, undeclared};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use testing::root;

/// The templates of a folder and, below `docs`, of the folders in it.
fn templates() -> Vec<PathBuf> {
    let mut folders = vec![root().join("docs")];
    let mut entries = listed(root());
    while let Some(folder) = folders.pop() {
        let inside = listed(&folder);
        folders.extend(inside.iter().filter(|path| path.is_dir()).cloned());
        entries.extend(inside);
    }
    entries.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    assert!(entries.len() >= 5, "{} templates", entries.len());
    entries
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect()
}

#[test]
fn every_page_is_what_its_template_gives() {
    let renderer = Renderer::new(&root().join("runs/published"));
    let mut wrong = Vec::new();
    for template in templates() {
        let rendered = match renderer.render(&template) {
            Ok(rendered) => rendered,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        for (path, text) in std::iter::once((rendered.page, rendered.text)).chain(rendered.figures) {
            let page = fs::read_to_string(&path).unwrap_or_default();
            if page != text {
                let line = page.lines().zip(text.lines()).take_while(|(own, wanted)| own == wanted).count();
                let [own, wanted] = [&page, &text].map(|text| text.lines().nth(line).unwrap_or_default());
                wrong.push(format!("{}, line {}:\n  {own}\nand not\n  {wanted}", path.display(), line + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "`make report` writes the pages from their templates:\n{}", wrong.join("\n"));
}

#[test]
fn pages_declare_every_number_that_they_type() {
    let mut typed = Vec::new();
    for template in templates() {
        let text = fs::read_to_string(&template).expect("a template");
        let page = template.with_extension("");
        typed.extend(undeclared(&page, &text).into_iter().map(|number| format!("{}:{number}", template.display())));
    }
    assert!(
        typed.is_empty(),
        "numbers that a template types: ask for them in an expression, or declare them with their source in a comment \
         (docs/metrics.md):\n{}",
        typed.join("\n")
    );
}

/// The lines of the code blocks of a page, without comments.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(|block| block.lines().skip(1)).map(|line| line.split('#').next().unwrap_or_default());
    lines.map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The prose of a page: the words of links, and no code, picture or table.
fn prose(page: &str) -> String {
    let outside = |text: &str, mark: &str| text.split(mark).step_by(2).collect::<String>();
    let text = outside(&outside(page, "```"), "`");
    let after_target = |part: &str| part.split_once(')').map_or_else(String::new, |(_, rest)| rest.to_owned());
    let words = |line: &str| {
        let (first, rest) = line.split_once("](").unwrap_or((line, ")"));
        first.to_owned() + &rest.split("](").map(after_target).collect::<String>()
    };
    text.lines().filter(|line| !line.starts_with(['|', '!'])).map(words).collect::<Vec<_>>().join("\n")
}

/// The numbers of a text; those in names, such as Lc0, are none.
fn numbers(text: &str) -> BTreeSet<&str> {
    let is_mark = |c: char| c == '.' || c == ',';
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !is_mark(c)).map(|word| word.trim_matches(is_mark));
    words.filter(|word| !word.is_empty() && !word.contains(|c: char| c.is_ascii_alphabetic())).collect()
}

#[test]
fn the_japanese_readme_has_the_commands_and_numbers_of_the_english_one() {
    let read = |name: &str| fs::read_to_string(root().join(name)).expect("a page");
    let (english, japanese) = (read("README.md"), read("README.ja.md"));
    let known = commands(&japanese);
    let missing: Vec<String> = commands(&english).into_iter().filter(|line| !known.contains(line)).collect();
    assert!(missing.is_empty(), "commands that README.ja.md lacks:\n{}", missing.join("\n"));
    let (english, japanese) = (prose(&english), prose(&japanese));
    let (mut in_english, in_japanese) = (numbers(&english), numbers(&japanese));
    let is_said = |word: &str| english.split(|c: char| !c.is_alphabetic()).any(|own| own.eq_ignore_ascii_case(word));
    let in_words = [("one", "1"), ("two", "2"), ("five", "5")].into_iter().filter(|(word, _)| is_said(word));
    in_english.extend(in_words.map(|(_, number)| number));
    assert!(in_english.len() >= 30, "{in_english:?}");
    // 7 of the other 13 encodings, for which the Japanese page says 8 of 14 rows.
    let only_english: Vec<&str> = in_english.difference(&in_japanese).copied().collect();
    assert_eq!(only_english, ["13", "7"], "numbers that README.ja.md lacks");
    // And the level of the intervals in its table, in percent.
    let only_japanese: Vec<&str> = in_japanese.difference(&in_english).copied().collect();
    assert_eq!(only_japanese, ["14", "95"], "numbers that README.md lacks");
}
