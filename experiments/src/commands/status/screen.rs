//! The size of a terminal, and how a text replaces the one before it.

use config::columns::width;
use console::Term;

/// The size of a terminal, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Screen {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Screen {
    pub(super) fn of_stdout() -> Self {
        let (rows, columns) = Term::stdout().size();
        Self { rows: usize::from(rows), columns: usize::from(columns) }
    }

    /// The part that a text may fill: the last row stays for the cursor, and the last column stays free, because a terminal that
    /// has filled it clears a character of the text with the rest of the row.
    pub(super) fn usable(self) -> Self {
        Self { rows: self.rows.saturating_sub(1), columns: self.columns.saturating_sub(1) }
    }
}

/// The rows that lines fill on a terminal of this number of columns, which wraps those that are longer.
fn rows(text: &str, columns: usize) -> usize {
    text.lines().map(|line| width(line).div_ceil(columns.max(1)).max(1)).sum()
}

/// What draws `text` over `before`, the last that was drawn, on a terminal that has `columns` columns by now. Each row is written over
/// the one that is there: a terminal that clears its whole screen may keep a copy of it in its history.
pub(super) fn redraw(before: &str, text: &str, columns: usize) -> String {
    let up = rows(before, columns);
    let mut drawn = if up > 0 { format!("\x1b[{up}A\r") } else { String::new() };
    for line in text.lines() {
        drawn.push_str(line);
        drawn.push_str("\x1b[K\n");
    }
    // What is left of a longer text.
    drawn + "\x1b[J"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_wrapped_lines() {
        let text = "12345678\n\n123\n";
        assert_eq!([80, 8, 7, 4, 3, 1, 0].map(|columns| rows(text, columns)), [3, 3, 4, 4, 5, 12, 12]);
        assert_eq!(rows("", 80), 0);
        assert_eq!(redraw("", "a\nb\n", 80), "a\x1b[K\nb\x1b[K\n\x1b[J");
        assert_eq!(redraw("12345678\nx\n", "a\n", 4), "\x1b[3A\ra\x1b[K\n\x1b[J");
        assert_eq!(Screen { rows: 24, columns: 80 }.usable(), Screen { rows: 23, columns: 79 });
        assert_eq!(Screen { rows: 0, columns: 0 }.usable(), Screen { rows: 0, columns: 0 });
    }
}
