//! Policies without a network as lines of the tables, and the mark of rows that do not beat the log-linear one.

use crate::model::{GameReport, Report, RowReport};
use crate::numbers::{fixed, or_absent};
use crate::table::{ABSENT, ROW};
use facts::grouped;
use records::baselines::{Baseline, BaselineName};

/// The mark of a row whose policy loss is not below the log-linear baseline's.
const MARK: &str = "†";

/// The headings of the distances between the policy loss and those of a uniform choice and of the log-linear baseline.
pub(crate) const BELOW_UNIFORM: &str = "below uniform";
pub(crate) const BELOW_LOG_LINEAR: &str = "below log-linear";

/// The label of a row, with its mark.
pub(crate) fn marked(row: &RowReport) -> String {
    if row.misses_log_linear() { format!("{} {MARK}", row.name()) } else { row.name() }
}

/// Adds the lines of the comparison; none if it compares something else than the policy loss on test positions.
pub(crate) fn add_lines(report: &Report, game: &GameReport, columns: &mut [(String, Vec<String>)]) {
    if report.primary.name != "policy_loss" || !report.primary.at.is_last() {
        return;
    }
    for baseline in all(game) {
        for (heading, column) in &mut *columns {
            column.push(match heading.as_str() {
                ROW => baseline.name.name().to_owned(),
                "policy_loss" => fixed(baseline.loss, 3),
                "verdict" => "(baseline)".to_owned(),
                _ => String::new(),
            });
        }
    }
}

/// What the lines and marks mean.
pub(crate) fn notes(game: &GameReport) -> Vec<String> {
    let fitted = |baseline: &Baseline| {
        let (name, positions) = (baseline.name.name(), grouped(baseline.training_positions as u64));
        match baseline.name {
            BaselineName::Uniform => None,
            BaselineName::StaticPrior => {
                Some(format!("{name}: how often a move is chosen when it is legal, on {positions} training positions"))
            }
            BaselineName::LogLinear => {
                let weights = grouped(baseline.weights as u64);
                Some(format!("{name}: {weights} weights, fitted on {positions} training positions"))
            }
        }
    };
    let fitted: Vec<String> = all(game).iter().filter_map(fitted).collect();
    let fitted = (!fitted.is_empty()).then(|| format!("baselines: {}", fitted.join("; ")));
    let model = game.log_linear().filter(|_| game.all_rows().any(RowReport::misses_log_linear));
    let mark =
        |model: &Baseline| format!("{MARK}: does not beat the log-linear baseline (policy loss {:.3})", model.loss);
    fitted.into_iter().chain(model.map(mark)).collect()
}

/// How far a row is below the log-linear baseline.
pub(crate) fn below(row: &RowReport) -> String {
    let loss = row.test.get("policy_loss");
    or_absent(loss.zip(row.log_linear), |(loss, baseline)| fixed(baseline - loss.mean, 3))
}

/// Adds the baselines as lines to a table of these columns, if it is one of the policy.
pub(crate) fn append(game: &GameReport, names: &mut Vec<String>, columns: &mut [(String, Vec<String>)]) {
    let values = |heading: &str, baseline: &Baseline| match heading {
        "policy_loss" => Some(fixed(baseline.loss, 3)),
        "policy_kl" => Some(fixed(baseline.loss - game.baselines.as_ref()?.target_entropy, 3)),
        "policy_accuracy %" => Some(fixed(100.0 * baseline.accuracy, 2)),
        BELOW_UNIFORM => Some(fixed(game.uniform_baseline? - baseline.loss, 3)),
        BELOW_LOG_LINEAR => Some(fixed(game.log_linear()?.loss - baseline.loss, 3)),
        _ => None,
    };
    for baseline in all(game) {
        let cells: Vec<_> = columns.iter().map(|(heading, _)| values(heading, baseline)).collect();
        if cells.iter().all(Option::is_none) {
            return;
        }
        names.push(baseline.name.name().to_owned());
        for ((_, column), cell) in columns.iter_mut().zip(cells) {
            column.push(cell.unwrap_or_else(|| ABSENT.to_owned()));
        }
    }
}

fn all(game: &GameReport) -> &[Baseline] {
    game.baselines.as_ref().map_or(&[], |set| &set.baselines)
}
