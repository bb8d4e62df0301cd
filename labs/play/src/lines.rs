//! The entries of a list: one a line.

/// The lines that are not empty and not comments (`#`), trimmed, with their numbers from 1.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}
