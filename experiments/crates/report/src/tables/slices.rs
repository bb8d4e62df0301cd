//! The tables of parts of the test positions.

use crate::model::GameReport;
use crate::model::slices::{Slice, SliceReport};
use crate::numbers::{decimals, fixed, or_absent, with_interval};
use crate::table::Table;
use facts::grouped;

/// The most rows of a report that one table compares.
const SIDE_BY_SIDE: usize = 3;

/// Differences to each reference by slice; several tables if there are many rows.
pub(crate) fn slices(game: &GameReport) -> Vec<Table> {
    game.slices.iter().flat_map(of_reference).collect()
}

fn of_reference(report: &SliceReport) -> Vec<Table> {
    let places: Vec<usize> = (0..report.rows.len()).collect();
    places.chunks(SIDE_BY_SIDE).map(|places| of_rows(report, places)).collect()
}

fn of_rows(report: &SliceReport, places: &[usize]) -> Table {
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
    let notes = vec![
        "paired by position; 95 % intervals over seeds and games, uncorrected: some of these slices exclude 0 by chance"
            .to_owned(),
    ];
    Table::new(header, &[0], rows).titled(&title).noted(notes)
}

fn difference(slice: &Slice, place: usize) -> String {
    or_absent(slice.differences[place], |estimate| with_interval(estimate.difference, &estimate.interval))
}
