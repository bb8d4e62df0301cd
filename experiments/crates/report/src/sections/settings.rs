//! The settings and conditions of a grid that can be compared with those of another one.

use super::variants::{self, Variant};
use crate::run_folder::{CellFacts, RunFolder, leaves};
use crate::table::ABSENT;
use facts::distinct;
use facts::row_name::readable;
use games::GameKind;
use records::identity::assignments;
use serde_json::Value;

/// A setting that all rows of a grid share, or a condition under which its cells were trained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name, e.g. `chess: train.steps` or `numerics version`.
    pub name: String,
    /// Its value; `varies` if rows differ in it.
    pub value: String,
    /// The names of the rows, each with its value, if rows differ in it.
    pub rows: Vec<(String, String)>,
}

const VARIES: &str = "varies";

/// The name of the datasets of a game, with their content hashes, after the game's.
pub(crate) const DATASET: &str = "dataset";

impl Setting {
    fn new(name: &str, values: impl IntoIterator<Item = String>) -> Self {
        let values: Vec<String> = values.into_iter().collect();
        Self { name: name.to_owned(), value: values.join(", "), rows: Vec::new() }
    }

    /// Its value, and the rows that have another one in other grids, of which `all` are the settings.
    pub(crate) fn beside<'a>(&self, all: impl Iterator<Item = &'a Self>) -> String {
        let same = all.filter(|other| other.name == self.name);
        let others: Vec<&(String, String)> = same.flat_map(|other| &other.rows).collect();
        let differs = |(row, value): &&(String, String)| others.iter().any(|(other, its)| other == row && its != value);
        let rows = self.rows.iter().filter(differs).map(|(row, value)| format!("{}: {value}", readable(row)));
        let rows: Vec<String> = rows.collect();
        if rows.is_empty() { self.value.clone() } else { format!("{} ({})", self.value, rows.join("; ")) }
    }
}

/// Characters of a dataset's hash that are shown.
const HASH_CHARACTERS: usize = 12;

/// Every setting of the rows, by game, and every condition of the cells.
pub(crate) fn of(folder: &RunFolder) -> Vec<Setting> {
    let mut settings: Vec<Setting> = folder.plan.games().into_iter().flat_map(|game| of_game(folder, game)).collect();
    settings.push(Setting::new("seeds", folder.plan.seeds.iter().map(u64::to_string)));
    settings.extend(conditions(folder));
    settings
}

/// The resolved runs of a game's rows, without seeds and A/A controls, and their datasets.
fn of_game(folder: &RunFolder, game: GameKind) -> Vec<Setting> {
    let variants = variants::of(folder, game);
    let rows: Vec<(&str, Vec<(String, String)>)> =
        variants.iter().map(|variant| (variant.row.display_name(), flat(variant))).collect();
    let new = |name: &str, value: String| Setting::new(&format!("{}: {name}", game.name()), [value]);
    let names = distinct(rows.iter().flat_map(|(_, row)| row).map(|(name, _)| name.as_str()));
    let of_runs = names.into_iter().map(|name| {
        let value = |row: &[(String, String)]| Some(row.iter().find(|(own, _)| own == name)?.1.clone());
        let values: Vec<Option<String>> = rows.iter().map(|(_, row)| value(row)).collect();
        let first = values.first().cloned().flatten();
        match first.filter(|first| values.iter().all(|value| value.as_ref() == Some(first))) {
            Some(shared) => new(name, shared),
            None => {
                let values = values.into_iter().map(|value| value.unwrap_or_else(|| ABSENT.to_owned()));
                let rows = rows.iter().map(|(label, _)| (*label).to_owned()).zip(values).collect();
                Setting { rows, ..new(name, VARIES.to_owned()) }
            }
        }
    });
    let cells = folder.lines_of(game).flat_map(|(_, cells)| cells);
    let datasets = cells.filter_map(|cell| cell.facts.as_ref()).map(|facts| {
        let shown = |name: &str, hash: &str| {
            let hash: String = hash.chars().take(HASH_CHARACTERS).collect();
            format!("{name} ({hash})")
        };
        let test = facts.dataset.test.as_ref();
        let tested =
            test.map_or_else(String::new, |test| format!(", tested on {}", shown(&test.name, &test.content_hash)));
        shown(&facts.dataset.name, &facts.dataset.content_hash) + &tested
    });
    std::iter::once(new(DATASET, distinct(datasets).join(", "))).chain(of_runs).collect()
}

/// The settings of a run as texts, by their paths: `train.steps`. A list is one setting.
fn flat(variant: &Variant<'_>) -> Vec<(String, String)> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    leaves("", &variant.run_without(&[]), false).into_iter().map(|(path, value)| (path, text(value))).collect()
}

/// The conditions of all cells that have a manifest.
fn conditions(folder: &RunFolder) -> Vec<Setting> {
    let facts: Vec<&CellFacts> = folder.cells.iter().flatten().filter_map(|cell| cell.facts.as_ref()).collect();
    let all = |name: &str, of: &dyn Fn(&CellFacts) -> Option<String>| {
        Setting::new(name, distinct(facts.iter().filter_map(|facts| of(facts))))
    };
    vec![
        all("numerics version", &|facts| Some(facts.identity.numerics.to_string())),
        all("device", &|facts| Some(facts.identity.device.clone())),
        all("dtype", &|facts| Some(facts.identity.dtype.clone())),
        all("threads", &|facts| Some(facts.identity.threads.to_string())),
        all("processor", &|facts| Some(facts.cpu.as_ref()?.model.clone())),
        all("instruction set", &|facts| Some(facts.identity.instruction_set.clone())),
        all("GPU", &|facts| facts.gpu_model().map(str::to_owned)),
        all("environment", &|facts| Some(assignments(&facts.identity.environment)).filter(|all| !all.is_empty())),
        all("LibTorch", &|facts| Some(facts.identity.libtorch.clone())),
        all("program", &|facts| Some(facts.program())),
    ]
}
