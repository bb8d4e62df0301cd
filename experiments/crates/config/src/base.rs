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
use super::mend::problems;
use super::preset;
use super::reader::{self, Problem, Refusal};
use super::run::BaseConfig;
use super::setting::{GROUPS, Point, Setting};
use super::source::{ConfigError, Source};
use super::tree::Node;
use super::yaml::parse;
use serde::Deserialize as _;
use serde::de::value::StrDeserializer;

/// Files that may inherit from each other in a row; more are a circle.
const LONGEST_CHAIN: usize = 10;

pub(crate) fn read_row(tree: &Node) -> Result<BaseConfig, ConfigError> {
    preset::read_run(tree).map_err(|refusal| explained(tree, refusal))
}

pub(crate) fn wrong_in_row(tree: &Node) -> Option<ConfigError> {
    ConfigError::all(problems(tree, preset::read_run).into_iter().map(|refusal| explained(tree, refusal)))
}

fn explained(tree: &Node, refusal: Refusal) -> ConfigError {
    let Problem::Missing(key) = &refusal.problem else { return refusal.explain() };
    let way = refusal.culprit();
    let dotted = way.join(".");
    let of_run = way.len() == 1 || (way.len() == 2 && GROUPS.contains(&way[0].as_str()));
    if !of_run {
        return refusal.explain();
    }
    let name = Setting::named(&dotted).filter(|setting| setting.fixed().is_none());
    let remedy = match name.map(|setting| setting.name()) {
        Some(name) => format!("add `base.{dotted}`, or `axes.{name}`; it has no default"),
        None => format!("add `base.{dotted}`; it has no default"),
    };
    let within = [&["base".to_owned()], &refusal.way[..]].concat().join(".");
    let message = format!("`{key}` is missing in `{within}`: no axis varies it and `base` does not fix it");
    // The map that lacks the key may have been made for a value of an axis.
    let group = tree.nearest(&refusal.way);
    let place = if group.origin.path.first() == tree.origin.path.first() { group } else { tree };
    place.origin.lacks(message).help(remedy)
}

/// A value that the command line gives to a setting: `--set train.steps=500`. It holds in every row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Override {
    pub(crate) setting: Setting,
    pub(crate) value: Node,
}

const SET: &str = "--set";

impl Override {
    fn parse(text: &str, file: &Source) -> Result<Self, ConfigError> {
        let Some((name, _)) = text.split_once('=').filter(|(_, value)| !value.trim().is_empty()) else {
            let error = Source::option(SET, text, 0, file).error_in_line(1, 1, "a setting and its value are missing");
            return Err(error.help("write --set setting=value: --set train.steps=500"));
        };
        let source = Source::option(SET, text, name.len() + 1, file);
        let read = Setting::deserialize(StrDeserializer::<Refusal>::new(name));
        let setting = read.map_err(|refusal| refusal.about(source.error_in_line(1, 1, "")))?;
        Ok(Self { setting, value: parse(&source)? })
    }
}

/// An experiment file as it is written, with the files that its `base` inherits from, and the settings of the command line.
pub(super) struct Written {
    pub(super) document: Node,
    pub(super) file: ExperimentFile,
    pub(super) overrides: Vec<Override>,
}

pub(super) fn read(source: &Source, sets: &[String]) -> Result<Written, ConfigError> {
    let document = parse_file(source)?;
    let mut file: ExperimentFile = reader::read(&document).map_err(|refusal| wrong_in_file(&document, refusal))?;
    let overrides: Vec<Override> = sets.iter().map(|text| Override::parse(text, source)).collect::<Result<_, _>>()?;
    let varied: Vec<Setting> = file.axes.settings().cloned().collect();
    file.base = inherited(file.base, &varied, LONGEST_CHAIN)?;
    overrides.iter().for_each(|set| overridden(&mut file, &set.setting));
    Ok(Written { document, file, overrides })
}

fn parse_file(source: &Source) -> Result<Node, ConfigError> {
    if source.text().trim().is_empty() {
        return Err(source.error("the file is empty").help("start from experiments/quickstart.yaml"));
    }
    parse(source)
}

/// Everything that is wrong with a file of which `first` is wrong. What its `base` lacks may be inherited or varied.
fn wrong_in_file(document: &Node, first: Refusal) -> ConfigError {
    let mut found = problems(document, reader::read::<ExperimentFile>);
    if let Some(mut base) = document.get(&["base"]).cloned() {
        base.remove(&["from".to_owned()]);
        let of_base = problems(&base, preset::read_run).into_iter();
        found.extend(of_base.filter(|refusal| !matches!(refusal.problem, Problem::Missing(_))));
    }
    ConfigError::all(found.into_iter().map(Refusal::explain)).unwrap_or_else(|| first.explain())
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
    }
    file.tune = file.tune.take().filter(|tune| !tune.axes.0.is_empty());
    file.zip.iter_mut().for_each(|group| group.retain(|own| !setting.covers(own)));
}

/// A base, completed from the file that it names, without settings that are varied.
fn inherited(mut own: Node, varied: &[Setting], links: usize) -> Result<Node, ConfigError> {
    let Some(from) = own.get(&["from"]).cloned() else { return Ok(own) };
    own.remove(&["from".to_owned()]);
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
    varied.iter().for_each(|setting| other.remove(setting.way()));
    own.fill(other, &|key, _, _| GROUPS.contains(&key));
    Ok(own)
}
