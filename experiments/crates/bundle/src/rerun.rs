//! Trains cells of a bundle again and compares: bit-identity under the same conditions, otherwise against the spread
//! over seeds.

use super::error::cannot;
use super::unpacked::Unpacked;
use anyhow::{anyhow, bail, ensure};
use config::{ReadAt, RunConfig};
use grid::Task;
use records::folder::{CONFIG_FILE, METRICS_FILE};
use records::plan::{Plan, Row};
use records::{CellState, Manifest, MetricLine, Part, Status, atomic, device, files, lines, manifest};
use report::statistics::Summary;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest accepted difference between machines, in standard deviations over seeds.
const SPREAD: f64 = 3.0;

/// The extension of a file of tensors.
const TENSORS: &str = "safetensors";

/// The smallest number of seeds for a standard deviation.
const SEEDS_FOR_A_SPREAD: usize = 3;

/// No cell is trained with more threads, whatever its manifest states.
const MOST_THREADS: usize = 1_024;

#[derive(Debug)]
pub struct Rerun<'a> {
    /// Its folder and its name in messages.
    pub task: Task,
    /// Threads; results depend on them.
    pub threads: usize,
    row: &'a Row,
    seed: u64,
    manifest: Manifest,
}

/// The result of a second training. Deviations are those of the primary metric, in standard deviations over the row's seeds.
#[derive(Debug, Clone, PartialEq)]
pub enum Comparison {
    /// Bit-identical: metrics, weights and batches.
    Same,
    /// Different, although the conditions are the same.
    Different { what: String },
    /// Trained under other conditions, and within the spread over seeds.
    Within { deviations: f64, because: Vec<String> },
    /// Trained under other conditions, and outside the spread over seeds.
    Outside { deviations: f64, because: Vec<String> },
    /// There is nothing to compare, or no spread to judge a difference by.
    Unknown { why: String },
}

impl Comparison {
    pub fn is_failure(&self) -> bool {
        !matches!(self, Self::Same | Self::Within { .. })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct FinishedCell<'a> {
    row: &'a Row,
    seed: u64,
}

/// The finished cells of a bundle, in the order of its plan.
pub fn finished(bundle: &Unpacked) -> anyhow::Result<Vec<FinishedCell<'_>>> {
    let plan = &bundle.verified().plan;
    let cells = plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |&seed| FinishedCell { row, seed }));
    let finished: Vec<FinishedCell<'_>> = cells
        .filter(|cell| status_of(bundle, cell.row, cell.seed).is_some_and(|status| status.result.is_some()))
        .collect();
    match finished.is_empty() {
        true => Err(anyhow!("no cell of the bundle is finished, so there is nothing to compare with")),
        false => Ok(finished),
    }
}

/// Creates the folders of some finished cells below `out`. Their datasets are found among `data` by content hash.
pub fn prepare<'a>(
    bundle: &Unpacked,
    cells: &[FinishedCell<'a>],
    data: &[PathBuf],
    out: &Path,
) -> anyhow::Result<Vec<Rerun<'a>>> {
    let local = LocalFiles::find(data);
    cells.iter().map(|&cell| prepare_cell(bundle, cell, &local, out)).collect()
}

fn prepare_cell<'a>(
    bundle: &Unpacked,
    FinishedCell { row, seed }: FinishedCell<'a>,
    local: &LocalFiles,
    out: &Path,
) -> anyhow::Result<Rerun<'a>> {
    let name = format!("{} seed {seed}", row.folder);
    let wrong = |what: &str| anyhow!("{name}: its {what} cannot be read by this version of posenc");
    let cell = Plan::cell_dir(bundle.run_dir(), row, seed);
    let text = files::read(&cell.join(CONFIG_FILE)).map_err(|_| wrong(CONFIG_FILE))?;
    let mut run = RunConfig::from_yaml(&String::from_utf8_lossy(&text)).map_err(|_| wrong(CONFIG_FILE))?;
    let manifest = Manifest::read(&cell).ok().flatten().ok_or_else(|| wrong(manifest::FILE))?;
    let threads = manifest.identity.threads;
    ensure!(
        (1..=MOST_THREADS).contains(&threads),
        "{name}: its {} states {threads} threads; a cell is trained again with 1 to {MOST_THREADS}",
        manifest::FILE
    );
    let folder_of = |dataset: &str, content_hash: &str| {
        local.datasets.get(content_hash).cloned().ok_or_else(|| {
            anyhow!(
                "{name} needs the dataset {dataset} with the content hash {content_hash}, which is not among those given; \
                 name its folder with --data (LICENCES.md in the bundle says where it comes from)"
            )
        })
    };
    let wanted = &manifest.dataset;
    match &run.generate {
        None => run.data = folder_of(&wanted.name, &wanted.content_hash)?,
        Some(generate) if generate.probe()?.content_hash() == wanted.content_hash => {}
        Some(_) => bail!("{name}: this version of posenc generates other positions than the one that trained it"),
    }
    let test = wanted.test.as_ref().map(|test| folder_of(&test.name, &test.content_hash));
    run.test_data = test.transpose()?;
    if let Some(start) = &mut run.train.start {
        let file = local.starts.get(&start.blake3).cloned().ok_or_else(|| {
            anyhow!(
                "{name} starts with the file {} of the BLAKE3 {}, which is in none of the folders given; name its folder \
                 with --data",
                start.file().display(),
                start.blake3
            )
        })?;
        *start.file_mut() = file;
    }
    let dir = Plan::cell_dir(out, row, seed);
    fs::create_dir_all(&dir).map_err(cannot("make", &dir))?;
    let config = run.to_yaml().map_err(|_| wrong(CONFIG_FILE))?;
    let path = dir.join(CONFIG_FILE);
    atomic::replace(&path, config.as_bytes()).map_err(cannot("write", &path))?;
    Ok(Rerun { task: Task { name, dir, config: None }, threads, row, seed, manifest })
}

/// What cells need and a bundle does not hold, by hash.
struct LocalFiles {
    datasets: BTreeMap<String, PathBuf>,
    starts: BTreeMap<String, PathBuf>,
}

impl LocalFiles {
    /// The datasets and the files of tensors in these folders.
    fn find(folders: &[PathBuf]) -> Self {
        let folders: Vec<PathBuf> = folders.iter().filter_map(|folder| std::path::absolute(folder).ok()).collect();
        let dataset = |folder: &PathBuf| Some((dataset::Manifest::read(folder).ok()?.identity(), folder.clone()));
        let files = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok));
        let starts = files.map(|file| file.path()).filter(|file| file.extension().is_some_and(|ext| ext == TENSORS));
        let start = |file: PathBuf| Some((files::hash(&file).ok()?, file));
        Self { datasets: folders.iter().filter_map(dataset).collect(), starts: starts.filter_map(start).collect() }
    }
}

/// Compares a retrained cell with the one in the bundle.
pub fn compare(bundle: &Unpacked, rerun: &Rerun<'_>) -> Comparison {
    let unknown = |why: String| Comparison::Unknown { why };
    match CellState::of(&rerun.task.dir) {
        CellState::Done => {}
        CellState::Failed(failure) => return unknown(format!("it failed: {failure}")),
        _ => return unknown("it was not trained to its end".to_owned()),
    }
    let Ok(Some(manifest)) = Manifest::read(&rerun.task.dir) else { return unknown("it has no manifest".to_owned()) };
    let mut because = rerun.manifest.identity.differences(&manifest.identity);
    let forced = rerun.manifest.sessions.iter().any(|session| !session.forced.is_empty());
    because.extend(forced.then(|| "it was forced to resume under other conditions".to_owned()));
    let repeats = manifest.identity.device == device::CPU || manifest.config["train"]["deterministic"] == true;
    because.extend((!repeats).then(|| "a GPU gives other bits each time without train.deterministic".to_owned()));
    if because.is_empty() { compare_bits(bundle, rerun) } else { compare_spread(bundle, rerun, because) }
}

fn compare_bits(bundle: &Unpacked, rerun: &Rerun<'_>) -> Comparison {
    let (row, seed) = (rerun.row, rerun.seed);
    let different = |what: String| Comparison::Different { what };
    let old = fs::read_to_string(Plan::cell_dir(bundle.run_dir(), row, seed).join(METRICS_FILE)).ok();
    let new = fs::read_to_string(rerun.task.dir.join(METRICS_FILE)).ok();
    let (Some(old), Some(new)) = (old, new) else { return different("there are no metrics".to_owned()) };
    let [old, new] = [&old, &new].map(|text| text.lines().map(lines::without_times).collect::<Vec<_>>());
    if let Some(line) = (0..old.len().max(new.len())).find(|&line| old.get(line) != new.get(line)) {
        return different(format!("line {} of {METRICS_FILE}", line + 1));
    }
    let result = |status: Option<Status>| status.and_then(|status| status.result);
    match result(status_of(bundle, row, seed)).zip(result(Status::read(&rerun.task.dir).ok().flatten())) {
        Some((old, new)) if old.agree(&new) => Comparison::Same,
        _ => different("the final weights or the batches".to_owned()),
    }
}

fn compare_spread(bundle: &Unpacked, rerun: &Rerun<'_>, because: Vec<String>) -> Comparison {
    let plan = &bundle.verified().plan;
    let (row, primary) = (rerun.row, &plan.primary.metric);
    let of_seed = |&seed: &u64| value(plan, &Plan::cell_dir(bundle.run_dir(), row, seed));
    let all: Vec<f64> = plan.seeds.iter().filter_map(of_seed).collect();
    let new = value(plan, &rerun.task.dir);
    let (Some(old), Some(new)) = (of_seed(&rerun.seed), new) else {
        return Comparison::Unknown { why: format!("there is no {primary} to compare") };
    };
    if all.len() < SEEDS_FOR_A_SPREAD {
        let why = format!(
            "{primary} was {old} and is {new}; {} seeds have no spread to judge that by, and other bits are due: {}",
            all.len(),
            because.join("; ")
        );
        return Comparison::Unknown { why };
    }
    let deviations = deviations([old, new], &all);
    match deviations <= SPREAD {
        true => Comparison::Within { deviations, because },
        false => Comparison::Outside { deviations, because },
    }
}

/// How many standard deviations of the seeds two values differ by; equal ones by none, whatever the seeds.
fn deviations([old, new]: [f64; 2], seeds: &[f64]) -> f64 {
    let sd = Summary::of(seeds).and_then(|seeds| seeds.sd).unwrap_or_default();
    if new == old { 0.0 } else { (new - old).abs() / sd }
}

fn value(plan: &Plan, cell: &Path) -> Option<f64> {
    let primary = &plan.primary;
    let wanted = |line: &MetricLine| match primary.at {
        ReadAt::Last => line.split == Part::Test,
        ReadAt::Step(step) => line.split == Part::Validation && line.step == step,
    };
    let lines = lines::read(&cell.join(METRICS_FILE)).ok()?;
    lines.iter().rfind(|line| wanted(line) && line.weights == primary.weights)?.metrics.get(&primary.metric)
}

fn status_of(bundle: &Unpacked, row: &Row, seed: u64) -> Option<Status> {
    Status::read(&Plan::cell_dir(bundle.run_dir(), row, seed)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_no_deviation() {
        let of = |values: [f64; 2]| deviations(values, &[1.0; 3]);
        assert_eq!((of([1.0, 1.0]), of([1.0, 0.5])), (0.0, f64::INFINITY));
        assert_eq!(deviations([2.0, 5.0], &[1.0, 2.0, 3.0]), 3.0);
    }
}
