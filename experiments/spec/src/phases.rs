//! A curriculum: training in phases, each with games, weights of the losses and a learning rate of its own.
//!
//! ```yaml
//! train:
//!   phases:
//!     - {bucket: 500-1000, epochs: 1}
//!     - {bucket: [1000-1500, 1500-2000], epochs: 2}
//!     - {bucket: 2000+}                       # the steps that are left
//! ```
//! ```yaml
//!   phases:                                   # of all games, in the order that they have without phases
//!     - {steps: 1000, loss: {value: 0}}
//!     - {learning_rate: 0.5}
//! ```
//!
//! Within a phase the order is that of a dataset that holds these games only; where the next phase has the same ones, it goes
//! on in it. A last step's batch is always full: a phase takes as many steps as its epochs need, rounded up. Evaluations look
//! at all games, whatever the phase.

use super::axes::AxisName;
use super::data::names;
use super::expand::Combination;
use super::losses::{LossChanges, LossWeights};
use super::resolve::{OpenedData, origin};
use super::run::RunConfig;
use super::source::{ConfigError, Source, Step, YamlPath};
use super::suggest::nearest;
use super::syntax::refused;
use dataset::{DatasetError, Split, store};
use models::Loss;
use serde::{Deserialize, Serialize};

/// A part of training.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// The rating buckets that its games are of; all games by default.
    #[serde(default, deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub bucket: Vec<String>,
    /// How often it goes through their games. The last phase has neither this nor `steps`: it takes the steps that are left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<f64>,
    /// How many steps it takes, instead of `epochs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Weights of losses that differ from `train.loss` while it lasts.
    #[serde(default, skip_serializing_if = "LossChanges::is_empty")]
    pub loss: LossChanges,
    /// What the learning rate is multiplied by while it lasts; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
}

impl Phase {
    /// How many steps of `batch` positions it takes on `positions`; `None` for all that are left.
    #[must_use]
    pub fn steps(&self, positions: u64, batch: usize) -> Option<u64> {
        self.steps.or_else(|| self.epochs.map(|epochs| (epochs * positions as f64 / batch as f64).ceil() as u64))
    }

    /// The weights of the losses while it lasts.
    #[must_use]
    pub fn weights(&self, usual: &LossWeights) -> LossWeights {
        self.loss.over(usual)
    }

    /// Training positions of its games.
    pub(super) fn positions(&self, data: &OpenedData) -> Result<u64, DatasetError> {
        if self.bucket.is_empty() {
            return Ok(data.positions.train);
        }
        store::positions_of(&data.folder, &data.manifest, &self.bucket).map(|positions| positions[Split::Train])
    }
}

/// What the phases of a row are checked against.
struct Check<'a> {
    row: &'a Combination,
    data: &'a OpenedData,
    source: &'a Source,
    phases: usize,
}

/// The phases of a row, checked against its dataset; what they repeat of the run is left out.
pub(super) fn resolved(
    phases: Vec<Phase>,
    steps: u64,
    usual: &LossWeights,
    row: &Combination,
    data: &OpenedData,
    source: &Source,
) -> Result<Vec<Phase>, ConfigError> {
    let check = Check { row, data, source, phases: phases.len() };
    let mut before = 0;
    for (i, phase) in phases.iter().enumerate() {
        check.buckets(i, phase)?;
        check.length(i, phase)?;
        check.numbers(i, phase)?;
        before += check.steps(i, phase)?.unwrap_or(0);
    }
    if before >= steps && !phases.is_empty() {
        let message = format!("the phases before the last take {before} steps, and there are {steps}");
        let error = refused(source, &origin(row, AxisName::Phases), message);
        return Err(error.help(format!("write more `steps` than {before}, or fewer epochs")));
    }
    let plain = |phase: Phase| Phase {
        loss: phase.loss.unlike(usual),
        learning_rate: phase.learning_rate.filter(|&factor| factor != 1.0),
        ..phase
    };
    Ok(phases.into_iter().map(plain).collect())
}

impl Check<'_> {
    fn place(&self, phase: usize, keys: &[&str]) -> YamlPath {
        let keys = keys.iter().map(|&key| Step::from(key));
        origin(self.row, AxisName::Phases).into_iter().chain([Step::from(phase)]).chain(keys).collect()
    }

    fn buckets(&self, i: usize, phase: &Phase) -> Result<(), ConfigError> {
        let (manifest, view) = (&self.data.manifest, &self.data.view);
        let taken = |name: &str| view.bucket.is_empty() || view.bucket.iter().any(|own| own == name);
        let known = manifest.rating_buckets.iter().map(|bucket| bucket.name.as_str());
        let offered: Vec<&str> = known.filter(|name| taken(name)).collect();
        let Some(unknown) = phase.bucket.iter().find(|name| !offered.contains(&name.as_str())) else { return Ok(()) };
        let message = format!("the dataset \"{}\" has no rating bucket \"{unknown}\" here", manifest.name);
        let error = refused(self.source, &self.place(i, &["bucket"]), message).valid(offered.iter().copied());
        Err(match nearest(unknown, offered.iter().copied()) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help("import the dataset with --rating-buckets, or name one of its buckets"),
        })
    }

    fn length(&self, i: usize, phase: &Phase) -> Result<(), ConfigError> {
        let last = i + 1 == self.phases;
        let wrong = match (phase.epochs, phase.steps) {
            (None, None) if !last => Some(("epochs", "only the last phase can do without", "write `epochs: 1`")),
            (Some(_), _) if last => {
                Some(("epochs", "the last phase takes the steps that are left", "leave `epochs` out"))
            }
            (_, Some(_)) if last => {
                Some(("steps", "the last phase takes the steps that are left", "leave `steps` out"))
            }
            (Some(_), Some(_)) => Some(("steps", "its `epochs` say how long it is", "leave one of them out")),
            _ => None,
        };
        let Some((key, wrong, remedy)) = wrong else { return Ok(()) };
        let message = format!("`{key}` of phase {}: {wrong}", i + 1);
        Err(refused(self.source, &self.place(i, &[key]), message).help(remedy))
    }

    fn numbers(&self, i: usize, phase: &Phase) -> Result<(), ConfigError> {
        let refuse = |keys: &[&str], message: String, remedy| {
            Err(refused(self.source, &self.place(i, keys), message).help(remedy))
        };
        let above_zero = |value: f64| value.is_finite() && value > 0.0;
        if let Some(epochs) = phase.epochs.filter(|&epochs| !above_zero(epochs)) {
            return refuse(&["epochs"], format!("{epochs} is no number of epochs"), "write a number above 0");
        }
        if phase.steps == Some(0) {
            return refuse(&["steps"], "0 is too few".to_owned(), "write a whole number, 1 or more");
        }
        if let Some(factor) = phase.learning_rate.filter(|&factor| !above_zero(factor)) {
            let message = format!("{factor} is no factor of the learning rate");
            return refuse(&["learning_rate"], message, "write a number above 0");
        }
        match phase.loss.iter().find(|(_, weight)| !(weight.is_finite() && *weight >= 0.0)) {
            Some((loss, weight)) => {
                refuse(&["loss", loss.name()], format!("{weight} is no weight"), "write a number, 0 or more")
            }
            None => Ok(()),
        }
    }

    /// How many steps a phase takes; `None` for all that are left.
    fn steps(&self, i: usize, phase: &Phase) -> Result<Option<u64>, ConfigError> {
        let place = || self.place(i, &["bucket"]);
        let positions = phase.positions(self.data).map_err(|error| refused(self.source, &place(), error))?;
        if positions == 0 {
            let error = refused(self.source, &place(), "these rating buckets hold no training positions");
            return Err(error.help("name more buckets, or import more games"));
        }
        Ok(phase.steps(positions, self.row.point.batch.unwrap_or(1)))
    }
}

/// Refuses phases in which a network learns nothing.
pub(super) fn check_weights(row: &Combination, run: &RunConfig, source: &Source) -> Result<(), ConfigError> {
    let own = Loss::of_network(&run.model.architecture());
    let idle = |phase: &Phase| {
        let weights = phase.weights(&run.train.loss);
        !own.is_empty() && own.iter().all(|&loss| weights.of(loss) == 0.0)
    };
    let Some(i) = run.train.phases.iter().position(idle) else { return Ok(()) };
    let names: Vec<&str> = own.iter().map(|loss| loss.name()).collect();
    let message = format!("all losses of this network have the weight 0 in phase {} ({})", i + 1, names.join(", "));
    let place = [origin(row, AxisName::Phases), vec![Step::from(i), Step::from("loss")]].concat();
    Err(refused(source, &place, message).help("give at least one of them a weight above 0"))
}

/// The step behind the last one of each phase of a run.
pub(super) fn ends(run: &RunConfig, data: &OpenedData) -> Result<Vec<u64>, DatasetError> {
    let mut end = 0;
    let of_phase = |phase: &Phase| {
        let steps = phase.steps(phase.positions(data)?, run.train.batch);
        end = steps.map_or(run.train.steps, |steps| end + steps);
        Ok(end)
    };
    run.train.phases.iter().map(of_phase).collect()
}
