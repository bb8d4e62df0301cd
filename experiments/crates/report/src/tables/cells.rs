//! Cells that several tables of a row have.

use crate::model::RowReport;
use crate::model::comparison::{Comparison, Missing, Verdict};
use crate::numbers::{mean_sd, or_absent};
use facts::Role;
use facts::metrics::Metric;

/// The heading of the rows' names.
pub(super) const ROW: &str = "row";

/// What the A/A control is called in tables and plots.
pub(crate) const CONTROL: &str = "A/A control";

/// The label of a row.
pub(crate) fn name(row: &RowReport) -> String {
    if row.role == Role::Twin { CONTROL.to_owned() } else { row.label.clone() }
}

/// The heading of a metric's column: shares are percentages.
pub(super) fn heading(metric: &Metric) -> String {
    if scale(metric) == 1.0 { metric.name.to_owned() } else { format!("{} %", metric.name) }
}

/// A metric of a row on test, of this name (that of the metric, or of its bucket).
pub(super) fn value(row: &RowReport, metric: &Metric, name: &str) -> String {
    if row.not_applicable.contains(&name) {
        return "n/a".to_owned();
    }
    or_absent(row.test.get(name), |summary| mean_sd(summary, scale(metric)))
}

fn scale(metric: &Metric) -> f64 {
    if metric.unit == "share" { 100.0 } else { 1.0 }
}

/// The verdict of a comparison, or why there is none, with the seeds of the row that diverged.
pub(crate) fn verdict(comparison: &Comparison) -> String {
    let judged = || ruled_out(&comparison.missing).unwrap_or_else(|| comparison.judgement());
    match (comparison.divergence(), comparison.verdict) {
        (None, _) => judged(),
        (Some(seeds), Verdict::Diverged | Verdict::Missing) => format!("{seeds}: cannot be better"),
        (Some(seeds), _) => format!("{}; {seeds}", judged()),
    }
}

/// Why there can be no verdict.
pub(crate) fn ruled_out(missing: &[Missing]) -> Option<String> {
    missing.iter().find(|missing| missing.rules_out_a_verdict()).map(Missing::to_string)
}
