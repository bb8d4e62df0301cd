//! An overview as text and as JSON, and how a text replaces the one before it on a terminal.

use config::columns::{cut, shortened, width, without_rates, wrapped};
use config::{counted, grouped, in_words, printable, printable_lines};
use console::Term;
use grid::overview::{CellView, Overview};
use records::status::CellState;
use report::table::table;
use serde_json::{Value, json};

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

/// The fewest columns of a row's name.
const SHORTEST_NAME: usize = 10;

const HEADER: [&str; 7] = ["cell", "state", "step", "loss", "positions/s", "spent", "left"];

/// Columns dropped from narrow tables, in this order.
const DROP_ORDER: [&str; 4] = ["positions/s", "spent", "loss", "step"];

/// What a table shows of its cells.
#[derive(Debug, Clone, Copy)]
struct Shape {
    name: usize,
    /// How many of [`DROP_ORDER`] are left out.
    left_out: usize,
}

const WHOLE: Shape = Shape { name: usize::MAX, left_out: 0 };

/// A table of all cells, the causes of failures, and a line on the whole.
pub(super) fn text(overview: &Overview) -> String {
    cells(overview, WHOLE) + &summary(overview, usize::MAX) + "\n"
}

/// The same on a terminal of this number of columns, where names give way to numbers.
pub(super) fn in_columns(overview: &Overview, columns: usize) -> String {
    let overview = abbreviated(overview, columns);
    cells(&overview, shape(&overview, columns)) + &summary(&overview, columns) + "\n"
}

/// The overview with brief labels where the table has too few columns for the whole ones.
fn abbreviated(overview: &Overview, columns: usize) -> Overview {
    let mut abbreviated = overview.clone();
    if columns_of_names(overview, columns, 0) < usize::MAX {
        let labels: Vec<String> = overview.cells.iter().map(|cell| cell.row.clone()).collect();
        abbreviated.cells.iter_mut().zip(without_rates(&labels)).for_each(|(cell, label)| cell.row = label);
    }
    abbreviated
}

/// The widest shape that this number of columns holds; otherwise the narrowest.
fn shape(overview: &Overview, columns: usize) -> Shape {
    let of = |left_out: usize| Shape { name: columns_of_names(overview, columns, left_out), left_out };
    let fits = |shape: &Shape| width_of(&table_of(overview, *shape)) <= columns;
    (0..DROP_ORDER.len()).map(of).find(fits).unwrap_or_else(|| of(DROP_ORDER.len()))
}

/// The table, and the causes of failures.
fn cells(overview: &Overview, shape: Shape) -> String {
    let mut out = table_of(overview, shape);
    out.push('\n');
    for cell in &overview.cells {
        if let CellState::Failed(failure) = &cell.state {
            out.push_str(&format!("{} FAILED: {failure}\n    {}\n", cell.name(), failure.kind.remedy()));
        }
    }
    printable_lines(&out)
}

fn table_of(overview: &Overview, shape: Shape) -> String {
    let left_out = &DROP_ORDER[..shape.left_out];
    let kept: Vec<usize> = (0..HEADER.len()).filter(|&column| !left_out.contains(&HEADER[column])).collect();
    let header: Vec<&str> = kept.iter().map(|&column| HEADER[column]).collect();
    let numbers: Vec<usize> = (2..kept.len()).collect();
    let rows = overview.cells.iter().map(|cell| line(cell, shape.name));
    table(&header, &numbers, rows.map(|line| kept.iter().map(|&column| line[column].clone()).collect()))
}

/// A cell's name in at most this number of columns, of which the seed takes its part; a shorter one keeps its start and its end.
fn name(cell: &CellView, columns: usize) -> String {
    let end = format!(" seed {}{}", cell.seed, if cell.twin { " (twin)" } else { "" });
    shortened(&cell.row, columns.saturating_sub(width(&end)).max(SHORTEST_NAME)) + &end
}

fn line(cell: &CellView, columns: usize) -> Vec<String> {
    let progress = cell.progress;
    let steps = match progress.steps {
        0 => String::new(),
        steps => format!("{}/{}", grouped(progress.step), grouped(steps)),
    };
    let state = match &cell.state {
        CellState::Failed(_) => "FAILED",
        state => state.word(),
    };
    vec![
        name(cell, columns),
        state.to_owned(),
        steps,
        cell.loss.map_or_else(String::new, |loss| format!("{loss:.4}")),
        cell.positions_per_s.map_or_else(String::new, |speed| grouped(speed.round() as u64)),
        cell.spent_s.map_or_else(String::new, in_words),
        cell.left_s.map_or_else(String::new, in_words),
    ]
}

/// `24 cells of quickstart: 10 done, 2 running, 12 pending; about 3 min left`, in lines of at most this number of columns.
fn summary(overview: &Overview, columns: usize) -> String {
    let words = ["done", "running", "interrupted", "failed", "pending"].into_iter();
    let counts = words.map(|word| (word, overview.count(|state| state.word() == word))).filter(|&(_, count)| count > 0);
    let counts: Vec<String> = counts.map(|(word, count)| format!("{count} {word}")).collect();
    let left = overview.left_s().map_or_else(String::new, |left| format!("; about {} left", in_words(left)));
    let cells = counted(overview.cells.len() as u64, "cell");
    wrapped(&printable(&format!("{cells} of {}: {}{left}", overview.experiment, counts.join(", "))), columns, "  ")
}

/// The text of an overview that fits on a screen: cells that are done or wait give way first, and names before numbers.
pub(super) fn fit(overview: &Overview, screen: Screen) -> String {
    let overview = &abbreviated(overview, screen.columns);
    let mut end = summary(overview, screen.columns);
    if end.lines().count() > screen.rows / 2 {
        end = summary(overview, usize::MAX);
    }
    let (shown, left_out) = fewer(overview, (screen.rows + 1).saturating_sub(end.lines().count()));
    if left_out > 0 {
        end.insert_str(0, &format!("… and {left_out} cells more\n"));
    }
    let cells = cells(&shown, shape(&shown, screen.columns));
    let room = screen.rows.saturating_sub(end.lines().count());
    let lines: Vec<&str> = cells.lines().take(room).chain(end.lines()).collect();
    let first = lines.len().saturating_sub(screen.rows);
    lines[first..].iter().map(|line| cut(&printable(line), screen.columns) + "\n").collect()
}

/// The overview without the cells that do not fit into this number of rows, and how many these are.
fn fewer(overview: &Overview, rows: usize) -> (Overview, usize) {
    let mut shown = overview.clone();
    let all = text(overview).lines().count();
    let (excess, mut left_out) = (if all > rows { all + 1 - rows } else { 0 }, 0);
    let gives_way: [fn(&CellState) -> bool; 4] = [
        |state| matches!(state, CellState::Pending),
        |state| matches!(state, CellState::Done),
        |state| matches!(state, CellState::Interrupted(_)),
        |_| true,
    ];
    for is in gives_way {
        while left_out < excess {
            let Some(at) = shown.cells.iter().rposition(|cell| is(&cell.state)) else { break };
            shown.cells.remove(at);
            left_out += 1;
        }
    }
    (shown, left_out)
}

/// The columns that are left for names where the table has `columns` and leaves out this number of [`DROP_ORDER`].
fn columns_of_names(overview: &Overview, columns: usize, left_out: usize) -> usize {
    let widest = width_of(&table_of(overview, Shape { left_out, ..WHOLE }));
    let longest = overview.cells.iter().map(|cell| width(&name(cell, usize::MAX))).max().unwrap_or(0);
    match widest.saturating_sub(columns) {
        0 => usize::MAX,
        excess => longest.saturating_sub(excess),
    }
}

fn width_of(table: &str) -> usize {
    table.lines().map(width).max().unwrap_or(0)
}

pub(super) fn json(overview: &Overview) -> Value {
    let cell = |cell: &CellView| {
        let failure = if let CellState::Failed(failure) = &cell.state { Some(failure) } else { None };
        json!({
            "row": cell.row,
            "seed": cell.seed,
            "twin": cell.twin,
            "state": cell.state.word(),
            "step": cell.progress.step,
            "steps": cell.progress.steps,
            "loss": cell.loss,
            "positions_per_s": cell.positions_per_s,
            "spent_s": cell.spent_s,
            "left_s": cell.left_s,
            "failure": failure,
        })
    };
    json!({
        "experiment": overview.experiment,
        "running": overview.running(),
        "left_s": overview.left_s(),
        "cells": overview.cells.iter().map(cell).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::failure::Failure;
    use records::status::Progress;

    fn cell(seed: u64, state: CellState, step: u64) -> CellView {
        let progress = Progress { step, steps: 1000 };
        let spent_s = (step > 0).then_some(step as f64 * 0.5);
        let left_s = matches!(state, CellState::Running(_)).then_some((1000 - step) as f64 * 0.5);
        let row = "chess-shaw".to_owned();
        CellView { row, seed, twin: false, state, progress, loss: Some(1.25), positions_per_s: None, spent_s, left_s }
    }

    fn overview() -> Overview {
        let running = CellState::Running(Progress { step: 400, steps: 1000 });
        let cells = vec![
            cell(0, CellState::Done, 1000),
            cell(1, running, 400),
            cell(2, CellState::Failed(Failure::error("no data")), 0),
        ];
        Overview { experiment: "e".to_owned(), cells }
    }

    #[test]
    fn a_table_a_cause_and_a_summary() {
        let text = text(&overview());
        assert!(text.contains("chess-shaw seed 1"), "{text}");
        assert!(text.contains("400/1,000"), "{text}");
        assert!(text.contains("chess-shaw seed 2 FAILED: error: no data\n"), "{text}");
        assert!(text.ends_with("3 cells of e: 1 done, 1 running, 1 failed; about 5 min left\n"), "{text}");
    }

    #[test]
    fn names_and_causes_command_no_terminal() {
        let mut hostile = overview();
        hostile.experiment = "e\u{1b}[2J".to_owned();
        hostile.cells[2].state = CellState::Failed(Failure::error("a\u{7}b\r"));
        for text in [text(&hostile), fit(&hostile, Screen { rows: 4, columns: 200 })] {
            assert!(text.contains("e�[2J") && !text.contains(|c: char| c != '\n' && c.is_control()), "{text}");
        }
    }

    #[test]
    fn narrow_tables_leave_rates_out_of_names() {
        let mut tuned = overview();
        tuned.cells[0].row = "chess-shaw-q-k-encoding-rate-x64".to_owned();
        tuned.cells[1].row = "chess-shaw-q-k-v-encoding-rate-x64".to_owned();
        let wide = Screen { rows: 24, columns: 200 };
        assert!(fit(&tuned, wide).contains("chess-shaw-q-k-encoding-rate-x64 seed 0"));
        for text in [fit(&tuned, Screen { columns: 92, ..wide }), in_columns(&tuned, 92)] {
            assert!(text.contains("chess-shaw-q-k seed 0") && text.contains("chess-shaw-q-k-v seed 1"), "{text}");
        }
    }

    /// 40 cells with long names, two of which run.
    fn many(step: u64) -> Overview {
        let cell = |number: u64| {
            let progress = Progress { step, steps: 1000 };
            let state = match number {
                0..5 => CellState::Done,
                5..7 => CellState::Running(progress),
                7 => CellState::Failed(Failure::error(
                    "a cause that is longer than the rows of most terminals ".repeat(3),
                )),
                _ => CellState::Pending,
            };
            let row = format!("chess-relative-bias-encoding-rate-x{number}");
            let (spent_s, left_s) = (Some(100.0), Some(50.0));
            CellView { row, positions_per_s: Some(1234.0), spent_s, left_s, ..cell(0, state, step) }
        };
        Overview { experiment: "grid".to_owned(), cells: (0..40).map(cell).collect() }
    }

    #[test]
    fn a_followed_table_never_wraps_and_never_leaves_the_screen() {
        for (rows, columns) in [(24, 80), (10, 40), (40, 120), (5, 20), (60, 300)] {
            for step in [0, 150, 300, 450, 600] {
                let text = fit(&many(step), Screen { rows, columns }.usable());
                assert!(text.lines().count() < rows, "{rows} × {columns}:\n{text}");
                assert!(text.lines().all(|line| width(line) < columns), "{rows} × {columns}:\n{text}");
                assert_eq!(text.matches("40 cells of").count(), 1, "{rows} × {columns}:\n{text}");
            }
        }
    }

    #[test]
    fn names_give_way_to_numbers_on_a_narrow_terminal() {
        let text = fit(&many(300), Screen { rows: 24, columns: 80 }.usable());
        let running = text.lines().find(|line| line.contains("running")).expect("a cell runs");
        for part in ["chess-", "…", "-x5 seed 0", "300/1,000", "1.2500", "1,234"] {
            assert!(running.contains(part), "{part} is not in {running}");
        }
        let once = in_columns(&many(300), 80);
        let cells: Vec<&str> =
            once.lines().filter(|line| line.contains("seed 0 ") && !line.contains("FAILED: ")).collect();
        assert!(cells.len() == 40 && cells.iter().all(|line| width(line) <= 80), "{once}");
        let wide = fit(&many(300), Screen { rows: 24, columns: 200 }.usable());
        assert!(wide.contains("chess-relative-bias-encoding-rate-x5 seed 0"), "{wide}");
    }

    #[test]
    fn on_a_narrower_terminal_numbers_give_way_to_the_time_left() {
        let cut_off = |line: &str| line.ends_with('…');
        for (columns, header) in
            [(60, &["cell", "state", "step", "loss", "left"][..]), (40, &["cell", "state", "left"][..])]
        {
            let text = fit(&many(300), Screen { rows: 24, columns }.usable());
            let table: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
            assert_eq!(table[0].split_whitespace().collect::<Vec<_>>(), header, "{text}");
            let running = table.iter().find(|line| line.contains("running")).expect("a cell runs");
            assert!(running.contains("-x5 seed 0") && running.ends_with("  50 s"), "{text}");
            assert!(!table.into_iter().any(cut_off), "{text}");
            let (_, whole) = text.split_once("40 cells of grid: ").expect("a summary");
            let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(whole.starts_with("5 done, 2 running, 1 failed, 32 pending; about "), "{text}");
            assert!(whole.ends_with(" left"), "{text}");
        }
    }

    #[test]
    fn a_small_screen_shows_what_runs() {
        let mut many = overview();
        many.cells.extend((3..40).map(|seed| cell(seed, CellState::Pending, 0)));
        let text = fit(&many, Screen { rows: 12, columns: 200 });
        assert!(text.lines().count() <= 12, "{text}");
        assert!(text.contains("chess-shaw seed 1") && text.contains("1 running"), "{text}");
        assert!(text.contains("cells more\n40 cells of e:"), "{text}");
        assert_eq!(fit(&overview(), Screen { rows: 24, columns: 200 }), super::text(&overview()));
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
