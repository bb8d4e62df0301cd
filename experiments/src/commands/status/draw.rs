//! An overview as text and as JSON.

use super::screen::Screen;
use config::columns::{cut, shortened, width, without_rates};
use config::{counted, grouped, in_words, printable, printable_lines};
use grid::overview::{CellView, Overview};
use records::status::CellState;
use report::text_table::table;
use serde_json::{Value, json};

/// The fewest columns of a row's name.
const SHORTEST_NAME: usize = 10;

/// A table of all cells, the causes of failures, and a line on the whole.
pub(super) fn text(overview: &Overview) -> String {
    with_names(overview, usize::MAX)
}

/// The same on a terminal of this number of columns, where names give way to numbers.
pub(super) fn in_columns(overview: &Overview, columns: usize) -> String {
    let overview = brief(overview, columns);
    with_names(&overview, columns_of_names(&overview, columns))
}

/// The overview with brief labels where the table has too few columns for the whole ones.
fn brief(overview: &Overview, columns: usize) -> Overview {
    let mut brief = overview.clone();
    if columns_of_names(overview, columns) < usize::MAX {
        let labels: Vec<String> = overview.cells.iter().map(|cell| cell.row.clone()).collect();
        brief.cells.iter_mut().zip(without_rates(&labels)).for_each(|(cell, label)| cell.row = label);
    }
    brief
}

/// The same with names of at most this number of columns.
fn with_names(overview: &Overview, columns: usize) -> String {
    let mut out = table_of(overview, columns);
    out.push('\n');
    for cell in &overview.cells {
        if let CellState::Failed(failure) = &cell.state {
            out.push_str(&format!("{} FAILED: {failure}\n    {}\n", cell.name(), failure.kind.remedy()));
        }
    }
    out.push_str(&summary(overview));
    out.push('\n');
    printable_lines(&out)
}

fn table_of(overview: &Overview, columns: usize) -> String {
    let header = ["cell", "state", "step", "loss", "positions/s", "spent", "left"];
    table(&header, &[2, 3, 4, 5, 6], overview.cells.iter().map(|cell| line(cell, columns)))
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

/// `24 cells of quickstart: 10 done, 2 running, 12 pending; about 3 min left`.
fn summary(overview: &Overview) -> String {
    let words = ["done", "running", "interrupted", "failed", "pending"].into_iter();
    let counts = words.map(|word| (word, overview.count(|state| state.word() == word))).filter(|&(_, count)| count > 0);
    let counts: Vec<String> = counts.map(|(word, count)| format!("{count} {word}")).collect();
    let left = overview.left_s().map_or_else(String::new, |left| format!("; about {} left", in_words(left)));
    let cells = counted(overview.cells.len() as u64, "cell");
    format!("{cells} of {}: {}{left}", overview.experiment, counts.join(", "))
}

/// The text of an overview that fits on a screen: cells that are done or wait give way first, and names before numbers.
pub(super) fn fit(overview: &Overview, screen: Screen) -> String {
    let overview = &brief(overview, screen.columns);
    let (shown, left_out) = fewer(overview, screen.rows);
    let drawn = with_names(&shown, columns_of_names(&shown, screen.columns));
    let (more, whole) = (format!("… and {left_out} cells more"), summary(overview));
    let mut lines: Vec<&str> = drawn.lines().collect();
    if left_out > 0 {
        // The last line is of the cells that are shown.
        lines.truncate((lines.len() - 1).min(screen.rows.saturating_sub(2)));
        lines.extend([&more[..], &whole[..]]);
    }
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

/// The columns that are left for names where the table has `columns`.
fn columns_of_names(overview: &Overview, columns: usize) -> usize {
    let widest = table_of(overview, usize::MAX).lines().map(width).max().unwrap_or(0);
    let longest = overview.cells.iter().map(|cell| width(&name(cell, usize::MAX))).max().unwrap_or(0);
    match widest.saturating_sub(columns) {
        0 => usize::MAX,
        excess => longest.saturating_sub(excess),
    }
}

pub(super) fn json(overview: &Overview) -> Value {
    let cell = |cell: &CellView| {
        let failure = match &cell.state {
            CellState::Failed(failure) => Some(failure),
            _ => None,
        };
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
}
