//! `base`: the settings of all rows, and their sources.
//!
//! ```yaml
//! base:
//!   from: quickstart.yaml        # the `base` of another file; what stands here overrides it
//!   train: {steps: 5000}
//! ```
//! `train` and `eval` are merged key by key; any other key that stands here replaces the other file's as a whole.
//! What this file varies (`axes`) is not taken from the other one.

use super::file::ExperimentFile;
use super::preset;
use super::run::BaseConfig;
use super::setting::{GROUPS, Point, Setting};
use crate::yaml::find_problems::{problems, repaired};
use crate::yaml::parse::parse;
use crate::yaml::reader::{self, FROM, Problem, Refusal};
use crate::yaml::source::{ConfigError, Source};
use crate::yaml::tree::Node;
use serde::Deserialize as _;
use serde::de::value::StrDeserializer;
use std::sync::Arc;

/// Files that may inherit from each other in a row; more are a circle.
const LONGEST_CHAIN: usize = 10;

pub(crate) fn read_row(tree: &Node) -> Result<BaseConfig, ConfigError> {
    preset::read_run(tree).map_err(|refusal| explained(tree, refusal))
}

pub(crate) fn wrong_in_row(tree: &Node) -> Option<ConfigError> {
    ConfigError::all(problems(tree, preset::read_run).into_iter().map(|refusal| explained(tree, refusal)))
}

/// What is wrong with a value of a setting, whatever else a row has; nothing if `tree` has no place for it.
pub(crate) fn wrong_in_value(tree: &Node, setting: &Setting, value: &Node) -> Vec<ConfigError> {
    let mut tree = tree.clone();
    if preset::put(&mut tree, setting.key_path(), value.clone()).is_err() {
        return Vec::new();
    }
    let found = problems(&tree, preset::read_run).into_iter();
    let own = found.filter(|refusal| refusal.problem_path().starts_with(setting.key_path()));
    own.map(|refusal| explained(&tree, refusal)).collect()
}

/// The error about a refused row, whose missing keys may be fixed in `base` or varied.
pub(crate) fn explained(tree: &Node, refusal: Refusal) -> ConfigError {
    let Problem::Missing(key) = &refusal.problem else { return refusal.explain() };
    let key_path = refusal.problem_path();
    let dotted = key_path.join(".");
    let of_run = key_path.len() == 1 || (key_path.len() == 2 && GROUPS.contains(&key_path[0].as_str()));
    if !of_run {
        return refusal.explain();
    }
    let name = Setting::named(&dotted).filter(|setting| setting.fixed().is_none());
    let remedy = match name.map(|setting| setting.name()) {
        Some(name) => format!("add `base.{dotted}`, or `axes.{name}`; it has no default"),
        None => format!("add `base.{dotted}`; it has no default"),
    };
    let within = [&["base".to_owned()], &refusal.key_path[..]].concat().join(".");
    let message = format!("`{key}` is missing in `{within}`: no axis varies it and `base` does not fix it");
    // The map that lacks the key may have been made for a value of an axis.
    let group = tree.nearest(&refusal.key_path);
    let place = if group.origin.path.first() == tree.origin.path.first() { group } else { tree };
    place.origin.lacks(message).help(remedy)
}

/// A value that the command line gives to a setting: `--set train.steps=500`. It holds in every row.
fn overriding(text: &str, file: &Source) -> Result<(Setting, Node), ConfigError> {
    const SET: &str = "--set";
    let Some((name, _)) = text.split_once('=').filter(|(_, value)| !value.trim().is_empty()) else {
        let error = Source::option(SET, text, 0, file).error_in_line(1, 1, "a setting and its value are missing");
        return Err(error.help("write --set setting=value: --set train.steps=500"));
    };
    let source = Source::option(SET, text, name.len() + 1, file);
    let read = Setting::deserialize(StrDeserializer::<Refusal>::new(name));
    let setting = read.map_err(|refusal| refusal.about(source.error_in_line(1, 1, "")))?;
    Ok((setting, parse(&source)?))
}

/// An experiment file as it is written, with the files that its `base` inherits from, and the settings of the command line.
pub(crate) struct WrittenExperiment {
    pub(crate) document: Node,
    /// What could be read of it.
    pub(crate) file: ExperimentFile,
    /// The settings of the command line, as they stand there: the last value of a setting holds.
    pub(crate) overrides: Point,
    /// What is wrong with the form of its parts.
    pub(crate) refusals: Vec<Refusal>,
    /// The document with its form repaired, if something is wrong with it.
    pub(crate) repaired: Option<Node>,
    /// Whether `base` is there and complete.
    pub(crate) has_base: bool,
    /// All that is wrong so far.
    pub(crate) wrong: Option<ConfigError>,
}

impl WrittenExperiment {
    fn new(document: Node, mut file: ExperimentFile) -> Self {
        let has_base = document.get(&["base"]).is_some();
        if !has_base {
            file.base = Node::empty_map(Arc::clone(&document.origin));
        }
        let (overrides, refusals) = (Point::default(), Vec::new());
        Self { document, file, overrides, refusals, repaired: None, has_base, wrong: None }
    }
}

pub(crate) fn read(source: &Source, sets: &[String]) -> Result<WrittenExperiment, ConfigError> {
    let document = parse_file(source)?;
    let (mut written, wrong) = match reader::read(&document) {
        Ok(file) => (WrittenExperiment::new(document, file), None),
        Err(first) => {
            let (refusals, repaired) = repaired(&document, reader::read::<ExperimentFile>);
            let error = wrong_in_file(&document, &refusals).unwrap_or_else(|| first.explain());
            let Some(file) = repaired.as_ref().and_then(|tree| reader::read(tree).ok()) else { return Err(error) };
            (WrittenExperiment { refusals, repaired, ..WrittenExperiment::new(document, file) }, Some(error))
        }
    };
    let with = |error: ConfigError| if let Some(first) = &wrong { first.clone().and([error]) } else { error };
    let overrides: Result<Vec<_>, ConfigError> = sets.iter().map(|text| overriding(text, source)).collect();
    written.overrides = Point(overrides.map_err(with)?);
    let file = &mut written.file;
    let varied: Vec<Setting> = file.axes.settings().cloned().collect();
    let completed = inherited(file.base.clone(), &varied, LONGEST_CHAIN);
    written.has_base &= completed.is_ok();
    (file.base, written.wrong) = match completed {
        Ok(base) => (base, wrong),
        Err(error) => {
            let mut own = file.base.clone();
            own.remove(&[FROM.to_owned()]);
            (own, Some(with(error)))
        }
    };
    written.overrides.settings().for_each(|setting| overridden(file, setting));
    Ok(written)
}

fn parse_file(source: &Source) -> Result<Node, ConfigError> {
    if source.text().trim().is_empty() {
        return Err(source.error("the file is empty").help("start from experiments/quickstart.yaml"));
    }
    parse(source)
}

/// What is wrong with the form of a file and with its `base`, which may inherit or vary what it lacks.
fn wrong_in_file(document: &Node, refusals: &[Refusal]) -> Option<ConfigError> {
    let mut found = refusals.to_vec();
    if let Some(mut base) = document.get(&["base"]).cloned() {
        base.remove(&[FROM.to_owned()]);
        let of_base = problems(&base, preset::read_run).into_iter();
        found.extend(of_base.filter(|refusal| !matches!(refusal.problem, Problem::Missing(_))));
    }
    ConfigError::all(found.into_iter().map(Refusal::explain))
}

/// Settings of the command line are no longer varied.
fn overridden(file: &mut ExperimentFile, setting: &Setting) {
    let free = |point: &mut Point| point.0.retain(|(own, _)| !setting.covers(own));
    free(&mut file.axes);
    file.include.iter_mut().for_each(free);
    file.conditional.iter_mut().for_each(|one| free(&mut one.axes));
    file.conditional.retain(|one| !one.axes.0.is_empty());
    if let Some(tune) = &mut file.tune {
        free(&mut tune.axes);
        tune.conditional.iter_mut().for_each(|one| free(&mut one.axes));
        tune.conditional.retain(|one| !one.axes.0.is_empty());
    }
    file.tune = file.tune.take().filter(|tune| !tune.axes.0.is_empty());
    file.zip.iter_mut().for_each(|group| group.retain(|own| !setting.covers(own)));
}

/// A base, completed from the file that it names, without settings that are varied.
fn inherited(mut own: Node, varied: &[Setting], links: usize) -> Result<Node, ConfigError> {
    let Some(from) = own.get(&[FROM]).cloned() else { return Ok(own) };
    own.remove(&[FROM.to_owned()]);
    let Some(name) = from.text() else {
        return Err(from
            .origin
            .refused("expected the path of an experiment file")
            .help("base: {from: quickstart.yaml}"));
    };
    if links == 0 {
        let message = format!("`base.from` leads through more than {LONGEST_CHAIN} files");
        return Err(from.origin.error(message).help("a file must not come from itself; copy what you need"));
    }
    let path = from.origin.source.folder.join(name);
    let source = Source::read(&path).map_err(|error| {
        let message = format!("`base.from`: {} {}", path.display(), error.message);
        from.origin.error(message).help("the path is relative to this file")
    })?;
    let Some(base) = parse_file(&source)?.get(&["base"]).cloned() else {
        return Err(source.error("`base` is missing").help("`base.from` needs a file with a `base`"));
    };
    let mut other = inherited(base, varied, links - 1)?;
    varied.iter().for_each(|setting| other.remove(setting.key_path()));
    own.fill(other, &|key, _, _| GROUPS.contains(&key));
    Ok(own)
}
