//! Grids whose rows have a setting with a known best value: what tuning does to verdicts.
//!
//! A row's mean loss is a parabola over the places of a setting on its axis, as wide for all rows, with a minimum anywhere
//! between two of its places. Trials and results have the noise of seeds, each with a standard deviation of 1.

use super::{grids, noise, sample};
use games::GameKind;
use records::tuning::{TrialRecord, TunedRowRecord};
use report::sections::tuning::is_robust;
use report::statistics::{PairedTest, holm};
use streams::Stream;

/// Comparisons in a grid, each against the one reference.
const ROWS: usize = 10;
/// Values of the setting that can be tried.
const PLACES: usize = 5;
/// The value that a grid without tuning has: the first one, as a factor of 1 is.
const DEFAULT: usize = 0;
const ALPHA: f64 = 0.05;

/// How the rows come to their settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Procedure {
    /// All rows at the default.
    Untuned,
    /// Only the rows are tuned, the reference is not.
    OnlyTheRows,
    /// Every row tries every value on another seed.
    Equal,
    /// The same without the rule that neighbouring choices must agree.
    EqualWithoutNeighbours,
}

/// A row: the place of its best setting, and its loss there.
#[derive(Debug, Clone, Copy)]
struct TunableRow {
    best_place: f64,
    best_loss: f64,
}

impl TunableRow {
    fn loss(self, place: usize, curvature: f64) -> f64 {
        self.best_loss + curvature * (place as f64 - self.best_place).powi(2)
    }
}

#[derive(Debug, Clone, Copy)]
struct TunedDesign {
    seeds: usize,
    /// What one step beside the best setting costs, in standard deviations of a seed.
    curvature: f64,
    /// Whether half of the rows have another best loss than the reference.
    differ: bool,
}

/// Shares of grids and of rows.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    /// Grids with a false verdict: about rows that are equal at their best, or of the wrong sign.
    wrong: f64,
    /// True differences that got a verdict of their sign.
    found: f64,
}

impl TunedDesign {
    /// The reference and then the rows.
    fn rows(self, stream: &mut Stream) -> Vec<TunableRow> {
        let row = |number: usize| TunableRow {
            // Between the second and the last but one place: every best setting lies inside its range.
            best_place: 1.0 + streams::below(stream, 2_001) as f64 / 1_000.0,
            best_loss: match number.checked_sub(1 + ROWS / 2) {
                Some(number) if self.differ => [-2.0, 4.0, -8.0, 16.0, -32.0][number],
                _ => 0.0,
            },
        };
        (0..=ROWS).map(row).collect()
    }

    /// One trial of each value on one seed of its own.
    fn trials(self, row: TunableRow, stream: &mut Stream) -> TunedRowRecord {
        let trial = |place: usize| TrialRecord {
            values: vec![("train.encoding_rate".to_owned(), 4_u32.pow(place as u32).to_string())],
            place: vec![place],
            scores: vec![vec![Some(row.loss(place, self.curvature) + streams::normal(stream))]],
        };
        let trials: Vec<TrialRecord> = (0..PLACES).map(trial).collect();
        let score = |&place: &usize| trials[place].score().expect("a seed");
        let chosen = (0..PLACES).min_by(|a, b| score(a).total_cmp(&score(b)));
        TunedRowRecord { game: GameKind::Chess, folder: "row".to_owned(), trials, chosen }
    }

    fn outcome(self, procedure: Procedure) -> Outcome {
        let grids = grids();
        let (mut wrong, mut found) = (0, 0);
        for grid in 0..grids {
            let stream = &mut streams::stream(grid, &["test", "tuned grid", &self.seeds.to_string()]);
            let rows = self.rows(stream);
            let trials: Vec<TunedRowRecord> = rows.iter().map(|row| self.trials(*row, stream)).collect();
            let place = |number: usize| match procedure {
                Procedure::Untuned => DEFAULT,
                Procedure::OnlyTheRows if number == 0 => DEFAULT,
                _ => trials[number].chosen.expect("a choice"),
            };
            let mut cells = |number: usize| -> Vec<f64> {
                let mean = rows[number].loss(place(number), self.curvature);
                (0..self.seeds).map(|_| mean + streams::normal(stream)).collect()
            };
            let reference = cells(0);
            let tests: Vec<PairedTest> = (1..=ROWS)
                .map(|number| cells(number).iter().zip(&reference).map(|(own, other)| own - other).collect::<Vec<_>>())
                .map(|differences| PairedTest::of(&differences).expect("pairs"))
                .collect();
            let p_values: Vec<Option<f64>> = tests.iter().map(|test| Some(test.p)).collect();
            let mut false_verdict = false;
            for (number, (test, corrected)) in tests.iter().zip(holm(&p_values, ALPHA)).enumerate() {
                let robust =
                    procedure != Procedure::Equal || is_robust(&trials[number + 1], &trials[0], test.mean, true);
                let verdict = corrected.is_some_and(|holm| holm.p < ALPHA) && robust;
                let truth = rows[number + 1].best_loss;
                let right = truth != 0.0 && truth.signum() == test.mean.signum();
                false_verdict |= verdict && !right;
                found += u64::from(verdict && right);
            }
            wrong += u64::from(false_verdict);
        }
        let differing = (grids * ROWS as u64 / 2) as f64;
        let outcome = Outcome { wrong: wrong as f64 / grids as f64, found: found as f64 / differing };
        println!(
            "{procedure:?}, {self:?}: {:.1} % of {grids} grids have a false verdict{}",
            100.0 * outcome.wrong,
            match self.differ {
                true => format!(", {:.1} % of the true differences are found", 100.0 * outcome.found),
                false => String::new(),
            }
        );
        outcome
    }
}

#[test]
fn equal_tuning_keeps_false_verdicts_rare_and_no_tuning_makes_them_the_rule() {
    let noise = noise(grids());
    for (seeds, curvature) in sample(&[5, 3, 10], 1).iter().flat_map(|&seeds| [0.0, 0.5, 2.0, 8.0].map(|c| (seeds, c)))
    {
        let same = TunedDesign { seeds, curvature, differ: false };
        let equal = same.outcome(Procedure::Equal);
        assert!(equal.wrong <= ALPHA + noise, "{same:?}: {equal:?}");
        let untuned = same.outcome(Procedure::Untuned);
        let only_rows = same.outcome(Procedure::OnlyTheRows);
        let without = same.outcome(Procedure::EqualWithoutNeighbours);
        // With a setting that matters, the others go wrong.
        if curvature >= 2.0 && seeds >= 5 {
            assert!(untuned.wrong > 0.9 && only_rows.wrong > 0.9, "{same:?}: {untuned:?} {only_rows:?}");
            assert!(without.wrong > ALPHA + noise, "{same:?}: {without:?}: the rule of neighbours is not needed");
        }
        let differ = TunedDesign { differ: true, ..same };
        let equal = differ.outcome(Procedure::Equal);
        assert!(equal.wrong <= ALPHA + noise, "{differ:?}: {equal:?}");
        assert!(seeds < 5 || equal.found > 0.2, "{differ:?}: {equal:?}: tuned grids find nothing");
    }
}
