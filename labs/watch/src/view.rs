//! The data of a page.

use crate::cell::{End, LiveCell};
use facts::Role;
use facts::row_name::readable;
use records::CellState;
use records::plan::{Plan, Row};
use report::Report;
use report::model::{GameReport, RowReport};
use std::collections::HashMap;

/// Grids with more cells show squares in place of tiles, in rows that fold.
const TILES: usize = 400;

pub(crate) struct View<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) report: &'a Report,
    /// Row by row of the plan, in the order of the seeds.
    pub(crate) cells: &'a [LiveCell],
    /// The remaining seconds of each.
    pub(crate) left_s: &'a [Option<f64>],
    pub(crate) unix_s: f64,
    /// Seconds after which a browser loads it again.
    pub(crate) refresh_s: Option<u64>,
    /// Lets the page's script run, and no other one.
    pub(crate) nonce: &'a str,
}

#[derive(Clone, Copy)]
pub(crate) struct ViewRow<'a> {
    pub(crate) row: &'a Row,
    /// `None` for rows that the report leaves out: further A/A controls.
    pub(crate) report: Option<&'a RowReport>,
    pub(crate) cells: &'a [LiveCell],
    pub(crate) left_s: &'a [Option<f64>],
    /// The cells of its reference, unless it is one.
    pub(crate) reference: Option<&'a [LiveCell]>,
}

impl<'a> View<'a> {
    pub(crate) fn is_large(&self) -> bool {
        self.cells.len() > TILES
    }

    /// The rows of a game in the order of the report.
    pub(crate) fn lines(&self, game: &'a GameReport) -> Vec<ViewRow<'a>> {
        let (plan, name) = (self.plan, &game.game[..]);
        let of_game = || plan.rows.iter().enumerate().filter(move |(_, row)| row.game.name() == name);
        let mut left: HashMap<&str, usize> = of_game().map(|(place, row)| (row.display_name(), place)).collect();
        let mut places = Vec::new();
        for report in game.rows.iter().chain(&game.twin) {
            places.extend(left.remove(&report.label[..]).map(|place| (place, Some(report))));
        }
        let others = of_game().map(|(place, _)| place).filter(|place| left.values().any(|other| other == place));
        places.extend(others.map(|place| (place, None)));
        places.into_iter().map(|(place, report)| self.line(place, report)).collect()
    }

    fn line(&self, place: usize, report: Option<&'a RowReport>) -> ViewRow<'a> {
        let seeds = self.plan.seeds.len();
        let of_row = |place: usize| place * seeds..(place + 1) * seeds;
        let row = &self.plan.rows[place];
        let reference =
            self.plan.rows.iter().position(|other| row.is_compared_with(other)).filter(|&other| other != place);
        ViewRow {
            row,
            report,
            cells: &self.cells[of_row(place)],
            left_s: &self.left_s[of_row(place)],
            reference: reference.map(|place| &self.cells[of_row(place)]),
        }
    }
}

impl ViewRow<'_> {
    pub(crate) fn name(&self) -> String {
        let name = readable(self.row.display_name());
        if self.row.role == Role::Twin { "A/A control".to_owned() } else { shortened(&name, 120) }
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.cells.iter().any(|cell| cell.state != CellState::Pending)
    }

    /// Whether all seeds of the row and of its reference have ended. Before, a verdict would allow to stop at a lucky moment.
    pub(crate) fn has_ended(&self) -> bool {
        self.cells.iter().chain(self.reference.unwrap_or_default()).all(|cell| cell.end() != End::Open)
    }

    /// Seeds that are done in the row and in its reference.
    pub(crate) fn pairs(&self) -> usize {
        let others = self.reference.unwrap_or(self.cells);
        self.cells.iter().zip(others).filter(|(own, other)| own.end() == End::Done && other.end() == End::Done).count()
    }
}

/// The beginning of a long text.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
