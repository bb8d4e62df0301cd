//! Rust sources as far as the laws need them: code without comments and literals, and the paths that it names.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// With comments, strings and characters blanked out; line numbers are kept.
    code: String,
}

impl Source {
    pub(crate) fn new(path: PathBuf, text: String) -> Self {
        Self { path, code: blank(&text) }
    }

    /// `path:line`, as editors and compilers write it.
    pub(crate) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path.display())
    }

    /// The code that ships: nothing of tests, benches and examples, and of other files what stands before
    /// `#[cfg(test)]`, which closes a file.
    pub(crate) fn shipped(&self) -> &str {
        let beside = |name: &std::ffi::OsStr| ["tests", "benches", "examples"].iter().any(|folder| name == *folder);
        let is_test = self.path.components().any(|part| beside(part.as_os_str()))
            || self.path.file_stem().is_some_and(|stem| stem == "tests");
        if is_test { "" } else { self.code.split("#[cfg(test)]").next().unwrap_or_default() }
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
        Source::new(path.strip_prefix(root).unwrap_or(&path).to_owned(), text)
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

/// Replaces comments and the insides of literals by spaces.
fn blank(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let before = code.chars().next_back();
        let skipped = comment(rest).or_else(|| literal(rest, before));
        let taken = skipped.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        let (piece, next) = rest.split_at(taken);
        match skipped {
            Some(_) => code.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
            None => code.push_str(piece),
        }
        rest = next;
    }
    code
}

/// The length of the comment that `text` starts with.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let (change, step) = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        (depth, at) = (depth + change, at + step);
        if depth == 0 {
            break;
        }
    }
    Some(at)
}

/// The length of the string or character that `text` starts with; `before` tells `r"…"` from `for"`.
fn literal(text: &str, before: Option<char>) -> Option<usize> {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let raw = text.trim_start_matches(['b', 'c']).strip_prefix('r').filter(|_| !in_word);
    if let Some(body) = raw {
        let hashes = body.len() - body.trim_start_matches('#').len();
        if body[hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            let start = text.len() - body.len() + hashes + 1;
            return Some(text[start..].find(&close).map_or(text.len(), |end| start + end + close.len()));
        }
    }
    match text.chars().next()? {
        '"' => Some(quoted(text, b'"')),
        // `'a'` and `'\n'` are characters, `'a` is a lifetime.
        '\'' if text[1..].starts_with('\\') || text[1..].chars().nth(1) == Some('\'') => Some(quoted(text, b'\'')),
        _ => None,
    }
}

fn quoted(text: &str, close: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != close {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    // A backslash may stand before a character of several bytes: end where the next one starts.
    text.ceil_char_boundary(at + 1)
}

/// A word, number or punctuation mark of code, behind its line.
type Token<'a> = (usize, &'a str);

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = vec![];
    for (line, text) in (1..).zip(code.lines()) {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let length = if word(first) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            found.push((line, &rest[..length]));
            rest = rest[length..].trim_start();
        }
    }
    found
}

/// Every path that code names, `use` trees taken apart: `(line, ["games", "chess"])`.
pub(crate) fn paths(code: &str) -> Vec<(usize, Vec<String>)> {
    let tokens = tokens(code);
    let (mut found, mut at) = (vec![], 0);
    while at < tokens.len() {
        let is_inner = at > 0 && matches!(tokens[at - 1].1, "::" | ".");
        let starts = tokens[at].1.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if starts && !is_inner && tokens.get(at + 1).is_some_and(|(_, next)| *next == "::") {
            at = tree(&tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads `a::b::{c, d::e}` from `at` on; returns where it ends.
fn tree(tokens: &[Token<'_>], mut at: usize, prefix: &[String], found: &mut Vec<(usize, Vec<String>)>) -> usize {
    let mut path = prefix.to_vec();
    let line = tokens[at].0;
    let text = |at: usize| tokens.get(at).map(|(_, text)| *text);
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
fn comments_and_literals_are_no_code() {
    let text = "a // games::x\n/* b /* games::y */ c */ \"games::z \\\" \" r#\"64 \" 64\"# 'g' '\\'' &'a str";
    let code = blank(text);
    assert_eq!(code.lines().count(), 2);
    assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "&'a", "str"]);
}

#[test]
fn trees_of_paths_are_taken_apart() {
    let found = paths(
        "use games::{Geometry, chess::{Move as M, fen},};\nlet a = games::Line::new(b.games::<T>(), crate::games::x);",
    );
    let written: Vec<String> = found.iter().map(|(line, path)| format!("{line} {}", path.join("::"))).collect();
    let expected =
        ["1 games::Geometry", "1 games::chess::Move", "1 games::chess::fen", "2 games::Line::new", "2 crate::games::x"];
    assert_eq!(written, expected);
}
