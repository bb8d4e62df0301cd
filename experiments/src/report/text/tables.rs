//! The tables of one game.

use crate::grid::plan::Role;
use crate::report::model::{Comparison, GameReport, Missing, Report, RowReport};
use crate::report::numbers::{fixed, interval, interval_decimals, mean_sd, p_value, signed};
use crate::report::statistics::Summary;
use crate::table::{self, grouped};
use std::iter::once;

const NOT_YET: &str = "–";

/// Rows against the reference on the primary metric, the A/A row last.
pub(super) fn comparison(report: &Report, game: &GameReport) -> String {
    let header = ["encoding", "seeds", &report.primary.name, "difference", "95 % interval", "Holm p", "verdict"];
    let rows = game.rows.iter().chain(&game.twin).map(|row| {
        let primary = row.primary.as_ref().map_or_else(|| NOT_YET.to_owned(), |summary| mean_sd(summary, 1.0));
        let [difference, ends, p, verdict] = against_reference(row);
        vec![name(row), seeds(row), primary, difference, ends, p, verdict]
    });
    table(&header, rows, &[0, 6])
}

fn against_reference(row: &RowReport) -> [String; 4] {
    let Some(comparison) = &row.comparison else {
        return [String::new(), String::new(), String::new(), "(reference)".to_owned()];
    };
    let (difference, ends) = match (comparison.test, comparison.interval) {
        (Some(test), Some(plain)) => {
            let decimals = interval_decimals(&plain);
            (signed(test.mean, decimals), interval(&plain, decimals))
        }
        _ => (NOT_YET.to_owned(), NOT_YET.to_owned()),
    };
    let p = comparison.holm.map_or_else(|| NOT_YET.to_owned(), |corrected| p_value(corrected.holm.p));
    match row.role {
        Role::Twin => [difference, ends, "n/a".to_owned(), twin_verdict(comparison)],
        _ => [difference, ends, p, verdict(comparison)],
    }
}

fn verdict(comparison: &Comparison) -> String {
    ruled_out(comparison).unwrap_or_else(|| comparison.verdict.to_string())
}

/// An A/A row is no comparison of the grid: it says whether the noise is as small as the intervals claim.
fn twin_verdict(comparison: &Comparison) -> String {
    let judged = comparison.test.map(|test| match comparison.interval.is_some_and(|ends| ends.excludes_zero()) {
        true => format!("differs from itself (p = {})", p_value(test.p)),
        false => format!("as it should be (p = {})", p_value(test.p)),
    });
    ruled_out(comparison).or(judged).unwrap_or_else(|| NOT_YET.to_owned())
}

/// Why there can be no verdict.
fn ruled_out(comparison: &Comparison) -> Option<String> {
    comparison.missing.iter().find(|missing| missing.rules_out_a_verdict()).map(Missing::to_string)
}

/// Metrics of the test split beside the primary one.
pub(super) fn metrics(report: &Report, game: &GameReport) -> String {
    let header = [
        "encoding",
        "below unif.",
        "top-1 %",
        "top-5 %",
        "value loss",
        "value acc. %",
        "legal %",
        "novel",
        "gap",
        "epochs",
    ];
    let rows = game.rows.iter().chain(&game.twin).map(|row| {
        let below = row.test.get("policy_loss").zip(game.uniform_baseline);
        let novel = format!("{}.novel", report.primary.name);
        vec![
            name(row),
            below.map_or_else(|| NOT_YET.to_owned(), |(loss, uniform)| fixed(uniform - loss.mean, 3)),
            metric(row, "policy_accuracy", 100.0),
            metric(row, "policy_top5", 100.0),
            metric(row, "value_loss", 1.0),
            metric(row, "value_accuracy", 100.0),
            metric(row, "legal_mass", 100.0),
            metric(row, &novel, 1.0),
            row.gap.as_ref().map_or_else(|| NOT_YET.to_owned(), signed_mean_sd),
            row.epochs.map_or_else(|| NOT_YET.to_owned(), |epochs| format!("{epochs:.2}")),
        ]
    });
    table(&header, rows, &[0])
}

fn metric(row: &RowReport, metric: &str, scale: f64) -> String {
    if row.not_applicable.contains(&metric) {
        return "n/a".to_owned();
    }
    row.test.get(metric).map_or_else(|| NOT_YET.to_owned(), |summary| mean_sd(summary, scale))
}

fn signed_mean_sd(summary: &Summary) -> String {
    let text = mean_sd(summary, 1.0);
    if text.starts_with('−') { text } else { format!("+{text}") }
}

/// Policy loss and accuracy by phase, each with the number of policy targets in it.
pub(super) fn phases(game: &GameReport) -> String {
    if game.phase_sizes.iter().all(|(_, size)| size.is_none()) {
        return String::new();
    }
    let title = |(phase, size): &(&str, Option<u64>)| {
        let size = size.map_or_else(String::new, |size| format!(" ({})", grouped(size)));
        [format!("{phase}{size}"), "top-1 %".to_owned()]
    };
    let header: Vec<String> = once("encoding".to_owned()).chain(game.phase_sizes.iter().flat_map(title)).collect();
    let rows = game.rows.iter().map(|row| {
        let cells = game.phase_sizes.iter().flat_map(|(phase, _)| {
            [metric(row, &format!("policy_loss.{phase}"), 1.0), metric(row, &format!("policy_accuracy.{phase}"), 100.0)]
        });
        once(name(row)).chain(cells).collect()
    });
    table(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows, &[0])
}

/// What each row costs, and what else it knows about squares.
pub(super) fn costs(game: &GameReport) -> String {
    let header = [
        "encoding",
        "trunk params",
        "head params",
        "encoding params",
        "step ms",
        "× ref.",
        "seams",
        "own position sources",
    ];
    let rows = game.rows.iter().map(|row| {
        let network = &row.network;
        let step = row.step_time.map_or_else(|| "not measured".to_owned(), |time| format!("{:.1}", time.seconds * 1e3));
        let ratio = row.step_time.and_then(|time| time.ratio).map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        vec![
            name(row),
            grouped(network.trunk as u64),
            grouped(network.heads as u64),
            grouped(network.encoding as u64),
            step,
            ratio,
            network.seams.clone(),
            if row.own_sources.is_empty() { "none".to_owned() } else { row.own_sources.join(", ") },
        ]
    });
    table(&header, rows, &[0, 6, 7])
}

fn name(row: &RowReport) -> String {
    match row.role {
        Role::Twin => "A/A twin".to_owned(),
        _ => row.label.clone(),
    }
}

/// `3/3`, with failures named.
fn seeds(row: &RowReport) -> String {
    let failed = if row.cells.failed > 0 { format!(", {} FAILED", row.cells.failed) } else { String::new() };
    format!("{}/{}{failed}", row.cells.done, row.cells.all)
}

/// A table with the named columns flush left and all others flush right.
fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>, left: &[usize]) -> String {
    let right: Vec<_> = (0..header.len()).filter(|column| !left.contains(column)).collect();
    table::table(header, &right, rows).trim_end().to_owned()
}
