//! The registry of metrics: what each name means, its unit, and which way is better.
//!
//! A direction belongs to its metric, so that no report can call a higher loss an improvement. Every mean divides by
//! the number of rows that have the target (per bucket: by the bucket's size, `positions.<bucket>`), summed in f64 in
//! the order of the rows.

use crate::config::Mask;
use games::Phase;
use std::sync::LazyLock;

/// Which way a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Lower is better.
    Lower,
    /// Higher is better.
    Higher,
    /// Neither: it describes, it does not judge.
    Neither,
}

/// One metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// Its name in `metrics.jsonl`, e.g. `policy_loss` or `policy_loss.opening`.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Which way it improves.
    pub direction: Direction,
    /// What it measures.
    pub description: String,
    /// Whether it speaks of illegal moves: then it means nothing ("n/a") for a network that was trained with them
    /// masked out, whose logits for them were never asked for.
    pub illegal_moves: bool,
}

impl Metric {
    /// Whether it means something for a network trained with this mask; if not, lines leave it out and reports
    /// print "n/a".
    #[must_use]
    pub fn applies(&self, mask: Mask) -> bool {
        !(self.illegal_moves && mask == Mask::Train)
    }
}

/// A name that is no metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric \"{name}\"; the metrics are {}", names().join(", "))]
pub struct UnknownMetric {
    /// The name as given.
    pub name: String,
}

/// Names of the position buckets: the phases of a game, and `novel` (test positions that training never saw).
pub const NOVEL: &str = "novel";

/// Every metric, in the order in which lines list them.
#[must_use]
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

/// Every metric's name.
#[must_use]
pub fn names() -> Vec<&'static str> {
    all().iter().map(|metric| metric.name.as_str()).collect()
}

fn build() -> Vec<Metric> {
    let mut metrics = of_all_positions();
    for phase in Phase::ALL {
        metrics.extend(of_bucket(phase.name(), &["policy_loss", "policy_accuracy", "value_loss", "value_accuracy"]));
    }
    metrics.extend(of_bucket(NOVEL, &["policy_loss", "policy_accuracy"]));
    metrics.extend(of_training());
    metrics
}

fn metric(name: &str, unit: &'static str, direction: Direction, description: &str) -> Metric {
    Metric { name: name.into(), unit, direction, description: description.into(), illegal_moves: false }
}

fn of_all_positions() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    let on_illegal = |metric: Metric| Metric { illegal_moves: true, ..metric };
    vec![
        metric("policy_loss", "nats", Lower, "cross-entropy of the policy with the target moves"),
        metric("policy_kl", "nats", Lower, "policy cross-entropy less the entropy of its target"),
        metric("policy_accuracy", "share", Higher, "positions whose likeliest legal move is the target's"),
        metric("policy_top5", "share", Higher, "positions whose five likeliest legal moves hold the target's"),
        on_illegal(metric(
            "policy_accuracy_unmasked",
            "share",
            Higher,
            "positions whose likeliest move of all, legal or not, is the target's",
        )),
        on_illegal(metric("legal_mass", "share", Higher, "probability on legal moves before any mask")),
        metric("uniform_baseline", "nats", Neither, "policy cross-entropy of a uniform choice among legal moves"),
        metric("value_loss", "nats", Lower, "cross-entropy of win/draw/loss with the game's outcome"),
        metric(
            "value_accuracy",
            "share",
            Higher,
            "positions whose likeliest of win/draw/loss is the outcome; a draw is a draw",
        ),
        metric("positions", "positions", Neither, "positions looked at"),
        metric("policy_targets", "positions", Neither, "positions whose move is a policy target"),
    ]
}

fn of_bucket(bucket: &str, of: &[&str]) -> Vec<Metric> {
    let whole = of_all_positions();
    let named = |name: &str| whole.iter().find(|metric| metric.name == name);
    of.iter()
        .chain(&["positions", "policy_targets"])
        .filter_map(|name| named(name))
        .map(|metric| Metric {
            name: format!("{}.{bucket}", metric.name),
            description: format!("{}, on {bucket} positions", metric.description),
            ..metric.clone()
        })
        .collect()
}

fn of_training() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    vec![
        metric("loss", "nats", Lower, "what the optimiser minimises: the weighted sum of the losses"),
        metric("gradient_norm", "", Neither, "global norm of the gradient before clipping"),
        metric("learning_rate", "", Neither, "learning rate of the step"),
        metric("positions_per_s", "positions/s", Higher, "speed since the last line; a time, so no part of the bits"),
    ]
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
        assert_eq!(not_applicable, ["policy_accuracy_unmasked", "legal_mass"]);
        assert!(all().iter().all(|m| m.applies(Mask::Eval) && m.applies(Mask::None)));
    }

    #[test]
    fn directions_belong_to_metrics() {
        assert_eq!(find("policy_loss.endgame").unwrap().direction, Direction::Lower);
        assert_eq!(find("policy_accuracy.novel").unwrap().direction, Direction::Higher);
        assert_eq!(find("positions.opening").unwrap().direction, Direction::Neither);
    }
}
