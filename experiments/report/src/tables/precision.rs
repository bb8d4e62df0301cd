//! How sharply a grid can see.

use super::{NOT_YET, name};
use crate::model::{GameReport, Precision, Report, RowReport};
use crate::numbers::{decimals, fixed, p_value};
use crate::sheet::Sheet;
use crate::statistics::power::{MOST_SEEDS, POWER};
use records::plan::Role;

/// What is shown beside the verdicts and decides none; with a difference that was named, the seeds that it needs.
pub(super) fn precision(report: &Report, game: &GameReport) -> Sheet {
    let mut header = ["encoding", "sd of differences", "sign-flip p", "smallest visible", "seeds for this difference"]
        .map(str::to_owned)
        .to_vec();
    if let Some(size) = report.primary.difference {
        header.extend([format!("seeds for {size}"), format!("seen now, {size}")]);
    }
    let compared = |row: &&RowReport| row.role == Role::Compared;
    let rows = game.rows.iter().filter(compared).filter_map(|row| {
        let comparison = row.comparison.as_ref()?;
        let test = comparison.test?;
        let precision = comparison.precision.as_ref()?;
        let visible = precision.visible.map_or_else(|| NOT_YET.to_owned(), |size| fixed(size, decimals(size)));
        let sd = fixed(test.sd, decimals(test.sd));
        let mut cells = vec![name(row), sd, p_value(precision.sign_flip), visible, seeds(precision.seeds)];
        cells.extend(report.primary.difference.into_iter().flat_map(|_| named(precision)));
        Some(cells)
    });
    let sheet = Sheet::new(header, &[0], rows).titled("precision (for information)");
    Sheet { notes: notes(report, game), ..sheet }
}

fn named(precision: &Precision) -> [String; 2] {
    match precision.named {
        Some(named) => [seeds(named.seeds), format!("{:.0} %", named.power * 100.0)],
        None => [NOT_YET, NOT_YET].map(str::to_owned),
    }
}

fn seeds(needed: Option<usize>) -> String {
    needed.map_or_else(|| format!("> {MOST_SEEDS}"), |seeds| seeds.to_string())
}

fn notes(report: &Report, game: &GameReport) -> Vec<String> {
    let mut notes = vec![format!(
        "sign-flip p: exact, over all signs of the differences; with so few seeds it cannot go below {}",
        game.least_sign_flip().map_or_else(|| NOT_YET.to_owned(), p_value)
    )];
    notes.push(format!(
        "smallest visible: the true difference that these seeds would show in {:.0} of 100 grids after the strictest step \
         of Holm's correction; seeds for this difference: how many would show the observed one as often",
        POWER * 100.0
    ));
    notes.extend(report.primary.difference.map(|size| {
        format!(
            "seeds for {size}: how many would show a true difference of {size} in {:.0} of 100 grids at the same step (α / \
             {}); seen now: in how many grids the present seeds would; both take the sd of the present differences for the \
             true one",
            POWER * 100.0,
            report.family
        )
    }));
    notes
}
