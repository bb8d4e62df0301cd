//! What limits the conclusions of a report.

use crate::comparison::ALPHA;
use crate::model::{GameReport, Report, RowReport};
use crate::noise::NoGameNoise;
use crate::numbers::{decimals, fixed, p_in_words};
use crate::primary::PrimaryMetric;
use crate::run_folder::{CellRecord, RunFolder};
use facts::TOLERANCE;
use facts::metrics::Direction;
use facts::row_name::readable;
use facts::{counted, distinct, grouped};

/// A report warns of fewer test positions.
pub const TEST_POSITIONS_WANTED: u64 = 100_000;

/// Every warning of a report, most important first. `to`: the positions of a budget that should be predicted.
pub(crate) fn of(report: &Report, folder: &RunFolder, to: Option<u64>) -> Vec<String> {
    let mut all = Vec::new();
    if report.smoke {
        all.push("this is a smoke run of a few steps: do not interpret its numbers".to_owned());
        return all;
    }
    if report.primary.direction == Direction::Neither {
        all.push(format!("{} has no better side: there are no verdicts", report.primary.name));
    }
    if folder.plan.late_comparisons {
        all.push("the primary metric, a comparison or the seeds were changed after cells had finished".to_owned());
    }
    if let Some(reference) = &folder.chosen_reference {
        all.push(format!(
            "rows are compared with {reference}, which the reader chose after the run; A/A controls, games against the planned \
             reference and step times in its units are left out"
        ));
    }
    for game in &report.games {
        let mut own: Vec<String> = Vec::new();
        own.extend(twin(game));
        own.extend(games_not_counted(game));
        own.extend(learned_nothing(game));
        own.extend(misses_log_linear(game));
        own.extend(still_improving(game, &report.primary));
        own.extend(epochs(game));
        own.extend(inactive(game));
        own.extend(test_set(game));
        own.extend(mismatched(game));
        all.extend(own.into_iter().map(|warning| format!("{}: {warning}", game.game)));
    }
    all.extend(mixed_conditions(report));
    all.extend(other_hashes(folder));
    all.extend(forced(folder));
    all.extend(orphaned_rows(folder));
    all.extend(interactions_without_rows(report, folder));
    all.extend(to.and_then(|to| not_predicted(report, to)));
    all
}

fn not_predicted(report: &Report, to: u64) -> Option<String> {
    let mut rows = report.games.iter().flat_map(|game| &game.scaling).flat_map(|scaling| &scaling.rows);
    let is_predicted = rows.any(|row| row.predicted.iter().any(Option::is_some));
    (!is_predicted).then(|| {
        format!(
            "no loss is predicted for {} positions: the primary metric must be a loss at the last step, and a row and its \
             reference need three smaller budgets after a plateau, with three finished seeds and positions seen once",
            grouped(to)
        )
    })
}

/// Interactions of the plan that are not in the report.
fn interactions_without_rows(report: &Report, folder: &RunFolder) -> Option<String> {
    let shown: usize = report.games.iter().map(|game| game.interactions.len()).sum();
    let missing = folder.plan.interactions.len() - shown;
    (missing > 0)
        .then(|| format!("interactions that are not reported, because this run lacks rows that they name: {missing}"))
}

fn twin(game: &GameReport) -> Option<String> {
    let p = game.twin.as_ref()?.comparison.as_ref()?.p().filter(|p| *p < ALPHA)?;
    Some(format!(
        "the A/A row differs from its reference ({}); this happens by chance in one of twenty such rows, or \
         seeds vary more than the intervals assume: add seeds before you rely on small differences",
        p_in_words(p)
    ))
}

/// Verdicts that count seeds only although cells stored positions.
fn games_not_counted(game: &GameReport) -> Option<String> {
    let unexpected = |row: &RowReport| match row.comparison.as_ref()?.noise.as_ref()?.as_ref().err()? {
        why @ (NoGameNoise::OtherMean { .. } | NoGameNoise::NotStored { .. }) => Some((row.name(), why.to_string())),
        _ => None,
    };
    let (name, why) = game.rows.iter().find_map(unexpected)?;
    Some(format!(
        "the verdict of {name} counts the noise of seeds only, although cells stored their test positions: {why}"
    ))
}

fn learned_nothing(game: &GameReport) -> Option<String> {
    let baseline = game.uniform_baseline?;
    let loss = |row: &&RowReport| row.test.get("policy_loss").is_some_and(|loss| loss.mean >= baseline);
    let rows: Vec<String> = game.rows.iter().filter(loss).map(RowReport::name).collect();
    let rows = (!rows.is_empty()).then(|| rows.join(", "))?;
    Some(format!(
        "the policy loss of {rows} is not below that of a uniform choice among legal moves ({baseline:.3} nats): \
         train longer"
    ))
}

/// Rows that do not beat the log-linear baseline.
fn misses_log_linear(game: &GameReport) -> Option<String> {
    let below_uniform = |row: &&RowReport| {
        let loss = row.test.get("policy_loss").map(|loss| loss.mean);
        !loss.zip(game.uniform_baseline).is_some_and(|(loss, uniform)| loss >= uniform)
    };
    let rows = game.rows.iter().filter(|row| row.misses_log_linear()).filter(below_uniform);
    let rows: Vec<_> = rows.map(RowReport::name).collect();
    let model = game.log_linear().filter(|_| !rows.is_empty())?;
    Some(format!(
        "the policy loss of {} does not beat the log-linear baseline ({:.3} nats, {} weights): train longer or tune",
        rows.join(", "),
        model.loss,
        model.weights
    ))
}

/// Rows that improve so much per doubling of the steps that their order may change: by at least this share of the largest
/// difference to the reference.
const STEEP: f64 = 0.5;

fn still_improving(game: &GameReport, primary: &PrimaryMetric) -> Option<String> {
    let sign = match primary.direction {
        Direction::Lower => -1.0,
        Direction::Higher => 1.0,
        Direction::Neither => return None,
    };
    let differences = game.rows.iter().filter_map(|row| Some(row.comparison.as_ref()?.test?.mean.abs()));
    let largest = differences.reduce(f64::max)?;
    let slopes = game.rows.iter().filter_map(|row| Some((row, sign * row.per_doubling()?)));
    let steepest = slopes.max_by(|a, b| a.1.total_cmp(&b.1));
    let (row, most) = steepest.filter(|(_, most)| *most > 0.0 && *most >= STEEP * largest)?;
    Some(format!(
        "{} still improves by {} per doubling of steps ({}), rows differ by {}: more steps can reorder them",
        primary.name,
        fixed(most, decimals(most)),
        row.name(),
        fixed(largest, decimals(largest))
    ))
}

fn epochs(game: &GameReport) -> Option<String> {
    let most = game.rows.iter().filter_map(|row| row.epochs).reduce(f64::max).filter(|most| *most > 1.0)?;
    Some(format!(
        "training took {most:.1} epochs; beyond one epoch, rows also differ in how well they memorise: use a \
         larger dataset or fewer steps"
    ))
}

/// Settings that changed nothing: a comparison with another value of them would be one of equal runs.
fn inactive(game: &GameReport) -> Vec<String> {
    let all = distinct(game.rows.iter().flat_map(|row| row.inactive.iter().cloned()));
    let warning = |setting: String| {
        let rows: Vec<String> =
            game.rows.iter().filter(|row| row.inactive.contains(&setting)).map(RowReport::name).collect();
        let whose = if rows.len() == game.rows.len() { "any row".to_owned() } else { rows.join(", ") };
        format!("{setting} had no effect on {whose}: remove it, or choose a value that acts")
    };
    all.into_iter().map(warning).collect()
}

/// Where the noise of test games is measured, it is named if it is most of the noise; otherwise the number of positions is all
/// that is known of it.
fn test_set(game: &GameReport) -> Option<String> {
    let measured = game.rows.iter().filter_map(|row| Some((row, row.crossed()?)));
    let most = measured.max_by(|a, b| a.1.games_share.total_cmp(&b.1.games_share));
    let Some((row, crossed)) = most else { return few_test_positions(game) };
    (crossed.games_share > 0.5).then(|| {
        format!(
            "{} test games give up to {:.0} % of the variance of differences ({}): add test games rather than seeds",
            crossed.games,
            crossed.games_share * 100.0,
            row.name()
        )
    })
}

fn few_test_positions(game: &GameReport) -> Option<String> {
    let positions = game.test_positions.filter(|positions| *positions < TEST_POSITIONS_WANTED)?;
    Some(format!(
        "{} test positions; use {} or more, so that the test set adds less noise than the seeds",
        grouped(positions),
        grouped(TEST_POSITIONS_WANTED)
    ))
}

/// Controls of step time are matched by hand and checked by measurement.
fn mismatched(game: &GameReport) -> Vec<String> {
    let warning = |row: &RowReport| {
        let matched = row.matched.as_ref()?;
        let ratio = matched.ratio.filter(|ratio| (ratio - 1.0).abs() > TOLERANCE)?;
        Some(format!(
            "{} has {ratio:.3} times the {} of {}; a control must match within 1 %: change its sizes",
            row.name(),
            matched.quantity.words(),
            readable(&matched.goal)
        ))
    };
    game.rows.iter().filter_map(warning).collect()
}

fn mixed_conditions(report: &Report) -> Option<String> {
    (report.conditions.len() > 1).then(|| {
        "the cells were trained under different conditions (see the notes); pairs that differ in numerics version, \
         device or dtype are left out"
            .to_owned()
    })
}

fn other_hashes(folder: &RunFolder) -> Option<String> {
    let cells = counted_if_any(folder.cells.iter().flatten().filter(|cell| cell.hash_differs).count(), "cell")?;
    Some(format!(
        "{cells} trained with another dataset, configuration or numerics version than the row was planned with: in the tables, \
         not in the verdicts; run the experiment's file again"
    ))
}

fn forced(folder: &RunFolder) -> Option<String> {
    let was_forced = |cell: &&CellRecord| {
        cell.facts.as_ref().is_some_and(|facts| facts.sessions.iter().any(|session| !session.forced.is_empty()))
    };
    let cells = counted_if_any(folder.cells.iter().flatten().filter(was_forced).count(), "cell")?;
    Some(format!("{cells} resumed by force under other conditions, so not reproducible bit for bit"))
}

fn orphaned_rows(folder: &RunFolder) -> Option<String> {
    let rows = counted_if_any(folder.orphaned_rows.len(), "orphaned row")?;
    let names = folder.orphaned_rows.join(", ");
    Some(format!("{rows} of an earlier version of this experiment or of posenc, not in the tables: {names}"))
}

/// `2 cells`; none of none.
fn counted_if_any(count: usize, what: &str) -> Option<String> {
    (count > 0).then(|| counted(count as u64, what))
}
