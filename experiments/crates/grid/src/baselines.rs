//! Measures the baselines of a grid: policies without a network, on the test positions of the rows.

use anyhow::Context as _;
use baselines::{Measured, Score, Source};
use config::{Experiment, Row};
use records::Baselines;
use records::baselines::{Baseline, BaselineName, BaselineSet, FORMAT};
use std::path::Path;

/// Completes the run folder's record of baselines: each set of test positions is measured once, and recorded sets are
/// kept. Rows without a policy head need none.
pub fn complete(experiment: &Experiment, run_dir: &Path) -> anyhow::Result<()> {
    let known = Baselines::read(run_dir);
    let mut sets: Vec<BaselineSet> = Vec::new();
    for row in experiment.rows.iter().filter(|row| has_policy(row)) {
        let source = source(row)?;
        let identity = source.identity();
        if let Some(set) = sets.iter_mut().find(|set| set.identity == identity) {
            set.rows.push(row.folder());
            continue;
        }
        let found = known.iter().flat_map(|known| &known.sets).find(|set| set.identity == identity);
        let mut set = match found {
            Some(set) => set.clone(),
            None => {
                let scores = source.measure();
                let folder = row.run.data.display();
                record(&source, identity, &scores.with_context(|| format!("cannot measure baselines on {folder}"))?)
            }
        };
        set.rows = vec![row.folder()];
        sets.push(set);
    }
    let now = Baselines { format: FORMAT, sets };
    if !now.sets.is_empty() && known.as_ref() != Some(&now) {
        now.write(run_dir).with_context(|| format!("cannot write baselines to {}", run_dir.display()))?;
    }
    Ok(())
}

pub fn is_due(experiment: &Experiment, run_dir: &Path) -> bool {
    let known = Baselines::read(run_dir);
    let is_known = |row: &Row| {
        let identity = source(row).map(|source| source.identity());
        let sets = known.iter().flat_map(|known| &known.sets);
        identity.is_ok_and(|identity| sets.clone().any(|set| set.identity == identity))
    };
    !experiment.rows.iter().filter(|row| has_policy(row)).all(is_known)
}

/// Whether baselines can be fitted: to moves in training games that are stored.
fn has_policy(row: &Row) -> bool {
    row.run.outputs().policy.is_some() && row.run.generate.is_none()
}

fn source(row: &Row) -> anyhow::Result<Source> {
    let run = &row.run;
    let positions = run.eval.test_positions as u64;
    let source = Source::read(&run.data, run.test_data.as_deref(), &run.view.bucket, positions);
    source.with_context(|| format!("cannot read the dataset {}", run.data.display()))
}

pub fn record(source: &Source, identity: String, measured: &Measured) -> BaselineSet {
    let fitted = &measured.fitted;
    let [uniform, prior, model] = [
        measured.mean(|position| position.uniform),
        measured.mean(|position| position.static_prior),
        measured.mean(|position| position.log_linear),
    ];
    let baseline = |name, score: Score, weights, training_positions| {
        let Score { loss, accuracy } = score;
        Baseline { name, loss, accuracy, weights, training_positions, smoothing: None, training_loss: None }
    };
    BaselineSet {
        identity,
        game: source.manifest.game,
        dataset: source.manifest.name.clone(),
        content_hash: source.content(),
        buckets: source.buckets.clone(),
        asked: source.test_positions,
        positions: measured.positions.len(),
        games: measured.games(),
        target_entropy: measured.entropy(),
        rows: Vec::new(),
        baselines: vec![
            baseline(BaselineName::Uniform, uniform, 0, 0),
            Baseline {
                smoothing: Some(fitted.strength),
                ..baseline(BaselineName::StaticPrior, prior, fitted.prior_moves, fitted.prior_positions)
            },
            Baseline {
                training_loss: Some(fitted.training_loss),
                ..baseline(BaselineName::LogLinear, model, fitted.used_weights, fitted.model_positions)
            },
        ],
    }
}
