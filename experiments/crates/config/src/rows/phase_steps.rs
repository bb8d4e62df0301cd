//! The phases of a row: checked against its dataset, and counted in steps.

use super::expand::Combination;
use super::opened_datasets::OpenedData;
use crate::settings::phase::Phase;
use crate::settings::run::RunConfig;
use crate::yaml::source::ConfigError;
use dataset::DatasetError;

struct Check<'a> {
    row: &'a Combination,
    data: &'a OpenedData,
}

/// The phases of a row, checked against its dataset, without settings that repeat the run's.
pub(crate) fn resolved(row: &Combination, data: &OpenedData) -> Result<Vec<Phase>, ConfigError> {
    let train = &row.run.train;
    let check = Check { row, data };
    let mut before: u64 = 0;
    for (i, phase) in train.phases.iter().enumerate() {
        check.buckets(i, phase)?;
        check.length(i, phase)?;
        check.numbers(i, phase)?;
        before = before.saturating_add(check.steps(i, phase)?.unwrap_or(0));
    }
    let steps = train.steps;
    if before >= steps && !train.phases.is_empty() {
        let message = format!("the phases before the last take {before} steps, and there are {steps}");
        let error = row.refused(&["train", "phases"], message);
        return Err(error.help(format!("write more `steps` than {before}, or fewer epochs")));
    }
    let plain = |phase: &Phase| Phase {
        loss: phase.loss.differing_from(&train.loss),
        learning_rate: phase.learning_rate.filter(|&factor| factor != 1.0),
        ..phase.clone()
    };
    Ok(train.phases.iter().map(plain).collect())
}

impl Check<'_> {
    fn refused(&self, phase: usize, keys: &[&str], reason: impl std::fmt::Display) -> ConfigError {
        let phase = phase.to_string();
        let key_path: Vec<&str> = ["train", "phases", phase.as_str()].into_iter().chain(keys.iter().copied()).collect();
        self.row.refused(&key_path, reason)
    }

    fn buckets(&self, i: usize, phase: &Phase) -> Result<(), ConfigError> {
        let (manifest, view) = (&self.data.manifest, &self.data.view);
        let taken = |name: &str| view.bucket.is_empty() || view.bucket.iter().any(|own| own == name);
        let known = manifest.rating_buckets.iter().map(|bucket| bucket.name.as_str());
        let offered: Vec<&str> = known.filter(|name| taken(name)).collect();
        let Some(unknown) = phase.bucket.iter().find(|name| !offered.contains(&name.as_str())) else { return Ok(()) };
        let message = format!("the dataset \"{}\" has no rating bucket \"{unknown}\" here", manifest.name);
        let error = self.refused(i, &["bucket"], message).valid(offered);
        Err(error.with_suggestion(unknown, "import the dataset with --rating-buckets, or name one of its buckets"))
    }

    fn length(&self, i: usize, phase: &Phase) -> Result<(), ConfigError> {
        let last = i + 1 == self.row.run.train.phases.len();
        let wrong = match (phase.epochs, phase.steps) {
            (None, None) if !last => Some(("epochs", "only the last phase can do without", "write `epochs: 1`")),
            (Some(_), _) if last => {
                Some(("epochs", "the last phase takes the steps that are left", "leave `epochs` out"))
            }
            (_, Some(_)) if last => {
                Some(("steps", "the last phase takes the steps that are left", "leave `steps` out"))
            }
            (Some(_), Some(_)) => Some(("steps", "its `epochs` say how long it is", "leave one of them out")),
            (Some(_), None) if self.data.generate.is_some() => {
                Some(("epochs", "positions without end have none", "write `steps`"))
            }
            _ => None,
        };
        let Some((key, wrong, remedy)) = wrong else { return Ok(()) };
        Err(self.refused(i, &[key], format!("`{key}` of phase {}: {wrong}", i + 1)).help(remedy))
    }

    fn numbers(&self, i: usize, phase: &Phase) -> Result<(), ConfigError> {
        let wrong = phase.loss.iter().find(|(_, weight)| !(weight.is_finite() && *weight >= 0.0));
        let Some((loss, weight)) = wrong else { return Ok(()) };
        let error = self.refused(i, &["loss", loss.name()], format!("{weight} is not a weight"));
        Err(error.help("write a number, 0 or more"))
    }

    /// The number of steps of a phase; `None` for all that are left.
    fn steps(&self, i: usize, phase: &Phase) -> Result<Option<u64>, ConfigError> {
        let model = &self.row.run.model;
        // Another one is refused when its cost is computed.
        let plies = if model.check().is_ok() { model.plies() } else { 1 };
        let rows = self.data.rows(&phase.bucket, plies).map_err(|error| self.refused(i, &["bucket"], error))?;
        if rows == 0 {
            let error = self.refused(i, &["bucket"], "these rating buckets hold no training positions");
            return Err(error.help("name more buckets, or import more games"));
        }
        Ok(phase.steps(rows, self.row.run.train.batch))
    }
}

/// Refuses phases in which a network learns nothing.
pub(crate) fn check_weights(row: &Combination, run: &RunConfig) -> Result<(), ConfigError> {
    let own = run.model.losses();
    let has_no_loss = |phase: &Phase| {
        let weights = phase.weights(&run.train.loss);
        !own.is_empty() && own.iter().all(|&loss| weights.of(loss) == 0.0)
    };
    let Some(i) = run.train.phases.iter().position(has_no_loss) else { return Ok(()) };
    let names: Vec<&str> = own.iter().map(|loss| loss.name()).collect();
    let message = format!("all losses of this network have the weight 0 in phase {} ({})", i + 1, names.join(", "));
    let error = row.refused(&["train", "phases", &i.to_string(), "loss"], message);
    Err(error.help("give at least one of them a weight above 0"))
}

/// The step after the last one of each phase of a run.
pub(crate) fn ends(run: &RunConfig, data: &OpenedData) -> Result<Vec<u64>, DatasetError> {
    let mut end = 0;
    let of_phase = |phase: &Phase| {
        let steps = phase.steps(data.rows(&phase.bucket, run.plies())?, run.train.batch);
        end = steps.map_or(run.train.steps, |steps| end + steps);
        Ok(end)
    };
    run.train.phases.iter().map(of_phase).collect()
}
