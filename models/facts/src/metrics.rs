//! The registry of metrics: the meaning of each name, its unit, and the better direction.
//!
//! Heads declare their metrics ([`heads`](crate::heads)); here each gets its buckets of positions, and the metrics of lines of
//! training join them. A direction belongs to its metric, so that no report can call a higher loss an improvement. Every mean
//! divides by the number of rows that have its target (`policy_targets`, `value_targets` …, of the bucket where it is of one),
//! that of a map by the number of labelled cells, summed in f64 in the order of the rows.

use super::distinct;
use super::heads::HeadName;
use super::metric::{Aggregation, Loss};
use games::Phase;
use std::sync::LazyLock;

pub use super::metric::{Direction, Metric};

impl Metric {
    /// Its name without the bucket of positions.
    fn base(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }

    /// The heads that have it; a network with none of them does not. Empty for metrics of every network.
    pub fn heads(&self) -> Vec<HeadName> {
        let has = |head: &HeadName| head.measures().all().any(|own| own.name == self.base());
        HeadName::ALL.iter().copied().filter(has).collect()
    }

    /// The loss that it is the mean of, if it is one; a network without that loss does not have the metric.
    pub fn loss(&self) -> Option<&'static Loss> {
        Loss::all().iter().copied().find(|loss| loss.metric.name == self.base())
    }
}

/// A name that is not a metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric \"{name}\"; the metrics are {}", names().join(", "))]
pub struct UnknownMetric {
    pub name: String,
}

/// Names of the position buckets: the phases of a game, and `novel` (test positions that training never saw).
pub const NOVEL: &str = "novel";

/// Every metric, in the order in which lines list them.
pub fn all() -> &'static [Metric] {
    static ALL: LazyLock<Vec<Metric>> = LazyLock::new(build);
    &ALL
}

pub fn find(name: &str) -> Result<&'static Metric, UnknownMetric> {
    all().iter().find(|metric| metric.name == name).ok_or_else(|| UnknownMetric { name: name.to_owned() })
}

/// The names of the metrics that verdicts can be about: evaluations measure them, and they have a better side.
pub fn of_verdicts() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let judging = all().iter().filter(|metric| metric.is_evaluated() && metric.direction != Direction::Neither);
        judging.map(|metric| metric.name).collect()
    });
    &NAMES
}

pub fn names() -> Vec<&'static str> {
    all().iter().map(|metric| metric.name).collect()
}

fn build() -> Vec<Metric> {
    let mut metrics = of_all_positions();
    for bucket in Phase::ALL.map(Phase::name).into_iter().chain([NOVEL]) {
        metrics.extend(of_bucket(bucket));
    }
    metrics.extend(of_training());
    metrics
}

fn of_all_positions() -> Vec<Metric> {
    let positions =
        Metric::new("positions", "positions", Direction::Neither, Aggregation::Examples, "positions looked at");
    let of_heads = HeadName::ALL.iter().flat_map(|head| head.measures().all()).copied();
    // The heads of maps share theirs.
    distinct([positions].into_iter().chain(of_heads))
}

/// The metrics of one bucket's positions.
fn of_bucket(bucket: &str) -> impl Iterator<Item = Metric> {
    of_all_positions().into_iter().map(move |metric| Metric {
        name: kept(format!("{}.{bucket}", metric.name)),
        description: kept(format!("{}, on {bucket} positions", metric.description)),
        ..metric
    })
}

/// A text that lives as long as the registry, which is built once.
fn kept(text: String) -> &'static str {
    text.leak()
}

fn of_training() -> impl Iterator<Item = Metric> {
    use Direction::{Higher, Lower, Neither};
    let of_steps =
        |name, unit, direction, description| Metric::new(name, unit, direction, Aggregation::OfSteps, description);
    let weighted = Loss::all().iter().map(move |loss| {
        let description = format!("{} times its weight, as it stands in the sum", loss.metric.name);
        of_steps(loss.weighted, "", Lower, kept(description))
    });
    weighted.chain([
        of_steps("loss", "nats", Lower, "what the optimiser minimises: the weighted sum of the losses"),
        of_steps("gradient_norm", "", Neither, "global norm of the gradient before clipping"),
        of_steps("clipped", "share", Neither, "steps whose gradient was clipped, its norm being above `train.clip`"),
        of_steps("learning_rate", "", Neither, "learning rate of the step"),
        of_steps("positions_per_s", "positions/s", Higher, "speed since the last line; a time, so no part of the bits"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mask;

    #[test]
    fn names_are_unique_and_found() {
        let mut names = names();
        assert!(names.iter().all(|name| find(name).is_ok()));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let message = find("policy_los").unwrap_err().to_string();
        assert!(message.contains("\"policy_los\"") && message.contains("policy_loss.opening"), "{message}");
    }

    #[test]
    fn metrics_of_illegal_moves_mean_nothing_after_training_with_the_mask() {
        let not_applicable: Vec<_> = all().iter().filter(|m| !m.applies(Mask::Train)).map(|m| m.name).collect();
        let about_illegal =
            ["policy_accuracy_unmasked", "policy_loss_unmasked", "policy_entropy", "legal_mass", "dlshogi_loss"];
        assert_eq!(not_applicable[..5], about_illegal);
        let base = |name: &str| name.split('.').next().map(str::to_owned);
        assert!(not_applicable.iter().all(|name| about_illegal.iter().any(|own| base(name).as_deref() == Some(own))));
        assert!(all().iter().all(|m| m.applies(Mask::Eval) && m.applies(Mask::None)));
    }

    #[test]
    fn policy_metrics_with_and_without_a_mask_are_two() {
        let split = |name: &str| !find(name).unwrap().comparable(Mask::Eval, Mask::None);
        assert!(
            ["policy_loss", "policy_kl.novel", "policy_accuracy.opening", "policy_top5"].map(split).iter().all(|&s| s)
        );
        assert!(!["policy_accuracy_unmasked", "legal_mass", "value_loss", "policy_targets"].map(split).contains(&true));
        assert!(all().iter().all(|m| m.comparable(Mask::Train, Mask::Eval) && m.comparable(Mask::None, Mask::None)));
    }

    #[test]
    fn a_metric_has_the_heads_and_the_loss_of_its_name_without_the_bucket() {
        let of_maps = find("map_loss.opening").unwrap();
        assert_eq!(of_maps.heads(), [HeadName::PerSquare, HeadName::Pairs]);
        assert_eq!(of_maps.loss().map(Loss::name), Some("map"));
        let of_policy = find("policy_top5").unwrap();
        assert_eq!((of_policy.heads(), of_policy.loss()), (vec![HeadName::Policy], None));
        assert!(["positions.novel", "loss"].iter().all(|name| find(name).unwrap().heads().is_empty()));
    }
}
