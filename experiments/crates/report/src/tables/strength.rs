//! How strong the rows are as players.

use super::cells::ROW;
use crate::model::strength::{RowStrength, StrengthReport};
use crate::model::{GameReport, PrimaryMetric};
use crate::numbers::{fixed, interval, mean_sd, or_absent, signed};
use crate::statistics::across::RankCorrelation;
use crate::statistics::{Interval, PairedTest};
use crate::table::{ABSENT, Table};
use facts::{Role, grouped};
use records::strength::Measure;
use strength::elo::elo_of_score;
use strength::sweep::Bound;

/// Shares are shown in percent.
const PERCENT: f64 = 100.0;

/// A table for each question.
pub(super) fn strength(primary: &PrimaryMetric, game: &GameReport) -> Vec<Table> {
    game.strength.iter().map(|asked| table(primary, asked)).collect()
}

fn table(primary: &PrimaryMetric, asked: &StrengthReport) -> Table {
    let is_match = asked.measure == Measure::Match;
    let scale = if asked.measure.is_share() { PERCENT } else { 1.0 };
    let unit = match asked.measure {
        Measure::Labels => "policy_loss [nats]",
        Measure::Match => "points [%]",
        Measure::NoMates => "checks [%]",
        Measure::Suite => "score [%]",
        Measure::Puzzles | Measure::Mates => "solved [%]",
    };
    let row = |row: &RowStrength| {
        let label = if row.role == Role::Twin { format!("{} (A/A)", row.label) } else { row.label.clone() };
        let mut cells = vec![label, row.summary.n.to_string(), mean_sd(&row.summary, scale)];
        if is_match {
            cells.push(elo(row, asked.of));
        }
        let decimals = if asked.measure.is_share() { 1 } else { 3 };
        let difference = row.difference.map(|summary| signed(summary.mean * scale, decimals));
        let ends = row.test.map(|test| interval(&scaled(&test.interval(LEVEL), scale), decimals));
        let absent = if row.role == Role::Reference { String::new() } else { ABSENT.to_owned() };
        cells.extend([difference, ends].map(|cell| cell.unwrap_or_else(|| absent.clone())));
        cells
    };
    let mut header = vec![ROW, "seeds", unit];
    header.extend(is_match.then_some("Elo, 95 % interval"));
    header.extend(["difference", "95 % interval"]);
    let (what, same) = match asked.measure {
        Measure::Match => ("games of each cell", "openings"),
        Measure::Labels => ("positions with a policy target", "positions"),
        _ => ("problems", "problems"),
    };
    let mut notes = vec![format!(
        "{} {what}; 95 % t-intervals over seeds, differences paired with the reference, uncorrected; all cells have the same \
         {same}, so the intervals do not count the choice of {same}",
        grouped(asked.of)
    )];
    if asked.measure == Measure::Suite {
        notes.push(
            "score: the share of the points, or of the problems that are solved in a suite without points".to_owned(),
        );
    }
    notes.extend(asked.ranks.map(|RankCorrelation { tau, interval: ends }| {
        format!(
            "order of the rows by {} and by this measure: Kendall's τ = {}, over draws of the seeds {}",
            primary.name,
            fixed(tau, 2),
            interval(&ends, 2)
        )
    }));
    let title = match asked.measure {
        Measure::Labels => format!("other labels: policy loss on {}", asked.name),
        measure => format!("strength: {} {}, agent {}", measure.name(), asked.name, asked.agent),
    };
    Table::new(header, &[0], asked.rows.iter().map(row)).titled(&title).noted(notes)
}

fn scaled(ends: &Interval, scale: f64) -> Interval {
    Interval { low: ends.low * scale, high: ends.high * scale }
}

/// The level of intervals and bounds.
const LEVEL: f64 = 0.95;

/// The Elo difference to the opponent that the mean share means; its interval is that of the share over seeds. Where the cells won
/// or lost all of their games, `of` each, the bound that so many games give.
fn elo(row: &RowStrength, of: u64) -> String {
    let is_all = |share: f64| row.values.iter().all(|value| *value == share);
    if let Some(bound) = Bound::of_games(of.saturating_mul(row.values.len() as u64), LEVEL) {
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
