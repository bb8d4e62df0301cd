//! The tables of a report, for every format.

pub(super) mod baselines;
pub(super) mod cells;
pub(super) mod heads;
mod interactions;
mod movements;
mod precision;
mod slices;
mod strength;
mod systems;
mod ties;
mod transfer;
mod tuning;
mod variants;

pub(super) use movements::movements;
pub(super) use slices::slices;
pub(super) use systems::systems;
pub(super) use transfer::transfer;

use super::conclusions;
use super::distinct::distinct;
use super::model::comparison::Comparison;
use super::model::noise::{Noise, SeedsOnly};
use super::model::{GameReport, Report, RowReport};
use super::numbers::{
    alone, decimals, fixed, interval, interval_decimals, mean_sd, mega, or_absent, p_in_words, p_value, signed,
};
use super::statistics::Summary;
use super::table::{ABSENT, Table};
use cells::{ROW, name, ruled_out, verdict};
use facts::metrics::NOVEL;
use facts::{Role, grouped};

/// The note of a game without an A/A control.
const NO_CONTROL: &str = "A/A control: none, so the size of differences by chance is unknown; remove `twin: false` from \
                          the experiment file to add it";

/// Rows against the reference on the primary metric, the A/A control last.
pub(super) fn comparison(report: &Report, game: &GameReport) -> Table {
    let rows: Vec<&RowReport> = game.rows.iter().chain(&game.twin).collect();
    let noise = |row: &RowReport| row.comparison.as_ref().and_then(|comparison| comparison.noise.clone());
    let crossed = |row: &RowReport| noise(row)?.crossed().copied();
    let mut columns = vec![
        (ROW.to_owned(), rows.iter().map(|row| baselines::marked(row)).collect::<Vec<String>>()),
        ("seeds".to_owned(), rows.iter().map(|row| seeds(row)).collect()),
    ];
    if rows.iter().any(|row| crossed(row).is_some()) {
        let games = |row: &&RowReport| match crossed(row) {
            Some(crossed) => crossed.games.to_string(),
            None => {
                if row.comparison.is_some() {
                    ABSENT.to_owned()
                } else {
                    String::new()
                }
            }
        };
        columns.push(("games".to_owned(), rows.iter().map(games).collect()));
    }
    let level = |row: &&RowReport| or_absent(row.primary.as_ref(), |summary| mean_sd(summary, 1.0));
    columns.push((report.primary.name.clone(), rows.iter().map(level).collect()));
    let against: Vec<[String; 4]> = rows.iter().map(|row| against_reference(row)).collect();
    let names = ["difference", "95 % interval", "Holm p", "verdict"];
    columns.extend(
        names
            .iter()
            .enumerate()
            .map(|(i, name)| ((*name).to_owned(), against.iter().map(|cells| cells[i].clone()).collect())),
    );
    if report.primary.margin.is_some() {
        let cells = rows.iter().map(|row| p_of_equivalence(row)).collect();
        columns.insert(columns.len() - 1, ("Holm p of equivalence".to_owned(), cells));
    }
    let mut notes = vec![conclusions::rates(report)];
    notes.extend(noise_notes(&rows));
    if game.has_groups() {
        notes.push(groups(game));
    }
    if game.twin.is_none() {
        notes.push(NO_CONTROL.to_owned());
    }
    notes.extend(baselines::notes(game));
    baselines::add_lines(report, game, &mut columns);
    let verdicts = columns.len() - 1;
    let title = format!("differences to the reference in {}", report.primary.name);
    let table = Table::of_columns(columns);
    Table { text_columns: vec![0, verdicts], ..table }.titled(&title).noted(notes)
}

/// Which reference each row is compared with, and over what Holm's correction is.
fn groups(game: &GameReport) -> String {
    let control = game.twin.as_ref().and_then(|row| row.comparison.as_ref());
    let control = control.map_or_else(String::new, |one| format!(", the A/A control with {}", one.reference));
    format!(
        "each row is compared with the reference above it{control}; Holm's correction is over the comparisons of all groups"
    )
}

/// Which noise the intervals count, and of which rows they count seeds only.
fn noise_notes(rows: &[&RowReport]) -> Vec<String> {
    let noise = |row: &&RowReport| Some((name(row), row.comparison.as_ref()?.noise.clone()?));
    let all: Vec<(String, Noise)> = rows.iter().filter_map(noise).collect();
    let counted = all.iter().any(|(_, noise)| noise.crossed().is_some());
    let mut notes = Vec::new();
    if counted {
        notes.push(
            "intervals and p count the noise of seeds and of test games; games: how many test games there are; the table of \
             precision shows how the variance splits"
                .to_owned(),
        );
    }
    let reasons = distinct(all.iter().filter_map(|(_, noise)| noise.seeds_only().map(SeedsOnly::to_string)));
    notes.extend(reasons.into_iter().map(|why| {
        let own = all.iter().filter(|(_, noise)| noise.seeds_only().is_some_and(|own| own.to_string() == why));
        let names: Vec<&str> = own.map(|(name, _)| &name[..]).collect();
        let whose = if names.len() == all.len() { String::new() } else { format!(" of {}", names.join(", ")) };
        format!("intervals and p{whose} count the noise of seeds only: {why}")
    }));
    notes
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
        _ => (or_absent(comparison.mean(), alone), ABSENT.to_owned()),
    };
    let p = or_absent(comparison.holm, |corrected| p_value(corrected.holm.p));
    match row.role {
        Role::Twin => [difference, ends, "n/a".to_owned(), control_verdict(comparison)],
        _ => [difference, ends, p, verdict(comparison)],
    }
}

fn p_of_equivalence(row: &RowReport) -> String {
    match (&row.comparison, row.role) {
        (None, _) => String::new(),
        (_, Role::Twin) => "n/a".to_owned(),
        (Some(comparison), _) => or_absent(comparison.equivalence, |tests| p_value(tests.holm.p)),
    }
}

/// An A/A control is not a comparison of the grid: it tests whether the noise is as small as the intervals assume.
fn control_verdict(comparison: &Comparison) -> String {
    let judged = comparison.decisive.map(|test| match comparison.interval.is_some_and(|ends| ends.excludes_zero()) {
        true => format!("differs from the reference ({})", p_in_words(test.p)),
        false => format!("as expected ({})", p_in_words(test.p)),
    });
    ruled_out(&comparison.missing).or(judged).unwrap_or_else(|| ABSENT.to_owned())
}

/// Every table of a game between the comparison and the slices.
pub(super) fn further(report: &Report, game: &GameReport) -> Vec<Table> {
    let mut tables = vec![ties::ties(report, game), interactions::interactions(game)];
    tables.extend(heads::metrics(game, &report.primary));
    tables.push(generalisation(report, game));
    tables.extend(heads::phases(game));
    tables.push(precision::precision(report, game));
    tables.extend(tuning::tuning(game));
    tables.extend(variants::variants(game));
    tables.extend(strength::strength(&report.primary, game));
    tables.retain(|table| !table.is_empty());
    tables
}

/// The primary metric on novel positions and on the training positions.
fn generalisation(report: &Report, game: &GameReport) -> Table {
    let novel = format!("{}.{NOVEL}", report.primary.name);
    let shown = |row: &RowReport| row.gap.is_some() || row.test.contains_key(&novel) || row.per_doubling().is_some();
    if !game.rows.iter().any(shown) {
        return Table::default();
    }
    let rows = game.rows.iter().chain(&game.twin).map(|row| {
        vec![
            name(row),
            or_absent(row.test.get(&novel), |summary| mean_sd(summary, 1.0)),
            or_absent(row.gap.as_ref(), signed_mean_sd),
            or_absent(row.epochs, |epochs| fixed(epochs, 2)),
            or_absent(row.clipped.as_ref(), |share| mean_sd(share, 100.0)),
            or_absent(row.per_doubling(), |slope| signed(slope, decimals(slope.abs()))),
        ]
    });
    let name = &report.primary.name;
    let title = format!("{name} on novel positions, the gap between test and training, and the slope at the end");
    let notes = vec![format!(
        "per doubling: the change of {name} on validation per doubling of the steps, over the last half of the steps; \
         clipped: the share of steps whose gradient was longer than `train.clip`"
    )];
    Table::new([ROW, "novel", "gap", "epochs", "clipped %", "per doubling"], &[0], rows)
        .titled(&title)
        .noted(notes)
        .without_empty_columns()
}

fn signed_mean_sd(summary: &Summary) -> String {
    let text = mean_sd(summary, 1.0);
    if text.starts_with('−') { text } else { format!("+{text}") }
}

/// The costs of each row, and its own sources of position.
pub(super) fn costs(game: &GameReport) -> Table {
    let header = [
        ROW,
        "trunk params",
        "head params",
        "encoding params",
        "MFLOPs",
        "step ms",
        "× ref.",
        "injection points",
        "own position sources",
    ];
    let rows = game.rows.iter().map(|row| {
        let network = &row.network;
        let step = row.step_time.map_or_else(|| "not measured".to_owned(), |time| fixed(time.seconds * 1e3, 1));
        let ratio = row.step_time.and_then(|time| time.ratio).map_or_else(String::new, |ratio| fixed(ratio, 2));
        vec![
            name(row),
            grouped(network.trunk as u64),
            grouped(network.heads as u64),
            grouped(network.encoding as u64),
            mega(row.flops),
            step,
            ratio,
            network.injection_points.clone(),
            if row.own_sources.is_empty() { "none".to_owned() } else { row.own_sources.join(", ") },
        ]
    });
    let common = if game.common_sources.is_empty() { "none".to_owned() } else { game.common_sources.join("; ") };
    let notes = vec![format!("position sources common to all rows: {common}")];
    let last = header.len() - 1;
    Table::new(header, &[0, last - 1, last], rows).titled("costs and sources of position").noted(notes)
}

fn seeds(row: &RowReport) -> String {
    let failed = if row.cells.failed > 0 { format!(", {} FAILED", row.cells.failed) } else { String::new() };
    format!("{}/{}{failed}", row.cells.done, row.cells.all)
}
