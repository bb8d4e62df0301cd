//! Text that others chose, as XML and HTML show it.

use facts::printable;

/// A text as one line without characters that act, the special characters of XML and HTML escaped.
pub fn escape(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
