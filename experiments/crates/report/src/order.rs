//! Rows in the order of their effects, for the page and for figures. Text and CSV keep the order of the experiment.

use crate::comparison::Comparison;
use crate::model::{GameReport, Report, RowReport};
use facts::Role;
use facts::metrics::Direction;

/// The same report with the best rows first. Each reference stays above the rows that are compared with it.
pub(crate) fn by_effect(report: &Report) -> Report {
    let mut report = report.clone();
    let direction = report.primary.direction;
    report.games.iter_mut().for_each(|game| sort(game, direction));
    for transfer in &mut report.transfer {
        transfer.rows.sort_by(|a, b| b.effects[0].standardised.total_cmp(&a.effects[0].standardised));
    }
    report
}

fn sort(game: &mut GameReport, direction: Direction) {
    let GameReport { rows, slices, tuning, strength, .. } = game;
    for group in rows.chunk_by_mut(|_, next| next.role != Role::Reference) {
        let key = |row: &RowReport| (row.role != Role::Reference, badness(row, direction));
        group.sort_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    }
    let place = |label: &str| rows.iter().position(|row| row.label == label).unwrap_or(usize::MAX);
    for report in slices {
        let mut order: Vec<usize> = (0..report.rows.len()).collect();
        order.sort_by_key(|&i| place(&report.rows[i]));
        report.rows = order.iter().map(|&i| report.rows[i].clone()).collect();
        for slice in report.dimensions.iter_mut().flat_map(|dimension| &mut dimension.slices) {
            slice.differences = order.iter().map(|&i| slice.differences[i]).collect();
        }
    }
    tuning.iter_mut().for_each(|tuning| tuning.rows.sort_by_key(|row| place(&row.label)));
    strength.iter_mut().for_each(|asked| asked.rows.sort_by_key(|row| place(&row.label)));
}

/// How bad a row is against its reference, which is 0: the lower, the better. Rows without a difference come last.
pub(crate) fn badness(row: &RowReport, direction: Direction) -> f64 {
    let mean = match row.role {
        Role::Reference => Some(0.0),
        _ => row.comparison.as_ref().and_then(Comparison::mean).filter(|mean| mean.is_finite()),
    };
    mean.map_or(f64::INFINITY, |mean| if direction == Direction::Higher { -mean } else { mean })
}
