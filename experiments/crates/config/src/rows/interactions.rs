//! `interactions:`: does the gap between two rows depend on what else they have?
//!
//! An entry names two values between which the gap lies, and values of something else that it is compared over. A value
//! may be a whole axis' or one option inside of it, written with dots: `model.chessformer.layers`. A row *has* a value if
//! writing it there changes nothing, so options at their defaults count as written.

use super::expand::{Combination, Matrix, without};
use super::label::labels;
use super::row::Row;
use crate::settings::file::{InteractionEntry, VariedAxis};
use crate::settings::setting::Setting;
use crate::yaml::source::{ConfigError, YamlPath, at};
use crate::yaml::tree::Node;
use facts::{Interaction, distinct};
use serde_json::Value;

/// The interactions of the file, in its order. `rows` are those of the file, without controls and twins, and
/// `combinations` what they were made of.
pub(crate) fn interactions(
    matrix: Matrix<'_>,
    rows: &[Row],
    combinations: &[Combination],
) -> Result<Vec<Interaction>, ConfigError> {
    let entries = matrix.file.interactions.iter().enumerate();
    let found: Vec<Vec<Interaction>> = entries
        .map(|(number, entry)| Request { entry, number, matrix, rows, combinations }.interactions())
        .collect::<Result<_, _>>()?;
    Ok(found.concat())
}

/// Refuses an entry that no rows can match, whatever they are.
pub(crate) fn without_rows(entry: &InteractionEntry, number: usize, document: &Node) -> Result<(), ConfigError> {
    for (side, places) in [("gap", &entry.gap), ("by", &entry.by)] {
        let fits = if side == "gap" { length(places) == 2 } else { length(places) >= 2 };
        if !fits || places.iter().any(|place| place.values.len() != length(places)) {
            let many = if side == "gap" { "two values" } else { "two values or more" };
            let message = format!("`{side}` lies between {many}, in all of its places");
            let error = document.error_at(&at!["interactions", number, side], message);
            return Err(error.help(format!("write {side}: {{axis: encoding, values: [absolute, shaw]}}")));
        }
    }
    let twice = entry.by.iter().find(|place| entry.gap.iter().any(|other| other.axis == place.axis));
    twice.map_or(Ok(()), |place| {
        let message = format!("`{}` is in `gap` and in `by`", place.axis);
        let error = document.error_at(&at!["interactions", number, "by"], message);
        Err(error.help("compare the gap over something else"))
    })
}

struct Request<'a> {
    entry: &'a InteractionEntry,
    number: usize,
    matrix: Matrix<'a>,
    rows: &'a [Row],
    combinations: &'a [Combination],
}

/// Rows that agree in everything that the entry leaves open.
struct Group {
    common: Value,
    /// `corners[by][gap]`: the rows that have both values.
    corners: Vec<Vec<Vec<usize>>>,
}

impl Group {
    fn first(&self) -> usize {
        self.corners[0][0][0]
    }
}

impl Request<'_> {
    fn interactions(&self) -> Result<Vec<Interaction>, ConfigError> {
        self.check()?;
        let (groups, refusal) = self.groups();
        let complete = |group: &&Group| group.corners.iter().flatten().all(|rows| !rows.is_empty());
        let complete: Vec<&Group> = groups.iter().filter(complete).collect();
        if let (true, Some(error)) = (complete.is_empty(), refusal) {
            return Err(error);
        }
        if complete.is_empty() {
            return Err(self.wrong(&at![], "no rows have each value of `gap` with each of `by`, all else being equal").help(
                "take out a value, or name what else changes with it as a further place: gap: [{axis: …, values: […]}, …]",
            ));
        }
        if let Some(rows) = complete.iter().flat_map(|group| group.corners.iter().flatten()).find(|rows| rows.len() > 1)
        {
            let names: Vec<&str> = rows.iter().map(|&row| self.rows[row].label.as_str()).collect();
            let error = self.wrong(&at![], &format!("the same values are those of several rows: {}", names.join(", ")));
            return Err(error.help("name the setting in which they differ as a further place of `gap` or `by`"));
        }
        let firsts: Vec<&Combination> = complete.iter().map(|group| &self.combinations[group.first()]).collect();
        let alone = |row: &Combination| firsts.iter().filter(|other| other.run.game == row.run.game).count() == 1;
        let named = self.named();
        let open: Vec<Setting> = self.varied().into_iter().filter(|axis| !named.contains(axis)).collect();
        let within = firsts.iter().zip(labels(&firsts, &open)).map(|(row, label)| (!alone(row)).then(|| label.name()));
        Ok(complete.iter().zip(within).flat_map(|(group, within)| self.of_group(group, within)).collect())
    }

    /// The first value of `by` against each later one.
    fn of_group(&self, group: &Group, within: Option<String>) -> Vec<Interaction> {
        let folder = |rows: &Vec<usize>| self.rows[rows[0]].folder();
        let side = |by: usize| [folder(&group.corners[by][0]), folder(&group.corners[by][1])];
        let game = self.rows[group.first()].run.game;
        let gap = self.words(&self.entry.gap, &[group.corners[0][0][0], group.corners[0][1][0]]);
        let by = self.words(&self.entry.by, &group.corners.iter().map(|side| side[0][0]).collect::<Vec<_>>());
        let later = 1..length(&self.entry.by);
        let interaction = |later: usize| Interaction {
            game,
            gap: [gap[0].clone(), gap[1].clone()],
            by: [by[0].clone(), by[later].clone()],
            within: within.clone(),
            rows: [side(0), side(later)],
        };
        later.map(interaction).collect()
    }

    /// The values of each place in words, `shaw`, `layers 8`, `mask eval`; `rows` has a row for each value.
    fn words(&self, places: &[VariedAxis], rows: &[usize]) -> Vec<String> {
        let rows: Vec<&Combination> = rows.iter().map(|&row| &self.combinations[row]).collect();
        let word = |i: usize, (axis, value): (&Setting, &Node)| match axis.name().as_str() {
            "encoding" => labels(&rows, std::slice::from_ref(axis))[i].name(),
            // These values need no name of their setting.
            "model" | "input" | "moves" | "optimizer" => value.to_string(),
            _ if axis.last().parse::<usize>().is_ok() => value.to_string(),
            _ => format!("{} {value}", axis.last()),
        };
        let of_value = |i: usize| values(places, i).map(|place| word(i, place)).collect::<Vec<_>>().join(", ");
        (0..length(places)).map(of_value).collect()
    }

    /// Refuses an entry that no row can match.
    fn check(&self) -> Result<(), ConfigError> {
        without_rows(self.entry, self.number, self.matrix.document)?;
        for (side, places) in [("gap", &self.entry.gap), ("by", &self.entry.by)] {
            for (p, place) in places.iter().enumerate() {
                self.check_axis(&place.axis, &at![side, p])?;
            }
        }
        Ok(())
    }

    /// The settings that rows name, and in which they differ.
    fn varied(&self) -> Vec<Setting> {
        let differs = |setting: &&Setting| {
            self.combinations.iter().any(|row| row.value(setting) != self.combinations[0].value(setting))
        };
        let named = self.combinations.iter().flat_map(|row| row.point.settings());
        let mut varied: Vec<Setting> = distinct(named.filter(differs).cloned());
        varied.sort_by_key(Setting::rank);
        varied
    }

    fn check_axis(&self, axis: &Setting, key_path: &YamlPath) -> Result<(), ConfigError> {
        let varied: Vec<Setting> = self.varied().into_iter().filter(|axis| axis.name() != "game").collect();
        if varied.iter().any(|other| other.overlaps(axis)) {
            return Ok(());
        }
        let what = match axis.name().as_str() {
            "game" => "`game` cannot be compared over: seeds of two games are not paired".to_owned(),
            name => format!("`{name}` is the same in all rows"),
        };
        let error = self.wrong(key_path, &what).valid(varied.iter().map(Setting::name));
        let otherwise = "name something that the rows vary; games are set side by side in every report";
        Err(error.with_suggestion(&axis.name(), otherwise))
    }

    /// The rows by what they have in common, each at the values that it has; and why a value is none of a row, if it
    /// cannot be read.
    fn groups(&self) -> (Vec<Group>, Option<ConfigError>) {
        let (gap, by) = (&self.entry.gap, &self.entry.by);
        let free = self.free();
        let mut groups: Vec<Group> = Vec::new();
        let mut refusal = None;
        for (index, row) in self.combinations.iter().enumerate() {
            let at = |g: usize, b: usize| row.with(values(gap, g).chain(values(by, b)));
            let has = |&(g, b): &(usize, usize)| at(g, b).is_ok_and(|other| other == row.json);
            let corners = (0..2).flat_map(|g| (0..length(by)).map(move |b| (g, b)));
            let Some((g, b)) = corners.clone().find(has) else {
                refusal = refusal.or_else(|| corners.map(|(g, b)| at(g, b)).find_map(Result::err));
                continue;
            };
            let Ok(common) = at(0, 0).map(|row| without(row, &free)) else { continue };
            let group = groups.iter().position(|group| group.common == common).unwrap_or_else(|| {
                groups.push(Group { common, corners: vec![vec![Vec::new(); 2]; length(by)] });
                groups.len() - 1
            });
            groups[group].corners[b][g].push(index);
        }
        (groups, refusal)
    }

    fn named(&self) -> Vec<Setting> {
        self.entry.gap.iter().chain(&self.entry.by).map(|place| place.axis.clone()).chain(self.free()).collect()
    }

    /// Axes that advance together with a named one: what they have there belongs to the value.
    fn free(&self) -> Vec<Setting> {
        let named =
            |axis: &Setting| self.entry.gap.iter().chain(&self.entry.by).any(|place| axis.overlaps(&place.axis));
        self.matrix.file.zip.iter().filter(|group| group.iter().any(named)).flatten().cloned().collect()
    }

    fn wrong(&self, key_path: &YamlPath, message: &str) -> ConfigError {
        let place = [at!["interactions", self.number], key_path.clone()].concat();
        self.matrix.document.error_at(&place, message)
    }
}

fn length(places: &[VariedAxis]) -> usize {
    places.first().map_or(0, |place| place.values.len())
}

/// The `i`-th value of every place.
fn values(places: &[VariedAxis], i: usize) -> impl Iterator<Item = (&Setting, &Node)> {
    places.iter().map(move |place| (&place.axis, &place.values[i]))
}
