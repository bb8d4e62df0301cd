//! One row of a report: the cells that differ in their seed only.

use crate::comparison::Comparison;
use crate::statistics::crossed::Crossed;
use crate::statistics::{PairedTest, Summary};
use facts::row_name::readable;
use facts::{Mask, NetworkFacts, Quantity, Role};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
pub struct RowReport {
    /// Its label, unique within its game.
    pub label: String,
    pub role: Role,
    /// Its values on [`Report::axes`](super::Report::axes); empty texts before a cell has begun if the plan has none.
    pub axes: Vec<String>,
    pub mask: Mask,
    pub cells: CellCounts,
    pub network: NetworkFacts,
    /// Its encodings with all options, as in the manifest, once a cell has one.
    pub encodings: Option<serde_json::Value>,
    /// Its network in a few words, once a cell has a manifest.
    pub system: Option<System>,
    /// What its network was made equal to, if it is a matched control.
    pub matched: Option<MatchedReport>,
    /// Its position sources that not every row of its game has.
    pub own_sources: Vec<String>,
    pub primary: Option<Summary>,
    /// Every metric of the test split over the finished seeds.
    pub test: BTreeMap<String, Summary>,
    /// Metrics that do not apply to it, because it was trained with illegal moves masked out.
    pub not_applicable: Vec<&'static str>,
    /// The primary metric on test less the same on a sample of the training positions, both after the last step.
    pub gap: Option<Summary>,
    pub epochs: Option<f64>,
    /// The share of the steps whose gradient was clipped, over the finished seeds.
    pub clipped: Option<Summary>,
    /// Settings of its training that never acted, in words.
    pub inactive: Vec<String>,
    pub step_time: Option<StepTimeReport>,
    /// Multiplications and additions of a forward pass for one position, once a cell has a manifest.
    pub flops: Option<u64>,
    /// The primary metric on training batches by step, the mean over the seeds; thinned.
    pub training: Vec<(u64, f64)>,
    /// The primary metric on the validation positions by step, over the seeds.
    pub curve: Vec<CurvePoint>,
    /// The comparison with the reference; none for the reference itself.
    pub comparison: Option<Comparison>,
    /// The policy loss of the log-linear baseline on its test positions; none if that was not measured, or if the row is
    /// judged on illegal moves as well.
    pub log_linear: Option<f64>,
}

impl RowReport {
    /// Whether its policy loss is not below that of the log-linear baseline.
    pub fn misses_log_linear(&self) -> bool {
        self.test.get("policy_loss").zip(self.log_linear).is_some_and(|(loss, baseline)| loss.mean >= baseline)
    }

    /// The change of its primary metric per doubling of the steps at the end of training: the slope of the least-squares line
    /// through the means over seeds, over the last half of the steps. None below two points there.
    pub fn per_doubling(&self) -> Option<f64> {
        let last = self.curve.last()?.step;
        let end = self.curve.iter().filter(|point| point.step > 0 && point.step >= last.div_ceil(2));
        let points: Vec<(f64, f64)> = end.map(|point| ((point.step as f64).log2(), point.level.mean)).collect();
        let n = points.len() as f64;
        let mean_x = points.iter().map(|point| point.0).sum::<f64>() / n;
        let mean_y = points.iter().map(|point| point.1).sum::<f64>() / n;
        let across: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let squares: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        (points.len() >= 2 && squares > 0.0).then(|| across / squares)
    }

    /// Its name in tables, figures and sentences.
    pub(crate) fn name(&self) -> String {
        if self.role == Role::Twin { "A/A control".to_owned() } else { readable(&self.label) }
    }

    /// The noise of its comparison, if it is that of seeds and test games.
    pub(crate) fn crossed(&self) -> Option<&Crossed> {
        self.comparison.as_ref()?.crossed()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellCounts {
    pub all: usize,
    pub done: usize,
    pub running: usize,
    pub interrupted: usize,
    pub pending: usize,
    pub failed: usize,
}

/// What a matched control was made equal to.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedReport {
    pub quantity: Quantity,
    /// The label of the row that it was matched to; its folder, if the grid no longer has that row.
    pub goal: String,
    /// Its quantity divided by that row's; a time has none before it is measured.
    pub ratio: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTimeReport {
    pub seconds: f64,
    pub ratio: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    pub step: u64,
    pub level: Summary,
    /// Row less reference, paired by seed; none for the reference, and below two pairs.
    pub difference: Option<PairedTest>,
}

/// A row's network in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// `chessformer 2×48/192`: the architecture, layers, width and feed-forward width; the plies of a decoder and the
    /// moves of a refinement pass, if it has them.
    pub network: String,
    pub architecture: String,
    pub input: String,
    pub moves: String,
    /// Its encodings' names, joined by `+`.
    pub encoding: String,
}
