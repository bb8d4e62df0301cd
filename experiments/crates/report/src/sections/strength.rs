//! Playing strength: `strength.json` of the cells, paired by seed.

use crate::comparison::{RowCells, reference_of, sort_by_group};
use crate::numbers::{interval, mean_sd, of_ranks, or_absent, signed};
use crate::primary::PrimaryMetric;
use crate::run_folder::{CellRecord, RunFolder};
use crate::statistics::across::{RankCorrelation, rank_correlation};
use crate::statistics::{PairedTest, Summary};
use crate::table::{ABSENT, ROW, Table};
use facts::metrics::Direction;
use facts::row_name::readable;
use facts::{Role, grouped};
use games::GameKind;
use records::strength::{Evaluation, Measure};
use strength::elo::elo_of_score;
use strength::sweep::Bound;

#[derive(Debug, Clone, PartialEq)]
pub struct StrengthReport {
    pub measure: Measure,
    /// The name of the file, or of the opponent.
    pub name: String,
    pub agent: String,
    /// Problems, or games of a cell.
    pub of: u64,
    /// The rows with answers, the reference first, the A/A control last.
    pub rows: Vec<RowStrength>,
    /// The rank correlation with the primary metric, over the rows that have answers of every seed.
    pub ranks: Option<RankCorrelation>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RowStrength {
    pub label: String,
    pub role: Role,
    /// Shares, 0 to 1, over seeds.
    pub values: Vec<f64>,
    pub summary: Summary,
    /// Row less reference, paired by seed; in a match against the reference its share less ½. None for the reference.
    pub difference: Option<Summary>,
    /// The paired test of it, from two pairs on.
    pub test: Option<PairedTest>,
}

/// The share of an even match.
const EVEN: f64 = 0.5;

type Question = (Measure, String, String);

/// The evaluations of a game's cells, each with the rows that have answers.
pub(crate) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Vec<StrengthReport> {
    let mut lines: Vec<RowCells<'_>> = folder.lines_of(game).collect();
    sort_by_group(&mut lines);
    lines.sort_by_key(|(row, _)| row.role == Role::Twin);
    let mut questions: Vec<Question> =
        lines.iter().flat_map(|(_, cells)| *cells).flat_map(|cell| &cell.strength).map(question).collect();
    questions.sort();
    questions.dedup();
    questions.into_iter().map(|question| report(&lines, question, primary)).collect()
}

fn question(found: &Evaluation) -> Question {
    (found.measure, found.name.clone(), found.agent.clone())
}

fn report(lines: &[RowCells<'_>], question: Question, primary: &PrimaryMetric) -> StrengthReport {
    let of_cell = OfCell { question: &question, primary };
    let rows = lines.iter().filter_map(|(row, cells)| {
        let values: Vec<f64> = cells.iter().filter_map(|cell| of_cell.value(cell)).collect();
        let summary = Summary::of(&values)?;
        let differences = of_cell.differences(cells, reference_of(lines, row).map(|(_, cells)| cells));
        let (label, role) = (row.display_name().to_owned(), row.role);
        let difference = Summary::of(&differences);
        Some(RowStrength { label, role, values, summary, difference, test: PairedTest::of(&differences) })
    });
    let ranked = lines.iter().filter(|(row, _)| row.role != Role::Twin);
    let (metrics, strengths): (Vec<_>, Vec<_>) = ranked.filter_map(|line| of_cell.ranked(line)).unzip();
    let ranks = rank_correlation(&metrics, &strengths).filter(|_| primary.direction != Direction::Neither);
    let of = lines.iter().flat_map(|(_, cells)| *cells).find_map(|cell| of_cell.found(cell)).map_or(0, |one| one.of);
    StrengthReport {
        rows: rows.collect(),
        ranks,
        of,
        measure: question.0,
        name: question.1.clone(),
        agent: question.2.clone(),
    }
}

struct OfCell<'a> {
    question: &'a Question,
    primary: &'a PrimaryMetric,
}

impl OfCell<'_> {
    fn found<'c>(&self, cell: &'c CellRecord) -> Option<&'c Evaluation> {
        cell.strength.iter().find(|one| question(one) == *self.question)
    }

    fn value(&self, cell: &CellRecord) -> Option<f64> {
        self.found(cell).map(|one| one.value)
    }

    /// Whether the cells played the reference, so that ½ is its own share.
    fn is_against_reference(&self) -> bool {
        self.question.0.is_against_reference(&self.question.1)
    }

    /// Seed by seed less the reference; none without one.
    fn differences(&self, cells: &[CellRecord], reference: Option<&[CellRecord]>) -> Vec<f64> {
        if self.is_against_reference() {
            return cells.iter().filter_map(|cell| Some(self.value(cell)? - EVEN)).collect();
        }
        let pairs = cells.iter().zip(reference.unwrap_or_default());
        pairs.filter_map(|(own, other)| Some(self.value(own)? - self.value(other)?)).collect()
    }

    /// The primary metric and the strength of a row by seed, higher is better in both; none if a seed has no answer.
    fn ranked(&self, (row, cells): &RowCells<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
        let sign = |is_better: bool| if is_better { 1.0 } else { -1.0 };
        let is_even = self.is_against_reference() && row.role == Role::Reference;
        let strength = |cell: &CellRecord| if is_even { Some(EVEN) } else { self.value(cell) };
        let metric = |cell: &CellRecord| cell.result.as_ref()?.primary.metrics.get(&self.primary.name);
        let metrics: Option<Vec<f64>> =
            cells.iter().map(|cell| Some(sign(self.primary.direction == Direction::Higher) * metric(cell)?)).collect();
        let strengths: Option<Vec<f64>> =
            cells.iter().map(|cell| Some(sign(self.question.0.more_is_better()) * strength(cell)?)).collect();
        metrics.zip(strengths)
    }
}

const LEVEL: f64 = 0.95;

pub(crate) fn table(primary: &PrimaryMetric, evaluation: &StrengthReport) -> Table {
    let is_match = evaluation.measure == Measure::Match;
    let scale = if evaluation.measure.is_share() { 100.0 } else { 1.0 };
    let unit = match evaluation.measure {
        Measure::Labels => "policy_loss [nats]",
        Measure::Match => "points [%]",
        Measure::NoMates => "checks [%]",
        Measure::Suite => "score [%]",
        Measure::Puzzles | Measure::Mates => "solved [%]",
    };
    let row = |row: &RowStrength| {
        let name = readable(&row.label);
        let name = if row.role == Role::Twin { format!("{name} (A/A)") } else { name };
        let mut cells = vec![name, row.summary.n.to_string(), mean_sd(&row.summary, scale)];
        if is_match {
            cells.push(elo(row, evaluation.of));
        }
        let decimals = if evaluation.measure.is_share() { 1 } else { 3 };
        let difference = row.difference.map(|summary| signed(summary.mean * scale, decimals));
        let ends = row.test.map(|test| interval(&test.interval(LEVEL).map(|end| end * scale), decimals));
        let absent = if row.role == Role::Reference { String::new() } else { ABSENT.to_owned() };
        cells.extend([difference, ends].map(|cell| cell.unwrap_or_else(|| absent.clone())));
        cells
    };
    let mut header = vec![ROW, "seeds", unit];
    header.extend(is_match.then_some("Elo, 95 % interval"));
    header.extend(["difference", "95 % interval"]);
    let (what, same) = match evaluation.measure {
        Measure::Match => ("games of each cell", "openings"),
        Measure::Labels => ("positions with a policy target", "positions"),
        _ => ("problems", "problems"),
    };
    let note = format!(
        "{} {what}; 95 % t-intervals over seeds, differences paired with the reference, uncorrected; all cells have the same \
         {same}, so the intervals do not count the choice of {same}",
        grouped(evaluation.of)
    );
    let score = "score: the share of the points, or of the problems that are solved in a suite without points";
    let ranks = |ranks| format!("order of the rows by {} and by this measure: {}", primary.name, of_ranks(&ranks));
    let title = match evaluation.measure {
        Measure::Labels => format!("other labels: policy loss on {}", evaluation.name),
        measure => format!("strength: {} {}, agent {}", measure.name(), evaluation.name, evaluation.agent),
    };
    Table::new(header, &[0], evaluation.rows.iter().map(row))
        .titled(&title)
        .noted([note])
        .noted((evaluation.measure == Measure::Suite).then_some(score))
        .noted(evaluation.ranks.map(ranks))
}

/// The Elo difference to the opponent that the mean share means; its interval is that of the share over seeds. Where the cells won
/// or lost all of their games, which have the same openings, the one-sided bound that the games of one cell, `of`, give.
fn elo(row: &RowStrength, of: u64) -> String {
    let is_all = |share: f64| row.values.iter().all(|value| *value == share);
    if let Some(bound) = Bound::of_games(of, LEVEL) {
        if is_all(1.0) {
            return format!("at least {}", signed(bound, 0));
        }
        if is_all(0.0) {
            return format!("at most {}", signed(-bound, 0));
        }
    }
    let of = |share: f64| {
        let elo = elo_of_score(share.clamp(0.0, 1.0));
        if elo.is_finite() { signed(elo, 0) } else { if elo > 0.0 { "+∞" } else { "−∞" }.to_owned() }
    };
    let ends = PairedTest::of(&row.values).map(|test| test.interval(LEVEL));
    let ends = or_absent(ends, |ends| format!("[{}, {}]", of(ends.low), of(ends.high)));
    format!("{} {ends}", of(row.summary.mean))
}
