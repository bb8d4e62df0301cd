//! Learning curves: the primary metric on the validation positions by step, summarised over seeds.

use super::files::{CellRecord, CellResult};
use super::model::CurvePoint;
use super::statistics::{PairedTest, Summary};
use std::collections::BTreeSet;

/// The curve of a row's finished cells, with differences to the cells of the same seeds of its reference.
pub(super) fn of(cells: &[CellRecord], reference: Option<&[CellRecord]>, metric: &str) -> Vec<CurvePoint> {
    let results = cells.iter().filter_map(|cell| cell.result.as_ref());
    let steps: BTreeSet<u64> = results.flat_map(|result| result.validation.iter().map(|line| line.step)).collect();
    let at = |cell: &CellRecord, step| value(cell.result.as_ref()?, step, metric);
    steps
        .into_iter()
        .filter_map(|step| {
            let levels: Vec<f64> = cells.iter().filter_map(|cell| at(cell, step)).collect();
            let pairs = reference.map(|reference| cells.iter().zip(reference)).into_iter().flatten();
            let differences: Vec<f64> =
                pairs.filter_map(|(own, other)| Some(at(own, step)? - at(other, step)?)).collect();
            Some(CurvePoint { step, level: Summary::of(&levels)?, difference: PairedTest::of(&differences) })
        })
        .collect()
}

/// The last line of a step counts.
fn value(result: &CellResult, step: u64, metric: &str) -> Option<f64> {
    let line = result.validation.iter().rfind(|line| line.step == step)?;
    line.metrics.get(metric).filter(|value| value.is_finite())
}
