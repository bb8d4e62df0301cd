//! The phases of training, as `posenc check` prints them, and rows that share a property.

use config::{Phase, Row, grouped};
use facts::by_key;
use serde_json::{Value, json};

/// The phases of every row that has some, once for all rows that share them; empty where none has.
pub(super) fn text(rows: &[Row]) -> String {
    let with_phases = rows.iter().filter(|row| !row.run.train.phases.is_empty());
    let sets = labels_by(with_phases, lines).into_iter();
    sets.map(|(lines, labels)| format!("phases ({}):\n  {}\n", labels.join(", "), lines.join("\n  "))).collect()
}

fn lines(row: &Row) -> Vec<String> {
    spans(row)
        .map(|(begin, end, phase)| format!("steps {} to {}: {}", grouped(begin + 1), grouped(end), words(phase)))
        .collect()
}

/// The steps of each phase: the number of the first one, from 0, and the number after the last one.
fn spans(row: &Row) -> impl Iterator<Item = (u64, u64, &Phase)> {
    let ends = &row.data.phase_ends;
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(ends.iter().copied()).zip(&row.run.train.phases).map(|((begin, end), phase)| (begin, end, phase))
}

fn words(phase: &Phase) -> String {
    let games = if phase.bucket.is_empty() { "all games".to_owned() } else { phase.bucket.join(", ") };
    let losses = phase.loss.iter().map(|(loss, weight)| format!("loss {} x {weight}", loss.name()));
    let rate = phase.learning_rate.map(|factor| format!("learning rate x {factor}"));
    std::iter::once(games).chain(losses).chain(rate).collect::<Vec<_>>().join(", ")
}

pub(super) fn json(row: &Row) -> Value {
    let phase = |(begin, end, phase): (u64, u64, &Phase)| {
        let losses: serde_json::Map<_, _> =
            phase.loss.iter().map(|(loss, weight)| (loss.name().to_owned(), json!(weight))).collect();
        json!({
            "first_step": begin + 1,
            "last_step": end,
            "bucket": phase.bucket,
            "loss": losses,
            "learning_rate": phase.learning_rate.unwrap_or(1.0),
        })
    };
    spans(row).map(phase).collect()
}

/// The labels of the rows that share a property, by property in the order of the rows.
pub(super) fn labels_by<'a, K: PartialEq>(
    rows: impl Iterator<Item = &'a Row>,
    property: impl Fn(&'a Row) -> K,
) -> Vec<(K, Vec<&'a str>)> {
    by_key(rows.map(|row| (property(row), row.label.as_str())))
}
