//! The registry of metrics: what each name means, its unit, and which way is better.
//!
//! Heads declare their metrics ([`models::HeadDeclaration`]); here each gets its buckets of positions, and the metrics of lines of
//! training join them. A direction belongs to its metric, so that no report can call a higher loss an improvement. Every mean
//! divides by the number of rows that have its target (`policy_targets`, `value_targets` …, of the bucket where it is of one),
//! that of a map by the number of labelled cells, summed in f64 in the order of the rows.

use crate::Mask;
use games::Phase;
use models::{HeadName, Loss, ModelConfig};
use std::sync::LazyLock;

pub use models::Direction;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// Its name in `metrics.jsonl`, e.g. `policy_loss` or `policy_loss.opening`.
    pub name: String,
    pub unit: &'static str,
    pub direction: Direction,
    pub description: String,
    /// Whether it speaks of illegal moves: then it means nothing ("n/a") for a network that was trained with them
    /// masked out, whose logits for them were never asked for.
    pub illegal_moves: bool,
    /// Whether it is taken over legal moves only where illegal ones are masked, and over all moves where they are not:
    /// then it is one of two metrics under one name, and rows with and without a mask have no common one.
    pub renormalised: bool,
    /// Whether evaluations measure it, so that a verdict can be about it; lines of training alone have the others.
    pub evaluated: bool,
    /// The heads that have it; a network with none of them does not. Empty for what every network has.
    pub heads: Vec<HeadName>,
    /// The loss that it is the mean of, if it is one; a network without that loss does not have the metric.
    pub loss: Option<&'static Loss>,
}

impl Metric {
    /// Whether it means something for a network trained with this mask; if not, lines leave it out and reports
    /// print "n/a".
    pub fn applies(&self, mask: Mask) -> bool {
        !(self.illegal_moves && mask == Mask::Train)
    }

    /// Whether a network has it.
    pub fn measured(&self, network: &ModelConfig) -> bool {
        let own = network.heads();
        let has_head = self.heads.is_empty() || self.heads.iter().any(|head| own.contains(head));
        has_head && self.loss.is_none_or(|loss| Loss::of_network(network).contains(&loss))
    }

    /// Whether it means the same for networks that are evaluated with these two masks.
    pub fn comparable(&self, one: Mask, other: Mask) -> bool {
        !self.renormalised || (one == Mask::None) == (other == Mask::None)
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

/// The metric of a name.
///
/// # Errors
/// If there is none; the message lists those that there are.
pub fn find(name: &str) -> Result<&'static Metric, UnknownMetric> {
    all().iter().find(|metric| metric.name == name).ok_or_else(|| UnknownMetric { name: name.to_owned() })
}

/// The names of the metrics that verdicts can be about: evaluations measure them, and they have a better side.
pub(crate) fn of_verdicts() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let judging = all().iter().filter(|metric| metric.evaluated && metric.direction != Direction::Neither);
        judging.map(|metric| metric.name.as_str()).collect()
    });
    &NAMES
}

pub fn names() -> Vec<&'static str> {
    all().iter().map(|metric| metric.name.as_str()).collect()
}

fn build() -> Vec<Metric> {
    let mut metrics = of_all_positions();
    for bucket in Phase::ALL.map(Phase::name).into_iter().chain([NOVEL]) {
        metrics.extend(of_bucket(bucket));
    }
    metrics.extend(of_training());
    metrics
}

fn metric(name: &str, unit: &'static str, direction: Direction, description: &str) -> Metric {
    Metric {
        name: name.into(),
        unit,
        direction,
        description: description.into(),
        illegal_moves: false,
        renormalised: false,
        evaluated: true,
        heads: Vec::new(),
        loss: None,
    }
}

fn of_all_positions() -> Vec<Metric> {
    let mut metrics = vec![metric("positions", "positions", Direction::Neither, "positions looked at")];
    for &head in HeadName::ALL {
        let declared = head.declaration();
        let losses = declared.losses.iter().map(|loss| (&loss.metric, Some(loss)));
        for (own, loss) in losses.chain(declared.metrics.iter().map(|own| (own, None))) {
            // The heads of maps share theirs.
            match metrics.iter_mut().find(|metric| metric.name == own.name) {
                Some(shared) => shared.heads.push(head),
                None => metrics.push(Metric {
                    illegal_moves: own.illegal_moves,
                    renormalised: own.renormalised,
                    heads: vec![head],
                    loss,
                    ..metric(own.name, own.unit, own.direction, own.description)
                }),
            }
        }
    }
    metrics
}

/// The same of one bucket's positions.
fn of_bucket(bucket: &str) -> impl Iterator<Item = Metric> {
    of_all_positions().into_iter().map(move |metric| Metric {
        name: format!("{}.{bucket}", metric.name),
        description: format!("{}, on {bucket} positions", metric.description),
        ..metric
    })
}

fn of_training() -> impl Iterator<Item = Metric> {
    use Direction::{Higher, Lower, Neither};
    let weighted = Loss::all().iter().map(|&loss| {
        let description = format!("{} times its weight, as it stands in the sum", loss.metric.name);
        Metric { loss: Some(loss), ..metric(loss.weighted, "", Lower, &description) }
    });
    let of_steps = [
        metric("loss", "nats", Lower, "what the optimiser minimises: the weighted sum of the losses"),
        metric("gradient_norm", "", Neither, "global norm of the gradient before clipping"),
        metric("clipped", "share", Neither, "steps whose gradient was clipped, its norm being above `train.clip`"),
        metric("learning_rate", "", Neither, "learning rate of the step"),
        metric("positions_per_s", "positions/s", Higher, "speed since the last line; a time, so no part of the bits"),
    ];
    weighted.chain(of_steps).map(|metric| Metric { evaluated: false, ..metric })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let not_applicable: Vec<_> = all().iter().filter(|m| !m.applies(Mask::Train)).map(|m| &m.name[..]).collect();
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
    fn directions_belong_to_metrics() {
        assert_eq!(find("policy_loss.endgame").unwrap().direction, Direction::Lower);
        assert_eq!(find("policy_accuracy.novel").unwrap().direction, Direction::Higher);
        assert_eq!(find("positions.opening").unwrap().direction, Direction::Neither);
    }
}
