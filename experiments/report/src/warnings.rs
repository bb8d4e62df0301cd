//! What a reader must know before believing a table.

use super::files::RunFolder;
use super::model::{ALPHA, GameReport, Report, TEST_POSITIONS_WANTED};
use super::numbers::p_value;
use spec::grouped;
use spec::matched::TOLERANCE;
use spec::metrics::Direction;

/// Every warning of a report, most important first.
pub(super) fn warnings(report: &Report, folder: &RunFolder) -> Vec<String> {
    let mut all = Vec::new();
    if report.smoke {
        all.push("this is a smoke run of a few steps: its numbers mean nothing".to_owned());
        return all;
    }
    if report.primary.direction == Direction::Neither {
        all.push(format!("{} describes and does not judge: no verdicts", report.primary.name));
    }
    for game in &report.games {
        all.extend(twin(game));
        all.extend(learned_nothing(game));
        all.extend(epochs(game));
        all.extend(few_test_positions(game));
        all.extend(mismatched(game));
    }
    all.extend(mixed_conditions(report));
    all.extend(forced(folder));
    all.extend(strangers(folder));
    all
}

fn twin(game: &GameReport) -> Option<String> {
    let p = game.twin.as_ref()?.comparison.as_ref()?.p()?;
    (p < ALPHA).then(|| {
        format!(
            "{}: the A/A row differs from its own reference (p = {}); that happens in one of twenty grids by chance, \
             else seeds vary more than the intervals say: add seeds before believing small differences",
            game.game,
            p_value(p)
        )
    })
}

fn learned_nothing(game: &GameReport) -> Option<String> {
    let baseline = game.uniform_baseline?;
    let loss = |row: &&super::model::RowReport| row.test.get("policy_loss").is_some_and(|loss| loss.mean >= baseline);
    let rows: Vec<_> = game.rows.iter().filter(loss).map(|row| row.label.as_str()).collect();
    (!rows.is_empty()).then(|| {
        format!(
            "{}: {} did not get below a uniform choice among legal moves ({baseline:.3} nats): train longer",
            game.game,
            rows.join(", ")
        )
    })
}

fn epochs(game: &GameReport) -> Option<String> {
    let most = game.rows.iter().filter_map(|row| row.epochs).reduce(f64::max)?;
    (most > 1.0).then(|| {
        format!(
            "{}: the training positions were seen {most:.1} times; beyond once, rows also differ in how well they \
             memorise: use a bigger dataset or fewer steps",
            game.game
        )
    })
}

fn few_test_positions(game: &GameReport) -> Option<String> {
    let positions = game.test_positions?;
    (positions < TEST_POSITIONS_WANTED).then(|| {
        format!(
            "{}: {} test positions; {} or more make the noise of the test set small beside that of seeds",
            game.game,
            grouped(positions),
            grouped(TEST_POSITIONS_WANTED)
        )
    })
}

/// Controls of step time are matched by hand, so only the measurement says how well.
fn mismatched(game: &GameReport) -> Vec<String> {
    let warning = |row: &super::model::RowReport| {
        let matched = row.matched.as_ref()?;
        let ratio = matched.ratio.filter(|ratio| (ratio - 1.0).abs() > TOLERANCE)?;
        Some(format!(
            "{}: {} has {ratio:.3} times the {} of {}, not within 1 %: it is a weak control; give it other sizes",
            game.game,
            row.label,
            matched.quantity.words(),
            matched.goal
        ))
    };
    game.rows.iter().filter_map(warning).collect()
}

fn mixed_conditions(report: &Report) -> Option<String> {
    (report.conditions.len() > 1).then(|| {
        "the cells were not all trained under the same conditions (listed below); pairs whose numerics version, \
         device or dtype differ are left out"
            .to_owned()
    })
}

fn forced(folder: &RunFolder) -> Option<String> {
    let was_forced = |cell: &&super::files::CellRecord| {
        cell.facts.as_ref().is_some_and(|facts| facts.sessions.iter().any(|session| !session.forced.is_empty()))
    };
    let cells = folder.cells.iter().flatten().filter(was_forced).count();
    (cells > 0)
        .then(|| format!("{cells} cells were resumed under other conditions by force: their bits will not repeat"))
}

fn strangers(folder: &RunFolder) -> Option<String> {
    let names = &folder.strangers;
    (!names.is_empty()).then(|| {
        format!(
            "{} rows of an earlier version of this experiment or of posenc are not in the tables: {}",
            names.len(),
            names.join(", ")
        )
    })
}
