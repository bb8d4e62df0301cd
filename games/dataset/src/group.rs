//! Which rows of single positions belong together.

use games::GameKind;

/// A position's text without move counters, which equal positions share.
pub(crate) fn without_counters(game: GameKind, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for field in text.split_ascii_whitespace().take(game.notation().fields()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(field);
    }
    out
}

/// The group of a position: a hash of its text without counters.
pub(crate) fn group(text_without_counters: &str) -> u64 {
    let mut bytes = [0; 8];
    blake3::Hasher::new().update(text_without_counters.as_bytes()).finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
