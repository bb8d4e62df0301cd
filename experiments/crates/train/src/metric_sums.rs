//! Sums of metrics over evaluated examples, and their means.

use config::Mask;
use config::metrics;
use config::metrics::NOVEL;
use games::Phase;
use models::{Aggregation, Examples, Measure, Metric, Output, Target};
use records::Metrics;
use records::positions::MAP_LOSS;
use tch::{Device, TchError, Tensor};

/// The metrics of one batch, in host memory: one column of values per metric, and one per target that counts how much
/// of it each example has.
#[derive(Debug, Default)]
pub(super) struct BatchMetrics {
    values: Vec<(&'static Metric, Vec<f32>)>,
    counts: Vec<(Target, Vec<f32>)>,
}

impl BatchMetrics {
    pub(super) fn of(measure: &Measure, output: &Output, examples: &Examples) -> Result<Self, TchError> {
        let values = measure.values(output, examples);
        let mut targets: Vec<Target> = Vec::new();
        for metric in measure.metrics() {
            if let Aggregation::Mean(target) | Aggregation::Count(target) = metric.aggregation
                && !targets.contains(&target)
            {
                targets.push(target);
            }
        }
        let counts = targets.iter().map(|&target| measure.counts(target, examples));
        let columns: Vec<Tensor> = values.iter().map(|(_, rows)| rows.shallow_clone()).chain(counts).collect();
        if columns.is_empty() {
            return Ok(Self::default());
        }
        // One transfer for all columns.
        let numbers: Vec<f32> = Vec::try_from(Tensor::f_cat(&columns, 0)?.f_to_device(Device::Cpu)?)?;
        let mut columns = numbers.chunks(examples.rows() as usize).map(<[f32]>::to_vec);
        Ok(Self {
            values: values.iter().map(|(metric, _)| *metric).zip(&mut columns).collect(),
            counts: targets.into_iter().zip(columns).collect(),
        })
    }

    pub(super) fn numbers(&self) -> Vec<f32> {
        self.columns().flatten().copied().collect()
    }

    /// The same metrics of another batch, by its [`Self::numbers`].
    pub(super) fn with(&self, numbers: &[f32]) -> Self {
        let rows = numbers.len() / self.columns().count().max(1);
        let mut columns = numbers.chunks(rows.max(1)).map(<[f32]>::to_vec);
        Self {
            values: self.values.iter().map(|(metric, _)| *metric).zip(&mut columns).collect(),
            counts: self.counts.iter().map(|(target, _)| *target).zip(columns).collect(),
        }
    }

    fn columns(&self) -> impl Iterator<Item = &Vec<f32>> {
        self.values.iter().map(|(_, column)| column).chain(self.counts.iter().map(|(_, column)| column))
    }

    /// The value of a metric for an example, its mean over the example's targets (a map has many); `None` if the network
    /// does not have the metric or the example lacks its target.
    pub(super) fn value(&self, name: &str, row: usize) -> Option<f32> {
        let (metric, values) = self.values.iter().find(|(metric, _)| metric.name == name)?;
        Some(values[row] / self.count(metric, row)?)
    }

    /// How many labelled cells of a map an example has; `None` without a map or without labels.
    pub(super) fn map_cells(&self, row: usize) -> Option<u32> {
        let (metric, _) = self.values.iter().find(|(metric, _)| metric.name == MAP_LOSS)?;
        Some(self.count(metric, row)? as u32)
    }

    /// How many targets of a metric an example has; `None` if it has none.
    fn count(&self, metric: &Metric, row: usize) -> Option<f32> {
        let Aggregation::Mean(target) = metric.aggregation else { return None };
        let (_, counts) = self.counts.iter().find(|(own, _)| *own == target)?;
        Some(counts[row]).filter(|&count| count > 0.0)
    }
}

/// Sums over all examples and over the examples of each bucket, in order.
#[derive(Debug, Default)]
pub(super) struct MetricSums {
    all: Bucket,
    phases: [Bucket; Phase::ALL.len()],
    novel: Bucket,
}

#[derive(Debug, Default)]
struct Bucket {
    positions: u64,
    /// How much of each target the examples have.
    counts: Vec<(Target, u64)>,
    sums: Vec<(&'static Metric, f64)>,
}

impl MetricSums {
    /// Adds an example of a batch; `phase` is an index in [`Phase::ALL`].
    pub(super) fn add(&mut self, measured: &BatchMetrics, row: usize, phase: usize, novel: bool) {
        self.all.add(measured, row);
        if let Some(phase) = self.phases.get_mut(phase) {
            phase.add(measured, row);
        }
        if novel {
            self.novel.add(measured, row);
        }
    }

    /// The metrics that apply to this mask and have examples, in the registry's order.
    pub(super) fn metrics(&self, own: &[&'static Metric], mask: Mask) -> Metrics {
        let mut out = Metrics::default();
        for metric in metrics::all().iter().filter(|metric| metric.applies(mask)) {
            let value = match metric.name.split_once('.') {
                None => self.all.of(metric.name, own),
                Some((base, NOVEL)) => self.novel.of(base, own),
                Some((base, bucket)) => {
                    let phase = Phase::ALL.iter().position(|phase| phase.name() == bucket);
                    phase.and_then(|phase| self.phases[phase].of(base, own))
                }
            };
            if let Some(value) = value {
                out.push(metric.name, value);
            }
        }
        out
    }
}

impl Bucket {
    fn add(&mut self, measured: &BatchMetrics, row: usize) {
        self.positions += 1;
        if self.sums.is_empty() && self.counts.is_empty() {
            self.sums = measured.values.iter().map(|(metric, _)| (*metric, 0.0)).collect();
            self.counts = measured.counts.iter().map(|(target, _)| (*target, 0)).collect();
        }
        for ((_, count), (_, counts)) in self.counts.iter_mut().zip(&measured.counts) {
            *count += counts[row] as u64;
        }
        for ((_, sum), (metric, values)) in self.sums.iter_mut().zip(&measured.values) {
            if measured.count(metric, row).is_some() {
                *sum += f64::from(values[row]);
            }
        }
    }

    /// A metric by its name: a mean over the targets in the bucket, or a count; `None` without examples or without the
    /// head.
    fn of(&self, name: &str, own: &[&'static Metric]) -> Option<f64> {
        if name == "positions" {
            return Some(self.positions as f64);
        }
        let metric = own.iter().find(|metric| metric.name == name)?;
        match metric.aggregation {
            Aggregation::Mean(target) => {
                let (_, sum) = self.sums.iter().find(|(own, _)| own.name == name)?;
                let count = self.count(target);
                (count > 0).then(|| sum / count as f64)
            }
            Aggregation::Count(target) => Some(self.count(target) as f64),
            Aggregation::Derived(derive) => derive(&|other| self.of(other, own)),
            Aggregation::Examples => Some(self.positions as f64),
            Aggregation::OfSteps => None,
        }
    }

    fn count(&self, target: Target) -> u64 {
        self.counts.iter().find(|(own, _)| *own == target).map_or(0, |&(_, count)| count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::HeadName;

    fn own(heads: &[HeadName]) -> Vec<&'static Metric> {
        heads.iter().flat_map(|head| head.measures().all()).collect()
    }

    const USUAL: [HeadName; 2] = [HeadName::Policy, HeadName::Result];

    /// One example, every metric of policy and result with this value.
    fn row(value: f32, has_policy: bool) -> BatchMetrics {
        let means = own(&USUAL).into_iter().filter(|metric| matches!(metric.aggregation, Aggregation::Mean(_)));
        BatchMetrics {
            values: means.map(|metric| (metric, vec![value])).collect(),
            counts: vec![(Target::Policy, vec![f32::from(u8::from(has_policy))]), (Target::Outcome, vec![1.0])],
        }
    }

    #[test]
    fn the_numbers_of_a_batch_give_its_metrics() {
        let other = row(2.5, false);
        let read = row(1.0, true).with(&other.numbers());
        assert_eq!(read.numbers(), other.numbers());
        let bits = |batch: &BatchMetrics| ["policy_loss", "value_loss"].map(|name| batch.value(name, 0));
        assert_eq!(bits(&read), [None, Some(2.5)]);
        assert_eq!(bits(&read), bits(&other));
    }

    #[test]
    fn means_divide_by_the_rows_that_have_the_target_in_their_bucket() {
        let mut sums = MetricSums::default();
        sums.add(&row(1.0, true), 0, 0, false);
        sums.add(&row(2.0, false), 0, 0, true);
        sums.add(&row(6.0, true), 0, 2, true);
        let metrics = sums.metrics(&own(&USUAL), Mask::Eval);
        assert_eq!(metrics.get("policy_loss"), Some(3.5));
        assert_eq!(metrics.get("value_loss"), Some(3.0));
        assert_eq!(metrics.get("policy_loss.opening"), Some(1.0));
        assert_eq!(metrics.get("value_loss.opening"), Some(1.5));
        assert_eq!(metrics.get("policy_loss.novel"), Some(6.0));
        assert_eq!(metrics.get("positions"), Some(3.0));
        assert_eq!(metrics.get("policy_targets"), Some(2.0));
        assert_eq!(metrics.get("value_targets"), Some(3.0));
        assert_eq!(metrics.get("legal_mass.opening"), Some(1.0));
        assert_eq!(metrics.get("policy_kl.endgame"), Some(6.0));
        assert_eq!(metrics.get("positions.opening"), Some(2.0));
        assert_eq!(metrics.get("positions.middlegame"), Some(0.0));
        assert_eq!(metrics.get("policy_targets.middlegame"), Some(0.0));
        assert_eq!(metrics.get("policy_loss.middlegame"), None);
        let of_other_heads = ["q_loss", "q_targets", "map_loss", "map_cells", "moves_left_loss", "soft_policy_loss"];
        assert!(of_other_heads.iter().all(|name| metrics.get(name).is_none()));
    }

    #[test]
    fn what_is_stored_of_positions_is_measured() {
        assert!(records::positions::MEASURES.iter().all(|name| metrics::find(name).is_ok()));
    }
}
