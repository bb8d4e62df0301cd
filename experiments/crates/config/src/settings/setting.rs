//! Settings by name. Every setting of a run can be an axis: `train.clip` and `model.chessformer.layers` are names, and so
//! are the eleven short ones of [`SHORT`].

use super::run::BaseConfig;
use crate::yaml::tree::{Content, Node};
use crate::yaml::visitors::reads;
use facts::setting;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;

pub use facts::setting::SHORT;

/// The valid names in errors: the short names, and how others are written.
const VALID: [&str; 12] = {
    let mut names = ["a dotted name such as train.clip"; 12];
    let mut i = 0;
    while i < SHORT.len() {
        names[i] = SHORT[i].0;
        i += 1;
    }
    names
};

/// Maps whose keys are settings of their own: they are merged key by key, and any other value as a whole.
pub(crate) const GROUPS: [&str; 2] = ["train", "eval"];

/// The name of a setting: its path below `base`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Setting(Vec<String>);

impl Setting {
    /// A setting by its short name or by its dotted path below `base`; `None` if its first key is not a key of `base`.
    pub fn named(text: &str) -> Option<Self> {
        let key_path = setting::keys(text);
        let known = BaseConfig::DOCS.iter().any(|(key, _)| *key == key_path[0]);
        (known && key_path.iter().all(|step| !step.is_empty())).then_some(Self(key_path))
    }

    pub fn key_path(&self) -> &[String] {
        &self.0
    }

    pub fn name(&self) -> String {
        let long = self.0.join(".");
        SHORT.iter().find(|(_, key_path)| *key_path == long).map_or(long, |(short, _)| (*short).to_owned())
    }

    pub(crate) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// Settings with short names come in their order, the others after them.
    pub(crate) fn rank(&self) -> usize {
        let long = self.0.join(".");
        SHORT.iter().position(|(_, key_path)| *key_path == long).unwrap_or(SHORT.len())
    }

    /// Whether one of the two is a part of the other, or they are the same.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.overlaps_path(&other.0)
    }

    pub(crate) fn overlaps_path(&self, key_path: &[String]) -> bool {
        self.0.iter().zip(key_path).all(|(a, b)| a == b)
    }

    /// Whether the other one is this setting or a part of it.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.overlaps(other) && self.0.len() <= other.0.len()
    }

    /// The value of the setting in a run as JSON. In a list, a step is a number, or the name of the element.
    pub fn of<'a>(&self, run: &'a Value) -> Option<&'a Value> {
        setting::value(run, &self.0)
    }

    /// Why a setting cannot differ between rows, if it cannot.
    pub(crate) fn fixed(&self) -> Option<&'static str> {
        match self.0[0].as_str() {
            "data" => {
                Some("rows of one game learn from one dataset, or their differences would not be those of the rows")
            }
            "eval" => Some("all rows are measured on the same positions, at the same steps"),
            _ => None,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| D::Error::unknown_field(&name, &VALID))
    }
}

/// Values of some settings, as a file writes them: a row, a part of one, or the lists of `axes`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Point(pub(crate) Vec<(Setting, Node)>);

impl Point {
    pub(crate) fn values(&self) -> impl Iterator<Item = (&Setting, &Node)> {
        self.0.iter().map(|(setting, value)| (setting, value))
    }

    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.values().map(|(setting, _)| setting)
    }

    pub(crate) fn get(&self, setting: &Setting) -> Option<&Node> {
        self.0.iter().find(|(own, _)| own == setting).map(|(_, node)| node)
    }

    pub(crate) fn has(&self, setting: &Setting) -> bool {
        self.get(setting).is_some()
    }

    /// This point, completed from another.
    pub(crate) fn over(&self, other: &Self) -> Self {
        let open = other.0.iter().filter(|(setting, _)| !self.has(setting));
        Self(self.0.iter().chain(open).cloned().collect())
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Settings)
    }
}

/// Axes of some rows only.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conditional {
    /// The rows: those that have all the values named.
    pub when: Point,
    /// What is varied in them; the other rows have what `base` says.
    pub axes: Point,
}

struct Settings;

impl<'de> Visitor<'de> for Settings {
    reads! { Point, "a map of settings to values, like {encoding: shaw}" }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Point, M::Error> {
        let mut point = Point::default();
        while let Some((setting, node)) = map.next_entry::<Setting, Node>()? {
            let is_group = setting.0.len() == 1 && GROUPS.contains(&setting.0[0].as_str());
            let parts: Vec<(Setting, Node)> = match node.content {
                Content::Map(entries) if is_group => {
                    entries.into_iter().map(|(key, node)| (Setting(vec![setting.0[0].clone(), key]), node)).collect()
                }
                _ => vec![(setting, node)],
            };
            for (setting, node) in parts {
                if point.has(&setting) {
                    return Err(M::Error::custom(format!("`{setting}` is named twice, by two names")));
                }
                point.0.push((setting, node));
            }
        }
        Ok(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_one_identity_and_its_shortest_name() {
        assert_eq!(Setting::named("train.steps"), Setting::named("steps"));
        assert_eq!(Setting::named("train.steps").map(|setting| setting.name()), Some("steps".to_owned()));
        assert_eq!(Setting::named("train.clip").map(|setting| setting.name()), Some("train.clip".to_owned()));
        assert!(
            ["clip", "trian.clip", "", "train..clip", "seed", "twin"].iter().all(|name| Setting::named(name).is_none())
        );
    }

    #[test]
    fn parts_overlap_their_whole_only() {
        let [model, layers, width] =
            ["model", "model.chessformer.layers", "model.chessformer.width"].map(|name| Setting::named(name).unwrap());
        assert!(model.covers(&layers) && !layers.covers(&model) && layers.overlaps(&model) && !layers.overlaps(&width));
    }
}
