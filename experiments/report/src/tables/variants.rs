//! The tables of rows that are variants of each other: learning rates, sizes, budgets.

use super::NOT_YET;
use crate::budgets::Budgets;
use crate::model::GameReport;
use crate::numbers::{fixed, interval, interval_decimals, mean_sd, p_value, signed};
use crate::sheet::Sheet;
use crate::sizes::{Equivalent, Multiple, Sizes, Yardstick};
use crate::statistics::PairedTest;
use crate::statistics::across::RankCorrelation;
use crate::sweep::Sweep;
use spec::grouped;

/// Every such table that a game has.
pub(super) fn variants(game: &GameReport) -> Vec<Sheet> {
    let sheets = [game.sweep.as_ref().map(sweep), game.sizes.as_ref().map(sizes), game.budgets.as_ref().map(budgets)];
    sheets.into_iter().flatten().collect()
}

fn difference(test: Option<PairedTest>) -> String {
    test.map_or_else(
        || NOT_YET.to_owned(),
        |test| {
            let ends = test.interval(0.95);
            let decimals = interval_decimals(&ends);
            format!("{} {}", signed(test.mean, decimals), interval(&ends, decimals))
        },
    )
}

fn sweep(sweep: &Sweep) -> Sheet {
    let header = ["chosen row", "tried", "rate", "validation", "test", "difference on test", "Holm p", "verdict"];
    let rows = sweep.chosen.iter().map(|one| {
        let is_reference = one.label == sweep.reference;
        vec![
            one.label.clone(),
            one.tried.to_string(),
            if one.at_the_edge { format!("{} (edge)", one.rate) } else { one.rate.clone() },
            mean_sd(&one.validation, 1.0),
            mean_sd(&one.test, 1.0),
            if is_reference { String::new() } else { difference(one.difference) },
            one.holm_p.map_or_else(|| if is_reference { String::new() } else { NOT_YET.to_owned() }, p_value),
            if is_reference { "(reference)".to_owned() } else { one.verdict.to_string() },
        ]
    });
    let sheet = Sheet::new(header, &[0, 7], rows).titled("learning rates: chosen on validation, reported on test");
    let mut notes = vec![
        "each set of rows that differ in their learning rate only: the one that is best on validation over all seeds; \
         these verdicts stand instead of those above, where every rate is a row of its own"
            .to_owned(),
    ];
    if sweep.chosen.iter().any(|one| one.at_the_edge) {
        notes
            .push("edge: the chosen rate is the smallest or the largest tried, a better one may lie beyond".to_owned());
    }
    Sheet { notes, ..sheet }
}

fn sizes(sizes: &Sizes) -> Sheet {
    let header = ["encoding".to_owned()]
        .into_iter()
        .chain(Yardstick::ALL.iter().flat_map(|by| [format!("{}: × reference", by.words()), "× own".to_owned()]));
    let rows = sizes.rows.iter().map(|row| {
        let cells = row.equivalents.iter().flat_map(|equivalent| match equivalent {
            Some(Equivalent { by_reference, by_row }) => [multiple(by_reference), multiple(by_row)],
            None => [NOT_YET.to_owned(), NOT_YET.to_owned()],
        });
        std::iter::once(row.label.clone()).chain(cells).collect()
    });
    let sheet = Sheet::new(header, &[0], rows)
        .titled(&format!("size equivalents: how large {} must be to match", sizes.reference));
    let notes = vec![format!(
        "interpolated on {} sizes of the reference, straight in the logarithm of the size, by seed; geometric means with \
         95 % t-intervals; × reference: how much larger than it is; × own: the matching reference by what the row itself \
         takes, above 1 the encoding does more with as much",
        sizes.rungs
    )];
    Sheet { notes, ..sheet }
}

fn multiple(multiple: &Multiple) -> String {
    match multiple {
        Multiple::Of(mean, ends) => format!("{} [{}, {}]", fixed(*mean, 2), fixed(ends.low, 2), fixed(ends.high, 2)),
        Multiple::Above(size) => format!("> {}", fixed(*size, 2)),
        Multiple::Below(size) => format!("< {}", fixed(*size, 2)),
    }
}

fn budgets(budgets: &Budgets) -> Sheet {
    let header =
        ["encoding".to_owned()].into_iter().chain(budgets.steps.iter().map(|&n| format!("{} steps", grouped(n))));
    let rows = budgets.rows.iter().map(|row| {
        std::iter::once(row.label.clone()).chain(row.differences.iter().map(|test| difference(*test))).collect()
    });
    let sheet =
        Sheet::new(header, &[0], rows).titled("budgets: differences on test to the reference of the same steps");
    let ranks = budgets.ranks.iter().zip(&budgets.steps).filter_map(|(ranks, &steps)| {
        let RankCorrelation { tau, interval: ends } = (*ranks)?;
        Some(format!(
            "order of the rows after {} steps and at the end: Kendall's τ = {}, over draws of the seeds {}",
            grouped(steps),
            fixed(tau, 2),
            interval(&ends, 2)
        ))
    });
    let mut notes = vec!["plain 95 % t-intervals, paired by seed, uncorrected".to_owned()];
    notes.extend(ranks);
    Sheet { notes, ..sheet }
}
