//! The trials of each row, and what fewer of them would have found.

use super::cells::ROW;
use crate::model::GameReport;
use crate::model::tuning::{TunedRow, TuningReport};
use crate::numbers::{fixed, or_absent};
use crate::table::{ABSENT, Table};

/// The mark of a choice.
const CHOSEN: &str = "●";

/// The mark of a choice at the edge of what was tried.
const EDGE: &str = "◐";

/// Both tables; none if the game's rows were not tuned.
pub(super) fn tuning(game: &GameReport) -> Vec<Table> {
    game.tuning.as_ref().map_or_else(Vec::new, |tuning| vec![sensitivity(tuning), budget(tuning)])
}

/// The metric by the setting: one line for each trial.
fn sensitivity(tuning: &TuningReport) -> Table {
    let lines = tuning.rows.iter().flat_map(|row| {
        row.trials.iter().enumerate().map(move |(i, trial)| {
            let values: Vec<String> =
                trial.values.iter().map(|(setting, value)| format!("{} {value}", last(setting))).collect();
            let seeds: Vec<String> = trial.scores.iter().map(|score| fixed(*score, 4)).collect();
            let mark = match row.chosen == Some(i) {
                true if row.edges.is_empty() => CHOSEN,
                true => EDGE,
                false => "",
            };
            let mean = or_absent(trial.score, |score| fixed(score, 4));
            vec![row.label.clone(), values.join(", "), mean, seeds.join(" "), mark.to_owned()]
        })
    });
    let mut notes = vec![format!("{CHOSEN}: chosen; {EDGE}: chosen at the edge of what was tried")];
    notes.extend(tuning.rows.iter().filter_map(edge));
    if let [_, .., last] = tuning.rounds[..] {
        let steps = last.map_or_else(|| "all".to_owned(), |steps| steps.to_string());
        notes.push(format!("trials of earlier rounds had fewer steps than those of the last one ({steps})"));
    }
    let title = format!("trials: {} on validation, tuning seeds {:?}", tuning.metric, tuning.seeds);
    Table::new([ROW, "values", "mean", "seeds", "choice"], &[0, 1, 3, 4], lines).titled(&title).noted(notes)
}

/// The last word of a setting's name.
fn last(setting: &str) -> &str {
    setting.rsplit('.').next().unwrap_or(setting)
}

/// What to try next for a row whose choice lies at an edge.
fn edge(row: &TunedRow) -> Option<String> {
    let words = row.edges.iter().map(|edge| {
        let next = edge.next.map_or_else(String::new, |next| format!(", try {next} next"));
        format!("{} {}{next}", last(&edge.setting), edge.value)
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("{}: chosen at the edge: {}", row.label, words.join("; ")))
}

/// The expected best of `n` trials.
fn budget(tuning: &TuningReport) -> Table {
    let most = tuning.rows.iter().map(|row| row.expected_best.len()).max().unwrap_or(0);
    let header: Vec<String> =
        std::iter::once(ROW.to_owned()).chain((1..=most).map(|n| format!("best of {n}"))).collect();
    let lines = tuning.rows.iter().map(|row| {
        let best = (0..most).map(|n| or_absent(row.expected_best.get(n), |score| fixed(*score, 4)));
        std::iter::once(row.label.clone()).chain(best).collect::<Vec<_>>()
    });
    let order = |n: usize| {
        let mut rows: Vec<(&str, f64)> =
            tuning.rows.iter().filter_map(|row| Some((row.label.as_str(), *row.expected_best.get(n)?))).collect();
        rows.sort_by(|a, b| a.1.total_cmp(&b.1));
        rows.into_iter().map(|(label, _)| label).collect::<Vec<_>>()
    };
    let same = (1..most).all(|n| order(n) == order(0));
    let note = match same {
        true => "the order of the rows is the same at every tuning budget",
        false => "the order of the rows depends on the tuning budget",
    };
    let title = format!("the expected best {} on validation by the number of trials", tuning.metric);
    let notes = if most > 0 { vec![note.to_owned()] } else { vec![ABSENT.to_owned()] };
    Table::new(header, &[0], lines).titled(&title).noted(notes)
}
