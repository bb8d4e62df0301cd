//! The content of a run folder, also while its cells run. No other file of a report reads cells.

use anyhow::{Context as _, bail};
use facts::metrics::NOVEL;
use facts::{Loss, Primary, ReadAt, Role, Weights, numerics};
use games::GameKind;
use records::folder::{METRICS_FILE, hash_of, planned_hash};
use records::identity::Identity;
use records::inspected::HeadRecord;
use records::machine::Cpu;
use records::manifest::{self, CopiedFrom, DatasetFacts, MacsByPart, Session};
use records::plan::{Plan, Row};
use records::positions::{self, PositionRow};
use records::status::{CellState, Fingerprints, Status};
use records::strength::{Evaluation, Strength};
use records::{Axes, Baselines, Failure, Inspected, MetricLine, Part, Revision, StepTimes, TuningRecord};
use records::{device, head_maps, lines};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct RunFolder {
    pub plan: Plan,
    /// For every row of the plan, its cells in the order of the plan's seeds.
    pub cells: Vec<Vec<CellRecord>>,
    pub step_times: Option<StepTimes>,
    pub baselines: Option<Baselines>,
    pub tuning: Option<TuningRecord>,
    /// What a reader compares with instead of the references of the plan.
    pub chosen_reference: Option<String>,
    /// Folders of rows that the plan does not name: those of an earlier version of the experiment or of the code.
    pub orphaned_rows: Vec<String>,
}

#[derive(Debug)]
pub struct CellRecord {
    pub seed: u64,
    pub state: CellState,
    pub facts: Option<CellFacts>,
    pub result: Option<CellResult>,
    /// Whether it finished with another hash than its row has: its dataset changed after planning, or its configuration.
    pub hash_differs: bool,
    /// Its evaluations as a player; an unreadable file counts as none.
    pub strength: Vec<Evaluation>,
    /// The movements of its heads; an unreadable file counts as none.
    pub inspected: Option<Inspected>,
}

/// The part of a manifest that reports read; the rest may change between versions, and old runs stay readable.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct CellFacts {
    pub identity: Identity,
    pub dataset: DatasetFacts,
    pub sessions: Vec<Session>,
    #[serde(default)]
    pub copied_from: Vec<CopiedFrom>,
    #[serde(default)]
    pub cpu: Option<Cpu>,
    #[serde(default)]
    pub gpu: Option<String>,
    /// The multiplications of a forward pass.
    #[serde(default)]
    pub macs: Option<MacsByPart>,
    #[serde(default)]
    pub posenc: Option<String>,
    /// The source that the program was built from, if known.
    #[serde(default)]
    pub revision: Option<Revision>,
    #[serde(default)]
    pub config: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CellResult {
    pub primary: MetricLine,
    /// The last line of the test split, of the same weights as the primary metric, like all other lines.
    pub test: MetricLine,
    /// The sample of the training split after the last step; cells of older versions have none.
    pub train_sample: Option<MetricLine>,
    /// The share of the steps whose gradient was clipped; none without `train.clip`, and of older versions.
    pub clipped: Option<f64>,
    /// The primary metric on training batches by step, as logged.
    pub training: Vec<(u64, f64)>,
    pub validation: Vec<MetricLine>,
    pub fingerprints: Option<Fingerprints>,
    folder: PathBuf,
}

impl RunFolder {
    /// Reads a run folder; its cells may be running.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let plan = Plan::read(dir)?;
        let cell = |row: &Row, seed: &u64| {
            let read = CellRecord::read(&Plan::cell_dir(dir, row, *seed), *seed, &plan.primary);
            // The manifest of a smoke run is of a shortened one.
            let hash_differs = !plan.smoke && read.has_other_hash_than(planned_hash(&row.folder));
            CellRecord { hash_differs, ..read }
        };
        let cells = plan.rows.iter().map(|row| plan.seeds.iter().map(|seed| cell(row, seed)).collect()).collect();
        let orphaned_rows = orphaned_rows(dir, &plan);
        Ok(Self {
            cells,
            step_times: StepTimes::read(dir),
            baselines: Baselines::read(dir),
            tuning: TuningRecord::read(dir)?,
            chosen_reference: None,
            orphaned_rows,
            plan,
        })
    }

    /// Counts all cells but these, by folder of the row and seed, as pending.
    pub(super) fn keep(&mut self, kept: &BTreeSet<(String, u64)>) {
        for (row, cells) in self.plan.rows.iter().zip(&mut self.cells) {
            for cell in cells.iter_mut().filter(|cell| !kept.contains(&(row.folder.clone(), cell.seed))) {
                *cell = CellRecord::pending(cell.seed);
            }
        }
    }

    /// Compares rows with those of this value of an axis instead of the references of the plan: of each group with its only one.
    /// `rope` is also a value with options, `rope: {theta: 3}`. A/A controls, games against the references of the plan and step
    /// times in their units are left out.
    pub(super) fn compare_with(&mut self, axis: &str, value: &str) -> anyhow::Result<()> {
        let axes = self.axes();
        let others: Vec<&str> = axes.names().iter().map(String::as_str).filter(|name| *name != axis).collect();
        let known = if others.is_empty() { "no other".to_owned() } else { others.join(", ") };
        let place = axes.names().iter().position(|name| name == axis);
        let place = place.with_context(|| format!("there is no axis {axis:?}; the axes are {known}"))?;
        let group = |row: &Row| (row.game, row.reference.clone());
        let mut references = BTreeMap::new();
        let mut values = BTreeSet::new();
        for row in self.plan.rows.iter().filter(|row| row.role != Role::Twin) {
            let own = axes.values(row).swap_remove(place);
            let is_chosen = own == value || own.split_once(": ").is_some_and(|(name, _)| name == value);
            if is_chosen && references.insert(group(row), row.folder.clone()).is_some() {
                bail!(
                    "{axis} = {value} is several rows of one group; write its options as the table does, or choose \
                     another axis: {known}"
                );
            }
            values.insert(own);
        }
        if self.plan.rows.iter().any(|row| !references.contains_key(&group(row))) {
            let values: Vec<String> = values.into_iter().collect();
            bail!("not every group of rows has one with {axis} = {value}; the values are {}", values.join(", "));
        }
        let is_planned = |row: &Row| row.role != Role::Reference || references[&group(row)] == row.folder;
        if self.plan.rows.iter().all(is_planned) {
            return Ok(());
        }
        let lines = mem::take(&mut self.plan.rows).into_iter().zip(mem::take(&mut self.cells));
        (self.plan.rows, self.cells) = lines.filter(|(row, _)| row.role != Role::Twin).unzip();
        for row in &mut self.plan.rows {
            let own = &references[&group(row)];
            row.role = if row.folder == *own { Role::Reference } else { Role::Compared };
            row.reference = row.reference.is_some().then(|| own.clone());
            row.exploratory = false;
        }
        for cell in self.cells.iter_mut().flatten() {
            cell.strength.retain(|found| !found.measure.is_against_reference(&found.name));
        }
        self.step_times.iter_mut().flat_map(|times| &mut times.rows).for_each(|time| time.ratio = None);
        self.chosen_reference = Some(format!("{axis} = {value}"));
        Ok(())
    }

    /// The rows, each with its cells in the order of the seeds.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&Row, &[CellRecord])> {
        self.plan.rows.iter().zip(self.cells.iter().map(Vec::as_slice))
    }

    pub(super) fn lines_of(&self, game: GameKind) -> impl Iterator<Item = (&Row, &[CellRecord])> {
        self.lines().filter(move |(row, _)| row.game == game)
    }

    /// Every cell with its row and its folder below the run folder.
    pub(super) fn placed_cells(&self) -> impl Iterator<Item = (&Row, &CellRecord, String)> {
        let place = |row: &Row, seed: u64| Plan::cell_dir(Path::new(""), row, seed).to_string_lossy().into_owned();
        self.lines().flat_map(move |(row, cells)| cells.iter().map(move |cell| (row, cell, place(row, cell.seed))))
    }

    /// The varied axes: those of the plan until a cell of every row has begun. Older plans have none; their rows have no values
    /// before.
    pub(super) fn axes(&self) -> Axes {
        let rows = self.lines();
        let runs = rows
            .filter_map(|(row, cells)| Some((row, cells.iter().find_map(|cell| cell.facts.as_ref()?.compared_run())?)));
        let runs: Vec<_> = runs.collect();
        let planned = if runs.len() < self.plan.rows.len() { Axes::of_plan(&self.plan.rows) } else { None };
        planned.unwrap_or_else(|| Axes::of(runs.iter().map(|(row, run)| (*row, run))))
    }

    pub(super) fn inspected(&self) -> impl Iterator<Item = &Inspected> {
        self.cells.iter().flatten().filter_map(|cell| cell.inspected.as_ref())
    }

    /// The map over displacements of a head of an inspected cell, if it is stored in the cell's folder.
    pub(super) fn head_map(&self, inspected: &Inspected, head: &HeadRecord) -> Option<Vec<f64>> {
        let (_, cells) = self.lines_of(inspected.game).find(|(row, _)| row.display_name() == inspected.row)?;
        let cell = cells.iter().find(|cell| cell.seed == inspected.seed)?;
        head_maps::by_displacement(&cell.result.as_ref()?.folder, inspected.game, head.layer, head.head)
    }
}

/// The metric on positions of the training split, none of which is novel.
pub(super) fn on_training_positions(metric: &str) -> &str {
    metric.strip_suffix(NOVEL).and_then(|name| name.strip_suffix('.')).unwrap_or(metric)
}

impl CellFacts {
    /// Those of a cell's folder; none if it has no manifest that can be read.
    pub(super) fn read(cell: &Path) -> Option<Self> {
        manifest::read_part(cell).ok().flatten()
    }

    /// The components of its resolved run; none if the manifest does not hold it.
    pub(super) fn components(&self) -> Option<BTreeSet<String>> {
        numerics::components(&self.config)
    }

    /// The resolved run of the manifest, if it is a map.
    pub(super) fn run(&self) -> Option<&Value> {
        Some(&self.config).filter(|config| config.is_object())
    }

    /// The resolved run as rows are compared: with the default weights of losses that its program did not know, as hashes take
    /// them, and with files by their names, as bundles have them.
    pub(super) fn compared_run(&self) -> Option<Value> {
        let mut run = self.run()?.clone();
        if let Some(Value::Object(weights)) = run.pointer_mut("/train/loss") {
            for loss in Loss::all() {
                weights.entry(loss.name()).or_insert_with(|| loss.weight.into());
            }
        }
        for place in ["/data", "/test_data", "/train/start/network", "/train/start/tables"] {
            if let Some(Value::String(path)) = run.pointer_mut(place)
                && let Some(name) = Path::new(path).file_name().and_then(|name| name.to_str())
            {
                *path = name.to_owned();
            }
        }
        Some(run)
    }

    /// The model of its GPU, if one computed and it is known.
    pub fn gpu_model(&self) -> Option<&str> {
        device::model(&self.identity.device).or(self.gpu.as_deref())
    }

    /// The version and the revision of the program that trained it.
    pub fn program(&self) -> String {
        let version = self.posenc.as_deref().unwrap_or("of an unknown version");
        match &self.revision {
            Some(revision) => format!("posenc {version}, revision {revision}"),
            None => format!("posenc {version}, revision unknown"),
        }
    }
}

/// The leaves of a setting, by dotted names. A list is one of them, or is divided if it holds maps: its elements have their numbers,
/// as in names of settings, unless there is one.
pub(super) fn leaves(name: &str, value: &Value, divides_lists: bool) -> Vec<(String, Value)> {
    let below = |key: &str, value: &Value| {
        let name = if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
        leaves(&name, value, divides_lists)
    };
    match value {
        Value::Object(map) if !map.is_empty() => map.iter().flat_map(|(key, value)| below(key, value)).collect(),
        Value::Array(list) if divides_lists && list.iter().any(Value::is_object) => match &list[..] {
            [one] => leaves(name, one, divides_lists),
            several => several.iter().enumerate().flat_map(|(i, one)| below(&i.to_string(), one)).collect(),
        },
        leaf => vec![(name.to_owned(), leaf.clone())],
    }
}

impl CellRecord {
    /// Floating-point operations of a forward pass for one position: two for each multiplication.
    pub(super) fn flops(cells: &[Self]) -> Option<u64> {
        let macs = cells.iter().find_map(|cell| cell.facts.as_ref()?.macs)?;
        Some(macs.trunk.saturating_add(macs.encoding).saturating_add(macs.head).saturating_mul(2))
    }

    fn read(dir: &Path, seed: u64, primary: &Primary) -> Self {
        let facts = CellFacts::read(dir);
        let mut state = CellState::of(dir);
        let mut result = None;
        if state == CellState::Done {
            match CellState::damage_of_metrics(dir).map_or_else(|| CellResult::read(dir, primary), Err) {
                Ok(read) => result = Some(read),
                Err(failure) => state = CellState::Failed(failure),
            }
        }
        let strength = Strength::read(dir).map(|found| found.evaluations).unwrap_or_default();
        let inspected = Inspected::read(dir).ok().flatten();
        Self { seed, state, facts, result, hash_differs: false, strength, inspected }
    }

    fn pending(seed: u64) -> Self {
        let (state, strength) = (CellState::Pending, Vec::new());
        Self { seed, state, facts: None, result: None, hash_differs: false, strength, inspected: None }
    }

    /// Whether it finished and was trained as another hash than this one.
    fn has_other_hash_than(&self, planned: Option<&str>) -> bool {
        let trained = self.facts.as_ref().and_then(|facts| planned_hash(facts.identity.config.split(',').next()?));
        self.state == CellState::Done && trained.zip(planned).is_some_and(|(trained, planned)| trained != planned)
    }
}

impl CellResult {
    fn read(dir: &Path, primary: &Primary) -> Result<Self, Failure> {
        let lines = lines::read(&dir.join(METRICS_FILE)).map_err(|error| Failure::damaged(&error))?;
        let clipped = clipped(&lines);
        let logged = lines.iter().filter(|line| line.split == Part::Train);
        let training = logged
            .filter_map(|line| Some((line.step, line.metrics.get(on_training_positions(&primary.metric))?)))
            .filter(|(_, value)| value.is_finite())
            .collect();
        let lines: Vec<_> = lines.into_iter().filter(|line| line.weights == primary.weights).collect();
        let last = |part: Part| lines.iter().rfind(|line| line.split == part).cloned();
        let test = last(Part::Test).ok_or_else(|| {
            let weights = primary.weights.name();
            Failure::error(format!("it is finished but has no line of the test split with {weights} weights"))
        })?;
        let primary = match primary.at {
            ReadAt::Last => test.clone(),
            ReadAt::Step(step) => {
                lines.iter().rfind(|line| line.split == Part::Validation && line.step == step).cloned().ok_or_else(
                    || Failure::error(format!("it is finished but has no validation line of step {step}")),
                )?
            }
        };
        let train_sample = last(Part::TrainSample);
        let fingerprints = Status::read(dir).ok().flatten().and_then(|status| status.result);
        let validation = lines.into_iter().filter(|line| line.split == Part::Validation).collect();
        Ok(Self { primary, test, train_sample, clipped, training, validation, fingerprints, folder: dir.to_owned() })
    }

    /// The measurements on each test position with these weights; none if an older version trained the cell, or the file
    /// cannot be read.
    pub fn positions(&self, weights: Weights) -> Option<Vec<PositionRow>> {
        positions::read(&self.folder.join(positions::file(weights))).ok()
    }
}

/// The share of all steps, from lines that each have the share of the steps since the line before.
fn clipped(lines: &[MetricLine]) -> Option<f64> {
    let (mut steps, mut clipped) = (0, 0.0);
    for line in lines.iter().filter(|line| line.split == Part::Train) {
        clipped += line.metrics.get("clipped")? * line.step.saturating_sub(steps) as f64;
        steps = line.step;
    }
    (steps > 0).then(|| clipped / steps as f64)
}

/// Folders of rows that the plan has not, under this or another label, sorted.
fn orphaned_rows(dir: &Path, plan: &Plan) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let names = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir()).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let known = plan.rows.iter().any(|row| hash_of(&row.folder) == hash_of(&name));
        let has_cells = std::fs::read_dir(entry.path()).is_ok_and(|mut cells| {
            cells.any(|cell| cell.is_ok_and(|c| c.file_name().to_string_lossy().starts_with("seed-")))
        });
        (!known && has_cells).then_some(name)
    });
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}
