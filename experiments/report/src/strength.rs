//! Strength of the rows: `strength.json` of the cells, paired by seed.

use super::files::{CellRecord, RunFolder};
use super::model::PrimaryMetric;
use super::model::strength::{RowStrength, StrengthReport};
use super::pairs::Line;
use super::statistics::across::rank_correlation;
use super::statistics::{PairedTest, Summary};
use games::GameKind;
use records::strength::{Evaluation, Measure};
use spec::Role;
use spec::metrics::Direction;

/// The name of the reference as an opponent.
const REFERENCE: &str = "reference";

/// The share of an even match.
const EVEN: f64 = 0.5;

/// What tells questions apart.
type Question = (Measure, String, String);

/// The questions that cells of a game were asked, each with the rows that have answers.
pub(super) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Vec<StrengthReport> {
    let all = folder.plan.rows.iter().zip(folder.cells.iter().map(Vec::as_slice));
    let mut lines: Vec<Line<'_>> = all.filter(|(row, _)| row.game == game).collect();
    lines.sort_by_key(|(row, _)| match row.role {
        Role::Reference => 0,
        Role::Twin => 2,
        _ => 1,
    });
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
    let found = |cell: &CellRecord| cell.strength.iter().find(|one| question(one) == asked).cloned();
    let value = |cell: &CellRecord| found(cell).map(|one| one.value);
    let against_reference = asked.0 == Measure::Match && asked.1 == REFERENCE;
    let reference = lines.iter().find(|(row, _)| row.role == Role::Reference).map(|(_, cells)| *cells);
    let row = |(row, cells): &Line<'_>| {
        let values: Vec<f64> = cells.iter().filter_map(value).collect();
        let differences: Vec<f64> = if against_reference {
            values.iter().map(|value| value - EVEN).collect()
        } else {
            let pairs = cells.iter().zip(reference.filter(|_| row.role != Role::Reference)?);
            pairs.filter_map(|(own, other)| Some(value(own)? - value(other)?)).collect()
        };
        Some((values, PairedTest::of(&differences)))
    };
    let rows = lines.iter().filter_map(|line| {
        let (values, difference) = row(line).unwrap_or_else(|| (line.1.iter().filter_map(value).collect(), None));
        let summary = Summary::of(&values)?;
        Some(RowStrength { label: line.0.label.clone(), role: line.0.role, values, summary, difference })
    });
    let ranked = lines.iter().filter(|(row, _)| row.role != Role::Twin).filter_map(|(row, cells)| {
        let strength = |cell: &CellRecord| match against_reference && row.role == Role::Reference {
            true => Some(EVEN),
            false => value(cell),
        };
        let sign = |is_better: bool| if is_better { 1.0 } else { -1.0 };
        let strengths: Option<Vec<f64>> =
            cells.iter().map(|cell| Some(sign(asked.0.more_is_better()) * strength(cell)?)).collect();
        let higher = primary.direction == Direction::Higher;
        let metric = |cell: &CellRecord| Some(sign(higher) * cell.result.as_ref()?.primary.metrics.get(&primary.name)?);
        let metrics: Option<Vec<f64>> = cells.iter().map(metric).collect();
        metrics.zip(strengths)
    });
    let (metrics, strengths): (Vec<_>, Vec<_>) = ranked.unzip();
    let of = lines.iter().flat_map(|(_, cells)| *cells).find_map(found).map_or(0, |one| one.of);
    let ranks = rank_correlation(&metrics, &strengths, 0).filter(|_| primary.direction != Direction::Neither);
    StrengthReport { rows: rows.collect(), ranks, of, measure: asked.0, name: asked.1, agent: asked.2 }
}
