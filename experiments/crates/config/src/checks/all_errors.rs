//! All that is wrong with a file in one answer: its parts are read apart from each other, so that a problem of one does not
//! hide those of another.
//!
//! A value of a setting is read in the first row with everything else repaired. What may only follow from a known problem is
//! not shown.

use super::primary;
use super::seeds;
use crate::rows::expand::Matrix;
use crate::rows::interactions;
use crate::rows::matched::entry::{Match, RowName};
use crate::rows::names::own_name;
use crate::settings::base::{WrittenExperiment, explained, wrong_in_value};
use crate::settings::file::ExperimentFile;
use crate::settings::preset;
use crate::settings::setting::{Point, Setting};
use crate::yaml::find_problems::repaired;
use crate::yaml::reader::{Problem, Refusal};
use crate::yaml::source::{ConfigError, Location, Source};
use crate::yaml::suggest::{nearest, path_in_base};
use crate::yaml::tree::Node;
use std::path::Path;

const MAX_VALUES: usize = 200;

/// The parts of a file that vary settings.
const VARYING: [&str; 3] = ["axes", "conditional", "include"];

/// `first`, followed by the problems of all parts of the file.
pub(crate) fn with_others(first: ConfigError, written: &WrittenExperiment, source: &Source) -> ConfigError {
    let WrittenExperiment { document, file, overrides, .. } = written;
    let parts = Parts { written, matrix: Matrix { file, overrides, document } };
    let (base_errors, tree) = parts.base_errors();
    let groups = [parts.name_errors(source), base_errors, parts.axes_errors()].into_iter();
    let groups = groups.chain(parts.value_errors(&tree)).chain(parts.other_errors());
    groups.fold(first, |all, group| {
        // Two problems at one location are one, unless a part has both.
        let is_known = |error: &ConfigError| each(&all).any(|known| known.problem() == error.problem());
        let is_new = |error: &ConfigError| {
            file_and_location(error).is_none_or(|at| each(&all).all(|known| file_and_location(known) != Some(at)))
        };
        let group: Vec<ConfigError> = match group.iter().any(is_known) {
            true => group,
            false => group.into_iter().filter(is_new).collect(),
        };
        all.and(group)
    })
}

fn each(error: &ConfigError) -> impl Iterator<Item = &ConfigError> {
    std::iter::once(error).chain(error.others.iter())
}

fn file_and_location(error: &ConfigError) -> Option<(&Path, &Location)> {
    Some((error.path.as_path(), error.location.as_deref()?))
}

struct Parts<'a> {
    written: &'a WrittenExperiment,
    matrix: Matrix<'a>,
}

impl Parts<'_> {
    /// Whether a part of the file is there, and nothing in it had to be repaired.
    fn is_whole(&self, key: &str) -> bool {
        let own = self.written.document.get(&[key]);
        own.is_some() && self.written.repaired.as_ref().is_none_or(|repaired| repaired.get(&[key]) == own)
    }

    fn has_no_problem(&self, key: &str) -> bool {
        self.is_whole(key) || self.written.document.get(&[key]).is_none()
    }

    /// What is wrong with the experiment's name. One that is missing may be misspelt.
    fn name_errors(&self, source: &Source) -> Vec<ConfigError> {
        let is_known = self.written.repaired.is_none() || self.is_whole("name");
        let wrong = is_known.then(|| own_name(self.matrix.file, self.matrix.document, source).err());
        wrong.flatten().into_iter().collect()
    }

    /// What is wrong with `base` in all rows, and a row in which everything is repaired.
    fn base_errors(&self) -> (Vec<ConfigError>, Node) {
        let file = self.matrix.file;
        let first = |(setting, values): &(Setting, Node)| Some((setting.clone(), values.elements().first()?.clone()));
        let point = Point(file.axes.0.iter().filter_map(first).collect());
        let tree = self.matrix.tree(&point).unwrap_or_else(|_| file.base.clone());
        let (found, repaired) = repaired(&tree, preset::read_run);
        let own = found.iter().filter(|refusal| self.is_of_base(refusal, &found)).cloned();
        let errors = own.map(|refusal| explained(&tree, refusal)).collect();
        (errors, repaired.unwrap_or(tree))
    }

    /// Whether a problem of the first row is in all rows: nothing varies its setting, nor may be meant to.
    fn is_of_base(&self, refusal: &Refusal, found: &[Refusal]) -> bool {
        let key_path = refusal.problem_path();
        let file = self.matrix.file;
        let of_some = file.conditional.iter().map(|one| &one.axes).chain(&file.include);
        let mut varied = std::iter::once(&file.axes).chain(of_some).flat_map(Point::settings);
        if varied.any(|setting| setting.overlaps_path(&key_path)) {
            return false;
        }
        let is_missing = matches!(refusal.problem, Problem::Missing(_));
        let is_elsewhere = || {
            self.written.refusals.iter().any(|other| may_be_misspelling_of(other, &key_path))
                || found.iter().any(|other| is_misplaced(other, &key_path))
        };
        !is_missing || (self.written.has_base && !is_elsewhere())
    }

    /// What is wrong with the axes beside their values.
    fn axes_errors(&self) -> Vec<ConfigError> {
        let is_known = self.has_no_problem("axes") && self.has_no_problem("zip");
        is_known.then(|| self.matrix.wrong_axes()).flatten().into_iter().collect()
    }

    /// What is wrong with each value of a setting, less those that the command line replaces.
    fn value_errors(&self, tree: &Node) -> Vec<Vec<ConfigError>> {
        let is_set = |setting: &Setting| self.matrix.overrides.settings().any(|set| set.overlaps(setting));
        let values = values(self.matrix.file).into_iter().filter(|&(setting, _)| !is_set(setting));
        values.take(MAX_VALUES).map(|(setting, value)| wrong_in_value(tree, setting, value)).collect()
    }

    /// What is wrong with the parts that name no setting, or that are checked beside their values.
    fn other_errors(&self) -> Vec<Vec<ConfigError>> {
        let Matrix { file, document, .. } = self.matrix;
        let mut wrong: Vec<Option<ConfigError>> = Vec::new();
        let has_seeds = self.is_whole("seeds");
        if has_seeds {
            wrong.push(seeds::check(&file.seeds, document).err());
        }
        if let Some(tune) = file.tune.as_ref().filter(|_| has_seeds && self.is_whole("tune")) {
            wrong.push(tune.check(&file.seeds, document).err());
        }
        if self.is_whole("primary") {
            wrong.push(primary::without_rows(file, document).err());
        }
        if self.is_whole("interactions") {
            let entries = file.interactions.iter().enumerate();
            wrong.extend(entries.map(|(number, entry)| interactions::without_rows(entry, number, document).err()));
        }
        wrong.into_iter().flatten().map(|error| vec![error]).collect()
    }
}

/// Whether a setting that is missing may be meant by what is refused outside of `base`.
fn may_be_misspelling_of(refusal: &Refusal, missing: &[String]) -> bool {
    let part = refusal.key_path.first().map(String::as_str);
    let is_varying = part.is_some_and(|part| VARYING.contains(&part));
    let Problem::Key(name, valid) = &refusal.problem else { return is_varying };
    let meant = nearest(name, valid.iter().map(String::as_str));
    match (part, meant) {
        (None, Some(part)) => part == "base" || VARYING.contains(&part),
        (Some(_), _) if !is_varying => false,
        _ => {
            let setting =
                meant.map(str::to_owned).or_else(|| path_in_base(name)).and_then(|name| Setting::named(&name));
            setting.is_none_or(|setting| setting.overlaps_path(missing))
        }
    }
}

/// Whether a setting that is missing stands at another place of `base`.
fn is_misplaced(refusal: &Refusal, missing: &[String]) -> bool {
    let Problem::Key(name, _) = &refusal.problem else { return false };
    path_in_base(name).and_then(|name| Setting::named(&name)).is_some_and(|setting| setting.overlaps_path(missing))
}

/// The values that a file gives to settings, part by part.
fn values(file: &ExperimentFile) -> Vec<(&Setting, &Node)> {
    let mut all: Vec<(&Setting, &Node)> = axis_values(&file.axes).collect();
    all.extend(file.conditional.iter().flat_map(|one| one.when.values().chain(axis_values(&one.axes))));
    all.extend(file.exclude.iter().chain(&file.include).flat_map(Point::values));
    for control in &file.controls {
        let Match { params, flops, step_time, .. } = &control.matching;
        let goals = [params, flops, step_time].into_iter().flatten();
        all.extend(std::iter::once(&control.row).chain(goals).flat_map(row_values));
    }
    if let Some(tune) = &file.tune {
        all.extend(axis_values(&tune.axes));
        all.extend(tune.conditional.iter().flat_map(|one| one.when.values().chain(axis_values(&one.axes))));
        all.extend(tune.set.values());
    }
    all.extend(std::iter::once(&file.reference).chain(&file.contrasts).flat_map(Point::values));
    all.extend(file.names.values().flat_map(row_values));
    all.extend(file.interactions.iter().flat_map(|entry| entry.values()));
    all
}

fn axis_values(axes: &Point) -> impl Iterator<Item = (&Setting, &Node)> {
    axes.values().flat_map(|(setting, values)| values.elements().iter().map(move |value| (setting, value)))
}

fn row_values(row: &RowName) -> impl Iterator<Item = (&Setting, &Node)> {
    let point = match row {
        RowName::Values(point) => Some(&**point),
        RowName::Label(_) => None,
    };
    point.into_iter().flat_map(Point::values)
}
