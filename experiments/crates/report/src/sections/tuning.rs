//! What the trials of a tuned grid say: choices at an edge, the expected best of fewer trials, and whether a verdict would
//! be the same for the neighbouring choices.

use super::model::tuning::{Edge, TrialReport, TunedRow, TuningReport};
use records::plan::Row;
use records::tuning::{TrialRecord, TunedRowRecord, TuningRecord};

/// The trials of some rows; none if they have none.
pub(super) fn of<'a>(record: Option<&TuningRecord>, rows: impl Iterator<Item = &'a Row>) -> Option<TuningReport> {
    let record = record?;
    let tuned = |row: &Row| {
        let own = record.rows.iter().find(|own| own.folder == row.folder)?;
        Some(TunedRow {
            label: row.label.clone(),
            trials: own.trials.iter().map(trial).collect(),
            chosen: own.chosen,
            edges: edges(own),
            expected_best: expected_best(own, record.lower_is_better),
        })
    };
    let rows: Vec<TunedRow> = rows.filter_map(tuned).collect();
    Some(TuningReport {
        metric: record.metric.clone(),
        seeds: record.seeds.clone(),
        trials: rows.first()?.trials.len(),
        rounds: record.rounds.iter().map(|round| round.steps).collect(),
        rows,
    })
}

fn trial(record: &TrialRecord) -> TrialReport {
    TrialReport {
        values: record.values.clone(),
        scores: record.scores.last().into_iter().flatten().flatten().copied().collect(),
        score: record.score(),
        round: record.scores.len(),
    }
}

/// The choices that are the first or last of several values of a setting. A setting that changes nothing has none.
fn edges(row: &TunedRowRecord) -> Vec<Edge> {
    let Some(chosen) = row.chosen.map(|chosen| &row.trials[chosen]) else { return Vec::new() };
    let edge = |axis: usize| {
        let mut along: Vec<&TrialRecord> = row
            .trials
            .iter()
            .filter(|trial| trial.place.iter().enumerate().all(|(i, place)| i == axis || *place == chosen.place[i]))
            .collect();
        along.sort_by_key(|trial| trial.place[axis]);
        let acts = along.iter().any(|trial| trial.scores.first() != chosen.scores.first());
        let own = along.iter().position(|trial| trial.place[axis] == chosen.place[axis])?;
        let inner = match own {
            _ if along.len() < 2 || !acts => return None,
            0 => 1,
            last if last + 1 == along.len() => last - 1,
            _ => return None,
        };
        let (setting, value) = &chosen.values[axis];
        let number = |trial: &TrialRecord| trial.values[axis].1.parse::<f64>().ok();
        let next = number(chosen).zip(number(along[inner])).filter(|&(_, inner)| inner != 0.0);
        let next = next.map(|(own, inner)| own * own / inner).filter(|next| next.is_finite());
        Some(Edge { setting: setting.clone(), value: value.clone(), next })
    };
    (0..chosen.place.len()).filter_map(edge).collect()
}

/// The expected best score of `n` of the trials, drawn without replacement: of `N` trials in order the `i`-th is the best
/// of `n` with probability `C(N − i, n − 1)/C(N, n)`. Dodge et al., "Show your work: improved reporting of experimental
/// results" (EMNLP 2019) draw with replacement, which counts a trial twice.
fn expected_best(row: &TunedRowRecord, lower_is_better: bool) -> Vec<f64> {
    let mut scores: Vec<f64> = row.trials.iter().filter_map(TrialRecord::score).collect();
    scores.sort_by(|a, b| if lower_is_better { a.total_cmp(b) } else { b.total_cmp(a) });
    let number = scores.len();
    let best_of = |n: usize| {
        // The share of draws in which all of those before are missing, and then this one too.
        let mut none_before = 1.0;
        let mut mean = 0.0;
        for (i, score) in scores.iter().enumerate() {
            let left = (number - i) as f64;
            let none_so_far = none_before * ((left - n as f64) / left).max(0.0);
            mean += (none_before - none_so_far) * score;
            none_before = none_so_far;
        }
        mean
    };
    (1..=number).map(best_of).collect()
}

/// Whether the choices of two rows, and every choice next to them, give the difference on validation the sign that a
/// verdict has: `difference` is the row less the reference on test positions. A tie has neither sign.
pub fn is_robust(row: &TunedRowRecord, reference: &TunedRowRecord, difference: f64) -> bool {
    let (own, other) = (near_choice(row), near_choice(reference));
    own.iter().all(|own| other.iter().all(|other| (own - other) * difference > 0.0))
}

/// The scores of the chosen trial and of its neighbours: those that differ in one setting by one step of what was tried.
fn near_choice(row: &TunedRowRecord) -> Vec<f64> {
    let Some(chosen) = row.chosen.map(|chosen| &row.trials[chosen]) else { return Vec::new() };
    let mut near: Vec<&TrialRecord> = vec![chosen];
    for axis in 0..chosen.place.len() {
        let along = row
            .trials
            .iter()
            .filter(|trial| trial.place.iter().enumerate().all(|(i, place)| i == axis || *place == chosen.place[i]));
        let place = |trial: &&TrialRecord| trial.place[axis];
        near.extend(along.clone().filter(|trial| place(trial) < chosen.place[axis]).max_by_key(place));
        near.extend(along.filter(|trial| place(trial) > chosen.place[axis]).min_by_key(place));
    }
    // Trials of the same round are comparable.
    let of_round = |trial: &&TrialRecord| trial.scores.len() == chosen.scores.len();
    near.into_iter().filter(of_round).filter_map(TrialRecord::score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameKind;

    fn row(scores: &[f64], chosen: usize) -> TunedRowRecord {
        let trial = |(i, score): (usize, &f64)| TrialRecord {
            values: vec![("train.encoding_rate".to_owned(), 4_u32.pow(i as u32).to_string())],
            place: vec![i],
            scores: vec![vec![Some(*score)]],
        };
        TunedRowRecord {
            game: GameKind::Chess,
            folder: "row".to_owned(),
            trials: scores.iter().enumerate().map(trial).collect(),
            chosen: Some(chosen),
        }
    }

    #[test]
    fn a_choice_at_an_edge_is_marked_with_what_to_try_next() {
        let next = |scores: &[f64], chosen: usize| edges(&row(scores, chosen)).first().map(|edge| edge.next);
        assert_eq!(next(&[3.0, 2.0, 1.0], 2), Some(Some(64.0)));
        assert_eq!(next(&[1.0, 2.0, 3.0], 0), Some(Some(0.25)));
        assert_eq!(next(&[2.0, 1.0, 3.0], 1), None);
        assert_eq!(next(&[1.0, 1.0, 1.0], 0), None, "the setting changes nothing");
    }

    #[test]
    fn the_expected_best_of_n_is_the_mean_over_all_choices_of_n() {
        // By hand: of {1, 2, 4}, the best of two is 1, 1 or 2; of all three 1.
        let found = expected_best(&row(&[4.0, 1.0, 2.0], 1), true);
        let by_hand = [7.0 / 3.0, 4.0 / 3.0, 1.0];
        assert!(found.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        assert_eq!(expected_best(&row(&[4.0, 1.0], 1), false)[1], 4.0);
    }

    #[test]
    fn a_verdict_that_a_neighbouring_choice_reverses_depends_on_tuning() {
        let reference = row(&[2.0, 2.1, 2.2], 0);
        assert!(is_robust(&row(&[1.9, 1.0, 1.5], 1), &reference, -1.0));
        assert!(!is_robust(&row(&[2.4, 1.0, 1.5], 1), &reference, -1.0), "a quarter of the rate would reverse it");
        assert!(is_robust(&row(&[2.4, 1.9, 1.5], 2), &reference, -1.0), "only neighbours count");
        assert!(!is_robust(&row(&[1.9, 1.0, 1.5], 1), &reference, 0.1), "the trials contradict the verdict");
        assert!(!is_robust(&row(&[2.1, 1.0, 1.5], 1), &reference, -1.0), "a tie is not the verdict's sign");
    }
}
