//! The precision of comparisons.

use crate::comparison::Precision;
use crate::model::{GameReport, Report, RowReport};
use crate::numbers::{decimals, fixed, or_absent, p_value};
use crate::statistics::power::{MOST_SEEDS, POWER};
use crate::table::{ABSENT, ROW, Table};
use facts::Role;
use std::iter::once;

/// The precision of every comparison; with a given difference, the seeds that it needs.
pub(crate) fn table(report: &Report, game: &GameReport) -> Table {
    let mut header =
        [ROW, "sd over seeds", "games' share", "p over seeds", "detectable difference", "seeds for this difference"]
            .map(str::to_owned)
            .to_vec();
    if let Some(size) = report.primary.difference {
        header.extend([format!("seeds for {size}"), format!("power for {size}")]);
    }
    let compared = |row: &&RowReport| row.role == Role::Compared;
    let rows = game.rows.iter().filter(compared).filter_map(|row| {
        let comparison = row.comparison.as_ref()?;
        let test = comparison.test?;
        let precision = comparison.precision.as_ref()?;
        let detectable = or_absent(precision.detectable, |size| fixed(size, decimals(size)));
        let sd = fixed(test.sd, decimals(test.sd));
        let share = or_absent(row.crossed(), |crossed| format!("{:.0} %", crossed.games_share * 100.0));
        // Where nothing varies, the number of seeds is not known.
        let needed = or_absent(precision.detectable, |_| seeds(precision.seeds));
        let mut cells = vec![row.name(), sd, share, p_value(test.p), detectable, needed];
        cells.extend(report.primary.difference.into_iter().flat_map(|_| target(precision)));
        Some(cells)
    });
    let split = "games' share: the share of test games in the variance of the difference, the rest is of seeds; p over seeds: of \
                 the paired t-test that takes the test games as fixed, uncorrected";
    let power = POWER * 100.0;
    let detectable = format!(
        "detectable difference: the true difference that these seeds and test games detect in {power:.0} of 100 grids at \
         the strictest step of Holm's correction; seeds for this difference: the seeds that detect the observed one as \
         often on the same test games; > {MOST_SEEDS}: more than {MOST_SEEDS}; where test games have a share, more games help"
    );
    let given = report.primary.difference.map(|size| {
        format!(
            "seeds for {size}: the seeds that detect a true difference of {size} in {power:.0} of 100 grids at the same \
             step (α / {}); power for {size}: the share of grids in which the present seeds detect it; both assume the \
             present variances",
            report.family
        )
    });
    Table::new(header, &[0], rows)
        .titled("precision (no verdict depends on it)")
        .noted([split])
        .noted(once(detectable).chain(given))
        .without_empty_columns()
}

fn target(precision: &Precision) -> [String; 2] {
    match precision.target {
        Some(target) => [seeds(target.seeds), format!("{:.0} %", target.power * 100.0)],
        None => [ABSENT, ABSENT].map(str::to_owned),
    }
}

fn seeds(needed: Option<usize>) -> String {
    needed.map_or_else(|| format!("> {MOST_SEEDS}"), |seeds| seeds.to_string())
}
