//! `interactions:`: does the gap between two rows depend on what else they have?
//!
//! An entry names two values between which the gap lies, and values of something else that it is compared over. A value
//! may be a whole axis' or one option inside of it, written with dots: `model.chessformer.layers`. A row *has* a value if
//! writing it there changes nothing, so options at their defaults count as written.

use super::axes::{AxisName, Point};
use super::experiment::Row;
use super::file::ExperimentFile;
use super::label::labels;
use super::source::{ConfigError, Source, YamlPath, at};
use super::suggest::nearest;
use games::GameKind;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// One entry.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InteractionEntry {
    /// Two values; the gap is the primary metric with the second less that with the first.
    pub gap: Varied,
    /// Two values or more; the gap with each later one is compared with that of the first.
    pub by: Varied,
}

/// What is varied: one place, or several whose values advance together.
#[derive(Debug, Clone, PartialEq)]
pub struct Varied(pub Vec<Place>);

/// A place and the values that rows have there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// An axis, or an option of its values: `encoding`, `model.chessformer.layers`.
    pub axis: String,
    /// The values, as in `axes`.
    pub values: Vec<Value>,
}

/// A gap with one value against the same gap with another: four rows of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interaction {
    /// The game.
    pub game: GameKind,
    /// The two values between which the gap lies, in words.
    pub gap: [String; 2],
    /// The two values that it is compared over, in words.
    pub by: [String; 2],
    /// What the four rows have in common, where the experiment has other such fours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The rows' folders: `rows[by][gap]`.
    pub rows: [[String; 2]; 2],
}

/// Every interaction that the file asks for, in its order. `rows` are those of the file, without controls and twins.
pub(super) fn interactions(
    file: &ExperimentFile,
    rows: &[Row],
    source: &Source,
) -> Result<Vec<Interaction>, ConfigError> {
    let entries = file.interactions.iter().enumerate();
    let found: Vec<Vec<Interaction>> = entries
        .map(|(number, entry)| Asked { entry, number, file, rows, source }.interactions())
        .collect::<Result<_, _>>()?;
    Ok(found.concat())
}

/// An entry in its experiment.
struct Asked<'a> {
    entry: &'a InteractionEntry,
    number: usize,
    file: &'a ExperimentFile,
    rows: &'a [Row],
    source: &'a Source,
}

/// Rows that agree in everything that the entry leaves open.
struct Group {
    common: Point,
    /// `corners[by][gap]`: the rows that have both values.
    corners: Vec<Vec<Vec<usize>>>,
}

impl Asked<'_> {
    fn interactions(&self) -> Result<Vec<Interaction>, ConfigError> {
        self.check()?;
        let groups = self.groups()?;
        let complete = |group: &&Group| group.corners.iter().flatten().all(|rows| !rows.is_empty());
        let complete: Vec<&Group> = groups.iter().filter(complete).collect();
        if complete.is_empty() {
            return Err(self.wrong(&at![], "no rows have each value of `gap` with each of `by`, all else being equal").help(
                "take out a value, or name what else changes with it as a further place: gap: [{axis: …, values: […]}, …]",
            ));
        }
        if let Some(rows) = complete.iter().flat_map(|group| group.corners.iter().flatten()).find(|rows| rows.len() > 1)
        {
            let names: Vec<&str> = rows.iter().map(|&row| self.rows[row].label.as_str()).collect();
            let error = self.wrong(&at![], &format!("the same values are those of several rows: {}", names.join(", ")));
            return Err(error.help("name what tells them apart as a further place of `gap` or `by`"));
        }
        let commons: Vec<Point> = complete.iter().map(|group| group.common.clone()).collect();
        let alone = |group: &Group| commons.iter().filter(|other| other.game == group.common.game).count() == 1;
        let named = complete.iter().zip(labels(&commons));
        Ok(named.flat_map(|(group, label)| self.of_group(group, Some(label).filter(|_| !alone(group)))).collect())
    }

    /// The first value of `by` against each later one.
    fn of_group(&self, group: &Group, within: Option<String>) -> Vec<Interaction> {
        let folder = |rows: &Vec<usize>| self.rows[rows[0]].folder();
        let side = |by: usize| [folder(&group.corners[by][0]), folder(&group.corners[by][1])];
        let game = self.rows[group.corners[0][0][0]].run.game;
        let gap = [0, 1].map(|i| self.entry.gap.words(i));
        let later = 1..self.entry.by.len();
        let interaction = |by: usize| Interaction {
            game,
            gap: gap.clone(),
            by: [self.entry.by.words(0), self.entry.by.words(by)],
            within: within
                .as_deref()
                .map(|label| label.strip_prefix(game.name()).unwrap_or(label))
                .map(|label| label.trim_start_matches('-').to_owned()),
            rows: [side(0), side(by)],
        };
        later.map(interaction).collect()
    }

    /// Refuses what could be of no row, whatever the others are.
    fn check(&self) -> Result<(), ConfigError> {
        let sides = [("gap", &self.entry.gap), ("by", &self.entry.by)];
        for (side, varied) in sides {
            let fits = if side == "gap" { varied.len() == 2 } else { varied.len() >= 2 };
            if !fits || varied.0.iter().any(|place| place.values.len() != varied.len()) {
                let many = if side == "gap" { "two values" } else { "two values or more" };
                let error = self.wrong(&at![side], &format!("`{side}` lies between {many}, in all of its places"));
                return Err(error.help(format!("write {side}: {{axis: encoding, values: [absolute, shaw]}}")));
            }
            for (p, place) in varied.0.iter().enumerate() {
                self.check_axis(place, &at![side, p])?;
            }
        }
        let twice = self.entry.by.0.iter().find(|place| self.entry.gap.0.iter().any(|other| other.axis == place.axis));
        twice.map_or(Ok(()), |place| {
            let error = self.wrong(&at!["by"], &format!("`{}` is in `gap` and in `by`", place.axis));
            Err(error.help("compare the gap over something else"))
        })
    }

    fn check_axis(&self, place: &Place, way: &YamlPath) -> Result<(), ConfigError> {
        let first = Point::of(&self.rows[0].run);
        let varies = |axis: &AxisName| self.rows.iter().any(|row| !Point::of(&row.run).same(&first, *axis));
        let varied = AxisName::ALL.iter().filter(|axis| **axis != AxisName::Game && varies(axis));
        let varied: Vec<&str> = varied.map(|axis| axis.name()).collect();
        let name = place.steps()[0];
        if varied.contains(&name) {
            return Ok(());
        }
        let what = match AxisName::ALL.iter().find(|axis| axis.name() == name) {
            Some(AxisName::Game) => "`game` cannot be compared over: seeds of two games are no pairs".to_owned(),
            Some(_) => format!("`{name}` is the same in all rows"),
            None => format!("`{name}` is no axis"),
        };
        let help = match nearest(name, varied.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "name something that the rows vary; games are set side by side in every report".to_owned(),
        };
        Err(self.wrong(way, &what).valid(varied).help(help))
    }

    /// The rows by what they have in common, each at the values that it has.
    fn groups(&self) -> Result<Vec<Group>, ConfigError> {
        let (gap, by) = (&self.entry.gap, &self.entry.by);
        let free = self.free();
        let mut groups: Vec<Group> = Vec::new();
        let mut refusal = None;
        for (index, row) in self.rows.iter().enumerate() {
            let point = Point::of(&row.run);
            let at = |g: usize, b: usize| put(&point, gap.at(g).chain(by.at(b)));
            let as_it_is = put(&point, std::iter::empty());
            let has = |&(g, b): &(usize, usize)| at(g, b).is_ok_and(|other| Ok(other) == as_it_is);
            let corners = (0..2).flat_map(|g| (0..by.len()).map(move |b| (g, b)));
            let Some((g, b)) = corners.clone().find(has) else {
                refusal = refusal.or(corners.map(|(g, b)| at(g, b)).find_map(Result::err));
                continue;
            };
            let Ok(common) = at(0, 0).map(|point| point.without(&free)) else { continue };
            let known = groups.iter().position(|group| group.common == common);
            let group = known.unwrap_or_else(|| {
                groups.push(Group { common, corners: vec![vec![Vec::new(); 2]; by.len()] });
                groups.len() - 1
            });
            groups[group].corners[b][g].push(index);
        }
        if groups.is_empty() {
            let cause = refusal.map_or_else(String::new, |cause| format!(" ({cause})"));
            let error = self.wrong(&at![], &format!("no row has these values{cause}"));
            return Err(error.help("write them as in `axes`; `posenc check` without this entry lists the rows"));
        }
        Ok(groups)
    }

    /// Axes that advance together with a named one: what they have there belongs to the value.
    fn free(&self) -> Vec<AxisName> {
        let named = |axis: &AxisName| {
            let places = self.entry.gap.0.iter().chain(&self.entry.by.0);
            places.map(Place::steps).any(|steps| steps[0] == axis.name())
        };
        let together = self.file.zip.iter().filter(|group| group.iter().any(named));
        together.flatten().copied().collect()
    }

    /// An error in this entry.
    fn wrong(&self, way: &YamlPath, message: &str) -> ConfigError {
        let place = [at!["interactions", self.number], way.clone()].concat();
        self.source.error_at(&place, message)
    }
}

impl Varied {
    /// How many values there are.
    fn len(&self) -> usize {
        self.0.first().map_or(0, |place| place.values.len())
    }

    /// The `i`-th value of every place.
    fn at(&self, i: usize) -> impl Iterator<Item = (&Place, &Value)> {
        self.0.iter().map(move |place| (place, &place.values[i]))
    }

    /// The `i`-th value in words: `shaw`, `layers 8`, `mask eval`.
    fn words(&self, i: usize) -> String {
        let word = |(place, value): (&Place, &Value)| {
            let text =
                value.as_str().map_or_else(|| value.to_string().replace('"', "").replace(':', " "), str::to_owned);
            let steps = place.steps();
            match value {
                // The words of a mask say nothing by themselves.
                Value::String(_) | Value::Object(_) | Value::Array(_) if steps.len() == 1 && steps[0] != "mask" => text,
                _ => format!("{} {text}", steps[steps.len() - 1]),
            }
        };
        self.at(i).map(word).collect::<Vec<_>>().join(", ")
    }
}

impl Place {
    /// The axis and the way inside of its value.
    fn steps(&self) -> Vec<&str> {
        self.axis.split('.').collect()
    }
}

/// A row's point with other values in some places, read as experiment files are.
fn put<'a>(point: &Point, values: impl Iterator<Item = (&'a Place, &'a Value)>) -> Result<Point, String> {
    let mut json = serde_json::to_value(point).map_err(|error| error.to_string())?;
    for (place, value) in values {
        let steps = place.steps();
        let mut node = &mut json;
        for step in &steps[..steps.len() - 1] {
            let map = node.as_object_mut().ok_or_else(|| format!("`{}` has no options here", place.axis))?;
            node = map.entry(*step).or_insert_with(|| Value::Object(Map::new()));
        }
        let map = node.as_object_mut().ok_or_else(|| format!("`{}` has no options here", place.axis))?;
        map.insert(steps[steps.len() - 1].to_owned(), value.clone());
    }
    serde_json::from_value::<Point>(json).map(Point::normalised).map_err(|error| error.to_string())
}

impl<'de> Deserialize<'de> for Varied {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrList)
    }
}

struct OneOrList;

impl<'de> Visitor<'de> for OneOrList {
    type Value = Varied;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map {axis, values} or a list of such")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Varied, M::Error> {
        Place::deserialize(MapAccessDeserializer::new(map)).map(|place| Varied(vec![place]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<Varied, S::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Varied)
    }
}
