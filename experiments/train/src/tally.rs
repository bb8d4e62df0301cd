//! Sums over evaluated rows, and the means that they become.

use games::Phase;
use records::Metrics;
use spec::Mask;
use spec::metrics;
use spec::metrics::{Metric, NOVEL};

/// What is measured on every row, and which target it needs.
pub(super) const ROWS: [(&str, Target); 39] = [
    ("policy_loss", Target::Policy),
    ("policy_kl", Target::Policy),
    ("policy_accuracy", Target::Policy),
    ("policy_top5", Target::Policy),
    ("policy_accuracy_unmasked", Target::Policy),
    (UNMASKED, Target::Policy),
    ("policy_entropy", Target::Policy),
    ("legal_mass", Target::Policy),
    ("uniform_baseline", Target::Policy),
    ("value_loss", Target::Value),
    ("value_accuracy", Target::Value),
    ("result_shares_loss", Target::Shares),
    ("result_shares_accuracy", Target::Shares),
    (RESULT, Target::Points),
    (VALUE, Target::ScoredPoints),
    ("win_rate_accuracy", Target::Decided),
    ("win_rate_accuracy_draws_won", Target::Points),
    ("win_rate_entropy", Target::Points),
    ("soft_policy_loss", Target::SoftPolicy),
    ("soft_policy_kl", Target::SoftPolicy),
    ("q_loss", Target::Q),
    ("q_error_loss", Target::Q),
    ("q_buckets_loss", Target::Q),
    ("short_term_loss", Target::ShortTerm),
    ("short_term_error_loss", Target::ShortTerm),
    ("short_term_buckets_loss", Target::ShortTerm),
    ("moves_left_loss", Target::MovesLeft),
    ("moves_left_error", Target::MovesLeft),
    ("map_loss", Target::Cells),
    ("map_accuracy", Target::Cells),
    (RECALL, Target::CellsAboveZero),
    (SPECIFICITY, Target::CellsOfZero),
    ("board_loss", Target::BoardWords),
    ("board_accuracy", Target::BoardWords),
    ("rights_loss", Target::Rights),
    ("rights_accuracy", Target::Rights),
    ("refined_loss", Target::Policy),
    ("refined_accuracy", Target::Policy),
    ("refined_among", Target::Policy),
];

const UNMASKED: &str = "policy_loss_unmasked";
const RESULT: &str = "win_rate_result_loss";
const VALUE: &str = "win_rate_value_loss";
const RECALL: &str = "map_recall";
const SPECIFICITY: &str = "map_specificity";

/// The share of the evaluation in dlshogi's loss, its `val_lambda`.
const LAMBDA: f64 = 0.333;

/// What a row must have for a measurement to count; a row has it once, or as often as it has such cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A move that is a policy target.
    Policy,
    /// A known outcome.
    Value,
    /// A known outcome, for the head of shares.
    Shares,
    /// Known points of the side to move.
    Points,
    /// Those of a game that was not drawn.
    Decided,
    /// A value of the position.
    ScoredPoints,
    /// A policy target for the soft policy.
    SoftPolicy,
    /// A reward.
    Q,
    /// A short-term reward.
    ShortTerm,
    /// A known end of the game.
    MovesLeft,
    /// Labelled cells of a map.
    Cells,
    /// Those of any label but 0.
    CellsAboveZero,
    /// Those of label 0.
    CellsOfZero,
    /// Words of a board that are asked for.
    BoardWords,
    /// Known rights behind the move played.
    Rights,
}

impl Target {
    pub(super) const COUNT: usize = Self::Rights as usize + 1;

    /// The metric that counts it.
    fn of_count(name: &str) -> Option<Self> {
        match name {
            "policy_targets" => Some(Self::Policy),
            "value_targets" => Some(Self::Value),
            "result_shares_targets" => Some(Self::Shares),
            "win_rate_targets" => Some(Self::Points),
            "win_rate_decided" => Some(Self::Decided),
            "win_rate_value_targets" => Some(Self::ScoredPoints),
            "q_targets" => Some(Self::Q),
            "short_term_targets" => Some(Self::ShortTerm),
            "moves_left_targets" => Some(Self::MovesLeft),
            "map_cells" => Some(Self::Cells),
            "board_words" => Some(Self::BoardWords),
            "rights_targets" => Some(Self::Rights),
            _ => None,
        }
    }
}

/// One evaluated position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// In the order of [`ROWS`]: a sum over what the row has of the target; `None` where the network has no such head.
    pub(super) values: [Option<f32>; ROWS.len()],
    /// How much of each target the row has, by [`Target`].
    pub(super) counts: [u32; Target::COUNT],
    /// Index in [`Phase::ALL`].
    pub(super) phase: usize,
    pub(super) novel: bool,
}

/// Sums over all rows and over those of each bucket, in the order in which rows come.
#[derive(Debug)]
pub(super) struct Tally {
    all: Bucket,
    phases: [Bucket; Phase::ALL.len()],
    novel: Bucket,
    /// Which of [`ROWS`] the network's heads give.
    measured: [bool; ROWS.len()],
}

#[derive(Debug)]
struct Bucket {
    positions: u64,
    counts: [u64; Target::COUNT],
    sums: [f64; ROWS.len()],
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            all: Bucket::default(),
            phases: std::array::from_fn(|_| Bucket::default()),
            novel: Bucket::default(),
            measured: [false; ROWS.len()],
        }
    }
}

impl Default for Bucket {
    fn default() -> Self {
        Self { positions: 0, counts: [0; Target::COUNT], sums: [0.0; ROWS.len()] }
    }
}

impl Tally {
    /// Takes the next row.
    pub(super) fn add(&mut self, row: &Row) {
        self.measured = row.values.map(|value| value.is_some());
        self.all.add(row);
        if let Some(phase) = self.phases.get_mut(row.phase) {
            phase.add(row);
        }
        if row.novel {
            self.novel.add(row);
        }
    }

    /// Every metric of the registry that means something for this mask and has rows, in the registry's order.
    pub(super) fn metrics(&self, mask: Mask) -> Metrics {
        let mut out = Metrics::default();
        for metric in metrics::all().iter().filter(|metric| metric.applies(mask)) {
            if let Some(value) = self.value(metric) {
                out.push(&metric.name, value);
            }
        }
        out
    }

    fn value(&self, metric: &Metric) -> Option<f64> {
        match metric.name.split_once('.') {
            None => self.of(&self.all, &metric.name),
            Some((base, NOVEL)) => self.of(&self.novel, base),
            Some((base, bucket)) => {
                let phase = Phase::ALL.iter().position(|phase| phase.name() == bucket)?;
                self.of(&self.phases[phase], base)
            }
        }
    }

    /// A mean over what a bucket has of the target, or a count; `None` without such rows or without the head.
    fn of(&self, bucket: &Bucket, name: &str) -> Option<f64> {
        if name == "positions" {
            return Some(bucket.positions as f64);
        }
        if name == "map_balanced_accuracy" {
            return Some((self.of(bucket, RECALL)? + self.of(bucket, SPECIFICITY)?) / 2.0);
        }
        if name == "dlshogi_loss" {
            let [policy, result, value] = [UNMASKED, RESULT, VALUE].map(|name| self.of(bucket, name));
            return Some(policy? + (1.0 - LAMBDA) * result? + LAMBDA * value?);
        }
        if let Some(target) = Target::of_count(name) {
            let has_head = ROWS.iter().zip(self.measured).any(|((_, needs), measured)| measured && *needs == target);
            return has_head.then(|| bucket.counts[target as usize] as f64);
        }
        let place = ROWS.iter().position(|&(row, _)| row == name)?;
        let count = bucket.counts[ROWS[place].1 as usize];
        (self.measured[place] && count > 0).then(|| bucket.sums[place] / count as f64)
    }
}

impl Bucket {
    fn add(&mut self, row: &Row) {
        self.positions += 1;
        for (sum, count) in self.counts.iter_mut().zip(row.counts) {
            *sum += u64::from(count);
        }
        for ((sum, value), (_, target)) in self.sums.iter_mut().zip(row.values).zip(ROWS) {
            if row.counts[target as usize] > 0 {
                *sum += f64::from(value.unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f32, phase: usize, has_policy: bool, novel: bool) -> Row {
        let mut counts = [0; Target::COUNT];
        counts[Target::Policy as usize] = u32::from(has_policy);
        counts[Target::Value as usize] = 1;
        let usual = |(_, target): (&str, Target)| matches!(target, Target::Policy | Target::Value).then_some(value);
        Row { values: ROWS.map(usual), counts, phase, novel }
    }

    #[test]
    fn means_divide_by_the_rows_that_have_the_target_in_their_bucket() {
        let mut tally = Tally::default();
        tally.add(&row(1.0, 0, true, false));
        tally.add(&row(2.0, 0, false, true));
        tally.add(&row(6.0, 2, true, true));
        let metrics = tally.metrics(Mask::Eval);
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
    fn means_over_cells_divide_by_cells() {
        // Two boards: 3 of 4 cells right, 1 of the 2 above zero among them; then 1 of 1, a zero.
        let board = |values: [f32; 4], counts: [u32; 3]| {
            let mut row = Row { values: [None; ROWS.len()], counts: [0; Target::COUNT], phase: 1, novel: false };
            for (value, name) in values.into_iter().zip(["map_loss", "map_accuracy", RECALL, SPECIFICITY]) {
                row.values[ROWS.iter().position(|(row, _)| *row == name).unwrap()] = Some(value);
            }
            for (count, target) in counts.into_iter().zip([Target::Cells, Target::CellsAboveZero, Target::CellsOfZero])
            {
                row.counts[target as usize] = count;
            }
            row
        };
        let mut tally = Tally::default();
        tally.add(&board([2.0, 3.0, 1.0, 2.0], [4, 2, 2]));
        tally.add(&board([0.5, 1.0, 0.0, 1.0], [1, 0, 1]));
        let metrics = tally.metrics(Mask::Train);
        assert_eq!(metrics.get("map_loss"), Some(0.5));
        assert_eq!(metrics.get("map_accuracy"), Some(0.8));
        assert_eq!((metrics.get("map_recall"), metrics.get("map_specificity")), (Some(0.5), Some(1.0)));
        assert_eq!(metrics.get("map_balanced_accuracy"), Some(0.75));
        assert_eq!((metrics.get("map_cells"), metrics.get("map_cells.opening")), (Some(5.0), Some(0.0)));
        assert_eq!((metrics.get("policy_loss"), metrics.get("policy_targets")), (None, None));
    }

    #[test]
    fn every_row_metric_is_in_the_registry_and_illegal_ones_go_with_the_mask() {
        assert!(ROWS.iter().all(|(name, _)| metrics::find(name).is_ok()));
        let mut tally = Tally::default();
        tally.add(&row(1.0, 1, true, false));
        assert_eq!(tally.metrics(Mask::Train).get("legal_mass"), None);
        assert_eq!(tally.metrics(Mask::Eval).get("legal_mass"), Some(1.0));
    }
}
