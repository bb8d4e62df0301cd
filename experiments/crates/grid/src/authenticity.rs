//! Checks that a finished cell is the one that its folders name: the name of a row's folder contains the hash of everything that
//! decides its numbers, and others may have made both.

use anyhow::ensure;
use config::identity::hash;
use config::{RunConfig, SCHEMA_VERSION, trials};
use records::folder::{AVERAGED, CHECKPOINTS, CONFIG_FILE, FINAL, hash_of};
use records::{CellState, Manifest, Plan, Status, files, manifest, plan, status};
use std::fmt;
use std::path::Path;
use train::cell::final_weights_hash;

/// Checks the finished cells of a plan and of its trials against the names of their folders. Returns their number.
pub fn check(plan: &Plan, run_dir: &Path) -> anyhow::Result<usize> {
    const SHOWN: usize = 3;
    let trials = run_dir.join(trials::FOLDER);
    let of_trials = if trials.join(plan::FILE).is_file() { Some(Plan::read(&trials)?) } else { None };
    let mut folders = vec![(plan, run_dir)];
    folders.extend(of_trials.as_ref().map(|plan| (plan, trials.as_path())));
    let (mut finished, mut different) = (0, Vec::new());
    for (plan, run_dir) in folders {
        for (row, seed, cell) in plan.cells(run_dir).filter(|(.., cell)| CellState::of(cell) == CellState::Done) {
            finished += 1;
            let checked = named(&cell, hash_of(&row.folder), &format!("seed-{seed}"), plan.smoke);
            different.extend(checked.err().map(|reason| format!("{}/seed-{seed}: {reason}", row.folder)));
        }
    }
    let more = match different.len().saturating_sub(SHOWN) {
        0 => String::new(),
        others => format!("; and {others} more"),
    };
    ensure!(
        different.is_empty(),
        "{} of {finished} finished cells are not what their folders say: {}{more}",
        different.len(),
        different[..different.len().min(SHOWN)].join("; ")
    );
    Ok(finished)
}

/// Checks a finished cell against a hash and a seed. Of a smoke run only the configuration is checked: the manifest records a
/// shortened run, which has another hash.
fn named(cell: &Path, wanted: &str, seed: &str, smoke: bool) -> Result<(), String> {
    let (config, manifest) = records_of(cell)?;
    if smoke {
        same_hash(CONFIG_FILE, &config, &manifest, wanted, seed)?;
        return same_files(cell, &config, &manifest);
    }
    let numerics = config.clone().with_micro_batch(manifest.identity.micro_batch).numerics();
    if (manifest.schema, &manifest.identity.numerics) != (SCHEMA_VERSION, &numerics) {
        return Err(format!(
            "it has schema {} and numerics version {}, this program has {SCHEMA_VERSION} and {numerics}: only the version of \
             posenc that trained it can verify it",
            manifest.schema, manifest.identity.numerics
        ));
    }
    same_run(&config, &manifest, wanted, seed)?;
    same_files(cell, &config, &manifest)
}

pub(crate) fn records_of(cell: &Path) -> Result<(RunConfig, Manifest), String> {
    let unreadable = |cause: &dyn fmt::Display| format!("its {CONFIG_FILE} cannot be read: {cause}");
    let text = files::read(&cell.join(CONFIG_FILE)).map_err(|error| unreadable(&error))?;
    let config = RunConfig::from_yaml(&String::from_utf8_lossy(&text)).map_err(|error| unreadable(&error))?;
    let manifest = Manifest::read(cell).map_err(|error| error.to_string())?;
    Ok((config, manifest.ok_or_else(|| format!("it has no {}", manifest::FILE))?))
}

/// Compares the trained configuration with the hash in the name of the row's folder. A smoke run is refused.
pub(crate) fn same_run(config: &RunConfig, manifest: &Manifest, wanted: &str, seed: &str) -> Result<(), String> {
    if manifest.smoke {
        return Err("it is of a smoke run".to_owned());
    }
    let recorded: RunConfig = serde_json::from_value(manifest.config.clone())
        .map_err(|error| format!("the run in its {} cannot be read: {error}", manifest::FILE))?;
    same_hash(CONFIG_FILE, config, manifest, wanted, seed)?;
    if recorded.to_json() != config.to_json() {
        same_hash(manifest::FILE, &recorded, manifest, wanted, seed)?;
    }
    let (recorded, content) = (&manifest.identity, manifest.dataset.content());
    let numerics = config.clone().with_micro_batch(recorded.micro_batch).numerics();
    let agree = manifest.hash == wanted && recorded.dataset == content && recorded.numerics == numerics;
    agree.then_some(()).ok_or_else(|| {
        format!("{} is of another hash, dataset or numerics version than its own folder", manifest::FILE)
    })
}

fn same_hash(file: &str, run: &RunConfig, manifest: &Manifest, wanted: &str, seed: &str) -> Result<(), String> {
    let found = hash(run, &manifest.dataset.content());
    if found != wanted {
        return Err(format!("configuration ({file}) and dataset have the hash {found}, its folder name has {wanted}"));
    }
    let found = format!("seed-{}", run.seed);
    if found != seed { Err(format!("{file} is of {found}, its folder name has {seed}")) } else { Ok(()) }
}

/// Compares metrics and weights with the hashes that the cell recorded.
pub(crate) fn same_files(cell: &Path, config: &RunConfig, manifest: &Manifest) -> Result<(), String> {
    if let Some(failure) = CellState::of(cell).damage(cell) {
        return Err(failure.to_string());
    }
    let result = Status::read(cell).map_err(|error| error.to_string())?.and_then(|status| status.result);
    let finish = manifest.finish.as_ref();
    let recorded = result.as_ref().map(|result| &result.weights);
    if recorded.zip(finish).is_some_and(|(weights, finish)| *weights != finish.weights) {
        return Err(format!("{} and {} have other hashes of the weights", status::FILE, manifest::FILE));
    }
    let dir = cell.join(CHECKPOINTS);
    if dir.join(FINAL).exists() {
        let recorded = recorded.or(finish.map(|finish| &finish.weights)).ok_or_else(|| unknown(FINAL))?;
        recorded_hash(FINAL, recorded, final_weights_hash(cell, config))?;
    }
    if dir.join(AVERAGED).exists() {
        let mut files = finish.into_iter().flat_map(|finish| &finish.files);
        let (_, recorded) = files.find(|(name, _)| name == AVERAGED).ok_or_else(|| unknown(AVERAGED))?;
        recorded_hash(AVERAGED, recorded, files::hash(&dir.join(AVERAGED)))?;
    }
    Ok(())
}

fn unknown(file: &str) -> String {
    format!("it has {file} and no record of its hash")
}

fn recorded_hash<E: ToString>(file: &str, recorded: &str, found: Result<String, E>) -> Result<(), String> {
    let found = found.map_err(|error| error.to_string())?;
    let other = || format!("{file} has the hash {found}, the cell recorded {recorded}");
    (found == recorded).then_some(()).ok_or_else(other)
}
