//! Rust sources as far as the laws need them: their tokens, without comments, and the paths that they name.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::fs;
use std::path::{Path, PathBuf};

/// A word, a literal, a bracket or a punctuation mark, with its line.
pub(crate) type Token = (usize, String);

pub(crate) struct Source {
    pub(crate) path: PathBuf,
    tokens: Vec<Token>,
}

impl Source {
    pub(crate) fn new(path: PathBuf, text: &str) -> Self {
        let stream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, tokens: flat(stream) }
    }

    /// `path:line`, as editors and compilers write it.
    pub(crate) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }

    /// The code that ships: nothing of tests, benches and examples, and of other files what stands before
    /// `#[cfg(test)]`, which closes a file.
    pub(crate) fn shipped(&self) -> &[Token] {
        const TESTS: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
        let beside = |name: &std::ffi::OsStr| ["tests", "benches", "examples"].iter().any(|folder| name == *folder);
        let is_test = self.path.components().any(|part| beside(part.as_os_str()))
            || self.path.file_stem().is_some_and(|stem| stem == "tests");
        let is_end = |tokens: &[Token]| tokens.iter().map(|(_, text)| text).eq(TESTS);
        let end = if is_test { Some(0) } else { self.tokens.windows(TESTS.len()).position(is_end) };
        &self.tokens[..end.unwrap_or(self.tokens.len())]
    }
}

/// The sources of the crate in `dir`: `src`, `tests`, `benches`, `examples` and `build.rs`. Crates may nest, so
/// nothing else below the folder is taken.
pub(crate) fn sources(root: &Path, dir: &Path) -> Vec<Source> {
    let mut paths = vec![];
    for part in ["src", "tests", "benches", "examples", "build.rs"] {
        collect(&dir.join(part), &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Source::new(path.strip_prefix(root).unwrap_or(&path).to_owned(), &text)
    };
    paths.into_iter().map(read).collect()
}

fn collect(path: &Path, into: &mut Vec<PathBuf>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.for_each(|entry| collect(&entry.expect("a readable folder").path(), into));
    } else if path.extension().is_some_and(|extension| extension == "rs") && path.is_file() {
        into.push(path.to_owned());
    }
}

/// The tokens of a stream and of its groups; `::` is one.
fn flat(stream: TokenStream) -> Vec<Token> {
    let mut found: Vec<Token> = vec![];
    let mut after_colon = false;
    for tree in stream {
        let line = tree.span().start().line;
        let is_colon = matches!(&tree, TokenTree::Punct(mark) if mark.as_char() == ':');
        match &tree {
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::None => ["", ""],
                };
                found.push((line, open.to_owned()));
                found.extend(flat(group.stream()));
                found.push((group.span_close().start().line, close.to_owned()));
            }
            TokenTree::Punct(_) if is_colon && after_colon => {
                if let Some((_, colon)) = found.last_mut() {
                    colon.push(':');
                }
            }
            other => found.push((line, other.to_string())),
        }
        after_colon =
            !after_colon && matches!(&tree, TokenTree::Punct(mark) if is_colon && mark.spacing() == Spacing::Joint);
    }
    found
}

/// Every path that code names, `use` trees taken apart: `(line, ["games", "chess"])`.
pub(crate) fn paths(tokens: &[Token]) -> Vec<(usize, Vec<String>)> {
    let (mut found, mut at) = (vec![], 0);
    while at < tokens.len() {
        let is_inner = at > 0 && matches!(tokens[at - 1].1.as_str(), "::" | ".");
        let starts = tokens[at].1.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if starts && !is_inner && tokens.get(at + 1).is_some_and(|(_, next)| next == "::") {
            at = tree(tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads `a::b::{c, d::e}` from `at` on; returns where it ends.
fn tree(tokens: &[Token], mut at: usize, prefix: &[String], found: &mut Vec<(usize, Vec<String>)>) -> usize {
    let mut path = prefix.to_vec();
    let line = tokens[at].0;
    let text = |at: usize| tokens.get(at).map(|(_, text)| text.as_str());
    while let Some(word) = text(at) {
        if word == "{" {
            at += 1;
            while text(at).is_some_and(|text| text != "}") {
                at = tree(tokens, at, &path, found);
                // Past `as name` to the next branch.
                while text(at).is_some_and(|text| !matches!(text, "," | "}")) {
                    at += 1;
                }
                at += usize::from(text(at) == Some(","));
            }
            return at + 1;
        }
        path.push(word.to_owned());
        if text(at + 1) != Some("::") {
            found.push((line, path));
            return at + 1;
        }
        at += 2;
    }
    found.push((line, path));
    at
}

#[test]
fn trees_of_paths_are_taken_apart_and_comments_and_literals_name_none() {
    let text = "use games::{Geometry, chess::{Move as M, fen},}; // games::x
        let a = games::Line::new(b.games::<T>(), crate::games::x, \"games::y\", r#\"games::z \" \"#, 'g', &'a games::w);";
    let source = Source::new("a.rs".into(), text);
    let found = paths(source.shipped());
    let written: Vec<String> = found.iter().map(|(line, path)| format!("{line} {}", path.join("::"))).collect();
    let expected = [
        "1 games::Geometry",
        "1 games::chess::Move",
        "1 games::chess::fen",
        "2 games::Line::new",
        "2 crate::games::x",
        "2 games::w",
    ];
    assert_eq!(written, expected);
}
