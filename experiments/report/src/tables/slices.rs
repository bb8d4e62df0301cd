//! The tables of parts of the test positions.

use super::NOT_YET;
use crate::model::GameReport;
use crate::numbers::{decimals, fixed, interval, interval_decimals, signed};
use crate::sheet::Sheet;
use crate::slices::{Slice, SliceReport};
use crate::statistics::crossed::Estimate;
use spec::grouped;

/// So many rows of a report fit beside each other.
const SIDE_BY_SIDE: usize = 3;

/// Differences to the reference by slice; several tables where there are many rows.
pub(crate) fn slices(game: &GameReport) -> Vec<Sheet> {
    let Some(report) = &game.slices else { return Vec::new() };
    let places: Vec<usize> = (0..report.rows.len()).collect();
    places.chunks(SIDE_BY_SIDE).map(|places| of_rows(report, places)).collect()
}

fn of_rows(report: &SliceReport, places: &[usize]) -> Sheet {
    let mut header = vec!["slice".to_owned(), "positions".to_owned(), report.reference.clone()];
    header.extend(places.iter().map(|&place| report.rows[place].clone()));
    let slices = report.dimensions.iter().flat_map(|dimension| dimension.slices.iter().map(move |s| (dimension, s)));
    let rows = slices.map(|(dimension, slice)| {
        let name =
            if dimension.name == "all" { slice.name.clone() } else { format!("{}: {}", dimension.name, slice.name) };
        let level = fixed(slice.reference, decimals(slice.reference.abs() / 100.0));
        let mut cells = vec![name, grouped(slice.positions as u64), level];
        cells.extend(places.iter().map(|&place| difference(slice, place)));
        cells
    });
    let title = format!("{} by slice: the reference, and differences to it", report.measure);
    let sheet = Sheet::new(header, &[0], rows).titled(&title);
    let notes = vec![
        "paired by position; 95 % intervals over seeds and games, uncorrected: with so many slices some \
         exclude 0 by chance"
            .to_owned(),
    ];
    Sheet { notes, ..sheet }
}

fn difference(slice: &Slice, place: usize) -> String {
    match slice.differences[place] {
        None => NOT_YET.to_owned(),
        Some(Estimate { difference, interval: ends }) => {
            let decimals = interval_decimals(&ends);
            format!("{} {}", signed(difference, decimals), interval(&ends, decimals))
        }
    }
}
