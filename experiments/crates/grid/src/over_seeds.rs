//! TensorBoard's curves over seeds, the means of the finished cells of each row, and the URL that opens TensorBoard on them.

use config::columns::COLUMNS;
use records::folder::{METRICS_FILE, entries};
use records::lines::{MetricLine, Metrics, Time};
use records::{CellState, Plan, lines};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use train::sinks::tensorboard::{not_rebuilt, show_curves};

/// The folder below a run folder, for these curves only: `over-seeds/<row>/mean/events.out.tfevents.*`.
pub const FOLDER: &str = "over-seeds";

const MEAN: &str = "mean";

/// The address at which TensorBoard shows the curves of the primary metric in a run folder, without smoothing: of the means over
/// seeds, or of cells if no row has two finished ones.
pub fn address(plan: &Plan, run_dir: &Path) -> String {
    let has_means = fs::read_dir(run_dir.join(FOLDER)).is_ok_and(|mut rows| rows.next().is_some());
    let runs = if has_means { FOLDER } else { "seed-[0-9]*$" };
    let (start, end) = (format!("http://localhost:6006/?runFilter={runs}&tagFilter="), "&smoothing=0");
    // Of `train/` and `validation/`, which have curves; `test/` has one point. A filter matches any part of a name, so the
    // start of a long one is enough.
    let filter = format!("n/{}$", plan.primary.metric);
    let tag: String = filter.chars().take(COLUMNS - start.len() - end.len()).collect();
    start + &tag + end
}

/// Writes the curves of every row with at least two finished cells, and removes all others. Unchanged files stay.
pub fn write(plan: &Plan, run_dir: &Path) -> anyhow::Result<()> {
    let all = run_dir.join(FOLDER);
    let mut shown: Vec<&str> = Vec::new();
    for row in &plan.rows {
        let cells = plan.seeds.iter().map(|&seed| Plan::cell_dir(run_dir, row, seed));
        let done = cells.filter(|cell| CellState::of(cell) == CellState::Done);
        let seeds = done.map(|cell| lines::read(&cell.join(METRICS_FILE))).collect::<Result<Vec<_>, _>>()?;
        if seeds.len() < 2 {
            continue;
        }
        shown.push(&row.folder);
        let dir = all.join(&row.folder).join(MEAN);
        show_curves(&dir, &means(&seeds)).map_err(|cause| not_rebuilt(&dir, &cause))?;
        // Earlier versions wrote the least and the greatest value too.
        remove_all_except(&all.join(&row.folder), &[MEAN]).map_err(|cause| not_rebuilt(&dir, &cause))?;
    }
    Ok(remove_all_except(&all, &shown).map_err(|cause| not_rebuilt(&all, &cause))?)
}

/// The common lines of all seeds, with the means of their common metrics.
fn means(seeds: &[Vec<MetricLine>]) -> Vec<MetricLine> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let key = |line: &MetricLine| (line.step, line.split.name(), line.weights.name());
    let Some((first, others)) = seeds.split_first() else { return Vec::new() };
    let others: Vec<HashMap<_, &MetricLine>> =
        others.iter().map(|lines| lines.iter().map(|line| (key(line), line)).collect()).collect();
    let combined = |line: &MetricLine| {
        let mut same = vec![line];
        for lines in &others {
            same.push(lines.get(&key(line))?);
        }
        let mut metrics = Metrics::default();
        for (name, _) in line.metrics.iter() {
            let values: Option<Vec<f64>> = same.iter().map(|line| line.metrics.get(name)).collect();
            if let Some(values) = values {
                metrics.push(name, mean(&values));
            }
        }
        let time = |part: fn(&Time) -> f64| mean(&same.iter().map(|line| part(&line.time)).collect::<Vec<_>>());
        let time = Time {
            unix_s: time(|time| time.unix_s),
            wall_s: time(|time| time.wall_s),
            positions_per_s: time(|time| time.positions_per_s),
        };
        Some(MetricLine { metrics, time, ..line.clone() })
    };
    first.iter().filter_map(combined).collect()
}

/// Removes the folders and files that have other names.
fn remove_all_except(dir: &Path, names: &[&str]) -> io::Result<()> {
    for entry in entries(dir)? {
        if !names.iter().any(|name| entry.file_name() == *name) {
            if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path())? } else { fs::remove_file(entry.path())? }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::plan;
    use records::status::{State, Status};
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::path::PathBuf;
    use testing::events;

    fn cell(run_dir: &Path, row: &str, seed: u64, losses: &[f64]) -> PathBuf {
        let dir = run_dir.join(row).join(format!("seed-{seed}"));
        fs::create_dir_all(&dir).unwrap();
        let line = |(i, loss): (usize, &f64)| {
            let time = json!({"unix_s": seed, "wall_s": 1.0, "positions_per_s": 10.0});
            let metrics = json!({"policy_loss": loss});
            json!({"step": 10 * i, "split": "test", "epochs": 0.5, "metrics": metrics, "time": time}).to_string() + "\n"
        };
        fs::write(dir.join(METRICS_FILE), losses.iter().enumerate().map(line).collect::<String>()).unwrap();
        Status::new(State::Done, 100, 100).write(&dir).unwrap();
        dir
    }

    fn curve(run_dir: &Path) -> Vec<(i64, f32)> {
        let scalars = events(&run_dir.join(FOLDER).join("shaw").join(MEAN)).scalars.into_iter();
        scalars.filter(|(tag, ..)| tag == "test/policy_loss").map(|(_, step, value)| (step, value)).collect()
    }

    /// Every file below the folder with its bytes.
    fn files(run_dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut left = vec![run_dir.join(FOLDER)];
        let mut found = BTreeMap::new();
        while let Some(path) = left.pop() {
            match fs::read_dir(&path) {
                Ok(entries) => left.extend(entries.map(|entry| entry.unwrap().path())),
                Err(_) => drop(found.insert(path.clone(), fs::read(path).unwrap())),
            }
        }
        found
    }

    #[test]
    fn curves_are_means_of_finished_seeds() {
        let dir = tempfile::tempdir().unwrap();
        let (run_dir, plan) = (dir.path(), plan(&["shaw", "rope"]));
        cell(run_dir, "rope", 0, &[1.0]);
        cell(run_dir, "shaw", 0, &[4.0, 2.0, 1.0]);
        // This seed's last line was not written.
        cell(run_dir, "shaw", 1, &[8.0, 1.0]);
        let running = cell(run_dir, "shaw", 2, &[0.0, 0.0, 0.0]);
        Status::new(State::Running, 10, 100).write(&running).unwrap();
        let expected = |runs: &str, tag: &str| {
            format!("http://localhost:6006/?runFilter={runs}&tagFilter=n/policy{tag}&smoothing=0")
        };
        assert_eq!(address(&plan, run_dir), expected("seed-[0-9]*$", "_los"));
        fs::create_dir_all(run_dir.join(FOLDER).join("shaw/min")).unwrap();
        write(&plan, run_dir).unwrap();
        assert_eq!(curve(run_dir), [(0, 6.0), (10, 1.5)]);
        assert!(!run_dir.join(FOLDER).join("rope").exists(), "one seed has no mean");
        assert!(!run_dir.join(FOLDER).join("shaw/min").exists(), "of an earlier version");
        assert_eq!(address(&plan, run_dir), expected("over-seeds", "_loss$"));
        let mut long = plan.clone();
        long.primary.metric = "policy_accuracy".to_owned();
        assert_eq!(address(&long, run_dir).len(), COLUMNS);
        assert!(address(&long, run_dir).contains("&tagFilter=n/policy_accur&"));
        // The HParams tab lists cells, and this is a summary of several.
        assert_eq!(events(&run_dir.join(FOLDER).join("shaw/mean")).hparams, None);
    }

    #[test]
    fn curves_are_written_again_only_if_cells_have_changed() {
        let dir = tempfile::tempdir().unwrap();
        let run_dir = dir.path();
        for seed in [0, 1] {
            cell(run_dir, "shaw", seed, &[1.0, seed as f64]);
        }
        write(&plan(&["shaw"]), run_dir).unwrap();
        let before = files(run_dir);
        assert_eq!(before.len(), 1);
        write(&plan(&["shaw"]), run_dir).unwrap();
        assert!(files(run_dir) == before);
        cell(run_dir, "shaw", 2, &[1.0, 8.0]);
        write(&plan(&["shaw"]), run_dir).unwrap();
        assert_eq!((curve(run_dir), files(run_dir).len()), (vec![(0, 1.0), (10, 3.0)], 1));
        write(&plan(&["other"]), run_dir).unwrap();
        assert!(files(run_dir).is_empty(), "the experiment no longer has the row");
    }
}
