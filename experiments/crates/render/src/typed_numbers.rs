//! Numbers that a template types although it could ask for them.

use crate::syntax::Syntax;
use std::collections::BTreeSet;
use std::path::Path;

/// The word of a comment that declares numbers: `{# typed: 15.1, 11.1: versions of the engines #}`.
const DECLARES: &str = "typed:";

/// The words of the comments around tables and sections of which all numbers are declared: `{# typed below: measured before
/// bundles #}` … `{# typed above #}`.
const REGION: [&str; 2] = ["typed below", "typed above"];

/// The numbers with decimals outside of a template's expressions that no comment declares, each as `LINE: NUMBER`. Blocks of code are
/// left out. The page's name determines the syntax.
pub fn undeclared(page: &Path, template: &str) -> Vec<String> {
    let mut declared = BTreeSet::new();
    let mut typed: Vec<(usize, String)> = Vec::new();
    let (mut line, mut is_declared, mut is_code) = (1, false, false);
    for piece in pieces(Syntax::of(page), template) {
        match piece {
            Piece::Comment(text) => {
                for words in text.lines().filter_map(declaration) {
                    let numbers = words.split_once(": ").map_or(words, |(numbers, _)| numbers);
                    declared.extend(decimals(numbers));
                }
                let is_region = |words: &str| text.trim_start_matches('-').trim().starts_with(words);
                is_declared = is_region(REGION[0]) || (is_declared && !is_region(REGION[1]));
                line += text.matches('\n').count();
            }
            Piece::Expression(text) => line += text.matches('\n').count(),
            Piece::Text(text) => {
                for (place, words) in text.split('\n').enumerate() {
                    line += usize::from(place > 0);
                    is_code ^= words.starts_with("```");
                    if !is_declared && !is_code {
                        typed.extend(decimals(words).map(|number| (line, number)));
                    }
                }
            }
        }
    }
    typed.retain(|(_, number)| !declared.contains(number));
    typed.into_iter().map(|(line, number)| format!("{line}: {number}")).collect()
}

/// The part of a comment's line after the word that declares.
fn declaration(line: &str) -> Option<&str> {
    line.trim_start_matches('-').trim().strip_prefix(DECLARES)
}

enum Piece<'a> {
    Text(&'a str),
    Comment(&'a str),
    Expression(&'a str),
}

fn pieces(syntax: Syntax, template: &str) -> Vec<Piece<'_>> {
    let delimiters = syntax.delimiters();
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((at, kind)) =
        (0..delimiters.len()).filter_map(|kind| Some((rest.find(delimiters[kind].0)?, kind))).min()
    {
        let (open, close) = delimiters[kind];
        pieces.push(Piece::Text(&rest[..at]));
        let inside = &rest[at + open.len()..];
        let end = inside.find(close).unwrap_or(inside.len());
        pieces.push(if kind == 2 { Piece::Comment(&inside[..end]) } else { Piece::Expression(&inside[..end]) });
        rest = inside.get(end + close.len()..).unwrap_or_default();
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Numbers with a decimal point, also versions such as 0.1.0.
fn decimals(text: &str) -> impl Iterator<Item = String> {
    let is_part = |character: char| character.is_ascii_digit() || character == '.';
    let runs = text.split(move |character: char| !is_part(character)).map(|run| run.trim_matches('.').to_owned());
    runs.filter(|run| run.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::undeclared;
    use std::path::Path;

    #[test]
    fn a_typed_number_is_found_unless_it_is_declared() {
        let page = "{#- typed: 15.1, 0.25 to 0.5: the engine, and its rates #}\nStockfish 15.1 has {{ a(0.7) | fixed(2) }}.\n\
                    {{ x\n}} It is 0.21 better, 0.5.\n```\n0.9\n```\n{# typed below: a reviewer #}\n| 0.3 |\n{# typed above #}\n0.4";
        assert_eq!(undeclared(Path::new("page.md"), page), ["4: 0.21", "11: 0.4"]);
        let tex = "\\#{ typed: 0.1: a level }\\VAR{ mean(0.2) } and 0.1, 0.3";
        assert_eq!(undeclared(Path::new("page.tex"), tex), ["1: 0.3"]);
    }
}
