//! The metric that verdicts are about, and the options of a report about it.

use anyhow::bail;
use facts::metrics::Direction;
use facts::{ReadAt, Weights};
use records::Plan;
use std::collections::BTreeSet;

/// Options of a report that override the plan. They change no number of a cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportOptions {
    /// The difference of which each comparison shows the number of seeds needed to detect it; if there is none, that of the
    /// plan.
    pub difference: Option<f64>,
    /// A metric and the size below which a difference in it does not matter; if there is none, that of the plan. It is
    /// marked as chosen after the run, unless it is that of the plan.
    pub equivalent_within: Option<(String, f64)>,
    /// The positions of a budget to predict from smaller ones; if there is none, that of the plan.
    pub extrapolate: Option<u64>,
    /// The axis and the value of the rows that all others are compared with; if there is none, the references of the plan. The
    /// report says that its comparisons were chosen after the run.
    pub reference: Option<(String, String)>,
    /// Its cells by folder of the row and seed; all others count as pending. `None`: all of the run folder.
    pub cells: Option<BTreeSet<(String, u64)>>,
}

impl ReportOptions {
    pub(super) fn margin(&self, plan: &Plan) -> anyhow::Result<Option<Margin>> {
        let primary = &plan.primary.metric;
        let planned = plan.equivalent_within.of(primary).map(|size| Margin { size, late: plan.late_margin });
        let Some((metric, size)) = &self.equivalent_within else { return Ok(planned) };
        if metric != primary {
            bail!(
                "the verdicts of this grid are about {primary}, so a margin of {metric} cannot be used; write {primary}=SIZE"
            );
        }
        let late = Margin { size: *size, late: true };
        Ok(Some(planned.filter(|planned| planned.size == *size).unwrap_or(late)))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PrimaryMetric {
    pub name: String,
    pub unit: &'static str,
    pub direction: Direction,
    pub at: ReadAt,
    pub weights: Weights,
    /// The difference that it should be able to show, if someone named one.
    pub difference: Option<f64>,
    /// The size below which a difference does not matter, if someone named one.
    pub margin: Option<Margin>,
}

/// The size below which a difference does not matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margin {
    /// In the unit of the metric.
    pub size: f64,
    /// Whether it was chosen after the run: for this report, or when a cell had finished.
    pub late: bool,
}

impl PrimaryMetric {
    /// Whether it is this metric, on all positions or on some.
    pub(super) fn is_of(&self, metric: &str) -> bool {
        self.name.split('.').next() == Some(metric)
    }

    /// `±0.02 nats`, with a remark if it was chosen after the run; none without a margin.
    pub(super) fn within(&self) -> Option<String> {
        let Margin { size, late } = self.margin?;
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        Some(format!("±{size}{unit}{}", if late { " (margin chosen after the run)" } else { "" }))
    }

    /// What lies left and right of no difference; none if neither side is better.
    pub(super) fn sides(&self) -> Option<(&'static str, &'static str)> {
        match self.direction {
            Direction::Lower => Some(("better", "worse")),
            Direction::Higher => Some(("worse", "better")),
            Direction::Neither => None,
        }
    }

    pub(super) fn with_unit(&self) -> String {
        self.in_unit(&self.name)
    }

    /// The label of an axis of values of the metric: `Shaw less absolute [nats]`.
    pub(super) fn in_unit(&self, what: &str) -> String {
        if self.unit.is_empty() { what.to_owned() } else { format!("{what} [{}]", self.unit) }
    }
}
