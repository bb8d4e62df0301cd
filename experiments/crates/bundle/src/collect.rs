//! Which files of a run folder are published, and how they are cleaned.

use super::author::Publication;
use super::describe::{self, DataSource};
use super::error::{cannot, no_report, unreadable};
use super::names::{CELLS, METADATA, SUMS};
use super::predictions::{self, Predictions};
use super::scrub;
use anyhow::{Context as _, bail};
use config::{RunConfig, Source, Weights, grouped};
use records::folder::{AVERAGED, CHECKPOINTS, CONFIG_FILE, EXPERIMENT_FILE, FINAL, LOG, METRICS_FILE};
use records::manifest::DatasetFacts;
use records::plan::{self, Plan};
use records::tuning::{self, TuningRecord};
use records::{CellState, Manifest, baselines, files, manifest, positions, status, step_times, strength};
use report::{Report, ReportOptions, csv, html, latex, markdown, text};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use train::sinks::tensorboard;

type Renderer = fn(&Report) -> String;

const REPORTS: [(&str, Renderer); 5] = [
    ("report.html", html::draw),
    ("report.txt", text::draw),
    ("report.md", markdown::draw),
    ("report.csv", csv::draw),
    ("report.tex", latex::draw),
];

/// The files of a bundle by path.
#[derive(Debug, Default)]
pub struct Contents {
    pub files: BTreeMap<String, Content>,
    pub finished: usize,
    pub cells: usize,
}

#[derive(Debug, Clone)]
pub enum Content {
    Bytes(Vec<u8>),
    File(PathBuf),
}

impl Content {
    /// Its BLAKE3, in hexadecimal.
    pub fn hash(&self) -> anyhow::Result<String> {
        match self {
            Self::Bytes(bytes) => Ok(blake3::hash(bytes).to_hex().to_string()),
            Self::File(path) => files::hash(path).map_err(cannot("read", path)),
        }
    }

    pub(super) fn size(&self) -> anyhow::Result<u64> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
            Self::File(path) => Ok(fs::metadata(path).map_err(cannot("read", path))?.len()),
        }
    }
}

/// Collects and cleans the files of a run folder.
pub fn collect(run_dir: &Path, publication: &Publication) -> anyhow::Result<Contents> {
    let plan = Plan::read(run_dir)?;
    let host = scrub::host();
    let mut collector = Collector { host: host.as_deref(), ..Collector::default() };
    let (mut unfinished, mut ended) = (Vec::new(), BTreeSet::new());
    for (row, &seed) in plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |seed| (row, seed))) {
        let dir = Plan::cell_dir(run_dir, row, seed);
        collector.contents.cells += 1;
        let state = CellState::of(&dir);
        let damage = state.damage(&dir);
        match (&state, &damage) {
            (CellState::Done, None) => collector.contents.finished += 1,
            (_, Some(failure)) => {
                let remedy = failure.kind.remedy();
                unfinished.push(format!("{} seed {seed} ({failure}; {remedy})", row.folder));
            }
            _ => unfinished.push(format!("{} seed {seed}", row.folder)),
        }
        if !state.has_ended() || damage.is_some() {
            continue;
        }
        ended.insert((row.folder.clone(), seed));
        collector.cell(&dir, &format!("{CELLS}/{}/seed-{seed}", row.folder), publication)?;
    }
    if let Some(first) = unfinished.first().filter(|_| !publication.partial) {
        let count = unfinished.len();
        bail!(
            "cells that are not done: {count}, the first is {first}; finish them, or publish the finished ones with --partial"
        );
    }
    let tuning = TuningRecord::read(run_dir).map_err(|error| unreadable(run_dir, error))?;
    for round in tuning.iter().flat_map(|tuning| &tuning.rounds) {
        collector.trials(&run_dir.join(&round.folder), &round.folder)?;
    }
    // Trials have a plan before they have ended.
    if collector.contents.files.keys().all(|path| path.ends_with(plan::FILE)) {
        bail!("no cell has ended, so there is nothing to publish; `posenc run` trains them");
    }
    for name in [EXPERIMENT_FILE, plan::FILE, baselines::FILE, tuning::FILE, step_times::FILE] {
        collector.text(&run_dir.join(name), name)?;
    }
    let options =
        ReportOptions { extrapolate: publication.extrapolate, cells: Some(ended), ..ReportOptions::default() };
    let report = Report::with_options(run_dir, &options).map_err(no_report)?;
    let hash = |path: &str| {
        let content = collector.contents.files.get(path);
        content.with_context(|| format!("{path} is missing; please report this"))?.hash()
    };
    match (Predictions::of(&report, hash)?, publication.extrapolate) {
        (Some(predictions), _) => {
            collector.add(predictions::FILE, format!("{:#}\n", json!(predictions)).into_bytes())?
        }
        (None, Some(to)) => {
            bail!("nothing predicts the losses of {} positions; `posenc report --extrapolate` says why", grouped(to))
        }
        (None, None) => {}
    }
    for (name, draw) in REPORTS {
        let text = scrub::scrub(&draw(&report), collector.host);
        collector.add(name, text.into_bytes())?;
    }
    collector.describe(&plan, publication, &report)?;
    Ok(collector.contents)
}

#[derive(Default)]
struct Collector<'a> {
    host: Option<&'a str>,
    contents: Contents,
    data: BTreeMap<String, DataSource>,
    /// When the last cell began or ended: the bundle's date, so that the same folder gives the same bytes.
    newest_s: f64,
    revision: Option<String>,
}

impl Collector<'_> {
    fn add(&mut self, path: &str, bytes: Vec<u8>) -> anyhow::Result<()> {
        if let Ok(text) = std::str::from_utf8(&bytes)
            && let Some(what) = scrub::leak(text, self.host)
        {
            bail!(
                "{path} names a folder or the host of this machine ({what}), and was not published; please report this"
            );
        }
        self.contents.files.insert(path.to_owned(), Content::Bytes(bytes));
        Ok(())
    }

    /// Adds a cleaned text or JSON file; nothing if it is missing.
    fn text(&mut self, from: &Path, path: &str) -> anyhow::Result<()> {
        let Some(bytes) = read(from)? else { return Ok(()) };
        let text = String::from_utf8_lossy(&bytes);
        let json = if path.ends_with(".json") { serde_json::from_str(&text).ok() } else { None };
        let clean = match json {
            Some(mut value) => {
                scrub::scrub_json(&mut value, self.host);
                format!("{value:#}\n")
            }
            None => scrub::scrub(&text, self.host),
        };
        self.add(path, clean.into_bytes())
    }

    /// Adds a round of trials: the records of those that have ended. The rows that were chosen by them are the results. A run
    /// of some rows has a plan of their trials only, so all trials in the folder are taken.
    fn trials(&mut self, run_dir: &Path, folder: &str) -> anyhow::Result<()> {
        for row in folders(run_dir)? {
            for seed in folders(&run_dir.join(&row))?.iter().filter(|name| name.starts_with("seed-")) {
                let dir = run_dir.join(&row).join(seed);
                let state = CellState::of(&dir);
                if let Some(failure) = state.damage(&dir) {
                    bail!("the trial {row}/{seed} is {failure}; {}", failure.kind.remedy());
                }
                if state.has_ended() {
                    self.records(&dir, &format!("{folder}/{row}/{seed}"))?;
                }
            }
        }
        self.text(&run_dir.join(plan::FILE), &format!("{folder}/{}", plan::FILE))
    }

    /// Adds the records of a cell: its configuration, manifest, status, log and metrics.
    fn records(&mut self, dir: &Path, path: &str) -> anyhow::Result<()> {
        for name in [manifest::FILE, status::FILE, LOG] {
            self.text(&dir.join(name), &format!("{path}/{name}"))?;
        }
        // Unchanged, because reruns are compared with it. It holds only numbers and names of metrics.
        if let Some(bytes) = read(&dir.join(METRICS_FILE))? {
            self.add(&format!("{path}/{METRICS_FILE}"), bytes)?;
        }
        if let Some(text) = read(&dir.join(CONFIG_FILE))? {
            let source = Source::new(&dir.join(CONFIG_FILE), String::from_utf8_lossy(&text));
            let mut run = RunConfig::from_source(&source)?;
            self.dataset(dir, &run)?;
            let paths =
                [Some(&mut run.data), run.test_data.as_mut(), run.train.start.as_mut().map(|start| start.file_mut())];
            for path in paths.into_iter().flatten() {
                *path = PathBuf::from(path.file_name().unwrap_or_default());
            }
            let clean = run.to_yaml().map_err(|error| unreadable(&dir.join(CONFIG_FILE), error))?;
            self.add(&format!("{path}/{CONFIG_FILE}"), clean.into_bytes())?;
        }
        Ok(())
    }

    /// Adds a cell: its records, its losses by position, its strength, TensorBoard's events and perhaps its weights.
    fn cell(&mut self, dir: &Path, path: &str, publication: &Publication) -> anyhow::Result<()> {
        self.records(dir, path)?;
        for name in [positions::file(Weights::Raw), positions::file(Weights::Averaged)] {
            let file = dir.join(name);
            if file.is_file() {
                let content = if publication.compact { means_of_games(&file)? } else { Content::File(file) };
                self.contents.files.insert(format!("{path}/{name}"), content);
            }
        }
        self.text(&dir.join(strength::FILE), &format!("{path}/{}", strength::FILE))?;
        if !publication.compact {
            self.events(dir, path)?;
            for apart in [train::pictures::folder::DIR, strength::EVENTS] {
                self.events(&dir.join(apart), &format!("{path}/{apart}"))?;
            }
        }
        for name in [FINAL, AVERAGED] {
            let file = dir.join(CHECKPOINTS).join(name);
            if publication.weights && file.is_file() {
                self.contents.files.insert(format!("{path}/{CHECKPOINTS}/{name}"), Content::File(file));
            }
        }
        Ok(())
    }

    /// Event files contain the host only in their names.
    fn events(&mut self, dir: &Path, path: &str) -> anyhow::Result<()> {
        let Ok(entries) = fs::read_dir(dir) else { return Ok(()) };
        for entry in entries {
            let file = entry.map_err(cannot("list", dir))?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(rest) = name.strip_prefix(tensorboard::PREFIX) else { continue };
            // `<time>.<host>.<process>.<count>`; a host may contain dots.
            let parts: Vec<&str> = rest.split('.').collect();
            let [time, .., process, count] = parts[..] else { continue };
            let name = format!("{}{time}.posenc.{process}.{count}", tensorboard::PREFIX);
            self.contents.files.insert(format!("{path}/{name}"), Content::File(file));
        }
        Ok(())
    }

    fn dataset(&mut self, dir: &Path, run: &RunConfig) -> anyhow::Result<()> {
        let Ok(Some(manifest)) = Manifest::read(dir) else { return Ok(()) };
        let ended = manifest.finish.as_ref().map(|finish| finish.unix_s);
        let began = manifest.sessions.iter().map(|session| session.unix_s);
        self.newest_s = began.chain(ended).fold(self.newest_s, f64::max);
        self.revision = manifest.revision.map(|revision| revision.to_string()).or(self.revision.take());
        let DatasetFacts { name, content_hash, test, .. } = manifest.dataset;
        self.source(run, &run.data, name, content_hash, test.is_none());
        if let Some((folder, test)) = run.test_data.as_ref().zip(test) {
            self.source(run, folder, test.name, test.content_hash, true);
        }
        Ok(())
    }

    /// Adds a dataset; `tests`: whether the test games are its own.
    fn source(&mut self, run: &RunConfig, folder: &Path, name: String, content_hash: String, tests: bool) {
        // The dataset may have moved; then its licence is unknown.
        let own = match &run.generate {
            None => {
                let own = dataset::Manifest::read(folder).ok().filter(|own| own.identity() == content_hash);
                own.map(|own| [own.licence, own.source, own.made_by])
            }
            Some(generate) => {
                let probe = generate.probe().ok().filter(|probe| probe.content_hash() == content_hash);
                probe.map(|probe| [generate.licence().to_owned(), probe.source(), probe.settings()])
            }
        };
        let host = self.host;
        let [licence, source, made_by] =
            own.map_or([None, None, None], |texts| texts.map(|text| Some(scrub::scrub(&text, host))));
        let (entry, game) = (self.data.entry(content_hash.clone()), run.game.name());
        let source = entry.or_insert_with(|| DataSource { name, game, content_hash, tests, licence, source, made_by });
        source.tests |= tests;
    }

    /// Adds the files that describe the bundle, last.
    fn describe(&mut self, plan: &Plan, publication: &Publication, report: &Report) -> anyhow::Result<()> {
        let data: Vec<DataSource> = std::mem::take(&mut self.data).into_values().collect();
        let description = describe::BundleDescription {
            plan,
            publication,
            card: describe::front_matter(publication.licence.as_deref(), publication.weights, report, &data),
            data: &data,
            date: report::numbers::time(self.newest_s, "%Y-%m-%d"),
            revision: self.revision.clone(),
            finished: self.contents.finished,
            cells: self.contents.cells,
            tuned: self.contents.files.contains_key(tuning::FILE),
            predicted: self.contents.files.contains_key(predictions::FILE),
        };
        self.add("README.md", description.readme().into_bytes())?;
        self.add("LICENCES.md", description.licences().into_bytes())?;
        let mut sizes = BTreeMap::new();
        for (path, content) in &self.contents.files {
            sizes.insert(path.clone(), content.size()?);
        }
        self.add(METADATA, format!("{:#}\n", description.metadata(&sizes)).into_bytes())?;
        let mut sums = String::new();
        for (path, content) in &self.contents.files {
            sums.push_str(&format!("{}  {path}\n", content.hash()?));
        }
        self.contents.files.insert(SUMS.to_owned(), Content::Bytes(sums.into_bytes()));
        Ok(())
    }
}

/// The names of the folders in a folder, sorted.
fn folders(dir: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(cannot("list", dir))? {
        let path = entry.map_err(cannot("list", dir))?.path();
        names.extend(path.file_name().filter(|_| path.is_dir()).map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// A file of test positions as the means of games.
fn means_of_games(file: &Path) -> anyhow::Result<Content> {
    let rows = positions::read(file).map_err(|error| unreadable(file, error))?;
    let bytes = positions::write(&positions::of_games(&rows)).map_err(|error| unreadable(file, error))?;
    Ok(Content::Bytes(bytes))
}

/// A file's bytes; `None` if it is missing.
fn read(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some).map_err(cannot("read", path)),
    }
}
