//! The tables of rows that are variants of each other: sizes, budgets.

use super::cells::ROW;
use crate::model::GameReport;
use crate::model::variants::{Budgets, Equivalent, Multiple, Place, SizeMeasure, Sizes};
use crate::numbers::{alone, fixed, interval, or_absent, with_interval};
use crate::statistics::PairedTest;
use crate::statistics::across::RankCorrelation;
use crate::table::{ABSENT, Table};
use facts::grouped;
use std::iter::once;

/// Every such table that a game has.
pub(super) fn variants(game: &GameReport) -> Vec<Table> {
    let tables = [game.sizes.as_ref().map(sizes), game.budgets.as_ref().map(budgets)];
    tables.into_iter().flatten().collect()
}

fn difference((mean, test): (&Option<f64>, &Option<PairedTest>)) -> String {
    let shown = |test: &PairedTest| with_interval(test.mean, &test.interval(0.95));
    test.as_ref().map_or_else(|| or_absent(*mean, alone), shown)
}

fn sizes(sizes: &Sizes) -> Table {
    let of_measure = |by: &SizeMeasure| [format!("{}: × reference", by.name()), "× own".to_owned()];
    let header = once(ROW.to_owned()).chain(SizeMeasure::ALL.iter().flat_map(of_measure));
    let rows = sizes.rows.iter().map(|row| {
        let cells = row.equivalents.iter().flat_map(|equivalent| match equivalent {
            Some(Equivalent { by_reference, by_row }) => [multiple(by_reference), multiple(by_row)],
            None => [ABSENT, ABSENT].map(str::to_owned),
        });
        once(row.label.clone()).chain(cells).collect()
    });
    let notes = vec![format!(
        "on {} sizes of the reference, whose means over seeds are fitted so that no larger size is worse, linearly in the \
         logarithm of the size; in brackets the sizes at the ends of the row's 95 % t-interval; ≥ and ≤: at or beyond the \
         largest or the smallest size; × reference: the size that matches, divided by the reference's; × own: the same divided by the \
         row's own size, above 1 the row is better than the reference of the same size",
        sizes.rungs
    )];
    let title = format!("size equivalents: the size at which {} matches", sizes.reference);
    Table::new(header, &[0], rows).titled(&title).noted(notes)
}

fn multiple(multiple: &Multiple) -> String {
    let place = |place: Place| match place {
        Place::At(size) => fixed(size, 2),
        Place::AtLeast(size) => format!("≥ {}", fixed(size, 2)),
        Place::AtMost(size) => format!("≤ {}", fixed(size, 2)),
    };
    let [low, high] = multiple.ends.map(place);
    format!("{} [{low}, {high}]", place(multiple.at))
}

fn budgets(budgets: &Budgets) -> Table {
    let header = once(ROW.to_owned()).chain(budgets.steps.iter().map(|&n| format!("{} steps", grouped(n))));
    let rows = budgets
        .rows
        .iter()
        .map(|row| once(row.label.clone()).chain(row.differences.iter().zip(&row.tests).map(difference)).collect());
    let ranks = budgets.ranks.iter().zip(&budgets.steps).filter_map(|(ranks, &steps)| {
        let RankCorrelation { tau, interval: ends } = (*ranks)?;
        Some(format!(
            "order of the rows after {} steps and at the end: Kendall's τ = {}, over draws of the seeds {}",
            grouped(steps),
            fixed(tau, 2),
            interval(&ends, 2)
        ))
    });
    let notes = once("plain 95 % t-intervals, paired by seed, uncorrected".to_owned()).chain(ranks).collect();
    Table::new(header, &[0], rows)
        .titled("budgets: differences on test to the reference with the same number of steps")
        .noted(notes)
}
