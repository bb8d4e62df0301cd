//! The trials of a tuned grid: choices at an edge, the expected best of fewer trials, and whether a verdict would
//! be the same for the neighbouring choices.

use crate::figures::{Figure, Styles, slug};
use crate::model::RowReport;
use crate::numbers::{fixed, or_absent};
use crate::table::{ABSENT, ROW, Table};
use facts::row_name::readable;
use facts::{distinct, listed};
use figures::plot::curves::{self, CurvePlot, Point, Series};
use records::plan::Row;
use records::tuning::{TrialRecord, TunedRowRecord, TuningRecord};

#[derive(Debug, Clone, PartialEq)]
pub struct TuningReport {
    /// The metric that decided, on validation positions.
    pub metric: String,
    pub seeds: Vec<u64>,
    pub trials: usize,
    /// Optimiser steps of each round of trials, where they differ from those of the rows.
    pub rounds: Vec<Option<u64>>,
    pub rows: Vec<TunedRow>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TunedRow {
    pub label: String,
    pub trials: Vec<TrialRecord>,
    /// The number of the trial that was chosen; none if no trial has finished.
    pub chosen: Option<usize>,
    /// Settings whose choice is the first or the last value that was tried.
    pub edges: Vec<Edge>,
    /// The expected best score of `n` trials, for `n` from 1 to their number.
    pub expected_best: Vec<f64>,
}

/// A choice at the edge of the values that were tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    pub setting: String,
    pub value: String,
    /// The value to try next; none if the values are not numbers.
    pub next: Option<f64>,
}

/// The trials of some rows; none if they have none.
pub(crate) fn of<'a>(record: Option<&TuningRecord>, rows: impl Iterator<Item = &'a Row>) -> Option<TuningReport> {
    let record = record?;
    let tuned = |row: &Row| {
        let own = record.rows.iter().find(|own| own.folder == row.folder)?;
        Some(TunedRow {
            label: row.display_name().to_owned(),
            trials: own.trials.clone(),
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

/// The trials of a row that differ from the chosen one in this setting only, and that one: in the order of the setting's values
/// if they are numbers, otherwise in that of the file.
fn trials_varying_only<'a>(row: &'a TunedRowRecord, chosen: &TrialRecord, axis: usize) -> Vec<&'a TrialRecord> {
    let is_along =
        |trial: &&TrialRecord| trial.place.iter().enumerate().all(|(i, place)| i == axis || *place == chosen.place[i]);
    let mut along: Vec<&TrialRecord> = row.trials.iter().filter(is_along).collect();
    along.sort_by_key(|trial| trial.place[axis]);
    if along.iter().all(|trial| number(trial, axis).is_some()) {
        along.sort_by(|a, b| number(a, axis).partial_cmp(&number(b, axis)).expect("finite numbers"));
    }
    along
}

fn number(trial: &TrialRecord, axis: usize) -> Option<f64> {
    trial.values[axis].1.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The choices that are the first or last of several values of a setting. A setting that changes nothing has none.
fn edges(row: &TunedRowRecord) -> Vec<Edge> {
    let Some(chosen) = row.chosen.map(|chosen| &row.trials[chosen]) else { return Vec::new() };
    let edge = |axis: usize| {
        let along = trials_varying_only(row, chosen, axis);
        let acts = along.iter().any(|trial| trial.scores.first() != chosen.scores.first());
        let own = along.iter().position(|trial| trial.place[axis] == chosen.place[axis])?;
        let inner = match own {
            _ if along.len() < 2 || !acts => return None,
            0 => 1,
            last if last + 1 == along.len() => last - 1,
            _ => return None,
        };
        let (setting, value) = &chosen.values[axis];
        let next = number(chosen, axis).zip(number(along[inner], axis)).filter(|&(_, inner)| inner != 0.0);
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
/// verdict has: `difference` is the row less the reference on test positions. A tie has neither sign. A neighbour that failed
/// counts as worse than every other trial; without a chosen trial nothing is known.
pub fn is_robust(row: &TunedRowRecord, reference: &TunedRowRecord, difference: f64, lower_is_better: bool) -> bool {
    let worst = if lower_is_better { f64::INFINITY } else { f64::NEG_INFINITY };
    let [own, other] = [row, reference].map(|row| near_choice(row, worst));
    let is_known = !own.is_empty() && !other.is_empty();
    is_known && own.iter().all(|own| other.iter().all(|other| (own - other) * difference > 0.0))
}

/// The scores of the chosen trial and of its neighbours: those that differ in one setting by one step of what was tried. None if a
/// setting that was tuned has no neighbour.
fn near_choice(row: &TunedRowRecord, worst: f64) -> Vec<f64> {
    let Some(chosen) = row.chosen.map(|chosen| &row.trials[chosen]) else { return Vec::new() };
    let mut near: Vec<&TrialRecord> = vec![chosen];
    for axis in 0..chosen.place.len() {
        let along = trials_varying_only(row, chosen, axis);
        // A random search may have tried other values of a setting, but none with the other settings of the choice.
        if along.len() < 2 && row.trials.iter().any(|trial| trial.place[axis] != chosen.place[axis]) {
            return Vec::new();
        }
        let own = along.iter().position(|trial| trial.place == chosen.place).expect("the chosen trial is along");
        near.extend(own.checked_sub(1).map(|before| along[before]));
        near.extend(along.get(own + 1));
    }
    // Trials of the same round are comparable.
    let of_round = |trial: &&TrialRecord| trial.scores.len() == chosen.scores.len();
    near.into_iter().filter(of_round).map(|trial| trial.score().unwrap_or(worst)).collect()
}

const CHOSEN: &str = "●";

/// The mark of a choice at the edge of what was tried.
const EDGE: &str = "◐";

/// Both tables; none if the game's rows were not tuned.
pub(crate) fn tables(tuning: Option<&TuningReport>) -> Vec<Table> {
    tuning.map_or_else(Vec::new, |tuning| vec![trials(tuning), budget(tuning)])
}

/// The metric by the setting: one line for each trial.
fn trials(tuning: &TuningReport) -> Table {
    let lines = tuning.rows.iter().flat_map(|row| {
        row.trials.iter().enumerate().map(move |(i, trial)| {
            let values: Vec<String> =
                trial.values.iter().map(|(setting, value)| format!("{} {value}", last(setting))).collect();
            let seeds: Vec<String> = scores(trial).map(|score| fixed(score, 4)).collect();
            let mark = match row.chosen == Some(i) {
                true if row.edges.is_empty() => CHOSEN,
                true => EDGE,
                false => "",
            };
            let mean = or_absent(trial.score(), |score| fixed(score, 4));
            vec![readable(&row.label), values.join(", "), mean, seeds.join(" "), mark.to_owned()]
        })
    });
    let mut notes = vec![format!("{CHOSEN}: chosen; {EDGE}: chosen at the edge of what was tried")];
    notes.extend(tuning.rows.iter().filter_map(at_edge));
    if let [_, .., last] = tuning.rounds[..] {
        let steps = last.map_or_else(|| "all".to_owned(), |steps| steps.to_string());
        notes.push(format!("trials of earlier rounds had fewer steps than those of the last one ({steps})"));
    }
    let title = format!("trials: {} on validation, tuning seeds {:?}", tuning.metric, tuning.seeds);
    Table::new([ROW, "values", "mean", "seeds", "choice"], &[0, 1, 3, 4], lines).titled(&title).noted(notes)
}

/// The metric of each seed in the trial's last round.
fn scores(trial: &TrialRecord) -> impl Iterator<Item = f64> {
    trial.scores.last().into_iter().flatten().flatten().copied()
}

/// The last word of a setting's name.
fn last(setting: &str) -> &str {
    setting.rsplit('.').next().unwrap_or(setting)
}

/// What to try next for a row whose choice lies at an edge.
fn at_edge(row: &TunedRow) -> Option<String> {
    let words = row.edges.iter().map(|edge| {
        let next = edge.next.map_or_else(String::new, |next| format!(", try {next} next"));
        format!("{} {}{next}", last(&edge.setting), edge.value)
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("{}: chosen at the edge: {}", readable(&row.label), words.join("; ")))
}

fn budget(tuning: &TuningReport) -> Table {
    let most = tuning.rows.iter().map(|row| row.expected_best.len()).max().unwrap_or(0);
    let header: Vec<String> =
        std::iter::once(ROW.to_owned()).chain((1..=most).map(|n| format!("best of {n}"))).collect();
    let lines = tuning.rows.iter().map(|row| {
        let best = (0..most).map(|n| or_absent(row.expected_best.get(n), |score| fixed(*score, 4)));
        std::iter::once(readable(&row.label)).chain(best).collect::<Vec<_>>()
    });
    let (all, fewer): (Vec<&TunedRow>, Vec<&TunedRow>) =
        tuning.rows.iter().partition(|row| row.expected_best.len() == most);
    let order = |n: usize| {
        let mut rows: Vec<(&str, f64)> = all.iter().map(|row| (row.label.as_str(), row.expected_best[n])).collect();
        rows.sort_by(|a, b| a.1.total_cmp(&b.1));
        rows.into_iter().map(|(label, _)| label).collect::<Vec<_>>()
    };
    let same = (1..most).all(|n| order(n) == order(0));
    let note = match same {
        true => "the order of the rows is the same at every tuning budget",
        false => "the order of the rows depends on the tuning budget",
    };
    let title = format!("the expected best {} on validation by the number of trials", tuning.metric);
    let mut notes = if most > 0 { vec![note.to_owned()] } else { vec![ABSENT.to_owned()] };
    if !fewer.is_empty() {
        let rows: Vec<String> = fewer.iter().map(|row| readable(&row.label)).collect();
        notes.push(format!("trials failed or have not ended, so not in the order: {}", listed(&rows)));
    }
    Table::new(header, &[0], lines).titled(&title).noted(notes)
}

/// A plot for each setting that some rows tuned as their only one, and whose values are numbers above zero.
pub(crate) fn figures(game: &str, tuning: Option<&TuningReport>, rows: &[RowReport], styles: &Styles) -> Vec<Figure> {
    let Some(tuning) = tuning else { return Vec::new() };
    let tuned = |row: &RowReport| tuning.rows.iter().find(|own| own.label == row.label);
    let figure = |setting: String| {
        let of_setting = |row: &RowReport| tuned(row).filter(|own| only_tuned_setting(own).as_ref() == Some(&setting));
        let series = rows.iter().filter_map(|row| {
            let points = of_setting(row)?.trials.iter().filter_map(point).collect();
            Some(Series { label: row.name(), style: styles.row(row), points, faint: Vec::new() })
        });
        let plot = CurvePlot {
            title: format!("Sensitivity to {setting} on {game}."),
            x_label: format!("log₂ of {setting}"),
            x_name: "log₂",
            y_label: format!("validation {}", tuning.metric),
            of_sizes: false,
            series: series.collect(),
            level: None,
        };
        let id = format!("{game}-sensitivity-{}", slug(&setting));
        let svg = curves::draw(&plot, &id, styles.medium)?;
        let caption = format!("Trials, mean over tuning seeds {:?}; bands: their range.", tuning.seeds);
        Some(Figure { id, svg, title: plot.title, caption })
    };
    distinct(tuning.rows.iter().filter_map(only_tuned_setting)).into_iter().filter_map(figure).collect()
}

/// The only setting that a row tuned, unless all of its values have the same score.
fn only_tuned_setting(row: &TunedRow) -> Option<String> {
    let acts = row.trials.iter().any(|trial| trial.score() != row.trials[0].score());
    match &row.trials.first()?.values[..] {
        [(setting, _)] if acts => Some(setting.clone()),
        _ => None,
    }
}

fn point(trial: &TrialRecord) -> Option<Point> {
    let value = number(trial, 0).filter(|value| *value > 0.0)?;
    let ends = |of: fn(f64, f64) -> f64| scores(trial).reduce(of);
    Some(Point { x: value.log2(), y: trial.score()?, low: ends(f64::min)?, high: ends(f64::max)? })
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
    fn values_that_have_no_place_on_an_axis_are_not_drawn() {
        let mut trial = row(&[1.0], 0).trials.remove(0);
        for (value, place) in [("4", Some(2.0)), ("0", None), ("-1", None), ("inf", None), ("adam", None)] {
            trial.values[0].1 = value.to_owned();
            assert_eq!(point(&trial).map(|point| point.x), place, "{value}");
        }
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
        let is_robust = |row: &TunedRowRecord, difference: f64| is_robust(row, &reference, difference, true);
        assert!(is_robust(&row(&[1.9, 1.0, 1.5], 1), -1.0));
        assert!(!is_robust(&row(&[2.4, 1.0, 1.5], 1), -1.0), "a quarter of the rate would reverse it");
        assert!(is_robust(&row(&[2.4, 1.9, 1.5], 2), -1.0), "only neighbours count");
        assert!(!is_robust(&row(&[1.9, 1.0, 1.5], 1), 0.1), "the trials contradict the verdict");
        assert!(!is_robust(&row(&[2.1, 1.0, 1.5], 1), -1.0), "a tie is not the verdict's sign");
    }

    #[test]
    fn a_choice_whose_neighbours_were_not_tried_is_not_robust() {
        let place = |mut row: TunedRowRecord, places: [[usize; 2]; 3]| {
            for (trial, place) in row.trials.iter_mut().zip(places) {
                trial.values = place.map(|value| ("train.rate".to_owned(), value.to_string())).to_vec();
                trial.place = place.to_vec();
            }
            row
        };
        let reference = place(row(&[2.0, 2.1, 2.2], 0), [[0, 0], [0, 1], [1, 0]]);
        let crossed = place(row(&[1.0, 1.1, 1.2], 0), [[0, 0], [0, 1], [1, 0]]);
        let scattered = place(row(&[1.0, 1.1, 1.2], 0), [[0, 0], [1, 2], [2, 1]]);
        assert!(is_robust(&crossed, &reference, -1.0, true));
        assert!(!is_robust(&scattered, &reference, -1.0, true), "of a random search");
    }

    #[test]
    fn a_neighbour_that_failed_is_worse_and_a_row_without_a_choice_is_not_known() {
        let failed = |mut row: TunedRowRecord, trial: usize| {
            row.trials[trial].scores = vec![vec![None]];
            row
        };
        let (better, reference) = (row(&[1.9, 1.0, 1.5], 1), row(&[2.0, 2.1, 2.2], 0));
        assert!(!is_robust(&failed(better.clone(), 0), &reference, -1.0, true), "better next to a failure");
        assert!(is_robust(&better, &failed(reference.clone(), 1), -1.0, true), "than a row next to one");
        assert!(is_robust(&failed(row(&[2.5, 3.0, 3.5], 0), 1), &reference, 1.0, true), "worse next to a failure");
        assert!(!is_robust(&failed(row(&[0.5, 0.9, 0.6], 1), 2), &row(&[0.1, 0.2, 0.1], 1), 0.7, false), "an accuracy");
        let without = TunedRowRecord { chosen: None, ..reference };
        assert!(!is_robust(&better, &without, -1.0, true), "no trial has finished");
    }

    #[test]
    fn neighbours_and_edges_are_those_of_the_values_in_whatever_order_they_are_tried() {
        // By value the scores are 1.2, 1.0, 2.4; a later 0.25 was appended to 1, 4.
        let appended = |scores: [f64; 3]| {
            let mut row = row(&scores, 1);
            for (trial, value) in row.trials.iter_mut().zip(["1", "4", "0.25"]) {
                trial.values[0].1 = value.to_owned();
            }
            row
        };
        let reference = row(&[2.0], 0);
        assert_eq!(edges(&appended([1.2, 1.0, 2.4]))[0].next, Some(16.0));
        assert!(is_robust(&appended([1.2, 1.0, 2.4]), &reference, -1.0, true), "0.25 is two steps from 4");
        assert!(!is_robust(&appended([2.4, 1.0, 1.2]), &reference, -1.0, true), "1 is one step from 4");
    }
}
