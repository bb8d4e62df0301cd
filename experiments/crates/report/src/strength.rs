//! Strength of the rows: `strength.json` of the cells, paired by seed.

use super::files::{CellRecord, RunFolder};
use super::model::PrimaryMetric;
use super::model::strength::{RowStrength, StrengthReport};
use super::pairs::{Line, reference_of, sort_by_group};
use super::statistics::across::rank_correlation;
use super::statistics::{PairedTest, Summary};
use facts::Role;
use facts::metrics::Direction;
use games::GameKind;
use records::strength::{Evaluation, Measure};

/// The name of the reference as an opponent.
const REFERENCE: &str = "reference";

/// The share of an even match.
const EVEN: f64 = 0.5;

type Question = (Measure, String, String);

/// The questions that cells of a game were asked, each with the rows that have answers.
pub(super) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Vec<StrengthReport> {
    let all = folder.plan.rows.iter().zip(folder.cells.iter().map(Vec::as_slice));
    let mut lines: Vec<Line<'_>> = all.filter(|(row, _)| row.game == game).collect();
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

fn report(lines: &[Line<'_>], asked: Question, primary: &PrimaryMetric) -> StrengthReport {
    let of_cell = OfCell { asked: &asked, primary };
    let rows = lines.iter().filter_map(|(row, cells)| {
        let values: Vec<f64> = cells.iter().filter_map(|cell| of_cell.value(cell)).collect();
        let summary = Summary::of(&values)?;
        let reference = reference_of(lines, row).filter(|(other, _)| other.folder != row.folder);
        let differences = of_cell.differences(cells, reference.map(|(_, cells)| cells));
        let (label, role) = (row.label.clone(), row.role);
        let difference = Summary::of(&differences);
        Some(RowStrength { label, role, values, summary, difference, test: PairedTest::of(&differences) })
    });
    let ranked = lines.iter().filter(|(row, _)| row.role != Role::Twin);
    let (metrics, strengths): (Vec<_>, Vec<_>) = ranked.filter_map(|line| of_cell.ranked(line)).unzip();
    let ranks = rank_correlation(&metrics, &strengths, 0).filter(|_| primary.direction != Direction::Neither);
    let of = lines.iter().flat_map(|(_, cells)| *cells).find_map(|cell| of_cell.found(cell)).map_or(0, |one| one.of);
    StrengthReport { rows: rows.collect(), ranks, of, measure: asked.0, name: asked.1.clone(), agent: asked.2.clone() }
}

/// One question, put to cells.
struct OfCell<'a> {
    asked: &'a Question,
    primary: &'a PrimaryMetric,
}

impl OfCell<'_> {
    fn found<'c>(&self, cell: &'c CellRecord) -> Option<&'c Evaluation> {
        cell.strength.iter().find(|one| question(one) == *self.asked)
    }

    fn value(&self, cell: &CellRecord) -> Option<f64> {
        self.found(cell).map(|one| one.value)
    }

    /// Whether the cells played the reference, so that ½ is its own share.
    fn is_against_reference(&self) -> bool {
        self.asked.0 == Measure::Match && self.asked.1 == REFERENCE
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
    fn ranked(&self, (row, cells): &Line<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
        let sign = |is_better: bool| if is_better { 1.0 } else { -1.0 };
        let is_even = self.is_against_reference() && row.role == Role::Reference;
        let strength = |cell: &CellRecord| if is_even { Some(EVEN) } else { self.value(cell) };
        let metric = |cell: &CellRecord| cell.result.as_ref()?.primary.metrics.get(&self.primary.name);
        let metrics: Option<Vec<f64>> =
            cells.iter().map(|cell| Some(sign(self.primary.direction == Direction::Higher) * metric(cell)?)).collect();
        let strengths: Option<Vec<f64>> =
            cells.iter().map(|cell| Some(sign(self.asked.0.more_is_better()) * strength(cell)?)).collect();
        metrics.zip(strengths)
    }
}
