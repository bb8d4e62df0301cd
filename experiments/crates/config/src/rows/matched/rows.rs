//! Which rows an entry of `controls` speaks of.

use super::super::expand::{Combination, Matrix};
use super::super::row::Row;
use super::entry::RowName;
use crate::yaml::source::{ConfigError, YamlPath};
use facts::distinct;

/// The rows of an experiment without controls, each with its point.
pub(crate) struct ExperimentRows<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) combinations: &'a [Combination],
    pub(crate) matrix: Matrix<'a>,
}

impl ExperimentRows<'_> {
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
        let labels: Vec<&str> = distinct(rows().map(Row::display_name));
        let error = |message: String| self.matrix.document.error_at(place, message).valid(labels.iter().copied());
        let otherwise = "write a row's name as here, or its values as in `axes`: {encoding: …}";
        match name {
            RowName::Label(label) => {
                error(format!("no row{among} is called `{label}`")).with_suggestion(label, otherwise)
            }
            RowName::Values(_) => error(format!("these values match no row{among}")).help(otherwise),
        }
    }
}
