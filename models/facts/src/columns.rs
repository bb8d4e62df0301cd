//! Texts in the columns of a terminal.

use std::collections::{BTreeMap, BTreeSet};
use unicode_width::UnicodeWidthChar as _;

/// The columns of the narrowest terminals that people use.
pub const COLUMNS: usize = 80;

const ELLIPSIS: &str = "…";

/// The columns that a text fills.
pub fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// The columns of a character: two for the scripts of East Asia and pictures, none for marks on the character before.
fn columns_of(character: char) -> usize {
    character.width().unwrap_or(1)
}

/// The start of a line that fits into this number of columns. Control characters, which would move the cursor, are replaced.
pub fn cut(line: &str, columns: usize) -> String {
    let line: String = line.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if width(&line) <= columns {
        return line;
    }
    match columns.checked_sub(width(ELLIPSIS)) {
        Some(left) => start(line.chars(), left) + ELLIPSIS,
        None => String::new(),
    }
}

/// A text in at most this number of columns: its start and its end, if it is longer.
pub fn shortened(text: &str, columns: usize) -> String {
    let Some(left) = columns.checked_sub(width(ELLIPSIS)).filter(|_| width(text) > columns) else {
        return text.to_owned();
    };
    let end = start(text.chars().rev(), left / 2);
    let end: String = end.chars().rev().collect();
    start(text.chars(), left - left / 2) + ELLIPSIS + &end
}

/// Each text in at most this number of columns. Those that [`shortened`] makes equal keep the place where they differ.
pub fn all_shortened(texts: &[&str], columns: usize) -> Vec<String> {
    let mut all: Vec<String> = texts.iter().map(|text| shortened(text, columns)).collect();
    for _ in texts {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        all.iter().enumerate().for_each(|(place, shown)| groups.entry(shown).or_default().push(place));
        let is_ambiguous = |places: &Vec<usize>| places.iter().any(|&place| texts[place] != texts[places[0]]);
        let Some(places) = groups.into_values().filter(is_ambiguous).min() else { break };
        let alike: Vec<Vec<char>> = places.iter().map(|&place| texts[place].chars().collect()).collect();
        let Some(distinct) = distinguished(&alike, columns) else { break };
        places.into_iter().zip(distinct).for_each(|(place, text)| all[place] = text);
    }
    all
}

/// The start of each text, and the rest from where they differ, if that is far from the start; none without room for both.
fn distinguished(texts: &[Vec<char>], columns: usize) -> Option<Vec<String>> {
    const START: usize = 3;
    const SHORTEST: usize = 2;
    let room = columns.checked_sub(START + width(ELLIPSIS)).filter(|&room| room >= SHORTEST)?;
    let is_common = |place: &usize| texts.iter().all(|text| text.get(*place) == texts[0].get(*place));
    let common = (0..texts[0].len()).take_while(is_common).count();
    let begins = |place: &usize| texts[0][..*place].ends_with(&[',', ' ']);
    let part = (0..=common).rev().find(begins).unwrap_or(0);
    // From the start of the part, unless the difference would then be cut off.
    let from = if common - part < room - 1 { part } else { common };
    let distinct = |text: &Vec<char>| {
        if from == 0 {
            return cut(&text.iter().collect::<String>(), columns);
        }
        let rest = cut(&text[from..].iter().collect::<String>(), room);
        start(text[..from].iter().copied(), columns - width(ELLIPSIS) - width(&rest)) + ELLIPSIS + &rest
    };
    Some(texts.iter().map(distinct).collect())
}

/// Labels of rows without the learning-rate multipliers of their encodings, if they differ without them too: a narrow column
/// then shows what differs.
pub fn without_rates(labels: &[String]) -> Vec<String> {
    let brief: Vec<String> = labels.iter().map(|label| without_rate(label)).collect();
    let distinct = |labels: &[String]| labels.iter().collect::<BTreeSet<_>>().len();
    if distinct(&brief) == distinct(labels) { brief } else { labels.to_vec() }
}

fn without_rate(label: &str) -> String {
    let Some((before, after)) = label.split_once("-encoding-rate-x") else { return label.to_owned() };
    format!("{before}{}", after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// The first characters that fit into this number of columns.
fn start(characters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut filled = 0;
    let fits = |character: &char| {
        filled += columns_of(*character);
        filled <= columns
    };
    characters.take_while(fits).collect()
}

/// A text, padded with spaces to this number of columns.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// A text in lines of at most this number of columns. Lines after the first begin with `indent`; a longer word is not split.
pub fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("{indent}{word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_count_columns_not_bytes() {
        assert_eq!([width("seed 1"), width("× 64…"), width("将棋"), width("e\u{301}")], [6, 5, 4, 1]);
        assert_eq!([padded("将棋", 5), padded("chess", 3)], ["将棋 ", "chess"]);
    }

    #[test]
    fn lines_are_cut_at_the_last_column_and_moves_of_the_cursor_are_taken_out() {
        assert_eq!(cut("chess-shaw", 80), "chess-shaw");
        assert_eq!(cut("chess-shaw", 10), "chess-shaw");
        assert_eq!(cut("chess-shaw", 6), "chess…");
        assert_eq!([cut("abc", 1), cut("abc", 0)], ["…", ""]);
        assert_eq!(cut("将棋将棋", 6), "将棋…", "half a character is not drawn");
        assert_eq!(cut("a\x1b[2J\tb", 80), "a\u{fffd}[2J\u{fffd}b");
    }

    #[test]
    fn names_keep_their_start_and_their_end() {
        assert_eq!(shortened("chess-shaw-x64", 14), "chess-shaw-x64");
        assert_eq!(shortened("chess-shaw-x64", 9), "ches…-x64");
        assert_eq!(shortened("chess-shaw-x64", 8), "ches…x64");
        for columns in 1..20 {
            assert!(width(&shortened("chess-shaw-x64", columns)) <= columns, "{columns}");
        }
    }

    #[test]
    fn names_that_would_be_equal_keep_their_difference() {
        let names = [
            "relative bias, layers 2, width 48",
            "relative bias, layers 4, width 48",
            "Shaw, layers 2, width 48",
            "absolute",
        ];
        let shown = all_shortened(&names, 20);
        assert_eq!(shown, ["rel…layers 2, width…", "rel…layers 4, width…", "Shaw, laye… width 48", "absolute"]);
        assert!(shown.iter().all(|name| width(name) <= 20), "{shown:?}");
        assert_eq!(all_shortened(&names[..2], 40), names[..2]);
        let near = ["shogi-absolute+shaw-transformer-ff16", "shogi-absolute+rope-transformer-ff16"];
        assert_eq!(all_shortened(&near, 24), ["shogi-absolute+shaw-tra…", "shogi-absolute+rope-tra…"]);
        assert_eq!(all_shortened(&names[..2], 4), ["re…8"; 2], "there is no room for a difference");
        assert_eq!(all_shortened(&["the same long name"; 2], 9), ["the …name"; 2]);
    }

    #[test]
    fn rates_are_left_out_of_labels_that_differ_without_them() {
        let brief = |labels: [&str; 2]| without_rates(&labels.map(str::to_owned));
        let tuned = ["chess-shaw-encoding-rate-x64 seed 0", "chess-absolute-encoding-rate-x0.25-twin seed 0"];
        assert_eq!(brief(tuned), ["chess-shaw seed 0", "chess-absolute-twin seed 0"]);
        let varied = ["chess-shaw-encoding-rate-x4", "chess-shaw-encoding-rate-x16"];
        assert_eq!(brief(varied), varied);
    }

    #[test]
    fn prose_is_wrapped_at_words() {
        assert_eq!(wrapped("one two three", 80, "  "), "one two three");
        assert_eq!(wrapped("  one two three", 9, "    "), "  one two\n    three");
        assert_eq!(wrapped("a longer-word b", 6, ""), "a\nlonger-word\nb");
    }
}
