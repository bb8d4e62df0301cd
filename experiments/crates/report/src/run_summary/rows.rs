//! The table of an ending: the rows of all games side by side, the best first.

use crate::comparison::{Comparison, Verdict};
use crate::model::{Report, RowReport};
use crate::numbers::{alone, fixed, mean, mean_sd, or_absent, short_count};
use crate::sections::answer::{self, SideBySide};
use crate::sections::verdicts::has_groups;
use crate::statistics::Summary;
use console::Style;
use facts::columns::{COLUMNS, all_shortened, cut, padded, width};
use facts::row_name::{readable, words};
use facts::{Role, printable};
use std::collections::BTreeSet;

/// The fewest columns of a name.
const SHORTEST: usize = 10;

/// Words of names that say how fast a row learns.
const RATES: [&str; 3] = ["rate ", "lr ", "cosine "];

pub(super) struct SummaryRows<'a> {
    games: Vec<&'a str>,
    lines: Vec<SummaryLine<'a>>,
    has_groups: bool,
    /// Whether names lack the learning rates of their rows, because they differ without them.
    pub(super) rates_left_out: bool,
    /// What the names of all rows had in common.
    pub(super) shared: Vec<String>,
}

struct SummaryLine<'a> {
    name: String,
    rows: SideBySide<'a>,
    /// The place of its reference among those of its game; the largest number for the A/A controls.
    group: usize,
}

impl SummaryLine<'_> {
    /// The row of the first game that has it.
    fn first(&self) -> Option<&RowReport> {
        self.rows.iter().copied().flatten().next()
    }

    fn has_role(&self, role: Role) -> bool {
        self.first().is_some_and(|row| row.role == role)
    }
}

type StyledText = (String, Style);

/// A column with what stands before it; numbers stand on its right.
struct Column<'a> {
    before: &'static str,
    title: &'a str,
    cells: Vec<StyledText>,
    is_number: bool,
}

impl Column<'_> {
    fn width(&self) -> usize {
        self.cells.iter().map(|(text, _)| width(text)).max().unwrap_or(0).max(width(self.title))
    }

    fn drawn(&self, text: &str, style: &Style) -> String {
        let rest = padded("", self.width().saturating_sub(width(text)));
        let (left, right) = if self.is_number { (rest, String::new()) } else { (String::new(), rest) };
        format!("{}{left}{}{right}", self.before, style.apply_to(text))
    }
}

impl<'a> SummaryRows<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let name = |rows: &SideBySide<'a>| printable(&readable(&answer::label(rows)));
        let line = |rows: SideBySide<'a>| SummaryLine { name: name(&rows), group: answer::group(report, &rows), rows };
        let mut lines: Vec<SummaryLine<'a>> = answer::rows(report).into_iter().map(line).collect();
        lines.sort_by_key(|line| line.group);
        let games: Vec<&str> = report.games.iter().map(|game| game.game.as_str()).collect();
        let (rates_left_out, shared) = shorten(&mut lines, if games.len() > 1 { 16 } else { 36 });
        Self { games, lines, has_groups: report.games.iter().any(has_groups), rates_left_out, shared }
    }

    /// What the columns on the right are, if there is room for them.
    pub(super) fn legend(&self) -> Option<String> {
        if self.table(&self.lines.iter().collect::<Vec<_>>(), true, false).0 > COLUMNS {
            return None;
        }
        let is_timed = self.lines.iter().any(|line| !step(line).is_empty());
        let others = self.lines.iter().any(|line| line.rows.first().is_some_and(Option::is_none));
        let size = match &self.games[..] {
            [first, second] if others => format!("encoding parameters ({first}, else {second})"),
            [first, _, ..] => format!("parameters of the encoding ({first})"),
            _ => "parameters of the encoding".to_owned(),
        };
        let step = if is_timed { "step: time, the reference's is 1; " } else { "" };
        (!self.lines.is_empty()).then(|| format!("{step}size: {size}"))
    }

    /// The lines of the whole table with its header.
    pub(super) fn height(&self) -> usize {
        // An empty line before each further group.
        let starts = self.lines.windows(2).filter(|pair| self.has_groups && pair[0].group != pair[1].group).count();
        if self.lines.is_empty() { 0 } else { 1 + self.lines.len() + starts }
    }

    /// At most `room` lines, a header among them; `command` shows the rows that are left out.
    pub(super) fn lines(&self, room: usize, command: &str, is_coloured: bool) -> Vec<String> {
        let (chosen, left_out) = self.chosen(room.saturating_sub(1));
        if chosen.is_empty() {
            return Vec::new();
        }
        let mut widest = 0;
        let mut drawn = Vec::new();
        for has_costs in [true, false] {
            (widest, drawn) = self.table(&chosen, has_costs, is_coloured);
            if widest <= COLUMNS {
                break;
            }
        }
        if widest > COLUMNS {
            drawn = self.table(&chosen, false, false).1.iter().map(|line| cut(line, COLUMNS)).collect();
        }
        if self.has_groups && left_out == 0 && self.height() <= room {
            let starts = (1..chosen.len()).filter(|&i| chosen[i].group != chosen[i - 1].group);
            // The header is the first line.
            starts.rev().for_each(|place| drawn.insert(place + 1, String::new()));
        }
        if left_out > 0 {
            let rows = if left_out == 1 { "row" } else { "rows" };
            drawn.push(cut(&format!("… {left_out} more {rows}: {command}"), COLUMNS));
        }
        drawn
    }

    /// The lines for which there is room, and how many others there are: references, the A/A control, and the best rows of each
    /// group; rows without a result last.
    fn chosen(&self, room: usize) -> (Vec<&SummaryLine<'a>>, usize) {
        let all = self.lines.len();
        if all <= room {
            return (self.lines.iter().collect(), 0);
        }
        // One line says how many are left out.
        let room = room.saturating_sub(1);
        let (mut rank, mut group) = (0, usize::MAX);
        let mut order: Vec<(bool, usize, usize)> = Vec::with_capacity(all);
        for (place, line) in self.lines.iter().enumerate() {
            if line.group != group {
                (rank, group) = (0, line.group);
            }
            let is_fixed = line.has_role(Role::Reference) || line.has_role(Role::Twin);
            rank += usize::from(!is_fixed);
            // A group is a reference and at least one row.
            if line.group == usize::MAX || line.group < (room / 2).max(1) {
                let has_result = line.rows.iter().flatten().any(|row| row.primary.is_some());
                order.push((!is_fixed && !has_result, if is_fixed { 0 } else { rank }, place));
            }
        }
        order.sort_unstable();
        let mut places: Vec<usize> = order.into_iter().take(room).map(|(_, _, place)| place).collect();
        places.sort_unstable();
        let left_out = all - places.len();
        (places.into_iter().map(|place| &self.lines[place]).collect(), left_out)
    }

    /// The header and the lines, and the columns that they fill.
    fn table(&self, chosen: &[&SummaryLine<'a>], has_costs: bool, is_coloured: bool) -> (usize, Vec<String>) {
        // Of more than two games there is room for the means only.
        let level = if self.games.len() > 2 { mean } else { mean_sd };
        let mut columns: Vec<Column<'_>> = Vec::new();
        for (game, title) in self.games.iter().enumerate() {
            let cells = chosen.iter().map(|line| line.rows[game].map(|row| cells(row, level)).unwrap_or_default());
            let (levels, verdicts) = cells.unzip();
            columns.push(Column { before: "  ", title, cells: levels, is_number: false });
            columns.push(Column { before: " ", title: "", cells: verdicts, is_number: false });
        }
        for (title, cost) in [("step", step as fn(&SummaryLine<'_>) -> String), ("size", size)] {
            let cells: Vec<StyledText> = chosen.iter().map(|line| (cost(line), Style::new())).collect();
            if has_costs && cells.iter().any(|(text, _)| !text.is_empty()) {
                columns.push(Column { before: "  ", title, cells, is_number: true });
            }
        }
        let fixed: usize = columns.iter().map(|column| column.before.len() + column.width()).sum();
        let names: Vec<&str> = chosen.iter().map(|line| line.name.as_str()).collect();
        let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
        let room = widest.min(COLUMNS.saturating_sub(fixed).max(SHORTEST));

        let header: String = columns.iter().map(|column| column.drawn(column.title, &Style::new())).collect();
        let mut lines = vec![padded("", room) + &header];
        for (place, name) in all_shortened(&names, room).iter().enumerate() {
            let drawn = columns.iter().map(|column| {
                let (text, style) = &column.cells[place];
                column.drawn(text, &style.clone().force_styling(is_coloured))
            });
            lines.push(padded(name, room) + &drawn.collect::<String>());
        }
        (room + fixed, lines)
    }
}

/// Leaves out of the names what they need not to differ: learning rates, what all have in common and, of names that are longer
/// than `longest`, the last settings. Returns whether learning rates were left out, and what all had in common.
fn shorten(lines: &mut [SummaryLine<'_>], longest: usize) -> (bool, Vec<String>) {
    let mut lines: Vec<&mut SummaryLine<'_>> = lines.iter_mut().filter(|line| line.group != usize::MAX).collect();
    let split = |line: &&mut SummaryLine<'_>| words(&line.name).into_iter().map(str::to_owned).collect::<Vec<String>>();
    let mut names: Vec<Vec<String>> = lines.iter().map(split).collect();
    let rates = leave_out(&mut names, |word| RATES.iter().any(|rate| word.starts_with(rate)));
    let first: Vec<String> = names.first().map_or_else(Vec::new, |words| words.iter().skip(1).cloned().collect());
    let is_shared = |word: &String| names.len() > 1 && names.iter().all(|words| words.contains(word));
    let mut shared: Vec<String> = first.into_iter().filter(is_shared).collect();
    shared.retain(|word| leave_out(&mut names, |own| own == word));
    while let Some(widest) = names.iter().max_by_key(|words| length(words)).filter(|words| length(words) > longest) {
        let keys: Vec<String> = widest.iter().skip(1).rev().map(|word| key(word).to_owned()).collect();
        if !keys.iter().any(|wanted| leave_out(&mut names, |word| key(word) == wanted)) {
            break;
        }
    }
    lines.iter_mut().zip(names).for_each(|(line, words)| line.name = words.join(", "));
    (rates, shared)
}

fn length(words: &[String]) -> usize {
    width(&words.join(", "))
}

/// The setting that a word of a name gives: `layers` of `layers 2`.
fn key(word: &str) -> &str {
    word.rsplit_once(' ').map_or(word, |(key, _)| key)
}

/// Leaves words out of all names, but no first word. Nothing changes if two names would then be equal; returns whether any did.
fn leave_out(names: &mut Vec<Vec<String>>, is_needless: impl Fn(&str) -> bool) -> bool {
    let kept = |words: &Vec<String>| -> Vec<String> {
        let kept = words.iter().enumerate().filter(|(place, word)| *place == 0 || !is_needless(word));
        kept.map(|(_, word)| word.clone()).collect()
    };
    let shorter: Vec<Vec<String>> = names.iter().map(kept).collect();
    let differ = shorter.iter().collect::<BTreeSet<_>>().len() == shorter.len();
    let is_shorter = differ && shorter != *names;
    if is_shorter {
        *names = shorter;
    }
    is_shorter
}

/// The value of a row and its verdict.
fn cells(row: &RowReport, level: fn(&Summary, f64) -> String) -> (StyledText, StyledText) {
    let level = or_absent(row.primary.as_ref(), |summary| level(summary, 1.0));
    let plain = Style::new();
    let (verdict, style) = match (row.role, &row.comparison) {
        (Role::Reference, _) => ("reference".to_owned(), plain),
        (Role::Twin, Some(Comparison { interval: Some(ends), decisive: Some(_), missing, .. }))
            if !missing.iter().any(|reason| reason.blocks_verdict()) =>
        {
            if ends.excludes_zero() {
                ("differs".to_owned(), plain.yellow())
            } else {
                ("expected".to_owned(), plain)
            }
        }
        (_, Some(comparison)) => judged(row, comparison),
        (_, None) => (seeds(row), plain),
    };
    ((level, Style::new()), (verdict, style))
}

fn judged(row: &RowReport, comparison: &Comparison) -> (String, Style) {
    let style = Style::new();
    let (word, style) = match comparison.verdict {
        Verdict::Better => ("better", style.green()),
        Verdict::Worse => ("worse", style.red()),
        Verdict::Equivalent => ("equivalent", style.cyan()),
        Verdict::Open => ("open", style.yellow()),
        Verdict::DependsOnTuning => ("depends", style.yellow()),
        Verdict::Diverged => ("diverged", style.red()),
        Verdict::ReferenceDiverged => ("not worse", style.yellow()),
        Verdict::Missing => {
            // The difference, or the seeds that are done.
            let difference = comparison.number_alone().and_then(|_| comparison.mean());
            return (difference.map_or_else(|| seeds(row), alone), style);
        }
    };
    let is_small = comparison.verdict != Verdict::Equivalent && comparison.is_within_margin();
    (if is_small { format!("{word}*") } else { word.to_owned() }, style)
}

fn seeds(row: &RowReport) -> String {
    format!("{}/{} seeds", row.cells.done, row.cells.all)
}

/// The time of a training step relative to the reference; empty if it is not measured.
fn step(line: &SummaryLine<'_>) -> String {
    let row = line.first().filter(|row| row.role != Role::Twin);
    let ratio = row.and_then(|row| row.step_time?.ratio);
    ratio.map_or_else(String::new, |ratio| format!("{}×", fixed(ratio, 1)))
}

fn size(line: &SummaryLine<'_>) -> String {
    let row = line.first().filter(|row| row.role != Role::Twin);
    row.map_or_else(String::new, |row| short_count(row.network.encoding as u64))
}
