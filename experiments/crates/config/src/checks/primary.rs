//! The primary metric: does it exist, does it judge, and is it there at the step at which it is read?

use crate::rows::expand::Combination;
use crate::rows::row::Row;
use crate::settings::file::ExperimentFile;
use crate::yaml::source::{ConfigError, at};
use crate::yaml::tree::Node;
use facts::metrics::{self, Metric};
use facts::{Mask, Primary, ReadAt};
use models::ModelConfig;

/// Refuses what is wrong for all rows.
pub(crate) fn without_rows(file: &ExperimentFile, document: &Node) -> Result<&'static Metric, ConfigError> {
    let metric = find(&file.primary, document)?;
    sizes(file, document)?;
    Ok(metric)
}

/// `rows` are those of `combinations`, in their order, with the references marked.
pub(crate) fn check(
    file: &ExperimentFile,
    rows: &[Row],
    combinations: &[Combination],
    document: &Node,
) -> Result<(), ConfigError> {
    let metric = without_rows(file, document)?;
    let wrong = |message: String| document.error_at(&at!["primary", "metric"], message);
    if let Some(row) = rows.iter().find(|row| !metric.applies(row.run.train.mask)) {
        let message = format!("`{}` means nothing for {}: it trains with illegal moves masked", metric.name, row.label);
        return Err(wrong(message).help("choose a metric of legal moves (policy_loss), or `mask: eval` for every row"));
    }
    if let Some(row) = rows.iter().find(|row| !is_measured(metric, &row.run.model)) {
        let heads = row.run.outputs().names().join(", ");
        let message = format!("{} has no head that `{}` is about; its heads are {heads}", row.label, metric.name);
        return Err(wrong(message).help("choose a metric of a head that every row has, or add the head to `outputs`"));
    }
    one_metric(metric, rows, combinations)?;
    rows.iter().try_for_each(|row| readable(&file.primary, row, document))?;
    rows.iter().try_for_each(|row| averaged(&file.primary, row, document))
}

fn is_measured(metric: &Metric, network: &ModelConfig) -> bool {
    let (own, heads) = (network.heads(), metric.heads());
    let has_head = heads.is_empty() || heads.iter().any(|head| own.contains(head));
    has_head && metric.loss().is_none_or(|loss| network.losses().contains(&loss))
}

/// Refuses rows whose difference from their reference would be one of two metrics, not of two networks.
fn one_metric(metric: &Metric, rows: &[Row], combinations: &[Combination]) -> Result<(), ConfigError> {
    for (row, combination) in rows.iter().zip(combinations) {
        let Some(reference) = rows.iter().find(|other| row.is_compared_with(other)) else { continue };
        let (own, other) = (row.run.train.mask, reference.run.train.mask);
        if metric.comparable(own, other) {
            continue;
        }
        let over = |mask| if mask == Mask::None { "all moves" } else { "legal moves only" };
        let message = format!(
            "`{}` of {} is taken over {} (mask: {}), that of its reference {} over {} (mask: {})",
            metric.name,
            row.label,
            over(own),
            own.name(),
            reference.label,
            over(other),
            other.name()
        );
        return Err(combination.node(&["train", "mask"]).origin.error(message).help(
            "these are two metrics: give all rows of a game `mask: none` or none of them, or judge by one that no mask \
             touches (policy_accuracy_unmasked, value_loss)",
        ));
    }
    Ok(())
}

/// Refuses margins and floors of metrics that verdicts are not about.
fn sizes(file: &ExperimentFile, document: &Node) -> Result<(), ConfigError> {
    let primary = file.primary.metric.as_str();
    let all = [("equivalent_within", "margin", &file.equivalent_within), ("floor", "floor", &file.floor)];
    for (key, name, sizes) in all {
        let Some(other) = sizes.metrics().find(|metric| *metric != primary) else { continue };
        let message = format!("verdicts are about `{primary}`, so a {name} of `{other}` has no effect");
        let error = document.error_at(&at![key, other], message);
        return Err(error.help(format!("write `{key}: {{{primary}: SIZE}}`, with a size in the unit of the metric")));
    }
    Ok(())
}

fn find(primary: &Primary, document: &Node) -> Result<&'static Metric, ConfigError> {
    let names = metrics::of_verdicts();
    let known = metrics::find(&primary.metric).ok();
    if let Some(metric) = known.filter(|metric| names.contains(&metric.name)) {
        return Ok(metric);
    }
    let what = match known {
        Some(metric) if !metric.is_evaluated() => "is measured in training only, and no evaluation has it",
        Some(_) => "is neither better nor worse, it only describes",
        None => "is not a metric",
    };
    let error = document.error_at(&at!["primary", "metric"], format!("`{}` {what}", primary.metric));
    let (error, otherwise) = (error.valid(names.iter().copied()), "choose one of the valid metrics");
    Err(if known.is_none() { error.with_suggestion(&primary.metric, otherwise) } else { error.help(otherwise) })
}

/// Refuses averaged weights if there is no average at the step at which they are read.
fn averaged(primary: &Primary, row: &Row, document: &Node) -> Result<(), ConfigError> {
    if primary.weights.are_raw() {
        return Ok(());
    }
    let wrong = |message: String| document.error_at(&at!["primary", "weights"], message);
    let Some(averaging) = row.run.train.averaging else {
        let error = wrong("no average of the weights is made".to_owned());
        return Err(error.help("add `base.train.averaging: {swa: {}}`, or write `weights: raw`"));
    };
    let begins = averaging.begins_at();
    let read = match primary.at {
        ReadAt::Last => row.run.train.steps,
        ReadAt::Step(step) => step,
    };
    if read < begins {
        let error = wrong(format!("{} is read at step {read}, but its average begins at step {begins}", row.label));
        return Err(error.help("average sooner (`swa: {every: …}`), or write `weights: raw`"));
    }
    Ok(())
}

/// Evaluations happen every `eval.every` steps and after the last.
fn readable(primary: &Primary, row: &Row, document: &Node) -> Result<(), ConfigError> {
    let ReadAt::Step(step) = primary.at else { return Ok(()) };
    let (last, every) = (row.run.train.steps, row.run.eval.every);
    let wrong = |message: String| document.error_at(&at!["primary", "at"], message);
    if step > last {
        let error = wrong(format!("step {step} is never evaluated: {} has {last} steps", row.label));
        return Err(error.help(format!("write a step up to {last}, or `last`")));
    }
    if step != last && !step.is_multiple_of(every) {
        let before = (step / every * every).max(every);
        let error = wrong(format!("step {step} is not evaluated: evaluations are every {every} steps"));
        return Err(error.help(format!("write {before}, or change `base.eval.every`")));
    }
    Ok(())
}
