//! What a report says in words, the same in every format.

use super::files::Conditions;
use super::model::{Counts, FailedCell, GameReport, Report};
use spec::grouped;
use spec::metrics::Direction;

/// Said where a game has no A/A row.
pub(super) const NO_TWIN: &str = "A/A row: none, so nothing shows how large a difference is where there is none; take \
                                  `twin: false` out of the experiment file to add the reference's twin";

/// `24 of 24 cells done (and 6 of 6 A/A twins done)`.
pub(super) fn status(report: &Report) -> String {
    let cells = progress(&report.cells, "cells");
    if report.twins.all == 0 {
        return cells;
    }
    format!("{cells} (and {})", progress(&report.twins, "A/A twins"))
}

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

/// What verdicts are about.
pub(super) fn primary(report: &Report) -> String {
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
    format!("primary metric: {} ({}{better}) {when}, {} weights", primary.name, primary.unit, primary.weights)
}

/// What is true of all rows of a game.
pub(super) fn facts(game: &GameReport) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(game.test_positions.map(|positions| format!("{} test positions", grouped(positions))));
    facts.extend(game.policy_targets.map(|targets| format!("{} policy targets", grouped(targets))));
    facts.extend(game.novel_share.map(|share| format!("{:.1} % of positions novel", share * 100.0)));
    facts.extend(game.uniform_baseline.map(|nats| format!("uniform over legal moves {nats:.3} nats")));
    facts
}

/// Who failed and why, and what to do about it.
pub(super) fn failure(cell: &FailedCell) -> [String; 2] {
    let kind = cell.failure.kind;
    let folder = match kind.is_final() {
        true => format!("it is not tried again as it is; to try it all the same, delete {}", cell.folder),
        false => format!("its folder: {}", cell.folder),
    };
    [format!("{} FAILED: {}", cell.name, cell.failure), format!("{}; {folder}", kind.remedy())]
}

/// How to read the tables, and under what the cells were trained.
pub(super) fn notes(report: &Report) -> Vec<String> {
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
    lines
}

fn trained(conditions: &Conditions, cells: Option<usize>) -> String {
    let Conditions { numerics, libtorch, instruction_set, threads, device, dtype } = conditions;
    let which = cells.map_or_else(|| "trained".to_owned(), |cells| format!("{cells} cells were trained"));
    format!(
        "{which} on {device}, {dtype}, {threads} thread(s), {instruction_set}, LibTorch {libtorch}, numerics version \
         {numerics}"
    )
}
