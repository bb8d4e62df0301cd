//! The table of tied rows.

use crate::model::ties::{MOST_ROWS, Ties};
use crate::model::{GameReport, Report};
use crate::numbers::{decimals, fixed};
use crate::table::{ABSENT, Table};

/// A line for each group of rows that are pairwise equivalent.
pub(super) fn ties(report: &Report, game: &GameReport) -> Table {
    let (Some(ties), Some(margin), Some(within)) = (&game.ties, report.primary.margin, report.primary.within()) else {
        return Table::default();
    };
    let mut rows: Vec<Vec<String>> =
        (1..).zip(&ties.groups).map(|(number, group)| line(ties, number, group, decimals(margin.size))).collect();
    if rows.is_empty() {
        let why =
            if ties.pairs.is_empty() { format!("not tested: more than {MOST_ROWS} rows") } else { "none".to_owned() };
        rows.push(vec![ABSENT.to_owned(), why, ABSENT.to_owned()]);
    }
    let notes = vec![format!(
        "rows are tied if each two of them are equivalent within {within}: two one-sided tests for every pair of rows, with \
         the variance of verdicts, Holm-corrected over the grid's {} pairs; that is stricter than the verdicts, which count \
         the comparisons with the reference only; a row can be in several groups; rows that are not tied need not differ",
        ties.family
    )];
    let name = &report.primary.name;
    Table::new(["group".to_owned(), "rows, the best first".to_owned(), name.clone()], &[0, 1], rows)
        .titled(&format!("tied rows in {name}"))
        .noted(notes)
}

fn line(ties: &Ties, number: usize, group: &[usize], decimals: usize) -> Vec<String> {
    let all: Vec<_> = group.iter().map(|&place| &ties.rows[place]).collect();
    let labels: Vec<&str> = all.iter().map(|row| row.label.as_str()).collect();
    let ends = [all.first(), all.last()].map(|row| row.map_or_else(String::new, |row| fixed(row.mean, decimals)));
    vec![number.to_string(), labels.join("; "), ends.join(" to ")]
}
