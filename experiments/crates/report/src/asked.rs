//! What a reader asks of a report beside its plan.

use super::error::ReportError;
use super::model::Margin;
use records::Plan;

/// Questions about the primary metric. They change no number of a cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// The difference of which each comparison shows the number of seeds needed to detect it; if there is none, that of the
    /// plan.
    pub difference: Option<f64>,
    /// A metric and the size below which a difference in it does not matter; if there is none, that of the plan. It is
    /// marked as chosen after the run, unless it is that of the plan.
    pub equivalent_within: Option<(String, f64)>,
}

impl Asked {
    /// The margin of the primary metric.
    pub(super) fn margin(&self, plan: &Plan) -> Result<Option<Margin>, ReportError> {
        let primary = &plan.primary.metric;
        let planned = plan.equivalent_within.of(primary).map(|size| Margin { size, late: plan.late_margin });
        let Some((metric, size)) = &self.equivalent_within else { return Ok(planned) };
        if metric != primary {
            return Err(ReportError::Margin { metric: metric.clone(), primary: primary.clone() });
        }
        let late = Margin { size: *size, late: true };
        Ok(Some(planned.filter(|planned| planned.size == *size).unwrap_or(late)))
    }
}
