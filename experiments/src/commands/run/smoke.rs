//! The end of a smoke run: what works. It has no metric, because a few steps say nothing about quality.

use crate::commands::options::print;
use crate::commands::slots::Slots;
use anyhow::Context as _;
use config::columns::{COLUMNS, cut, wrapped};
use config::printable;
use grid::{Interrupt, Outcome, Prepared, Task};
use records::Status;
use records::folder::CONFIG_FILE;
use report::model::RowReport;
use report::{Report, csv, html, latex, markdown, text};
use std::fs;
use std::process::ExitCode;
use tch::Device;

/// Options of the processes of cells.
pub(super) const FLAGS: &[&str] = &["--smoke"];

/// The folder of the cell that is interrupted, in the run folder.
const RESUMED: &str = "resumed";

/// Stops a cell at its first checkpoint that leaves something to do.
const STOP: &str = "--stop-after=1";

struct SmokeResult {
    name: String,
    cells: usize,
    trained: usize,
    evaluated: usize,
    failures: Vec<String>,
    resumed: Resumed,
    /// Whether it ended before all of it was tried.
    stopped: bool,
}

/// The result of a cell that was interrupted and resumed.
#[derive(Debug, PartialEq, Eq)]
enum Resumed {
    /// No cell has finished, it has one step only, or the run was stopped.
    NotTried,
    SameBits(String),
    /// Allowed on GPUs.
    DifferentBits(String),
    Failed(String),
}

/// Interrupts one cell and resumes it, draws every report, and says what works.
pub(super) fn end(
    slots: &Slots,
    prepared: &Prepared,
    outcomes: &[Outcome],
    interrupt: &Interrupt,
) -> anyhow::Result<ExitCode> {
    let failed = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)));
    let unfinished = outcomes.iter().any(Outcome::is_unfinished);
    let first = prepared.tasks.iter().zip(outcomes).find(|(_, outcome)| outcome.is_finished()).map(|(task, _)| task);
    let resumed = match first {
        Some(task) if !interrupt.is_requested() => interrupted(slots, prepared, task, interrupt)?,
        _ => Resumed::NotTried,
    };
    // After a failure, --fail-fast leaves cells out, too.
    let stopped =
        if interrupt.is_requested() { unfinished || resumed == Resumed::NotTried } else { unfinished && !failed };
    interrupt.release();
    let report = Report::of(&prepared.run_dir)?;
    for draw in [text::draw, markdown::draw, latex::draw, csv::draw, html::draw] {
        draw(&report);
    }
    let seeds = |row: &RowReport| row.test.values().map(|summary| summary.n).max().unwrap_or(0);
    let rows = report.games.iter().flat_map(|game| game.rows.iter().chain(&game.twin));
    let shown = SmokeResult {
        name: report.experiment.clone(),
        cells: outcomes.len(),
        trained: outcomes.iter().filter(|outcome| outcome.is_finished()).count(),
        evaluated: rows.map(seeds).sum(),
        failures: report.failures.iter().map(|cell| format!("{} FAILED: {}", cell.name, cell.failure)).collect(),
        resumed,
        stopped,
    };
    print(&shown.text())?;
    Ok(if shown.works() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Trains a finished cell again in another folder, with an interruption, and compares both.
fn interrupted(slots: &Slots, prepared: &Prepared, task: &Task, interrupt: &Interrupt) -> anyhow::Result<Resumed> {
    let dir = prepared.run_dir.join(RESUMED);
    fs::create_dir_all(&dir)
        .and_then(|()| fs::copy(task.dir.join(CONFIG_FILE), dir.join(CONFIG_FILE)))
        .with_context(|| format!("cannot prepare {}", dir.display()))?;
    let again = [Task { name: format!("{}, interrupted and resumed", task.name), dir, config: None }];
    let stopped = slots.train(&again, &[FLAGS, &[STOP]].concat(), interrupt)?;
    match &stopped[..] {
        [Outcome::Finished { .. }] => return Ok(Resumed::NotTried),
        [Outcome::Failed(failure)] => return Ok(Resumed::Failed(format!("{}: {failure}", task.name))),
        _ => {}
    }
    if interrupt.is_requested() {
        return Ok(Resumed::NotTried);
    }
    let ended = slots.train(&again, FLAGS, interrupt)?;
    let name = task.name.clone();
    if let [Outcome::Failed(failure)] = &ended[..] {
        return Ok(Resumed::Failed(format!("{name}: {failure}")));
    }
    let result = |task: &Task| Status::read(&task.dir).ok().flatten().and_then(|status| status.result);
    Ok(match (result(task), result(&again[0])) {
        (Some(own), Some(other)) if own.agree(&other) => Resumed::SameBits(name),
        (Some(_), Some(_)) if slots.first_device() != Device::Cpu => Resumed::DifferentBits(name),
        (_, None) if interrupt.is_requested() => Resumed::NotTried,
        (Some(_), Some(_)) => Resumed::Failed(format!("{name}: its bits differ from those without interruption")),
        _ => Resumed::Failed(format!("{name}: it did not end")),
    })
}

impl SmokeResult {
    fn works(&self) -> bool {
        let all = [self.trained, self.evaluated].iter().all(|&cells| cells == self.cells);
        all && !self.stopped && !self.is_broken()
    }

    fn is_broken(&self) -> bool {
        !self.failures.is_empty() || matches!(self.resumed, Resumed::Failed(_))
    }

    fn text(&self) -> String {
        let resumed = match &self.resumed {
            Resumed::NotTried => "not tried".to_owned(),
            Resumed::SameBits(cell) => format!("{cell}: the same bits as without interruption"),
            Resumed::DifferentBits(cell) => format!("{cell}: other bits than without interruption, as GPUs may"),
            Resumed::Failed(cause) => format!("FAILED: {cause}"),
        };
        let of_all = |cells: usize| format!("{cells} of {} cells", self.cells);
        let stopped = format!("stopped after {}; the same command starts again", of_all(self.trained));
        let verdict = match (self.stopped, self.is_broken()) {
            (true, false) => stopped,
            (true, true) => format!("NOT everything works; {stopped}"),
            (false, _) if self.works() => "everything works".to_owned(),
            (false, _) => "NOT everything works".to_owned(),
        };
        let parts = [
            ("trained", format!("{}, a few steps each", of_all(self.trained))),
            ("evaluated", format!("{} on test positions", of_all(self.evaluated))),
            ("resumed", resumed),
            ("reported", "as text, Markdown, LaTeX, CSV and HTML".to_owned()),
        ];
        let mut lines = vec![wrapped(&format!("{}: {verdict}", self.name), COLUMNS, "  ")];
        let indent = " ".repeat(13);
        lines.extend(
            parts.iter().map(|(what, text)| wrapped(&format!("  {what:<11}{}", printable(text)), COLUMNS, &indent)),
        );
        lines.extend(self.failures.iter().map(|failure| cut(&printable(failure), COLUMNS)));
        if self.works() {
            lines.push("next: the same command without --smoke".to_owned());
        }
        lines.join("\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(trained: usize, resumed: Resumed) -> SmokeResult {
        let failures =
            if trained < 4 { vec!["chess shaw seed 0 FAILED: error: no data".to_owned()] } else { Vec::new() };
        let stopped = false;
        SmokeResult {
            name: "smoke-small".to_owned(),
            cells: 4,
            trained,
            evaluated: trained,
            failures,
            resumed,
            stopped,
        }
    }

    #[test]
    fn a_smoke_run_that_works_says_so_in_a_few_lines() {
        let works = shown(4, Resumed::SameBits("chess-none seed 0".to_owned()));
        let text = works.text();
        let expected = "\
smoke-small: everything works
  trained    4 of 4 cells, a few steps each
  evaluated  4 of 4 cells on test positions
  resumed    chess-none seed 0: the same bits as without interruption
  reported   as text, Markdown, LaTeX, CSV and HTML
next: the same command without --smoke
";
        assert_eq!((works.works(), &text[..]), (true, expected));
        let long = shown(4, Resumed::SameBits("chess-relative_bias-encoding-rate-x64 seed 0".to_owned()));
        assert!(long.text().lines().all(|line| line.chars().count() <= COLUMNS), "{}", long.text());
    }

    #[test]
    fn what_does_not_work_is_said_first() {
        for broken in
            [shown(3, Resumed::NotTried), shown(4, Resumed::Failed("chess-none seed 0: it did not end".to_owned()))]
        {
            let text = broken.text();
            assert!(!broken.works() && text.starts_with("smoke-small: NOT everything works\n"), "{text}");
            assert!(text.contains("FAILED: ") && !text.contains("next:"), "{text}");
        }
    }

    #[test]
    fn a_stopped_smoke_run_reports_no_failure_that_is_not_there() {
        let stopped = SmokeResult { failures: Vec::new(), stopped: true, ..shown(1, Resumed::NotTried) };
        let text = stopped.text();
        let first = "smoke-small: stopped after 1 of 4 cells; the same command starts again\n";
        assert!(!stopped.works() && text.starts_with(first), "{text}");
        assert!(text.contains("  resumed    not tried\n") && !text.contains("FAILED"), "{text}");
        assert!(!text.contains("everything works") && !text.contains("next:"), "{text}");
        let broken = SmokeResult { stopped: true, ..shown(3, Resumed::NotTried) }.text();
        let first = "smoke-small: NOT everything works; stopped after 3 of 4 cells; the same command\n  starts again\n";
        assert!(broken.starts_with(first) && broken.contains("FAILED: "), "{broken}");
    }
}
