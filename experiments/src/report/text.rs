//! A report as plain text, up to about 140 columns wide.
//!
//! No colours are used, so `NO_COLOR` holds by construction.

mod conclusions;
mod controls;
mod tables;

use super::files::Conditions;
use super::model::{Counts, GameReport, Report};
use crate::table::grouped;
use crate::train::metrics::Direction;

/// Draws a report.
#[must_use]
pub fn draw(report: &Report) -> String {
    let mut blocks = vec![head(report), conclusions::draw(report)];
    blocks.extend(report.games.iter().map(|game| game_block(report, game)));
    blocks.push(failures(report));
    blocks.push(notes(report));
    blocks.push(list("warnings", &report.warnings));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

fn head(report: &Report) -> String {
    let mut lines = vec![format!("{}: {}", report.experiment, progress(&report.cells, "cells"))];
    if report.twins.all > 0 {
        lines[0] += &format!(" (and {})", progress(&report.twins, "A/A twins"));
    }
    lines.extend(report.question.as_ref().map(|question| format!("question: {}", question.trim())));
    let primary = &report.primary;
    let better = match primary.direction {
        Direction::Lower => ", lower is better",
        Direction::Higher => ", higher is better",
        Direction::Neither => "",
    };
    let when = match primary.at {
        None => "on test positions after the last step".to_owned(),
        Some(step) => format!("on validation positions after step {step}"),
    };
    lines.push(format!(
        "primary metric: {} ({}{better}) {when}, {} weights",
        primary.name, primary.unit, primary.weights
    ));
    lines.join("\n")
}

/// `24 of 24 cells done`, with whatever else there is.
fn progress(counts: &Counts, what: &str) -> String {
    let others = [
        (counts.running, "running"),
        (counts.interrupted, "interrupted"),
        (counts.pending, "pending"),
        (counts.failed, "FAILED"),
    ];
    let others = others.iter().filter(|(n, _)| *n > 0).map(|(n, state)| format!(", {n} {state}"));
    format!("{} of {} {what} done{}", counts.done, counts.all, others.collect::<String>())
}

fn game_block(report: &Report, game: &GameReport) -> String {
    let mut facts = vec![game.game.clone()];
    facts.extend(game.test_positions.map(|positions| format!("{} test positions", grouped(positions))));
    facts.extend(game.policy_targets.map(|targets| format!("{} policy targets", grouped(targets))));
    facts.extend(game.novel_share.map(|share| format!("{:.1} % of positions novel", share * 100.0)));
    facts.extend(game.uniform_baseline.map(|nats| format!("uniform over legal moves {nats:.3} nats")));
    let sources = match game.common_sources.as_slice() {
        [] => "no other position sources common to all rows".to_owned(),
        sources => format!("position sources common to all rows:\n  - {}", sources.join("\n  - ")),
    };
    let mut comparison = format!("{}\n{}", facts.join(" · "), tables::comparison(report, game));
    if game.twin.is_none() {
        comparison += "\nA/A row: none, so nothing shows how large a difference is where there is none; take `twin: false` \
                       out of the experiment file to add the reference's twin";
    }
    let mut parts = vec![comparison, tables::policy(game), tables::value(report, game)];
    for (head, sizes) in [(tables::POLICY, &game.phase_sizes), (tables::VALUE, &game.value_phase_sizes)] {
        parts.push(titled(head.title, tables::phases(game, &head, sizes)));
    }
    parts.push(format!("{}\n{sources}", titled("cost and position", tables::costs(game))));
    parts.push(controls::draw(game));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn titled(title: &str, table: String) -> String {
    if table.is_empty() { table } else { format!("{title}\n{table}") }
}

fn failures(report: &Report) -> String {
    let lines = report.failures.iter().flat_map(|cell| {
        let kind = cell.failure.kind;
        let folder = match kind.is_final() {
            true => format!("it is not tried again as it is; to try it all the same, delete {}", cell.folder),
            false => format!("its folder: {}", cell.folder),
        };
        [format!("{} FAILED: {}", cell.name, cell.failure), format!("  {}; {folder}", kind.remedy())]
    });
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() { String::new() } else { format!("failures\n  {}", lines.join("\n  ")) }
}

fn notes(report: &Report) -> String {
    let mut lines = vec![
        "± is the standard deviation over seeds; a difference is row less reference, paired by seed; its 95 % interval \
         is Student's t"
            .to_owned(),
        "a verdict needs ≥ 3 complete pairs and a Holm-corrected p below 0.05; then the corrected interval excludes 0"
            .to_owned(),
        "below unif.: nats by which policy_loss lies under a uniform choice among legal moves; KL: policy_loss less the \
         entropy of its target"
            .to_owned(),
        "unmasked %: top-1 among all moves; legal %: probability on legal moves before any mask".to_owned(),
        "novel: the primary metric on test positions that occur in no training game".to_owned(),
        "gap: the primary metric on test, less the same on a sample of the training positions, both after the last step"
            .to_owned(),
    ];
    let several = report.conditions.len() > 1;
    lines.extend(report.conditions.iter().map(|(conditions, cells)| trained(conditions, several.then_some(*cells))));
    lines.push(match &report.step_times {
        Some(times) => format!(
            "step times: medians of {} interleaved turns on {} ({}), {} thread(s)",
            times.rounds, times.device, times.cpu, times.threads
        ),
        None => "step times: not measured; `posenc run` measures them when all cells are done".to_owned(),
    });
    list("notes", &lines)
}

fn trained(conditions: &Conditions, cells: Option<usize>) -> String {
    let Conditions { numerics, libtorch, instruction_set, threads, device, dtype } = conditions;
    let which = cells.map_or_else(|| "trained".to_owned(), |cells| format!("{cells} cells were trained"));
    format!(
        "{which} on {device}, {dtype}, {threads} thread(s), {instruction_set}, LibTorch {libtorch}, numerics version \
         {numerics}"
    )
}

fn list(title: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("{title}\n  {}", lines.join("\n  ")) }
}
