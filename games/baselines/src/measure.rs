//! From a dataset to the scores of the baselines on its test positions.

use crate::choices::Choices;
use crate::features::Features;
use crate::log_linear::{LogLinear, PENALTY, logits};
use crate::prior::{StaticPrior, indices, of_moves};
use crate::scores::{PositionScores, Score, entropy};
use dataset::{Dataset, DatasetError, DatasetFolder, Manifest, Split, content, evaluated_policy, sampled_policy};
use games::attacks::Tactics;
use games::with_game;
use std::path::{Path, PathBuf};

/// Training positions that the log-linear model is fitted on, if there are as many.
pub const FIT_POSITIONS: usize = 8192;
/// Training positions that the static prior counts, if there are as many.
pub const PRIOR_POSITIONS: usize = 32_768;
/// Validation positions that the prior's smoothing is chosen on, if there are as many.
const TUNING_POSITIONS: u64 = 4096;

/// Changes whenever the same dataset gives other numbers.
const VERSION: u32 = 1;

/// What baselines are measured on.
#[derive(Debug, Clone)]
pub struct Source {
    folder: PathBuf,
    pub manifest: Manifest,
    /// The dataset of the test games, if it is another one.
    test: Option<DatasetFolder>,
    pub buckets: Vec<String>,
    /// The requested number of test positions.
    pub test_positions: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum BaselinesError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("the dataset \"{dataset}\" has no policy target in its {} positions", split.name())]
    NoTarget { dataset: String, split: Split },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The scores on each test position that has a policy target.
    pub positions: Vec<PositionScores>,
    /// How the static prior and the log-linear model came about.
    pub fitted: Fitted,
}

/// How the static prior and the log-linear model came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Training positions that the prior counts.
    pub prior_positions: usize,
    /// Moves that were legal in one of them.
    pub prior_moves: usize,
    /// Strength of the prior's smoothing.
    pub strength: f64,
    /// Training positions that the model was fitted on.
    pub model_positions: usize,
    /// The features' names with their weights.
    pub weights: Vec<(String, f64)>,
    /// Features that occur in training.
    pub used_weights: usize,
    pub steps: usize,
    /// The model's mean loss on its training positions.
    pub training_loss: f64,
}

impl Source {
    /// The dataset in a folder, of these rating buckets (all games if empty), tested on the first positions of the test
    /// split, as [`dataset::evaluation_batches`] chooses them; of the dataset `test` if it is another one.
    pub fn read(
        folder: &Path,
        test: Option<&Path>,
        buckets: &[String],
        test_positions: u64,
    ) -> Result<Self, BaselinesError> {
        let manifest = Manifest::read(folder)?;
        let test = test.map(DatasetFolder::read).transpose()?;
        Ok(Self { folder: folder.to_owned(), manifest, test, buckets: buckets.to_vec(), test_positions })
    }

    /// The identity of the dataset, and that of the dataset of the test games if it is another one.
    pub fn content(&self) -> String {
        content(&self.manifest.identity(), self.test.as_ref().map(|test| test.manifest.identity()).as_deref())
    }

    /// The hash of everything that the numbers depend on: the same hash, the same numbers.
    pub fn identity(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let counts = [FIT_POSITIONS as u64, PRIOR_POSITIONS as u64, TUNING_POSITIONS, self.test_positions];
        let head = format!(
            "posenc baselines {VERSION}: {counts:?}, {PENALTY}, {:?}, split seed {}",
            StaticPrior::STRENGTHS,
            self.manifest.split.seed
        );
        let content = self.content();
        let parts = [head.as_str(), content.as_str()];
        for part in parts.into_iter().chain(self.buckets.iter().map(String::as_str)) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    pub fn measure(&self) -> Result<Measured, BaselinesError> {
        let mut dataset = Dataset::load(&self.folder, self.manifest.clone())?;
        if !self.buckets.is_empty() {
            dataset.restrict(&self.buckets)?;
        }
        if let Some(DatasetFolder { dir, manifest }) = &self.test {
            dataset.set_test(Dataset::load(dir, manifest.clone())?)?;
        }
        with_game!(self.manifest.game, G => measure::<G>(&dataset, self.test_positions))
    }
}

impl Measured {
    pub fn games(&self) -> usize {
        // Positions of a game stand together.
        self.positions.chunk_by(|a, b| a.game == b.game).count()
    }

    /// The mean of a baseline's scores: `measured.mean(|position| position.log_linear)`.
    pub fn mean(&self, of: impl Fn(&PositionScores) -> Score) -> Score {
        Score::mean(self.positions.iter().map(of))
    }

    /// The mean entropy of the targets: the loss of a perfect policy.
    pub fn entropy(&self) -> f64 {
        self.positions.iter().map(|position| position.entropy).sum::<f64>() / self.positions.len().max(1) as f64
    }
}

fn measure<G: Tactics>(dataset: &Dataset, test_positions: u64) -> Result<Measured, BaselinesError> {
    let lacks = |split| BaselinesError::NoTarget { dataset: dataset.manifest().name.clone(), split };
    let mut prior = StaticPrior::new(G::from_to().len());
    sampled_policy::<G>(dataset, PRIOR_POSITIONS, |position| prior.add(&indices(&position), position.target))?;
    if prior.positions == 0 {
        return Err(lacks(Split::Train));
    }
    let strength = validated_strength::<G>(dataset, &prior)?;
    let log_scores = prior.log_scores(strength);

    let features = Features::<G>::default();
    let mut choices = Choices::default();
    sampled_policy::<G>(dataset, FIT_POSITIONS, |position| choices.push(&features, &position))?;
    let model = LogLinear::fit(&choices, features.names.len());

    let mut positions = Vec::new();
    let (mut one, mut of_model) = (Choices::default(), Vec::new());
    evaluated_policy::<G>(dataset, Split::Test, test_positions, |position| {
        one.clear();
        one.push(&features, &position);
        one.positions().for_each(|choice| logits(&model.weights, choice, &mut of_model));
        let target = position.target;
        positions.push(PositionScores {
            game: position.game,
            ply: position.ply,
            entropy: entropy(target),
            uniform: Score::of(&vec![0.0; target.len()], target),
            static_prior: Score::of(&of_moves(&log_scores, &indices(&position)), target),
            log_linear: Score::of(&of_model, target),
        });
    })?;
    if positions.is_empty() {
        return Err(lacks(Split::Test));
    }
    let weights = features.names.iter().cloned().zip(model.weights).collect();
    let fitted = Fitted {
        prior_positions: prior.positions,
        prior_moves: prior.seen(),
        strength,
        model_positions: choices.len(),
        weights,
        used_weights: model.fitted,
        steps: model.steps,
        training_loss: model.loss,
    };
    Ok(Measured { positions, fitted })
}

/// The strength with the best score on validation positions; the usual one if there are none.
fn validated_strength<G: Tactics>(dataset: &Dataset, prior: &StaticPrior) -> Result<f64, BaselinesError> {
    if dataset.games(Split::Validation) == 0 {
        return Ok(StaticPrior::USUAL_STRENGTH);
    }
    let mut validation = Vec::new();
    evaluated_policy::<G>(dataset, Split::Validation, TUNING_POSITIONS, |position| {
        validation.push((indices(&position), position.target.to_vec()));
    })?;
    Ok(prior.best_strength(&validation).map_or(StaticPrior::USUAL_STRENGTH, |(strength, _)| strength))
}
