//! Whether a finished cell is what the name of its folder says: its configuration and dataset, its weights and its metrics.
//!
//! A name is not enough: a stranger's folder can have any name.

use config::RunConfig;
use config::identity::hash;
use records::folder::{AVERAGED, CHECKPOINTS, CONFIG_FILE, FINAL, METRICS_FILE};
use records::{Manifest, Status, damage, lines, manifest, status, stored};
use std::path::Path;
use train::cell::final_weights_hash;

/// The manifest of a finished cell that is the cell of this hash and seed.
pub(super) fn check(cell: &Path, wanted: &str, seed: &str) -> Result<Manifest, String> {
    let config = config(cell)?;
    let manifest = Manifest::read(cell).map_err(|error| error.to_string())?;
    let manifest = manifest.ok_or_else(|| format!("it has no {}", manifest::FILE))?;
    if manifest.smoke {
        return Err("it is of a smoke run".to_owned());
    }
    same_run(&config, &manifest, wanted, seed)?;
    same_files(cell, &config, &manifest)?;
    Ok(manifest)
}

fn config(cell: &Path) -> Result<RunConfig, String> {
    let unreadable = |cause: &dyn std::fmt::Display| format!("its {CONFIG_FILE} cannot be read: {cause}");
    let text = stored::read(&cell.join(CONFIG_FILE)).map_err(|error| unreadable(&error))?;
    RunConfig::from_yaml(&String::from_utf8_lossy(&text)).map_err(|error| unreadable(&error))
}

/// Compares what was trained with the hash in the name of the row's folder.
fn same_run(config: &RunConfig, manifest: &Manifest, wanted: &str, seed: &str) -> Result<(), String> {
    let content = &manifest.dataset.content_hash;
    let recorded: RunConfig = serde_json::from_value(manifest.config.clone())
        .map_err(|error| format!("the run in its {} cannot be read: {error}", manifest::FILE))?;
    for (file, run) in [(CONFIG_FILE, config), (manifest::FILE, &recorded)] {
        let found = hash(run, content);
        if found != wanted {
            return Err(format!("configuration ({file}) and dataset have the hash {found}, its folder says {wanted}"));
        }
        let found = format!("seed-{}", run.seed);
        if found != seed {
            return Err(format!("{file} is of {found}, its folder says {seed}"));
        }
    }
    let recorded = &manifest.identity;
    let agree = manifest.hash == wanted && recorded.dataset == *content && recorded.numerics == config.numerics();
    agree.then_some(()).ok_or_else(|| {
        format!("{} is of another hash, dataset or numerics version than its own folder", manifest::FILE)
    })
}

/// Compares metrics and weights with the hashes that the cell recorded.
fn same_files(cell: &Path, config: &RunConfig, manifest: &Manifest) -> Result<(), String> {
    if let Some(failure) = damage::of_finished(cell) {
        return Err(failure.to_string());
    }
    let result = Status::read(cell).map_err(|error| error.to_string())?.and_then(|status| status.result);
    let finish = manifest.finish.as_ref();
    let recorded = result.as_ref().map(|result| &result.weights);
    if recorded.zip(finish).is_some_and(|(weights, finish)| *weights != finish.weights) {
        return Err(format!("{} and {} have other hashes of the weights", status::FILE, manifest::FILE));
    }
    if let Some(metrics) = result.as_ref().and_then(|result| result.metrics.as_ref()) {
        let found = lines::hash(&cell.join(METRICS_FILE)).map_err(|error| error.to_string())?;
        if found != *metrics {
            return Err(other(METRICS_FILE, metrics, &found));
        }
    }
    let dir = cell.join(CHECKPOINTS);
    if dir.join(FINAL).exists() {
        let recorded = recorded.or(finish.map(|finish| &finish.weights)).ok_or_else(|| unknown(FINAL))?;
        let found = final_weights_hash(cell, config).map_err(|error| error.to_string())?;
        if found != *recorded {
            return Err(other(FINAL, recorded, &found));
        }
    }
    if dir.join(AVERAGED).exists() {
        let mut files = finish.into_iter().flat_map(|finish| &finish.files);
        let (_, recorded) = files.find(|(name, _)| name == AVERAGED).ok_or_else(|| unknown(AVERAGED))?;
        let found = stored::hash(&dir.join(AVERAGED)).map_err(|error| error.to_string())?;
        if found != *recorded {
            return Err(other(AVERAGED, recorded, &found));
        }
    }
    Ok(())
}

fn unknown(file: &str) -> String {
    format!("it has {file} and no record of its hash")
}

fn other(file: &str, recorded: &str, found: &str) -> String {
    format!("{file} has the hash {found}, the cell recorded {recorded}")
}
