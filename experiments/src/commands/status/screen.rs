//! Text that fits on a terminal, and how it replaces the text before it.

/// The size of a terminal that does not report it.
const USUAL: Screen = Screen { rows: 24, columns: 80 };

const ELLIPSIS: &str = "…";

/// The size of a terminal, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Screen {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Screen {
    pub(super) fn of_stdout() -> Self {
        let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the call fills the struct that it is given, or fails.
        let asked = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size) };
        if asked == 0 && size.ws_row > 0 && size.ws_col > 0 {
            Self { rows: usize::from(size.ws_row), columns: usize::from(size.ws_col) }
        } else {
            USUAL
        }
    }

    /// The part that a text may fill: the last row stays for the cursor, and the last column stays free, because a terminal that
    /// has filled it clears a character of the text with the rest of the row.
    pub(super) fn usable(self) -> Self {
        Self { rows: self.rows.saturating_sub(1), columns: self.columns.saturating_sub(1) }
    }
}

/// The columns that a text fills.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Those of a character: two for the scripts of East Asia and pictures, none for marks on the character before.
fn columns_of(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// As much of a line as fits into so many columns. Control characters, which would move the cursor, are replaced.
pub(super) fn cut(line: &str, columns: usize) -> String {
    let line: String = line.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if width(&line) <= columns {
        return line;
    }
    match columns.checked_sub(width(ELLIPSIS)) {
        Some(left) => start(line.chars(), left) + ELLIPSIS,
        None => String::new(),
    }
}

/// A text in at most so many columns: its start and its end, if it is longer.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    let Some(left) = columns.checked_sub(width(ELLIPSIS)).filter(|_| width(text) > columns) else {
        return text.to_owned();
    };
    let end = start(text.chars().rev(), left / 2);
    let end: String = end.chars().rev().collect();
    start(text.chars(), left - left / 2) + ELLIPSIS + &end
}

/// The first characters that fit into so many columns.
fn start(characters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut filled = 0;
    let fits = |character: &char| {
        filled += columns_of(*character);
        filled <= columns
    };
    characters.take_while(fits).collect()
}

/// The rows that lines fill on a terminal of so many columns, which wraps those that are longer.
fn rows(text: &str, columns: usize) -> usize {
    text.lines().map(|line| width(line).div_ceil(columns.max(1)).max(1)).sum()
}

/// What draws `text` over `before`, the last that was drawn, on a terminal that has so many columns by now. Each row is written over
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
    fn widths_count_columns_not_bytes() {
        assert_eq!([width("seed 1"), width("× 64…"), width("将棋"), width("e\u{301}")], [6, 5, 4, 1]);
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
