//! The varied axes of a grid: the settings in which rows of one game differ, from the resolved runs of its rows.

use crate::plan::Row;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

pub const ENCODING: &str = "encoding";

/// The parts of a run that hold axes. All rows of a game share the others, or they are the seed and the A/A control's mark.
const PARTS: [&str; 5] = [ENCODING, "model", "input", "moves", "train"];

/// The settings in which rows differ, and the values of each row.
#[derive(Debug)]
pub struct Axes {
    names: Vec<String>,
    values: BTreeMap<String, Vec<String>>,
}

/// Dotted names of settings, each with whether its value is the name of a choice.
type NamedSettings = BTreeMap<String, bool>;

impl Axes {
    /// Those of rows with their resolved runs.
    pub fn of<'a>(runs: impl Iterator<Item = (&'a Row, &'a Value)>) -> Self {
        let runs: Vec<(&Row, &Value)> = runs.collect();
        let mut found = NamedSettings::new();
        for game in runs.iter().map(|(row, _)| row.game).collect::<BTreeSet<_>>() {
            for part in PARTS {
                let of_game = runs.iter().filter(|(row, _)| row.game == game).map(|(_, run)| run.get(part));
                differing(part, &of_game.collect::<Vec<_>>(), &mut found);
            }
        }
        let mut axes: Vec<(String, bool)> = found.into_iter().collect();
        axes.sort_by_key(|(name, _)| name != ENCODING);
        let stacks: Vec<&Value> = runs.iter().filter_map(|(_, run)| run.get(ENCODING)).collect();
        let value = |run: &Value, (name, is_choice): &(String, bool)| {
            let value = name.split('.').try_fold(run, |value, key| value.get(key));
            let chosen = value.and_then(Value::as_object).and_then(choice).filter(|_| *is_choice);
            match (value, chosen) {
                (_, Some(chosen)) => chosen.clone(),
                (Some(stack), None) if name == ENCODING => encodings(stack, &stacks),
                (Some(value), None) => short(value),
                (None, None) => String::new(),
            }
        };
        let of_run = |run: &Value| axes.iter().map(|axis| value(run, axis)).collect::<Vec<String>>();
        let values = runs.iter().map(|(row, run)| (row.folder.clone(), of_run(run))).collect();
        Self { names: axes.into_iter().map(|(name, _)| name).collect(), values }
    }

    /// Those that a plan recorded; `None` for a plan of an older version.
    pub fn of_plan(rows: &[Row]) -> Option<Self> {
        if rows.iter().any(|row| row.axes.is_empty()) {
            return None;
        }
        let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.axes.keys()).collect();
        // A plan of several games has a column for them.
        let mut names: Vec<String> = names.into_iter().filter(|name| *name != "game").cloned().collect();
        names.sort_by_key(|name| name != ENCODING);
        let value = |row: &Row, name: &String| row.axes.get(name).cloned().unwrap_or_default();
        let values = |row: &Row| (row.folder.clone(), names.iter().map(|name| value(row, name)).collect::<Vec<_>>());
        let values = rows.iter().map(values).collect();
        Some(Self { names, values })
    }

    /// Their dotted names, the encoding first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A row's values, in the order of the names; empty texts for settings that it does not have.
    pub fn values(&self, row: &Row) -> Vec<String> {
        self.values.get(&row.folder).cloned().unwrap_or_else(|| vec![String::new(); self.names.len()])
    }
}

/// Adds the names of the smallest settings in which values of a setting differ. Where the values are different choices, such as
/// architectures, the name of the choice is the value, and options are compared among the rows that have chosen the same.
fn differing(path: &str, values: &[Option<&Value>], found: &mut NamedSettings) {
    if values.iter().all(|value| *value == values[0]) {
        return;
    }
    let Some(maps) = values.iter().map(|value| value.and_then(Value::as_object)).collect::<Option<Vec<_>>>() else {
        found.insert(path.to_owned(), false);
        return;
    };
    let choices: Option<Vec<&String>> = maps.iter().map(|map| choice(map)).collect();
    let is_choice = choices.is_some_and(|names| names.iter().any(|name| *name != names[0]));
    if is_choice {
        found.insert(path.to_owned(), true);
    }
    for key in maps.iter().flat_map(|map| map.keys()).collect::<BTreeSet<_>>() {
        let compared = maps.iter().filter(|map| !is_choice || map.contains_key(key));
        let of_key: Vec<Option<&Value>> = compared.map(|map| map.get(key)).collect();
        differing(&format!("{path}.{key}"), &of_key, found);
    }
}

/// The only key of a map: the name of a choice, whose options are its value.
fn choice(map: &Map<String, Value>) -> Option<&String> {
    map.keys().next().filter(|_| map.len() == 1)
}

/// A stack of encodings: their names, each with the options in which encodings of this name differ between the rows.
fn encodings(stack: &Value, all: &[&Value]) -> String {
    let Some(list) = stack.as_array() else { return short(stack) };
    let named: Vec<&Value> = all.iter().filter_map(|stack| stack.as_array()).flatten().collect();
    let shown: Vec<String> = list.iter().map(|one| encoding(one, &named)).collect();
    match &shown[..] {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

fn encoding(one: &Value, all: &[&Value]) -> String {
    let Some(name) = one.as_object().and_then(choice) else { return short(one) };
    let Some(options) = one[name].as_object() else { return name.clone() };
    let differs =
        |key: &String| all.iter().any(|other| other.get(name).is_some_and(|other| other.get(key) != options.get(key)));
    let own: Map<String, Value> =
        options.iter().filter(|(key, _)| differs(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    if own.is_empty() { name.clone() } else { format!("{name}: {}", short(&Value::Object(own))) }
}

/// A value as YAML writes it in one line.
fn short(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        Value::Bool(_) => value.to_string(),
        Value::Array(list) => format!("[{}]", list.iter().map(short).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let fields: Vec<String> = map.iter().map(|(key, value)| format!("{key}: {}", short(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameKind;
    use serde_json::json;

    fn row(game: GameKind, folder: &str) -> Row {
        Row { game, ..serde_json::from_value(crate::plan::tests::row(folder)).expect("a row") }
    }

    fn axes(runs: &[(GameKind, Value)]) -> (Vec<String>, Vec<Vec<String>>) {
        let rows: Vec<Row> = runs.iter().enumerate().map(|(i, (game, _))| row(*game, &i.to_string())).collect();
        let axes = Axes::of(rows.iter().zip(runs).map(|(row, (_, run))| (row, run)));
        (axes.names().to_vec(), rows.iter().map(|row| axes.values(row)).collect())
    }

    #[test]
    fn a_setting_is_an_axis_if_rows_of_one_game_differ_in_it() {
        let run = |encoding: Value, layers: u64, rate: f64, input: &str| {
            json!({
                "encoding": [encoding], "input": input, "seed": layers, "data": format!("data-{layers}"),
                "model": {"chessformer": {"layers": layers, "width": 64}}, "train": {"encoding_rate": rate, "steps": 100},
            })
        };
        let shaw = |terms: &[&str]| json!({"shaw": {"terms": terms, "share": "displacement"}});
        let (names, values) = axes(&[
            (GameKind::Chess, run(json!({"none": {}}), 2, 1.0, "planes")),
            (GameKind::Chess, run(shaw(&["q", "k"]), 2, 64.0, "planes")),
            (GameKind::Chess, run(shaw(&["q", "k", "v"]), 4, 0.25, "planes")),
            (GameKind::Shogi, run(shaw(&["q", "k"]), 2, 16.0, "pieces")),
        ]);
        assert_eq!(names, ["encoding", "model.chessformer.layers", "train.encoding_rate"]);
        assert_eq!(
            values,
            [
                ["none", "2", "1"],
                ["shaw: {terms: [q, k]}", "2", "64"],
                ["shaw: {terms: [q, k, v]}", "4", "0.25"],
                ["shaw: {terms: [q, k]}", "2", "16"],
            ]
        );
    }

    #[test]
    fn choices_are_named_and_stacks_are_lists() {
        let run = |encoding: Value, model: Value, clip: Value| json!({"encoding": encoding, "model": model, "train": {"clip": clip}});
        let (names, values) = axes(&[
            (GameKind::Chess, run(json!([{"rope": {"theta": 3}}]), json!({"resnet": {"blocks": 2}}), json!(null))),
            (
                GameKind::Chess,
                run(json!([{"rope": {"theta": 3}}, "lepe"]), json!({"former": {"layers": 1}}), json!(10.0)),
            ),
            (GameKind::Chess, run(json!([]), json!({"former": {"layers": 2}}), json!(null))),
        ]);
        assert_eq!(names, ["encoding", "model", "model.former.layers", "train.clip"]);
        assert_eq!(values[0], ["rope", "resnet", "", "none"]);
        assert_eq!(values[1], ["[rope, lepe]", "former", "1", "10"]);
        assert_eq!(values[2], ["[]", "former", "2", "none"]);
    }

    #[test]
    fn the_axes_of_a_plan_are_known_before_a_cell_has_begun() {
        let mut rows = vec![row(GameKind::Chess, "a"), row(GameKind::Shogi, "b")];
        assert!(Axes::of_plan(&rows).is_none(), "a plan of an older version");
        for (row, encoding) in rows.iter_mut().zip(["none", "shaw"]) {
            let values = [(ENCODING, encoding), ("game", row.game.name()), ("batch", "8")];
            row.axes = values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        }
        let axes = Axes::of_plan(&rows).expect("axes");
        assert_eq!(
            (axes.names(), axes.values(&rows[1])),
            (&["encoding", "batch"].map(str::to_owned)[..], vec!["shaw".to_owned(), "8".to_owned()])
        );
    }

    #[test]
    fn a_missing_option_is_another_value() {
        let run = |train: Value| (GameKind::Chess, json!({"train": train}));
        let (names, values) = axes(&[run(json!({"steps": 1})), run(json!({"steps": 1, "start": {"tables": "a"}}))]);
        assert_eq!(
            (names, values),
            (vec!["train.start".to_owned()], vec![vec![String::new()], vec!["{tables: a}".to_owned()]])
        );
    }
}
