//! `--only axis=value`: selects a part of a grid.

use config::setting::SHORT;
use config::{Cell, Row, Setting};
use records::UserError;
use serde_json::Value;
use std::str::FromStr;

/// Names that a selector accepts beside the axes.
const SEED: &str = "seed";
const ROW: &str = "row";

/// Selects cells by the values of one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    axis: Axis,
    values: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Axis {
    Seed,
    Row,
    Of(Setting),
}

impl FromStr for Selector {
    type Err = UserError;

    /// Reads `axis=value`; several values of one axis are separated by commas.
    fn from_str(text: &str) -> Result<Self, UserError> {
        let form = || {
            UserError::new(format!("\"{text}\" is not a selection"), "write axis=value, e.g. encoding=shaw or seed=0,1")
        };
        let (name, values) = text.split_once('=').ok_or_else(form)?;
        let axis = match name {
            SEED => Axis::Seed,
            ROW => Axis::Row,
            _ => Axis::Of(Setting::named(name).ok_or_else(|| {
                let names: Vec<&str> = SHORT.iter().map(|(name, _)| *name).chain([SEED, ROW]).collect();
                let help = format!("write one of {}, or a dotted name like train.clip", names.join(", "));
                UserError::new(format!("there is no setting \"{name}\""), help)
            })?),
        };
        // A value with braces or brackets is YAML, in which commas separate items; names of rows may have commas, too.
        let is_whole = values.contains(['{', '[']) && axis != Axis::Row;
        if !is_whole && values.split(',').any(|value| value.trim().is_empty()) {
            return Err(form());
        }
        let values: Vec<String> = match is_whole || axis == Axis::Row {
            true => vec![values.to_owned()],
            false => values.split(',').map(|value| value.trim().to_owned()).collect(),
        };
        Ok(Self { axis, values })
    }
}

impl Selector {
    pub(super) fn of_rows(folders: Vec<String>) -> Self {
        Self { axis: Axis::Row, values: folders }
    }

    pub(super) fn is_of_seeds(&self) -> bool {
        self.axis == Axis::Seed
    }

    /// The same with the folders of the rows that it names: by [a name](Row::is_called) or, if no row has it, as they are
    /// [shown](Row::is_shown_as).
    pub fn resolve_rows(&self, rows: &[Row]) -> Result<Self, UserError> {
        if self.axis != Axis::Row {
            return Ok(self.clone());
        }
        let folders =
            |has: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| has(row)).map(Row::folder).collect::<Vec<_>>();
        let named = |parts: &[&str]| {
            let name = parts.join(",").trim().to_owned();
            let called = folders(&|row| row.is_called(&name));
            if called.is_empty() { folders(&|row| row.is_shown_as(&name)) } else { called }
        };
        let mut found = Vec::new();
        for value in &self.values {
            let parts: Vec<&str> = value.split(',').collect();
            let mut start = 0;
            while start < parts.len() {
                // `Shaw q,k` is one name: the longest one that a row has.
                let longest = (start + 1..=parts.len()).rev().find(|&end| !named(&parts[start..end]).is_empty());
                let Some(end) = longest else {
                    let labels: Vec<&str> = rows.iter().map(|row| &row.label[..]).collect();
                    let message = format!("no row is called \"{}\"", parts[start..].join(",").trim());
                    return Err(UserError::new(message, format!("the rows are {}", labels.join(", "))).at("--only"));
                };
                found.extend(named(&parts[start..end]));
                start = end;
            }
        }
        Ok(Self::of_rows(found))
    }

    /// Whether a cell has one of the values; of rows, once they are [resolved](Self::resolve_rows).
    pub fn matches(&self, cell: &Cell) -> bool {
        self.values.iter().any(|value| self.is(value, cell))
    }

    fn is(&self, value: &str, cell: &Cell) -> bool {
        match &self.axis {
            Axis::Seed => cell.run.seed.to_string() == value,
            Axis::Row => cell.row() == value,
            Axis::Of(setting) => covered(cell, setting, value) || cell.has(setting, value),
        }
    }

    /// The first of its values that no cell has, as on the command line.
    pub(super) fn unmatched(&self, cells: &[Cell]) -> Option<String> {
        let unmatched = self.values.iter().find(|value| !cells.iter().any(|cell| self.is(value, cell)))?;
        let name = match &self.axis {
            Axis::Seed => SEED.to_owned(),
            Axis::Row => ROW.to_owned(),
            Axis::Of(setting) => setting.name(),
        };
        Some(format!("{name}={unmatched}"))
    }
}

/// Whether a cell's run has a value, written as in `config.yaml`; omitted options match any value: `rope` and
/// `{rope: {layout: flat_1d}}` both select a flat RoPE of any theta, alone or in a stack.
fn covered(cell: &Cell, setting: &Setting, wanted: &str) -> bool {
    let (Ok(run), Ok(wanted)) = (serde_json::to_value(&cell.run), serde_yaml::from_str::<Value>(wanted)) else {
        return false;
    };
    setting.of(&run).is_some_and(|value| covers(value, &wanted))
}

fn covers(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Array(values), Value::Array(wanted)) => {
            values.len() == wanted.len() && values.iter().zip(wanted).all(|(value, wanted)| covers(value, wanted))
        }
        (Value::Array(values), wanted) => values.iter().any(|value| covers(value, wanted)),
        (Value::Object(map), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| map.get(key).is_some_and(|value| covers(value, wanted)))
        }
        (Value::Object(map), Value::String(name)) => map.contains_key(name),
        (Value::Number(value), Value::Number(wanted)) => value.as_f64() == wanted.as_f64(),
        (value, wanted) => value == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_selection_is_refused_with_what_would_be() {
        for text in ["shaw", "encoding=", "seed=0,,1", "row=", "row=shaw,,rope", "row=shaw,"] {
            let message = text.parse::<Selector>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("\"{text}\" is not a selection; write axis=value")), "{message}");
        }
        let message = "colour=red".parse::<Selector>().unwrap_err().to_string();
        assert!(
            message.contains("\"colour\"") && message.contains("encoding") && message.contains("seed"),
            "{message}"
        );
    }

    #[test]
    fn values_are_separated_by_commas_outside_of_yaml() {
        assert_eq!("seed=0, 1".parse::<Selector>().unwrap().values, ["0", "1"]);
        assert_eq!("encoding={rope: {layout: flat_1d, theta: 10}}".parse::<Selector>().unwrap().values.len(), 1);
    }

    #[test]
    fn a_value_covers_what_is_left_out_and_nothing_else() {
        let value = serde_json::json!([{"absolute": {"at": "gate"}}, {"rope": {"layout": "flat_1d", "theta": 10.0}}]);
        let covers = |wanted: &str| covers(&value, &serde_yaml::from_str(wanted).unwrap());
        for yes in ["rope", "{rope: {layout: flat_1d}}", "{rope: {theta: 10}}", "[absolute, rope]"] {
            assert!(covers(yes), "{yes}");
        }
        for no in ["shaw", "{rope: {layout: axial_2d}}", "[rope]", "{rope: {theta: 100}}"] {
            assert!(!covers(no), "{no}");
        }
    }
}
