//! Text that others chose, as XML and HTML show it.

/// A text as one line with the special characters of XML and HTML escaped. Line ends and tabs become spaces; every other
/// character that a terminal obeys, that changes the direction of text or that XML forbids becomes `�`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => out.push(' '),
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                out.push(char::REPLACEMENT_CHARACTER);
            }
            '\u{FFFE}' | '\u{FFFF}' => out.push(char::REPLACEMENT_CHARACTER),
            other if other.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn no_character_acts() {
        assert_eq!(escape("shaw(q,k), × 64 − †"), "shaw(q,k), × 64 − †");
        assert_eq!(escape("<b>\"a\" & b</b>"), "&lt;b&gt;&quot;a&quot; &amp; b&lt;/b&gt;");
        assert_eq!(escape("a\u{1b}[2J\r\nb\u{202e}c\u{ffff}"), "a�[2J  b�c�");
    }
}
