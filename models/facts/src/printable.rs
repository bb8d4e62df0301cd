//! Text that others chose, made safe for terminals and shells: names, labels and messages of files, run folders and bundles.

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
