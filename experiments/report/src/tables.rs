//! The tables of one game, for every format.

mod interactions;
mod precision;
mod slices;
mod systems;
mod transfer;
mod variants;

pub(super) use interactions::name as interaction_name;
pub(super) use slices::slices;
pub(super) use systems::systems;
pub(super) use transfer::transfer;

use super::model::{Comparison, GameReport, Missing, Report, RowReport};
use super::numbers::{fixed, interval, interval_decimals, mean_sd, mega, p_value, signed};
use super::sheet::Sheet;
use super::statistics::Summary;
use records::plan::Role;
use spec::grouped;
use spec::metrics::NOVEL;
use std::iter::once;

const NOT_YET: &str = "–";

/// Rows against the reference on the primary metric, the A/A row last.
pub(super) fn comparison(report: &Report, game: &GameReport) -> Sheet {
    let header =
        ["encoding", "seeds", report.primary.name.as_str(), "difference", "95 % interval", "Holm p", "verdict"];
    let rows = game.rows.iter().chain(&game.twin).map(|row| {
        let primary = row.primary.as_ref().map_or_else(|| NOT_YET.to_owned(), |summary| mean_sd(summary, 1.0));
        let [difference, ends, p, verdict] = against_reference(row);
        vec![name(row), seeds(row), primary, difference, ends, p, verdict]
    });
    Sheet::new(header, &[0, 6], rows)
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

/// Every table of a game between the comparison and the costs; those without rows left out.
pub(super) fn further(report: &Report, game: &GameReport) -> Vec<Sheet> {
    let mut sheets = vec![
        interactions::interactions(game),
        policy(game),
        value(report, game),
        phases(game, &POLICY, &game.phase_sizes),
        phases(game, &VALUE, &game.value_phase_sizes),
        precision::precision(report, game),
    ];
    sheets.extend(variants::variants(game));
    sheets.retain(|sheet| !sheet.is_empty());
    sheets
}

/// Metrics of the policy on the test split, beside the primary one.
fn policy(game: &GameReport) -> Sheet {
    let header = ["encoding", "below unif.", "KL", "top-1 %", "top-5 %", "unmasked %", "legal %"];
    let rows = game.rows.iter().chain(&game.twin).map(|row| {
        let below = row.test.get("policy_loss").zip(game.uniform_baseline);
        vec![
            name(row),
            below.map_or_else(|| NOT_YET.to_owned(), |(loss, uniform)| fixed(uniform - loss.mean, 3)),
            metric(row, "policy_kl", 1.0),
            metric(row, "policy_accuracy", 100.0),
            metric(row, "policy_top5", 100.0),
            metric(row, "policy_accuracy_unmasked", 100.0),
            metric(row, "legal_mass", 100.0),
        ]
    });
    Sheet::new(header, &[0], rows).titled("policy on test positions")
}

/// Metrics of the value on the test split, and how far the primary metric carries beyond the training positions.
fn value(report: &Report, game: &GameReport) -> Sheet {
    let header = ["encoding", "value loss", "value acc. %", "novel", "gap", "epochs"];
    let novel = format!("{}.{NOVEL}", report.primary.name);
    let rows = game.rows.iter().chain(&game.twin).map(|row| {
        vec![
            name(row),
            metric(row, "value_loss", 1.0),
            metric(row, "value_accuracy", 100.0),
            metric(row, &novel, 1.0),
            row.gap.as_ref().map_or_else(|| NOT_YET.to_owned(), signed_mean_sd),
            row.epochs.map_or_else(|| NOT_YET.to_owned(), |epochs| format!("{epochs:.2}")),
        ]
    });
    Sheet::new(header, &[0], rows).titled("value on test positions, and how far the primary metric carries")
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

/// One head's columns in a table by phase.
struct Head {
    /// What stands above the table.
    title: &'static str,
    loss: &'static str,
    accuracy: &'static str,
    accuracy_header: &'static str,
}

const POLICY: Head = Head {
    title: "policy loss and accuracy by phase (policy targets)",
    loss: "policy_loss",
    accuracy: "policy_accuracy",
    accuracy_header: "top-1 %",
};

const VALUE: Head = Head {
    title: "value loss and accuracy by phase (positions of games with a known outcome)",
    loss: "value_loss",
    accuracy: "value_accuracy",
    accuracy_header: "acc. %",
};

/// Loss and accuracy of one head by phase, each with its number of targets.
fn phases(game: &GameReport, head: &Head, sizes: &[(&str, Option<u64>)]) -> Sheet {
    if sizes.iter().all(|(_, size)| size.is_none()) {
        return Sheet::default();
    }
    let title = |(phase, size): &(&str, Option<u64>)| {
        let size = size.map_or_else(String::new, |size| format!(" ({})", grouped(size)));
        [format!("{phase}{size}"), head.accuracy_header.to_owned()]
    };
    let header: Vec<String> = once("encoding".to_owned()).chain(sizes.iter().flat_map(title)).collect();
    let rows = game.rows.iter().map(|row| {
        let cells = sizes.iter().flat_map(|(phase, _)| {
            let of_phase = |name: &str, scale| metric(row, &format!("{name}.{phase}"), scale);
            [of_phase(head.loss, 1.0), of_phase(head.accuracy, 100.0)]
        });
        once(name(row)).chain(cells).collect()
    });
    Sheet::new(header, &[0], rows).titled(head.title)
}

/// What each row costs, and what else it knows about squares.
pub(super) fn costs(game: &GameReport) -> Sheet {
    let header = [
        "encoding",
        "trunk params",
        "head params",
        "encoding params",
        "MFLOPs",
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
            mega(row.flops),
            step,
            ratio,
            network.seams.clone(),
            if row.own_sources.is_empty() { "none".to_owned() } else { row.own_sources.join(", ") },
        ]
    });
    let last = header.len() - 1;
    Sheet::new(header, &[0, last - 1, last], rows).titled("cost and position")
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
