//! The end of `posenc run`: the answer, its scope and the next commands, on one screen of the smallest terminal.

mod rows;

use super::comparison::{Comparison, Verdict};
use super::model::{CellCounts, Report, RowReport};
use super::no_verdict::Missing;
use super::noise::counted;
use super::sections::verdicts;
use facts::columns::{COLUMNS, cut, width, wrapped};
use facts::metrics::Direction;
use facts::{ReadAt, Role, grouped, in_words, printable, shell_word};
use rows::SummaryRows;
use std::collections::BTreeSet;
use std::path::Path;

pub const LINES: usize = 20;

/// The most lines of notes below the table, and those that rows leave to the most important notes.
const NOTES: usize = 5;
const LEAST_NOTES: usize = 3;

/// The lines of the table, the header among them, for which a next command is left out.
const ROWS: usize = 9;

/// The most failures that are listed.
const FAILURES: usize = 2;

/// What the caller knows about the run, and the report does not.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    pub run_dir: &'a Path,
    /// The name by which the program was called.
    pub program: &'a str,
    /// Seconds of the run; none if it trained nothing.
    pub took_s: Option<f64>,
    /// Cells that were finished before, or by another runner.
    pub before: usize,
    /// Whether the program has the command `inspect`, and the finished cells have weights.
    pub can_inspect: bool,
    /// Where TensorBoard shows the primary metric.
    pub address: Option<&'a str>,
    pub is_coloured: bool,
}

/// At most [`LINES`] lines of 80 columns. `posenc report` has everything else.
pub fn draw(report: &Report, ended: &Ended<'_>) -> String {
    let table = SummaryRows::of(report);
    let mut lines = prose(&headline(report, ended));
    lines.extend(failures(report, ended));
    lines.extend(prose(&measured(report)));
    lines.push(String::new());
    let notes: Vec<Vec<String>> = notes(report, &table, ended).iter().map(|note| prose(note)).collect();
    let others = lines.len() + 1 + fitting(&notes, LEAST_NOTES).len();
    let mut commands = Vec::new();
    for (place, command) in next(report, ended).into_iter().enumerate() {
        // The commands belong together in their order: no address without the command that serves it.
        if place > 0 && others + table.height().min(ROWS) + commands.len() + command.len() > LINES {
            break;
        }
        commands.extend(command);
    }
    let left = LINES.saturating_sub(lines.len() + 1 + table.height() + commands.len());
    let mut below = vec![String::new()];
    below.extend(fitting(&notes, left.clamp(LEAST_NOTES, NOTES)));
    below.extend(commands);
    let room = LINES.saturating_sub(lines.len() + below.len());
    lines.extend(table.lines(room, &report_command(ended), ended.is_coloured));
    lines.extend(below);
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The lines of the notes for which there is room, in their order.
fn fitting(notes: &[Vec<String>], room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for note in notes {
        if lines.len() + note.len() <= room {
            lines.extend_from_slice(note);
        }
    }
    lines
}

fn prose(text: &str) -> Vec<String> {
    wrapped(&printable(text), COLUMNS, "  ").split('\n').map(|line| cut(line, COLUMNS)).collect()
}

/// `quickstart: 48 of 48 cells in 6 min 22 s, none failed`.
fn headline(report: &Report, ended: &Ended<'_>) -> String {
    let sum = |count: fn(&CellCounts) -> usize| count(&report.cells) + count(&report.twins);
    let (done, all) = (sum(|counts| counts.done), sum(|counts| counts.all));
    let took = ended.took_s.map_or_else(String::new, |seconds| format!(" in {}", in_words(seconds)));
    let failed = match sum(|counts| counts.failed) {
        0 => "none failed".to_owned(),
        failed => format!("{failed} FAILED"),
    };
    let mut text = format!("{}: {done} of {all} cells{took}, {failed}", report.experiment);
    let others = [
        (sum(|counts| counts.interrupted), "interrupted: the same command resumes them"),
        (sum(|counts| counts.running), "running elsewhere"),
        (sum(|counts| counts.pending), "pending"),
        (if ended.took_s.is_some() { ended.before } else { 0 }, "finished before or by another runner"),
    ];
    text.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("; {count} {what}")));
    if ended.took_s.is_none() && done > 0 {
        text += "; nothing was trained";
    }
    text
}

fn failures(report: &Report, ended: &Ended<'_>) -> Vec<String> {
    let all = &report.failures;
    let line = |text: String| cut(&printable(&text), COLUMNS);
    let shown = all.iter().take(FAILURES).map(|cell| line(format!("{} FAILED: {}", cell.name, cell.failure)));
    let more = all.len().saturating_sub(FAILURES);
    let more = (more > 0).then(|| line(format!("… and {more} more FAILED: {}", report_command(ended))));
    shown.chain(more).collect()
}

/// What the numbers are: their unit, their better side, and over how many seeds.
fn measured(report: &Report) -> String {
    let primary = &report.primary;
    let unit = match primary.unit {
        "" => String::new(),
        "share" => " as a share".to_owned(),
        unit => format!(" in {unit}"),
    };
    let when = match primary.at {
        ReadAt::Last => "on test positions".to_owned(),
        ReadAt::Step(step) => format!("on validation positions after step {}", grouped(step)),
    };
    let weights = if primary.weights.are_raw() { "" } else { ", averaged weights" };
    let better = match primary.direction {
        Direction::Lower => ", lower is better",
        Direction::Higher => ", higher is better",
        Direction::Neither => "",
    };
    let seeds: BTreeSet<usize> = rows(report).filter_map(|row| row.primary).map(|primary| primary.n).collect();
    let mean = if report.games.len() > 2 { "mean" } else { "mean ± sd" };
    let spread = match (seeds.first(), seeds.last()) {
        (None, _) | (_, None) => "no cell is done".to_owned(),
        (Some(1), Some(1)) => "one seed".to_owned(),
        (Some(least), Some(most)) if least == most => format!("{mean} of {most} seeds"),
        (Some(least), Some(most)) => format!("{mean} of {least} to {most} seeds"),
    };
    format!("{}{unit} {when}{weights}{better}; {spread}", primary.name)
}

/// The rows of all games with the A/A controls.
fn rows(report: &Report) -> impl Iterator<Item = &RowReport> {
    report.games.iter().flat_map(|game| game.all_rows())
}

/// How the verdicts were reached, what other words and columns mean, and how many warnings there are; the most important first.
fn notes(report: &Report, table: &SummaryRows<'_>, ended: &Ended<'_>) -> Vec<String> {
    let compared = || rows(report).filter(|row| row.role == Role::Compared).filter_map(|row| row.comparison.as_ref());
    let has = |verdict: Verdict| compared().any(|comparison| comparison.verdict == verdict);
    let mut notes = Vec::new();
    let is_judged = compared().any(|comparison| comparison.verdict != Verdict::Missing);
    if is_judged {
        let noise = counted(compared().filter_map(|comparison| comparison.noise.as_ref()));
        let comparisons = facts::counted(report.family as u64, "comparison");
        notes.push(format!("verdicts: paired t-tests over {noise}, Holm over {comparisons}"));
    }
    if is_judged || table.rates_left_out || report.games.iter().any(|game| game.tuning.is_some()) {
        notes.push(format!("rows: {}", verdicts::rates(report)));
    }
    let reasons: BTreeSet<String> = compared().filter_map(Comparison::number_alone).map(Missing::to_string).collect();
    if !reasons.is_empty() {
        let reasons: Vec<String> = reasons.into_iter().collect();
        notes.push(format!("a number instead of a verdict: the difference; {}", reasons.join("; ")));
    }
    if !report.warnings.is_empty() {
        let warnings = facts::counted(report.warnings.len() as u64, "warning");
        notes.push(format!("{warnings}: {}", report_command(ended)));
    }
    let words = [
        (Verdict::DependsOnTuning, "depends: a neighbouring value of the tuned setting would reverse it"),
        (Verdict::Diverged, "diverged: seeds of the row did, so it cannot be better"),
        (Verdict::ReferenceDiverged, "not worse: seeds of the reference diverged, so no row is worse than it"),
    ];
    notes.extend(words.into_iter().filter(|(verdict, _)| has(*verdict)).map(|(_, meaning)| meaning.to_owned()));
    let is_close = |one: &Comparison| one.verdict == Verdict::Equivalent || one.is_within_margin();
    let within = report.primary.within().filter(|_| compared().any(is_close));
    notes.extend(within.map(|within| format!("equivalent, *: the difference is within {within}")));
    notes.extend(table.legend());
    if !table.shared.is_empty() {
        notes.push(format!("all rows: {}", table.shared.join(", ")));
    }
    notes
}

fn report_command(ended: &Ended<'_>) -> String {
    format!("{} report {}", ended.program, quoted(ended.run_dir))
}

fn quoted(path: &Path) -> String {
    shell_word(&printable(&path.display().to_string()))
}

/// The lines of each next command, with a comment if there is room, and the address.
fn next(report: &Report, ended: &Ended<'_>) -> Vec<Vec<String>> {
    let dir = quoted(ended.run_dir);
    let page = format!("{}.html", report.experiment.replace('/', "-"));
    let second = match ended.can_inspect {
        true => (format!("{} inspect {dir}", ended.program), "what each head attends to"),
        false => (report_command(ended), "every table and interval"),
    };
    let commands = [
        (format!("{} --format html > {page}", report_command(ended)), "plots"),
        second,
        (format!("tensorboard --logdir {dir}"), "curves of every cell"),
    ];
    let mut lines = Vec::new();
    for (place, (command, comment)) in commands.into_iter().enumerate() {
        let before = if place == 0 { "next: " } else { "      " };
        let line = format!("{before}{command}");
        let with_comment = format!("{line}  # {comment}");
        match (width(&line), width(&with_comment)) {
            (_, ..=COLUMNS) => lines.push(vec![with_comment]),
            (..=COLUMNS, _) => lines.push(vec![line]),
            _ => lines.push(folded(before, &command)),
        }
    }
    lines.extend(ended.address.filter(|address| width(address) <= COLUMNS).map(|address| vec![address.to_owned()]));
    lines
}

/// A long command in lines that a shell reads as one; quoted words are not broken.
fn folded(before: &str, command: &str) -> Vec<String> {
    const HELD: char = '\u{a0}';
    let end = " \\";
    let mut is_quoted = false;
    let held = command.chars().map(|character| {
        is_quoted ^= character == '\'';
        if is_quoted && character == ' ' { HELD } else { character }
    });
    let text = wrapped(&held.collect::<String>(), COLUMNS - width(before) - width(end), "  ").replace(HELD, " ");
    let count = text.split('\n').count();
    let line = |(place, line): (usize, &str)| {
        let before = if place == 0 { before.to_owned() } else { " ".repeat(width(before)) };
        format!("{before}{line}{}", if place + 1 < count { end } else { "" })
    };
    text.split('\n').enumerate().map(line).collect()
}
