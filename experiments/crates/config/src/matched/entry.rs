//! `controls:` as an experiment file writes it, and the rows that it names.

use super::super::expand::{Combination, Matrix};
use super::super::row::Row;
use super::super::setting::Point;
use super::super::source::{ConfigError, YamlPath};
use super::super::visitors::{read_by, reads};
use facts::distinct;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};

/// One entry: the rows that get a control, and its goal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlEntry {
    /// The rows whose network is made larger or smaller; they stay in the experiment beside their controls.
    pub row: RowName,
    /// The quantity to match, and the row that has it.
    #[serde(rename = "match")]
    pub matching: Match,
}

/// `{params: <row>, by: <sizes>}`: exactly one of the quantities.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Match {
    /// As many parameters as this row.
    pub params: Option<RowName>,
    /// As many floating-point operations in a forward pass as this row.
    pub flops: Option<RowName>,
    /// As long a training step as this row.
    pub step_time: Option<RowName>,
    /// The sizes that may change.
    pub by: By,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RowName {
    /// By its name in `posenc check`, with or without the game: `shaw`, `chess-shaw`.
    Label(String),
    /// By its values, as `reference` names one: `{encoding: shaw}`.
    Values(Box<Point>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// They are found: all but the last come as near to the goal as they can without crossing it, the last takes up
    /// the rest.
    Found(Vec<Size>),
    /// They are given, `{ffn: 352}`, and only checked.
    Given(Vec<(Size, usize)>),
}

games::named! {
    /// A size of a network.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Size {
        /// Width of the feed-forward layers' inside (`ff`).
        Ffn = "ffn",
        /// Width of every token (`width`), with as many heads as before; sizes that are the width by default follow it.
        Width = "width",
        Depth = "depth",
        /// The one option of the encoding that is a size, where it has one.
        Encoding = "encoding",
    }
}

read_by! { LabelOrValues => RowName }

impl<'de> Visitor<'de> for LabelOrValues {
    reads! { RowName, "the name of a row, or its values like {encoding: shaw}" }

    fn visit_str<E: Error>(self, label: &str) -> Result<RowName, E> {
        Ok(RowName::Label(label.to_owned()))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<RowName, M::Error> {
        Point::deserialize(MapAccessDeserializer::new(map)).map(|point| RowName::Values(Box::new(point)))
    }
}

read_by! { NamesOrSizes => By }

impl<'de> Visitor<'de> for NamesOrSizes {
    reads! { By, "a size (ffn, width, depth, encoding), a list of them, or a map of them to numbers" }

    fn visit_str<E: Error>(self, name: &str) -> Result<By, E> {
        Size::deserialize(StrDeserializer::new(name)).map(|size| By::Found(vec![size]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<By, S::Error> {
        let sizes = Vec::<Size>::deserialize(SeqAccessDeserializer::new(seq))?;
        each_once(&sizes)?;
        Ok(By::Found(sizes))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<By, M::Error> {
        let mut given = Vec::new();
        while let Some(entry) = map.next_entry::<Size, usize>()? {
            given.push(entry);
        }
        each_once(&given.iter().map(|(size, _)| *size).collect::<Vec<_>>())?;
        Ok(By::Given(given))
    }
}

fn each_once<E: Error>(sizes: &[Size]) -> Result<(), E> {
    if sizes.is_empty() {
        return Err(E::custom("`by` names no size; write ffn, width, depth or encoding"));
    }
    match (1..sizes.len()).find(|&i| sizes[..i].contains(&sizes[i])) {
        None => Ok(()),
        Some(i) => Err(E::custom(format!("`by` names `{}` twice; name each size once", sizes[i].name()))),
    }
}

/// The rows of an experiment without controls, each with its point.
pub(crate) struct Rows<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) combinations: &'a [Combination],
    pub(crate) matrix: Matrix<'a>,
}

impl Rows<'_> {
    /// Every row of a name, one or more.
    pub(super) fn named(&self, name: &RowName, place: &YamlPath) -> Result<Vec<usize>, ConfigError> {
        let found = self.all(name)?;
        if found.is_empty() { Err(self.unknown(name, place, None)) } else { Ok(found) }
    }

    /// The one row of a name that belongs to another: of its game, and alike in all that the name leaves open.
    pub(super) fn goal_of(&self, own: usize, name: &RowName, place: &YamlPath) -> Result<usize, ConfigError> {
        let game = self.rows[own].run.game;
        let all: Vec<usize> = self.all(name)?.into_iter().filter(|&i| self.rows[i].run.game == game).collect();
        let alike: Vec<usize> = all.iter().copied().filter(|&i| self.alike(i, own, name)).collect();
        let found = if all.len() > 1 && !alike.is_empty() { alike } else { all };
        match found[..] {
            [] => Err(self.unknown(name, place, Some(own))),
            [one] if one == own => {
                let message = format!("{} is matched to itself", self.rows[own].label);
                let error = self.matrix.document.error_at(place, message);
                Err(error.help("name the row that it should be as large, as expensive or as slow as"))
            }
            [one] => Ok(one),
            _ => {
                let labels: Vec<&str> = found.iter().map(|&i| self.rows[i].label.as_str()).collect();
                let message =
                    format!("{} could be matched to several rows: {}", self.rows[own].label, labels.join(", "));
                Err(self.matrix.document.error_at(place, message).help("name one of them, or more of its values"))
            }
        }
    }

    /// The rows of a name, in all games.
    pub(crate) fn all(&self, name: &RowName) -> Result<Vec<usize>, ConfigError> {
        match name {
            RowName::Label(label) => Ok((0..self.rows.len()).filter(|&i| self.rows[i].is_called(label)).collect()),
            RowName::Values(point) => self.matrix.matching(self.combinations, point),
        }
    }

    /// Whether two rows agree in every setting that the name leaves open.
    fn alike(&self, a: usize, b: usize, name: &RowName) -> bool {
        let RowName::Values(point) = name else { return true };
        let [a, b] = [a, b].map(|row| self.combinations[row].without(point.settings()));
        a == b
    }

    pub(crate) fn unknown(&self, name: &RowName, place: &YamlPath, own: Option<usize>) -> ConfigError {
        let game = own.map(|own| self.rows[own].run.game);
        let rows = || self.rows.iter().filter(|row| game.is_none_or(|game| row.run.game == game));
        let among = game.map_or_else(String::new, |game| format!(" of {}", game.name()));
        let labels: Vec<&str> = distinct(rows().map(Row::shown));
        let error = |message: String| self.matrix.document.error_at(place, message).valid(labels.iter().copied());
        let otherwise = "write a row's name as here, or its values as in `axes`: {encoding: …}";
        match name {
            RowName::Label(label) => error(format!("no row{among} is called `{label}`")).meant(label, otherwise),
            RowName::Values(_) => error(format!("these values match no row{among}")).help(otherwise),
        }
    }
}
