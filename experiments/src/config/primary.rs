//! The primary metric: does it exist, does it judge, and is it there at the step at which it is read?

use super::experiment::Row;
use super::file::{ExperimentFile, Primary};
use super::source::{ConfigError, Source, at};
use super::suggest::nearest;
use super::values::ReadAt;
use crate::train::metrics::{self, Direction, Metric};

pub(crate) fn check(file: &ExperimentFile, rows: &[Row], source: &Source) -> Result<(), ConfigError> {
    let metric = find(&file.primary, source)?;
    let wrong = |message: String| source.error_at(&at!["primary", "metric"], message);
    if let Some(row) = rows.iter().find(|row| !metric.applies(row.run.train.mask)) {
        let message = format!("`{}` means nothing for {}: it trains with illegal moves masked", metric.name, row.label);
        return Err(wrong(message).help("choose a metric of legal moves (policy_loss), or `mask: eval` for every row"));
    }
    rows.iter().try_for_each(|row| readable(&file.primary, row, source))
}

fn find(primary: &Primary, source: &Source) -> Result<&'static Metric, ConfigError> {
    let judging = || metrics::all().iter().filter(|metric| metric.direction != Direction::Neither);
    let names: Vec<&str> = judging().map(|metric| metric.name.as_str()).collect();
    if let Some(metric) = judging().find(|metric| metric.name == primary.metric) {
        return Ok(metric);
    }
    let known = metrics::find(&primary.metric).is_ok();
    let what = if known { "is neither better nor worse, it only describes" } else { "is no metric" };
    let error = source.error_at(&at!["primary", "metric"], format!("`{}` {what}", primary.metric));
    let remedy = match nearest(&primary.metric, names.iter().copied()) {
        Some(meant) if !known => format!("did you mean `{meant}`?"),
        _ => "choose one of the valid metrics".to_owned(),
    };
    Err(error.valid(names).help(remedy))
}

/// Evaluations happen every `eval.every` steps and after the last.
fn readable(primary: &Primary, row: &Row, source: &Source) -> Result<(), ConfigError> {
    let ReadAt::Step(step) = primary.at else { return Ok(()) };
    let (last, every) = (row.run.train.steps, row.run.eval.every);
    let wrong = |message: String| Err(source.error_at(&at!["primary", "at"], message));
    if step == 0 || step > last {
        return wrong(format!("step {step} is never evaluated: {} has {last} steps", row.label))
            .map_err(|error| error.help(format!("write a step up to {last}, or `last`")));
    }
    if step != last && !step.is_multiple_of(every) {
        let before = (step / every * every).max(every);
        return wrong(format!("step {step} is not evaluated: evaluations are every {every} steps"))
            .map_err(|error| error.help(format!("write {before}, or change `base.eval.every`")));
    }
    Ok(())
}
