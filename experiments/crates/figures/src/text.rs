//! Texts and numbers as figures show them.

use facts::printable;

/// A text as one line without characters that act, the special characters of XML and HTML escaped.
pub fn escape(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A number with this many decimals and a typographic minus sign; never "−0".
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
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
