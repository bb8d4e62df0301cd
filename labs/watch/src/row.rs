//! A row of the page: its cells, its differences and its verdict.

use crate::cell::LiveCell;
use crate::plots::{self, Scales};
use crate::view::ViewRow;
use facts::{Role, grouped, in_words};
use figures::plot::Style;
use figures::{escape, fixed};
use records::CellState;
use report::comparison::{Comparison, Verdict};
use report::html::page::badge;
use report::no_verdict::Missing;
use report::numbers::with_interval;
use std::fmt::Write as _;

/// The most squares of a row.
const SQUARES: usize = 200;

/// A row of tiles, each with its curve and its number.
pub(crate) fn of_tiles(line: &ViewRow<'_>, style: Style, scales: &Scales) -> String {
    let class = style.class();
    let tiles: String =
        line.cells.iter().zip(line.left_s).map(|(cell, left)| tile(cell, *left, &class, scales)).collect();
    parts(line, &class, &format!("<div class=\"tiles\">{tiles}</div>"), scales, 40.0)
}

/// A row of small squares in the colours of their states.
pub(crate) fn of_squares(line: &ViewRow<'_>, style: Style, scales: &Scales) -> String {
    let mut squares = String::new();
    for cell in line.cells.iter().take(SQUARES) {
        let number = cell.values.primary.map_or_else(String::new, |value| format!(" {}", short(value)));
        let word = cell.state.word();
        let _ = write!(squares, "<i class=\"{}\" title=\"seed {}: {word}{number}\"></i>", &word[..1], cell.seed);
    }
    if line.cells.len() > SQUARES {
        let _ = write!(squares, "and {} more", line.cells.len() - SQUARES);
    }
    parts(line, &style.class(), &format!("<div class=\"squares\">{squares}</div>"), scales, 20.0)
}

fn parts(line: &ViewRow<'_>, class: &str, cells: &str, scales: &Scales, height: f64) -> String {
    let comparison = line.report.and_then(|report| report.comparison.as_ref());
    let (name, verdict) = (escape(&line.name()), verdict(line, comparison));
    let plot = plots::differences(comparison, class, scales, height);
    format!(
        "<div class=\"row\"><h3 class=\"{class}\">{name}</h3>{cells}<div class=\"difference\">{plot}</div>\
         <div class=\"verdict\">{verdict}</div></div>\n"
    )
}

fn tile(cell: &LiveCell, left: Option<f64>, class: &str, scales: &Scales) -> String {
    let state = cell.state.word();
    let (number, below) = match &cell.state {
        CellState::Done => (cell.values.primary.map_or_else(|| "–".to_owned(), short), String::new()),
        CellState::Failed(failure) => ("failed".to_owned(), failure.kind.name().to_owned()),
        CellState::Pending => (String::new(), String::new()),
        CellState::Interrupted(_) => (so_far(cell), state.to_owned()),
        CellState::Running(_) => (so_far(cell), left.map_or_else(String::new, in_words)),
    };
    let mut about = format!("seed {}: {state}", cell.seed);
    if cell.progress.steps > 0 {
        let _ = write!(about, ", step {} of {}", grouped(cell.progress.step), grouped(cell.progress.steps));
    }
    if let Some(loss) = cell.values.loss {
        let _ = write!(about, ", training loss {}", short(loss));
    }
    if let Some(left) = left {
        let _ = write!(about, ", about {} left", in_words(left));
    }
    let curve = plots::curve(&cell.values.curve, class, scales);
    format!(
        "<div class=\"tile {state}\" title=\"{about}\"><small>{}</small><b>{number}</b>{curve}<em>{below}</em></div>",
        cell.seed
    )
}

/// The newest value on the validation positions, marked as not final.
fn so_far(cell: &LiveCell) -> String {
    cell.values.validation.map_or_else(String::new, |value| format!("{}…", short(value)))
}

/// The verdict of the report; before all seeds of the row and of its reference have ended, how many are done.
fn verdict(line: &ViewRow<'_>, comparison: Option<&Comparison>) -> String {
    let Some(comparison) = comparison else {
        return if line.row.role == Role::Reference { small("reference") } else { String::new() };
    };
    let waits = comparison.missing.iter().any(|why| matches!(why, Missing::NotFinished { .. }));
    if waits || !line.has_ended() {
        let (done, planned) = (line.pairs(), line.cells.len());
        return format!("<span class=\"badge\">{done} of {planned} seeds</span>");
    }
    if line.row.role == Role::Twin {
        let interval = comparison.mean().zip(comparison.interval);
        return interval.map_or_else(String::new, |(mean, interval)| small(&with_interval(mean, &interval)));
    }
    let (class, sign) = badge(comparison.verdict);
    let number = match comparison.verdict {
        Verdict::Missing => {
            let why = comparison.missing.iter().find(|missing| missing.blocks_verdict());
            why.map_or_else(String::new, Missing::to_string)
        }
        _ => {
            let corrected = comparison.mean().zip(comparison.holm);
            corrected.map_or_else(String::new, |(mean, corrected)| with_interval(mean, &corrected.interval))
        }
    };
    format!("<span class=\"badge {class}\">{sign}</span> {}", small(&number))
}

fn small(text: &str) -> String {
    format!("<small>{}</small>", escape(text))
}

/// A value in about four characters.
fn short(value: f64) -> String {
    let decimals = match value.abs() {
        small if small < 10.0 => 3,
        middle if middle < 100.0 => 2,
        _ => 0,
    };
    fixed(value, decimals)
}
