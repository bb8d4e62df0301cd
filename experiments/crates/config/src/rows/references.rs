//! `reference`: the row that each row is compared with; `contrasts`: the comparisons that are the question, all others are
//! exploratory.
//!
//! Where several rows of a game have its values, each of them is the reference of a group: of the rows that agree with it in
//! every axis in which the references differ. So in a grid of encodings and depths, `{encoding: absolute}` is a reference at
//! each depth.

use super::expand::{Combination, Matrix};
use super::row::Row;
use crate::settings::setting::Setting;
use crate::yaml::source::{ConfigError, at};
use facts::{Role, distinct};
use games::GameKind;
use serde_json::Value;

/// Marks the references, and gives every row of a game with several the one of its group. `rows` are those of
/// `combinations`.
pub(crate) fn mark(rows: &mut [Row], combinations: &[Combination], matrix: Matrix<'_>) -> Result<(), ConfigError> {
    let matching = matrix.matching(combinations, &matrix.file.reference)?;
    for game in distinct(rows.iter().map(|row| row.run.game)) {
        let all: Vec<usize> = (0..rows.len()).filter(|&row| rows[row].run.game == game).collect();
        let references: Vec<usize> = matching.iter().copied().filter(|&row| rows[row].run.game == game).collect();
        if references.is_empty() {
            let labels = all.iter().map(|&row| rows[row].label.clone());
            let error = wrong(matrix, format!("`reference` matches no row of {}", game.name())).valid(labels);
            return Err(error.help("write its values as in `axes` or `base`, options included"));
        }
        if references.len() > 1 {
            Game { game, all: &all, references: &references, combinations, matrix }.mark(rows)?;
        }
        references.iter().for_each(|&row| rows[row].role = Role::Reference);
    }
    Ok(())
}

fn wrong(matrix: Matrix<'_>, message: String) -> ConfigError {
    matrix.document.error_at(&at!["reference"], message)
}

struct Game<'a> {
    game: GameKind,
    all: &'a [usize],
    references: &'a [usize],
    combinations: &'a [Combination],
    matrix: Matrix<'a>,
}

impl Game<'_> {
    /// Gives every row the reference of its group.
    fn mark(&self, rows: &mut [Row]) -> Result<(), ConfigError> {
        let Self { matrix, .. } = *self;
        let of_file = &matrix.file.reference;
        if self.references.len() == self.all.len() && !matrix.is_overridden(of_file) {
            let message = format!("`reference` matches every row of {}, so nothing is compared", self.game.name());
            return Err(wrong(matrix, message).help("name a value that other rows lack, such as {encoding: absolute}"));
        }
        // The settings of a row beside the reference's own.
        let runs: Vec<Value> = self.combinations.iter().map(|row| row.without(of_file.settings())).collect();
        let settings = self.distinguishing_settings(&runs);
        let group = |row: usize| settings.iter().map(|setting| setting.of(&runs[row])).collect::<Vec<_>>();
        for &row in self.all {
            let own = self.references.iter().find(|&&other| other == row);
            let of_group = || self.references.iter().find(|&&other| group(other) == group(row));
            let Some(&reference) = own.or_else(of_group) else {
                return Err(self.lacks_reference(&rows[row], &settings));
            };
            rows[row].reference = Some(rows[reference].label.clone());
        }
        Ok(())
    }

    /// The axes in which the references differ; also other settings of rows where these do not distinguish them.
    fn distinguishing_settings(&self, runs: &[Value]) -> Vec<Setting> {
        let differs = |setting: &&Setting| {
            let of = |row: usize| setting.of(&runs[row]);
            self.references.iter().any(|&row| of(row) != of(self.references[0]))
        };
        let axes: Vec<Setting> = self.matrix.file.axes.settings().filter(differs).cloned().collect();
        let same = |a: usize, b: usize| axes.iter().all(|axis| axis.of(&runs[a]) == axis.of(&runs[b]));
        let differs_from_later =
            |(place, &one): (usize, &usize)| self.references[place + 1..].iter().all(|&other| !same(one, other));
        if self.references.iter().enumerate().all(differs_from_later) {
            return axes;
        }
        distinct(self.combinations.iter().flat_map(|row| row.point.settings()).filter(differs).cloned())
    }

    fn lacks_reference(&self, row: &Row, settings: &[Setting]) -> ConfigError {
        let names: Vec<String> = settings.iter().map(|setting| format!("`{setting}`")).collect();
        let names = names.join(" and ");
        let message = format!("{} has no reference: no row that `reference` matches has its {names}", row.label);
        wrong(self.matrix, message).help(format!(
            "add a row with the values of `reference` and the same {names}, exclude this row, or name a value of {names} in \
             `reference` for one reference of all rows"
        ))
    }
}

/// Marks the rows that are none of the file's contrasts, if it names some. `rows` begin with those of the combinations;
/// matched controls follow and are exploratory too.
pub(crate) fn mark_exploratory(
    rows: &mut [Row],
    combinations: &[Combination],
    matrix: Matrix<'_>,
) -> Result<(), ConfigError> {
    let contrasts = &matrix.file.contrasts;
    if contrasts.is_empty() {
        return Ok(());
    }
    rows.iter_mut().for_each(|row| row.exploratory = row.role == Role::Compared);
    for (i, contrast) in contrasts.iter().enumerate() {
        let found = matrix.matching(combinations, contrast)?;
        let compared: Vec<usize> = found.into_iter().filter(|&row| rows[row].role == Role::Compared).collect();
        if compared.is_empty() {
            let labels = rows.iter().filter(|row| row.role == Role::Compared).map(|row| row.label.clone());
            let error = matrix.document.error_at(&at!["contrasts", i], "this contrast matches no row but a reference");
            return Err(error.valid(labels).help("write its values as in `axes` or `base`, options included"));
        }
        compared.into_iter().for_each(|row| rows[row].exploratory = false);
    }
    Ok(())
}
