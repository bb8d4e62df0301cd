//! What a row's training options must fulfil before its first step: schedule, parameter groups, averaging.

use super::axes::AxisName;
use super::expand::Combination;
use super::resolve::{missing, origin};
use super::run::RunConfig;
use super::source::{ConfigError, Source, at};
use super::syntax::refused;
use super::values::RateChoice;
use models::{Network, Schedule};

/// The learning rate of a row; a cosine without an end of its own falls until the last step.
pub(super) fn learning_rate(
    rate: Option<RateChoice>,
    steps: u64,
    row: &Combination,
    source: &Source,
) -> Result<Schedule, ConfigError> {
    let rate = rate.ok_or_else(|| missing(row, AxisName::LearningRate, source))?.0;
    rate.ending_at(steps).map_err(|error| refused(source, &origin(row, AxisName::LearningRate), error))
}

/// Refuses an optimiser or an average that cannot be.
pub(super) fn check(row: &Combination, run: &RunConfig, source: &Source) -> Result<(), ConfigError> {
    let optimizer = &run.train.optimizer;
    let wrong = |error| refused(source, &origin(row, AxisName::Optimizer), error);
    optimizer.check().map_err(wrong)?;
    if let Some(averaging) = run.train.averaging {
        averaging.check().map_err(|error| refused(source, &at!["base", "train", "averaging"], error))?;
    }
    if optimizer.groups().is_empty() {
        return Ok(());
    }
    let declared = Network::declare(&run.model, &run.encoding, &run.spec());
    // A network that cannot be declared is refused where its shape is asked for, with a better word about it.
    declared.map_or(Ok(()), |(_, layout)| optimizer.check_for(&layout).map_err(wrong))
}
