//! The tables of the heads: their metrics on test, and their loss and accuracy by phase.

use super::baselines::{self, BELOW_LOG_LINEAR, BELOW_UNIFORM};
use super::cells::{ROW, heading, name, value};
use crate::heads::in_phase;
use crate::model::{GameReport, HeadReport, PrimaryMetric, RowReport};
use crate::numbers::{fixed, or_absent};
use crate::table::Table;
use facts::{Mask, grouped};

/// Characters of the columns that one table has room for, beside the names of the rows.
const ROOM: usize = 116;
/// The least characters of a column: `0.9123 ± 0.0012`, and a space.
const NARROWEST: usize = 16;

/// The heading of the share of the learnable gap.
pub(crate) const LEARNT: &str = "learnt %";

type Column = (String, Vec<String>);

/// Every metric of every head on test, except the primary one if it is shown in the comparison. Small heads share tables.
pub(super) fn metrics(game: &GameReport, primary: &PrimaryMetric) -> Vec<Table> {
    let mut tables: Vec<(Vec<&str>, Vec<Column>)> = Vec::new();
    for head in &game.heads {
        let columns = columns(game, head, primary);
        let fits = |room: usize, columns: &[Column]| width(columns) <= room;
        let starts = match tables.last() {
            Some((_, before)) => !fits(ROOM.saturating_sub(width(before)), &columns),
            None => true,
        };
        if starts {
            tables.push((Vec::new(), Vec::new()));
        }
        for column in columns {
            if tables.last().is_some_and(|(_, before)| width(before) + width(std::slice::from_ref(&column)) > ROOM) {
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
    tables.retain(|(_, columns)| !columns.is_empty());
    let table = |(heads, mut columns): (Vec<&str>, Vec<Column>)| {
        let mut names: Vec<String> = rows(game).map(name).collect();
        baselines::append(game, &mut names, &mut columns);
        Table::of_columns([vec![(ROW.to_owned(), names)], columns].concat())
            .titled(&format!("{} on test positions", words(&heads)))
    };
    tables.into_iter().map(table).collect()
}

fn rows(game: &GameReport) -> impl Iterator<Item = &RowReport> {
    game.rows.iter().chain(&game.twin)
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
            columns.push((heading(metric), rows(game).map(|row| value(row, metric, metric.name)).collect()));
        }
        if let Some(uniform) = game.uniform_baseline.filter(|_| metric.name == "policy_loss") {
            let below = |row: &RowReport| or_absent(row.test.get(metric.name), |loss| fixed(uniform - loss.mean, 3));
            columns.push((BELOW_UNIFORM.to_owned(), rows(game).map(below).collect()));
        }
        if game.log_linear().is_some() && metric.name == "policy_loss" {
            columns.push((BELOW_LOG_LINEAR.to_owned(), rows(game).map(baselines::below).collect()));
        }
        if let Some(range) = game.learnable.filter(|_| metric.name == "policy_loss") {
            let learnt = |row: &RowReport| {
                let loss = row.test.get(metric.name).filter(|_| row.mask != Mask::None);
                or_absent(loss, |loss| fixed(range.learnt(loss.mean) * 100.0, 1))
            };
            columns.push((LEARNT.to_owned(), rows(game).map(learnt).collect()));
        }
    }
    columns
}

/// Loss and accuracy of each head by phase.
pub(super) fn phases(game: &GameReport) -> Vec<Table> {
    game.heads.iter().filter(|head| !head.phases.is_empty()).map(|head| by_phase(game, head)).collect()
}

fn by_phase(game: &GameReport, head: &HeadReport) -> Table {
    let mut columns = vec![(ROW.to_owned(), game.rows.iter().map(name).collect())];
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
