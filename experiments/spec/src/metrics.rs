//! The registry of metrics: what each name means, its unit, and which way is better.
//!
//! A direction belongs to its metric, so that no report can call a higher loss an improvement. Every mean divides by
//! the number of rows that have its target (`policy_targets`, `value_targets` …, of the bucket where it is of one), that of a
//! map by the number of labelled cells, summed in f64 in the order of the rows.

use crate::{Loss, Mask};
use games::Phase;
use models::Architecture;
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
    /// Whether it is taken over legal moves only where illegal ones are masked, and over all moves where they are not:
    /// then it is one of two metrics under one name, and rows with and without a mask have no common one.
    pub renormalised: bool,
    /// Whether evaluations measure it, so that a verdict can be about it; lines of training alone have the others.
    pub evaluated: bool,
    /// The loss whose head it is about; a network without that head does not have the metric.
    pub head: Option<Loss>,
}

impl Metric {
    /// Whether it means something for a network trained with this mask; if not, lines leave it out and reports
    /// print "n/a".
    #[must_use]
    pub fn applies(&self, mask: Mask) -> bool {
        !(self.illegal_moves && mask == Mask::Train)
    }

    /// Whether a network has it.
    #[must_use]
    pub fn measured(&self, network: &Architecture) -> bool {
        self.head.is_none_or(|head| Loss::of_network(network).contains(&head))
    }

    /// Whether it means the same for networks that are evaluated with these two masks.
    #[must_use]
    pub fn comparable(&self, one: Mask, other: Mask) -> bool {
        !self.renormalised || (one == Mask::None) == (other == Mask::None)
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
        head: None,
    }
}

/// The same, of a head.
fn of_head(head: Loss, metrics: impl IntoIterator<Item = Metric>) -> Vec<Metric> {
    metrics.into_iter().map(|metric| Metric { head: Some(head), ..metric }).collect()
}

fn of_all_positions() -> Vec<Metric> {
    use Direction::Neither;
    let mut metrics = of_policy();
    metrics.extend(of_value());
    metrics.push(metric("positions", "positions", Neither, "positions looked at"));
    metrics.extend(of_head(
        Loss::Policy,
        [metric("policy_targets", "positions", Neither, "positions whose move is a policy target")],
    ));
    metrics.extend(of_head(
        Loss::Value,
        [metric("value_targets", "positions", Neither, "positions whose game has a known outcome")],
    ));
    metrics.extend(of_result_shares());
    metrics.extend(of_win_rate());
    metrics.extend(of_soft_policy());
    metrics.extend(of_rewards());
    metrics.extend(of_moves_left());
    metrics.extend(of_map());
    metrics.extend(of_board());
    metrics.extend(of_rights());
    metrics.extend(of_refinement());
    metrics
}

fn masked(metric: Metric) -> Metric {
    Metric { renormalised: true, ..metric }
}

fn of_policy() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    let on_illegal = |metric: Metric| Metric { illegal_moves: true, ..metric };
    let metrics = [
        masked(metric("policy_loss", "nats", Lower, "cross-entropy of the policy with the target moves")),
        masked(metric("policy_kl", "nats", Lower, "policy cross-entropy less the entropy of its target")),
        masked(metric(
            "policy_accuracy",
            "share",
            Higher,
            "positions whose likeliest move (of the legal ones, unless `mask: none`) is the target's",
        )),
        masked(metric(
            "policy_top5",
            "share",
            Higher,
            "positions whose five likeliest moves (of the legal ones, unless `mask: none`) hold the target's",
        )),
        on_illegal(metric(
            "policy_accuracy_unmasked",
            "share",
            Higher,
            "positions whose likeliest move of all, legal or not, is the target's",
        )),
        on_illegal(metric(
            "policy_loss_unmasked",
            "nats",
            Lower,
            "cross-entropy of the policy over all moves, legal or not, with the target moves",
        )),
        on_illegal(metric("policy_entropy", "nats", Neither, "entropy of the policy over all moves, legal or not")),
        on_illegal(metric("legal_mass", "share", Higher, "probability on legal moves before any mask")),
        metric("uniform_baseline", "nats", Neither, "policy cross-entropy of a uniform choice among legal moves"),
    ];
    of_head(Loss::Policy, metrics)
}

fn of_value() -> Vec<Metric> {
    use Direction::{Higher, Lower};
    let metrics = [
        metric("value_loss", "nats", Lower, "cross-entropy of win/draw/loss with the game's outcome"),
        metric(
            "value_accuracy",
            "share",
            Higher,
            "positions whose likeliest of win/draw/loss is the outcome; a draw is a draw",
        ),
    ];
    of_head(Loss::Value, metrics)
}

fn of_result_shares() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    let metrics = [
        metric(
            "result_shares_loss",
            "",
            Lower,
            "squared error of win/draw/loss as plain numbers with the game's outcome, the mean of the three",
        ),
        metric("result_shares_accuracy", "share", Higher, "positions whose largest of these numbers is the outcome"),
        metric("result_shares_targets", "positions", Neither, "positions whose game has a known outcome"),
    ];
    of_head(Loss::ResultShares, metrics)
}

fn of_win_rate() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    let metrics = [
        metric("win_rate_result_loss", "nats", Lower, "binary cross-entropy of the win rate with the game's result"),
        metric(
            "win_rate_accuracy",
            "share",
            Higher,
            "positions of decided games whose win rate is on the winner's side of one half; draws are left out",
        ),
        metric(
            "win_rate_accuracy_draws_won",
            "share",
            Higher,
            "the same of all games with draws counted as wins of the side to move, as dlshogi's training prints it",
        ),
        metric("win_rate_entropy", "nats", Neither, "entropy of the win rate"),
        metric("win_rate_targets", "positions", Neither, "positions whose game has a known result"),
        metric("win_rate_decided", "positions", Neither, "those whose game is not drawn"),
    ];
    let of_value = [
        metric("win_rate_value_loss", "nats", Lower, "binary cross-entropy of the win rate with the position's value"),
        metric("win_rate_value_targets", "positions", Neither, "positions that have a value"),
        Metric {
            illegal_moves: true,
            ..metric(
                "dlshogi_loss",
                "nats",
                Lower,
                "policy_loss_unmasked + 0.667 win_rate_result_loss + 0.333 win_rate_value_loss, as dlshogi's training \
                 prints it",
            )
        },
    ];
    of_head(Loss::WinRateResult, metrics).into_iter().chain(of_head(Loss::WinRateValue, of_value)).collect()
}

fn of_soft_policy() -> Vec<Metric> {
    let loss = "cross-entropy of the soft policy with the targets at its temperature";
    let kl = "soft policy cross-entropy less the entropy of its target";
    let metrics = [("soft_policy_loss", loss), ("soft_policy_kl", kl)];
    of_head(Loss::SoftPolicy, metrics.map(|(name, what)| masked(metric(name, "nats", Direction::Lower, what))))
}

fn of_rewards() -> Vec<Metric> {
    use Direction::{Lower, Neither};
    let of = |losses: [Loss; 3], targets: &str, what: &str| {
        let [value, error, buckets] = losses;
        let lower = |loss: Loss, unit, description: String| {
            of_head(loss, [metric(loss.metric(), unit, Lower, &description)]).remove(0)
        };
        let count = metric(targets, "positions", Neither, &format!("positions that have the {what}"));
        [
            lower(value, "", format!("squared error of the {what}, which lies in −1…1")),
            lower(error, "", format!("squared error of the predicted squared error of the {what}")),
            lower(buckets, "nats", format!("cross-entropy of the interval that the {what} lies in")),
            Metric { head: Some(value), ..count },
        ]
    };
    let q = of([Loss::Q, Loss::QError, Loss::QBuckets], "q_targets", "reward");
    let short_term = [Loss::ShortTerm, Loss::ShortTermError, Loss::ShortTermBuckets];
    q.into_iter().chain(of(short_term, "short_term_targets", "short-term reward")).collect()
}

fn of_moves_left() -> Vec<Metric> {
    use Direction::{Lower, Neither};
    let metrics = [
        metric("moves_left_loss", "", Lower, "Huber's loss of the moves left, in units of 20"),
        metric("moves_left_error", "moves", Lower, "mean absolute error of the moves left"),
        metric("moves_left_targets", "positions", Neither, "positions whose game has a known end"),
    ];
    of_head(Loss::MovesLeft, metrics)
}

fn of_map() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    let metrics = [
        metric("map_loss", "nats", Lower, "cross-entropy of the map's labels, over labelled cells"),
        metric("map_accuracy", "share", Higher, "labelled cells whose likeliest label is theirs"),
        metric("map_recall", "share", Higher, "the same of cells with another label than 0"),
        metric("map_specificity", "share", Higher, "the same of cells with the label 0"),
        metric(
            "map_balanced_accuracy",
            "share",
            Higher,
            "the mean of map_recall and map_specificity: guessing one label for all cells gives 0.5",
        ),
        metric("map_cells", "cells", Neither, "labelled cells"),
    ];
    of_head(Loss::Map, metrics)
}

fn of_board() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    let metrics = [
        metric("board_loss", "nats", Lower, "cross-entropy of the words of boards, given what stood before each"),
        metric("board_accuracy", "share", Higher, "words of boards that are the likeliest ones"),
        metric("board_words", "words", Neither, "words of boards that are asked for"),
    ];
    of_head(Loss::Board, metrics)
}

fn of_rights() -> Vec<Metric> {
    use Direction::{Higher, Lower, Neither};
    let metrics = [
        metric(
            "rights_loss",
            "nats",
            Lower,
            "binary cross-entropy of the rights behind the move played, a right's mean",
        ),
        metric(
            "rights_accuracy",
            "share",
            Higher,
            "positions of whose rights behind the move played all are told right",
        ),
        metric("rights_targets", "positions", Neither, "positions whose move played is known"),
    ];
    of_head(Loss::Rights, metrics)
}

fn of_refinement() -> Vec<Metric> {
    use Direction::{Higher, Lower};
    let metrics = [
        metric(
            "refined_loss",
            "nats",
            Lower,
            "cross-entropy of the choice among the likeliest moves, 0 where the target is none of them",
        ),
        metric("refined_accuracy", "share", Higher, "positions whose move after the second look is the target's"),
        metric("refined_among", "share", Higher, "positions whose target is among the moves that are looked at again"),
    ];
    of_head(Loss::Refined, metrics)
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
    let weighted = Loss::ALL.iter().map(|&loss| {
        let description = format!("{} times its weight, as it stands in the sum", loss.metric());
        Metric { head: Some(loss), ..metric(loss.weighted_metric(), "", Lower, &description) }
    });
    let of_steps = [
        metric("loss", "nats", Lower, "what the optimiser minimises: the weighted sum of the losses"),
        metric("gradient_norm", "", Neither, "global norm of the gradient before clipping"),
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
