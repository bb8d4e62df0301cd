//! `--only axis=value`: a part of a grid.

use serde_json::Value;
use spec::Cell;
use spec::axes::AxisName;
use std::str::FromStr;

/// What a selector can name beside the axes.
const SEED: &str = "seed";
const ROW: &str = "row";

/// Cells that have one of some values on one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    axis: Axis,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Seed,
    Row,
    Of(AxisName),
}

/// Why a text is no selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// There is no `=` in it.
    #[error("\"{0}\" is no selection; write axis=value, e.g. encoding=shaw or seed=0,1")]
    Form(String),
    /// There is no such axis.
    #[error("there is no axis \"{name}\"; the axes are {}", axis_names().join(", "))]
    Axis {
        /// The name as given.
        name: String,
    },
}

fn axis_names() -> Vec<&'static str> {
    AxisName::ALL.iter().map(|axis| axis.name()).chain([SEED, ROW]).collect()
}

impl FromStr for Selector {
    type Err = SelectorError;

    /// Reads `axis=value`; several values of one axis are separated by commas.
    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let form = || SelectorError::Form(text.to_owned());
        let (name, values) = text.split_once('=').ok_or_else(form)?;
        let axis = match name {
            SEED => Axis::Seed,
            ROW => Axis::Row,
            _ => {
                let axis = AxisName::ALL.iter().find(|axis| axis.name() == name);
                Axis::Of(*axis.ok_or_else(|| SelectorError::Axis { name: name.to_owned() })?)
            }
        };
        // A value with braces or brackets is YAML, in which commas have a meaning of their own.
        let whole = values.contains(['{', '[']);
        let values: Vec<String> = if whole {
            vec![values.to_owned()]
        } else {
            values.split(',').map(|value| value.trim().to_owned()).collect()
        };
        if values.iter().any(String::is_empty) { Err(form()) } else { Ok(Self { axis, values }) }
    }
}

impl Selector {
    /// Whether a cell has one of the values.
    #[must_use]
    pub fn matches(&self, cell: &Cell) -> bool {
        self.values.iter().any(|value| match self.axis {
            Axis::Seed => cell.run.seed.to_string() == *value,
            Axis::Row => cell.label == *value || cell.row() == *value,
            Axis::Of(axis) => has(cell, axis, value),
        })
    }
}

/// Whether a cell's run has a value, written as in an experiment file but with anything left out that does not matter:
/// `rope` and `{rope: {layout: flat_1d}}` both select a flat RoPE of any theta, alone or in a stack.
fn has(cell: &Cell, axis: AxisName, wanted: &str) -> bool {
    let (Ok(run), Ok(wanted)) = (serde_json::to_value(&cell.run), serde_yaml::from_str::<Value>(wanted)) else {
        return false;
    };
    let place = match axis {
        AxisName::Game | AxisName::Encoding | AxisName::Model | AxisName::Input | AxisName::Moves => &run,
        AxisName::Mask
        | AxisName::Optimizer
        | AxisName::LearningRate
        | AxisName::Batch
        | AxisName::Steps
        | AxisName::Phases => &run["train"],
    };
    place.get(axis.name()).is_some_and(|value| covers(value, &wanted))
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
        for text in ["shaw", "encoding=", "seed=0,,1"] {
            assert_eq!(text.parse::<Selector>(), Err(SelectorError::Form(text.to_owned())));
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
