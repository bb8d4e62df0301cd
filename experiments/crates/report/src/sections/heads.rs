//! The metrics of the heads that the networks have: all of them on test, and loss and accuracy by phase.

use super::baselines::{self, BELOW_LOG_LINEAR, BELOW_UNIFORM};
use crate::model::{GameReport, HeadReport, RowReport};
use crate::numbers::{fixed, mean_sd, or_absent};
use crate::primary::PrimaryMetric;
use crate::table::{ROW, Table};
use facts::metrics::{self, Direction, Metric};
use facts::{Mask, grouped};
use games::Phase;

/// Units of metrics that are values of a network and not counts of targets.
const UNITS_OF_VALUES: [&str; 3] = ["", "nats", "share"];

/// The heads of which a row has a metric, in the order of the registry.
pub(crate) fn of(rows: &[RowReport], primary: &PrimaryMetric) -> Vec<HeadReport> {
    let applies = |row: &&RowReport, name: &str| !row.not_applicable.contains(&name);
    let measured = |name: &str| {
        let mut rows = rows.iter().filter(|row| applies(row, name));
        rows.find_map(|row| row.test.get(name)).map(|summary| summary.mean)
    };
    let mut heads: Vec<HeadReport> = Vec::new();
    for metric in metrics::all().iter().filter(|metric| metric.is_evaluated() && !metric.name.contains('.')) {
        let (Some(name), Some(value)) = (owner(metric), measured(metric.name)) else { continue };
        let place = heads.iter().position(|head| head.name == name).unwrap_or_else(|| {
            heads.push(HeadReport { name, ..HeadReport::default() });
            heads.len() - 1
        });
        let head = &mut heads[place];
        if metric.direction != Direction::Neither {
            head.metrics.push(metric);
        } else if head.targets.is_none() && !UNITS_OF_VALUES.contains(&metric.unit) {
            head.targets = Some((metric, value as u64));
        }
    }
    heads.retain(|head| !head.metrics.is_empty());
    for head in &mut heads {
        head.by_phase = loss_and_accuracy(&head.metrics, primary);
        let by_phase = &head.by_phase;
        let has_any = |phase: &&str| by_phase.iter().any(|metric| measured(&in_phase(metric, phase)).is_some());
        let targets = |phase: &str| Some(measured(&format!("{}.{phase}", head.targets?.0.name))? as u64);
        head.phases =
            Phase::ALL.map(Phase::name).into_iter().filter(has_any).map(|name| (name, targets(name))).collect();
    }
    heads
}

/// The head that a metric is of; the loss that several heads share, where it is of them all.
fn owner(metric: &Metric) -> Option<&'static str> {
    match metric.heads()[..] {
        [] => None,
        [head] => Some(head.name()),
        _ => {
            let shared = |other: &&Metric| other.heads() == metric.heads();
            metrics::all().iter().filter(shared).find_map(Metric::loss).map(|loss| loss.name())
        }
    }
}

/// The name of a metric on the positions of a phase.
fn in_phase(metric: &Metric, phase: &str) -> String {
    format!("{}.{phase}", metric.name)
}

/// A head's first loss and its first accuracy, or the primary metric in place of one; empty for a head that has only
/// losses.
fn loss_and_accuracy(metrics: &[&'static Metric], primary: &PrimaryMetric) -> Vec<&'static Metric> {
    let of = |direction: Direction| {
        let candidates = || metrics.iter().copied().filter(move |metric| metric.direction == direction);
        candidates().find(|metric| primary.is_of(metric.name)).or_else(|| candidates().next())
    };
    match [of(Direction::Lower), of(Direction::Higher)] {
        [Some(loss), Some(accuracy)] => vec![loss, accuracy],
        _ => Vec::new(),
    }
}

/// The heading of a metric's column: shares are percentages.
fn heading(metric: &Metric) -> String {
    if scale(metric) == 1.0 { metric.name.to_owned() } else { format!("{} %", metric.name) }
}

/// A metric of a row on test, of this name (that of the metric, or of its bucket).
pub(crate) fn value(row: &RowReport, metric: &Metric, name: &str) -> String {
    if row.not_applicable.contains(&name) {
        return "n/a".to_owned();
    }
    or_absent(row.test.get(name), |summary| mean_sd(summary, scale(metric)))
}

fn scale(metric: &Metric) -> f64 {
    if metric.unit == "share" { 100.0 } else { 1.0 }
}

/// Characters of the columns that one table has room for, beside the names of the rows.
const ROOM: usize = 116;
/// The least characters of a column: `0.9123 ± 0.0012`, and a space.
const NARROWEST: usize = 16;

/// The heading of the share of the learnable gap.
pub(crate) const LEARNT: &str = "learnt %";

type Column = (String, Vec<String>);

/// Every metric of every head on test, except the primary one if it is shown in the comparison. Small heads share tables.
pub(crate) fn metrics(game: &GameReport, primary: &PrimaryMetric) -> Vec<Table> {
    let mut tables: Vec<(Vec<&str>, Vec<Column>)> = Vec::new();
    for head in &game.heads {
        let columns = columns(game, head, primary);
        let all = width(&columns);
        for (place, column) in columns.into_iter().enumerate() {
            // All columns of a head, if there is room for them.
            let more = if place == 0 { all } else { width(std::slice::from_ref(&column)) };
            if tables.last().is_none_or(|(_, before)| width(before) + more > ROOM) {
                tables.push((Vec::new(), Vec::new()));
            }
            if let Some((names, own)) = tables.last_mut() {
                if names.last() != Some(&head.name) {
                    names.push(head.name);
                }
                own.push(column);
            }
        }
    }
    let table = |(heads, mut columns): (Vec<&str>, Vec<Column>)| {
        let mut names: Vec<String> = game.all_rows().map(RowReport::name).collect();
        baselines::append(game, &mut names, &mut columns);
        Table::of_columns([vec![(ROW.to_owned(), names)], columns].concat())
            .titled(&format!("{} on test positions", words(&heads)))
    };
    tables.into_iter().map(table).collect()
}

fn width(columns: &[Column]) -> usize {
    columns.iter().map(|(name, _)| (name.chars().count() + 1).max(NARROWEST)).sum()
}

fn words(heads: &[&str]) -> String {
    heads.iter().map(|head| head.replace('_', " ")).collect::<Vec<_>>().join(", ")
}

fn columns(game: &GameReport, head: &HeadReport, primary: &PrimaryMetric) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for metric in &head.metrics {
        if !primary.at.is_last() || metric.name != primary.name {
            columns.push((heading(metric), game.all_rows().map(|row| value(row, metric, metric.name)).collect()));
        }
        if let Some(uniform) = game.uniform_baseline.filter(|_| metric.name == "policy_loss") {
            let below = |row: &RowReport| or_absent(row.test.get(metric.name), |loss| fixed(uniform - loss.mean, 3));
            columns.push((BELOW_UNIFORM.to_owned(), game.all_rows().map(below).collect()));
        }
        if game.log_linear().is_some() && metric.name == "policy_loss" {
            columns.push((BELOW_LOG_LINEAR.to_owned(), game.all_rows().map(baselines::below).collect()));
        }
        if let Some(range) = game.learnable.filter(|_| metric.name == "policy_loss") {
            let learnt = |row: &RowReport| {
                let loss = row.test.get(metric.name).filter(|_| row.mask != Mask::None);
                or_absent(loss, |loss| fixed(range.learnt(loss.mean) * 100.0, 1))
            };
            columns.push((LEARNT.to_owned(), game.all_rows().map(learnt).collect()));
        }
    }
    columns
}

/// Loss and accuracy of each head by phase.
pub(crate) fn phases(game: &GameReport) -> Vec<Table> {
    game.heads.iter().filter(|head| !head.phases.is_empty()).map(|head| by_phase(game, head)).collect()
}

fn by_phase(game: &GameReport, head: &HeadReport) -> Table {
    let mut columns = vec![(ROW.to_owned(), game.rows.iter().map(RowReport::name).collect())];
    for (phase, targets) in &head.phases {
        for (i, metric) in head.by_phase.iter().enumerate() {
            let targets = targets.map_or_else(String::new, |targets| format!(" ({})", grouped(targets)));
            let name = match i {
                0 => format!("{phase}{targets}"),
                _ => heading(metric).trim_start_matches(head.name).trim_start_matches('_').to_owned(),
            };
            let of_phase = in_phase(metric, phase);
            columns.push((name, game.rows.iter().map(|row| value(row, metric, &of_phase)).collect()));
        }
    }
    let metrics: Vec<&str> = head.by_phase.iter().map(|metric| metric.name).collect();
    let of = head.targets.map_or_else(String::new, |(metric, _)| format!(" ({})", words(&[metric.name])));
    Table::of_columns(columns).titled(&format!("{} by phase{of}", metrics.join(" and ")))
}
