//! Numbers, durations and lists as people read them; text that others chose (names, labels and messages of files, run folders
//! and bundles), made safe for terminals and shells.

use std::borrow::Borrow;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A whole number with commas: `1,382,400`.
pub fn grouped(value: impl Into<u128>) -> String {
    let digits = value.into().to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 game`, `1,024 games`.
pub fn counted(count: impl Into<u128>, noun: &str) -> String {
    let count = count.into();
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A duration in its largest two units: `2 d 3 h`, `5 min 10 s`.
pub fn in_words(seconds: f64) -> String {
    let seconds = seconds.round().max(0.0) as u64;
    let units = [(DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (1, "s")];
    let first = units.iter().position(|&(unit, _)| seconds >= unit).unwrap_or(units.len() - 1);
    let mut rest = seconds;
    let words = units[first..].iter().take(2).filter_map(|&(unit, name)| {
        let count = rest / unit;
        rest %= unit;
        (count > 0 || seconds == 0).then(|| format!("{count} {name}"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Names in a sentence: `chess, shogi and minishogi`.
pub fn listed(names: &[impl Borrow<str>]) -> String {
    match names {
        [] => String::new(),
        [name] => name.borrow().to_owned(),
        [first @ .., last] => format!("{} and {}", first.join(", "), last.borrow()),
    }
}

/// A text as one line without control characters. Line ends and tabs become spaces. Every other character that a terminal
/// obeys, that changes the direction of text or that XML forbids becomes `�`.
pub fn printable(text: &str) -> String {
    let shown = |character: char| match character {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        '\u{FFFE}' | '\u{FFFF}' => char::REPLACEMENT_CHARACTER,
        other if other.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    };
    text.chars().map(shown).collect()
}

/// The same of each line of a text.
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// A word as a shell reads it, with quotes where it needs them.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_their_largest_units() {
        let cases = [(0.0, "0 s"), (59.6, "1 min"), (310.0, "5 min 10 s"), (7200.0, "2 h"), (90_061.0, "1 d 1 h")];
        for (seconds, words) in cases {
            assert_eq!(in_words(seconds), words);
        }
    }

    #[test]
    fn the_last_of_a_list_comes_after_and() {
        let cases: [(&[&str], &str); 3] = [(&["a"], "a"), (&["a", "b"], "a and b"), (&["a", "b", "c"], "a, b and c")];
        for (names, words) in cases {
            assert_eq!(listed(names), words);
        }
    }

    #[test]
    fn one_is_singular() {
        assert_eq!([0u64, 1, 1024].map(|count| counted(count, "game")), ["0 games", "1 game", "1,024 games"]);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0u64, 999, 1000, 1_382_400].map(grouped), ["0", "999", "1,000", "1,382,400"]);
    }

    #[test]
    fn nothing_that_is_obeyed_is_left() {
        assert_eq!(printable("shaw(q,k), × 64 − †"), "shaw(q,k), × 64 − †");
        assert_eq!(printable("a\u{1b}]0;title\u{7}b\rc\td\ne"), "a�]0;title�b c d e");
        assert_eq!(printable("\u{9b}2J\u{7f}\u{202e}x\u{2028}y\u{ffff}"), "�2J��x y�");
        assert_eq!(printable_lines("one\ttwo\n\u{1b}[1mthree\n"), "one two\n�[1mthree\n");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell_word("Hash=64"), "Hash=64");
        assert_eq!(shell_word("Use NNUE=false"), "'Use NNUE=false'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
