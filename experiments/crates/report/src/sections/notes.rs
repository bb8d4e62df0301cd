//! The phrases of a report about itself, the same in every format: its status, its metric, its failures, and how to read it.

use super::baselines::{BELOW_LOG_LINEAR, BELOW_UNIFORM};
use super::heads::LEARNT;
use super::learnable::Learnable;
use crate::model::{CellCounts, FailedCell, GameReport, Report};
use crate::no_verdict::Missing;
use facts::metrics::{Direction, Metric};
use facts::{ReadAt, counted, distinct, grouped};
use records::identity::{Identity, assignments};
use records::manifest::CopiedFrom;

/// The label of the sentence about the primary metric.
pub(crate) const PRIMARY_METRIC: &str = "primary metric";

/// `24 of 24 cells done (and 6 of 6 A/A controls done)`.
pub(crate) fn status(report: &Report) -> String {
    let cells = progress(&report.cells, "cells");
    if report.twins.all == 0 { cells } else { format!("{cells} (and {})", progress(&report.twins, "A/A controls")) }
}

fn progress(counts: &CellCounts, what: &str) -> String {
    let others = [
        (counts.running, "running"),
        (counts.interrupted, "interrupted"),
        (counts.pending, "pending"),
        (counts.failed, "FAILED"),
    ];
    let others = others.iter().filter(|(n, _)| *n > 0).map(|(n, state)| format!(", {n} {state}"));
    format!("{} of {} {what} done{}", counts.done, counts.all, others.collect::<String>())
}

/// The primary metric: its unit, its better side, and when it is read.
pub(crate) fn primary(report: &Report) -> String {
    let primary = &report.primary;
    let better = match primary.direction {
        Direction::Lower => "lower is better",
        Direction::Higher => "higher is better",
        Direction::Neither => "",
    };
    let about: Vec<&str> = [primary.unit, better].into_iter().filter(|text| !text.is_empty()).collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let when = match primary.at {
        ReadAt::Last => "on test positions after the last step".to_owned(),
        ReadAt::Step(step) => format!("on validation positions after step {step}"),
    };
    let within = primary.within().map_or_else(String::new, |within| format!("; rows are equivalent within {within}"));
    format!("{}{about} {when}, {} weights{within}", primary.name, primary.weights.name())
}

/// Facts about the test positions of a game.
pub(crate) fn facts(game: &GameReport) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(game.test_positions.map(|positions| format!("{} test positions", grouped(positions))));
    facts.extend(game.test_set.as_ref().map(|test| {
        let [train, validation] = [test.left_out_of_train, test.left_out_of_validation].map(grouped);
        format!(
            "test games of {}; {train} training and {validation} validation positions that occur in them are left out",
            test.name
        )
    }));
    let targets = game.heads.iter().filter_map(|head| head.targets);
    facts.extend(targets.map(|(metric, count)| format!("{} {}", grouped(count), metric.name.replace('_', " "))));
    facts.extend(game.novel_share.map(|share| format!("{:.1} % of positions novel", share * 100.0)));
    facts.extend(match (game.learnable, game.uniform_baseline) {
        (Some(Learnable { uniform, floor }), _) => Some(format!("uniform {uniform:.3} nats, floor {floor:.3} nats")),
        (None, uniform) => uniform.map(|nats| format!("uniform over legal moves {nats:.3} nats")),
    });
    facts
}

/// A failed cell, the cause and the remedy.
pub(crate) fn failure(cell: &FailedCell) -> [String; 2] {
    let kind = cell.failure.kind;
    let folder = match kind.is_final() {
        true => format!("posenc does not retry it; to retry it, delete {}", cell.folder),
        false => format!("its folder: {}", cell.folder),
    };
    [format!("{} FAILED: {}", cell.name, cell.failure), format!("{}; {folder}", kind.remedy())]
}

/// The families of Holm's correction: one of comparisons and one of interactions.
fn families(report: &Report) -> Vec<String> {
    let of_game = |game: &GameReport| {
        let comparisons = game.rows.iter().filter_map(|row| row.comparison.as_ref());
        let count = comparisons.filter(|comparison| !comparison.missing.contains(&Missing::Exploratory)).count();
        (count > 0).then(|| format!("{count} on {}", game.game))
    };
    let games: Vec<String> = report.games.iter().filter_map(of_game).collect();
    let mut lines = Vec::new();
    if report.family > 0 {
        lines.push(format!(
            "p-values and the intervals of verdicts are Holm-corrected over {}: this file's rows ({})",
            counted(report.family as u64, "comparison"),
            games.join(", ")
        ));
        lines.push(
            "a file that shares cells with this one is another family: its verdicts are corrected separately"
                .to_owned(),
        );
    }
    if report.interaction_family > 0 {
        let count = counted(report.interaction_family as u64, "interaction");
        lines.push(format!("p-values and intervals of interactions are Holm-corrected over {count}: this file's"));
    }
    lines
}

/// How to read the tables, and the conditions under which the cells were trained.
pub(crate) fn notes(report: &Report) -> Vec<String> {
    let mut lines = vec![
        "±: standard deviation over seeds; difference: row less reference, paired by seed, with Student's 95 % interval"
            .to_owned(),
        "intervals count the noise of seeds and of test games, or of seeds only where cells stored no test positions"
            .to_owned(),
        "a verdict needs ≥ 3 complete pairs and a Holm-corrected p below 0.05; then the corrected interval excludes 0"
            .to_owned(),
        "open: the corrected interval contains 0, which does not show that two rows are alike".to_owned(),
        "a row of which a seed diverged (a loss or gradient not finite) cannot be better; no row is worse than such a reference"
            .to_owned(),
    ];
    lines.extend(report.primary.within().map(|within| {
        format!(
            "equivalent: two one-sided tests show that the difference is within {within}; a difference can be significant \
             and within the margin"
        )
    }));
    lines.extend(families(report));
    let heads = || report.games.iter().flat_map(|game| &game.heads);
    let metrics: Vec<&Metric> = distinct(heads().flat_map(|head| head.metrics.iter().copied()));
    lines.extend(metrics.iter().map(|metric| format!("{}: {}", metric.name, metric.description)));
    if metrics.iter().any(|metric| metric.name == "policy_loss") {
        lines
            .push(format!("{BELOW_UNIFORM}: the loss of a uniform choice among legal moves less policy_loss, in nats"));
    }
    if report.games.iter().any(|game| game.baselines.is_some()) {
        lines.push(format!(
            "{BELOW_LOG_LINEAR}: the loss of the log-linear baseline less policy_loss, in nats; at or below 0, a row does not beat it"
        ));
    }
    if report.games.iter().any(|game| game.learnable.is_some()) {
        lines.push(format!(
            "{LEARNT}: the share of the gap between uniform (a uniform choice among legal moves) and floor (the \
                            entropy of the targets)"
        ));
    }
    lines.push("novel: the primary metric on test positions that occur in no training game".to_owned());
    lines.push(
        "gap: the primary metric on test, less the same on a sample of the training positions, both after the last step"
            .to_owned(),
    );
    let several = report.conditions.len() > 1;
    lines.extend(report.conditions.iter().map(|(conditions, cells)| trained(conditions, several.then_some(*cells))));
    lines.push(match &report.step_times {
        Some(times) => format!(
            "step times: medians of {} interleaved turns on {} ({}), {} thread(s)",
            times.rounds, times.device, times.cpu, times.threads
        ),
        None => "step times: not measured; `posenc run` measures them when all cells are done".to_owned(),
    });
    lines.extend(report.provenance.copies.iter().map(|(place, cells)| copied(place, *cells)));
    lines
}

fn copied(CopiedFrom { path, blake3 }: &CopiedFrom, cells: usize) -> String {
    let cells = was_or_were(cells);
    match blake3 {
        Some(identity) => format!("{cells} copied from the bundle {path} (BLAKE3 {identity})"),
        None => format!("{cells} copied from {path}"),
    }
}

fn was_or_were(cells: usize) -> String {
    format!("{} {}", counted(cells as u64, "cell"), if cells == 1 { "was" } else { "were" })
}

fn trained(conditions: &Identity, cells: Option<usize>) -> String {
    let Identity { numerics, libtorch, instruction_set, threads, device, dtype, environment, .. } = conditions;
    let which = cells.map_or_else(|| "trained".to_owned(), |cells| format!("{} trained", was_or_were(cells)));
    let set = if environment.is_empty() { String::new() } else { format!(", {}", assignments(environment)) };
    format!(
        "{which} on {device}, {dtype}, {threads} thread(s), {instruction_set}, LibTorch {libtorch}, numerics version \
         {numerics}{set}"
    )
}
