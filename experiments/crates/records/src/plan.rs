//! `grid.json`: the plan of a comparison, so that a report needs only the run folder.
//!
//! Plans are published and contain names of folders, so every name and size is checked when one is read.

use crate::folder::is_plain;
use crate::user_error::UserError;
use crate::{atomic, files};
use facts::name::{RULE, is_run_name};
use facts::plan::{MOST_CELLS, TRIALS};
use facts::{Extrapolate, Interaction, Margins, Mask, NetworkFacts, Primary, Quantity, Role, distinct};
use games::GameKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};

pub const FILE: &str = "grid.json";

pub const FORMAT: u32 = 1;

/// The plan of a grid: the compared rows and seeds, and the metric of verdicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub format: u32,
    pub experiment: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Whether it is a smoke run, whose cells take a few steps only.
    #[serde(default)]
    pub smoke: bool,
    pub primary: Primary,
    pub seeds: Vec<u64>,
    pub rows: Vec<Row>,
    /// Gaps between rows that are compared over another axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Interaction>,
    /// Margins within which rows count as equivalent.
    #[serde(default, skip_serializing_if = "Margins::is_empty")]
    pub equivalent_within: Margins,
    /// Whether a margin was written or changed after a cell had finished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late_margin: bool,
    /// Whether the primary metric or a comparison was changed or seeds were added when cells had finished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late_comparisons: bool,
    /// The least value of the primary metric that a network can reach.
    #[serde(default, skip_serializing_if = "Margins::is_empty")]
    pub floor: Margins,
    /// The budget whose losses reports predict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrapolate: Option<Extrapolate>,
}

/// The cells that differ in their seed only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub game: GameKind,
    /// Its name within its game, e.g. `shaw`, from the settings in which rows differ.
    pub label: String,
    /// The name that the experiment gives it instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub folder: String,
    pub role: Role,
    /// The folder of its reference, if its game has several; a reference names itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Whether the experiment names contrasts that do not include this row.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exploratory: bool,
    pub mask: Mask,
    pub network: NetworkFacts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<MatchedTo>,
    /// Its values of the settings in which rows differ, by dotted names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub axes: BTreeMap<String, String>,
}

impl Row {
    /// The number of training steps of its cells, if rows differ in them.
    pub fn steps(&self) -> Option<u64> {
        self.axes.get("train.steps")?.parse().ok()
    }

    /// Its name in tables and figures.
    pub fn display_name(&self) -> &str {
        self.name.as_ref().unwrap_or(&self.label)
    }

    /// Its name among the rows of all games: `chess Shaw q,k`, or its folder without the hash.
    pub fn display_name_with_game(&self) -> String {
        let of_folder = || self.folder.rsplit_once('-').map_or(&self.folder[..], |(label, _)| label).to_owned();
        self.name.as_ref().map_or_else(of_folder, |name| format!("{} {name}", self.game.name()))
    }

    pub fn is_compared_with(&self, other: &Self) -> bool {
        let is_own = self.reference.as_ref().is_none_or(|folder| *folder == other.folder);
        other.role == Role::Reference && other.game == self.game && is_own
    }
}

/// The goal of a matched control, and how closely the control matches it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchedTo {
    pub quantity: Quantity,
    /// The folder of the matched row.
    pub goal: String,
    /// Its count divided by that row's; `None` for step times, which are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// The file that lists the hashes of a bundle, beside its plan.
const SUMS: &str = "BLAKE3SUMS";

impl Plan {
    /// The plan of a run folder; an unpacked bundle, whose cells are elsewhere, is refused.
    pub fn of_run_folder(run_dir: &Path) -> Result<Self, UserError> {
        if run_dir.join(SUMS).is_file() {
            let message = format!("{} is an unpacked bundle, not a run folder", run_dir.display());
            return Err(UserError::new(message, "`posenc report` prints it; `posenc run FILE --from` continues it"));
        }
        Self::read(run_dir)
    }

    /// Reads and checks the plan of a run folder or bundle.
    pub fn read(run_dir: &Path) -> Result<Self, UserError> {
        let path = run_dir.join(FILE);
        let text = files::read(&path).map_err(|cause| match cause.kind() {
            _ if run_dir.is_file() => not_a_folder(run_dir),
            io::ErrorKind::NotFound if run_dir.join(TRIALS).join(FILE).is_file() => only_trials(run_dir),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => UserError::new(
                match run_dir.is_dir() {
                    true => format!("{} holds no {FILE}, so it is not an experiment's run folder", run_dir.display()),
                    false => format!("there is no folder {}", run_dir.display()),
                },
                "give the folder that `posenc run` made, runs/NAME",
            ),
            _ => UserError::new(
                format!("cannot read {}: {cause}", path.display()),
                "correct it, or let `posenc run` with the experiment's file write it again",
            ),
        })?;
        Self::parse(&text, &path)
    }

    /// Reads and checks the text of a plan; `path` names it in errors.
    pub fn parse(text: &[u8], path: &Path) -> Result<Self, UserError> {
        let path = path.display();
        let plan: Self = serde_json::from_slice(text).map_err(|cause| {
            let help = "`posenc run` with the experiment's file writes it again";
            UserError::new(format!("{path} is damaged: {cause}"), help)
        })?;
        if plan.format != FORMAT {
            let message = format!("{path} has format {}, this program reads {FORMAT}", plan.format);
            return Err(UserError::new(message, "use the version of posenc that wrote it"));
        }
        let Some(reason) = plan.fault() else { return Ok(plan) };
        let message = format!("{path} is refused: {reason}");
        let help = "get it again from its source, or let `posenc run` with the experiment's file write it again";
        Err(UserError::new(message, help))
    }

    fn fault(&self) -> Option<String> {
        let (rows, seeds) = (self.rows.len(), self.seeds.len());
        if rows.max(1).saturating_mul(seeds.max(1)) > MOST_CELLS || self.interactions.len() > MOST_CELLS {
            let interactions = self.interactions.len();
            return Some(format!(
                "{rows} rows with {seeds} seeds and {interactions} interactions are more than {MOST_CELLS}"
            ));
        }
        if !is_experiment(&self.experiment) {
            return Some(format!("the experiment's name {} must have {RULE}", shown(&self.experiment)));
        }
        let folders = self.rows.iter().map(|row| &row.folder);
        let goals = self.rows.iter().filter_map(|row| row.matched.as_ref()).map(|matched| &matched.goal);
        let compared = self.interactions.iter().flat_map(|one| one.rows.as_flattened());
        if let Some(name) = folders.clone().chain(goals).chain(compared).find(|name| !is_plain(name)) {
            return Some(format!("{} must be the plain name of a row's folder", shown(name)));
        }
        if let Some(folder) = repeated(folders) {
            return Some(format!("two rows have the folder {folder}"));
        }
        repeated(&self.seeds).map(|seed| format!("the seed {seed} is listed twice"))
    }

    /// Writes the plan into an existing run folder, unless it is unchanged.
    pub fn write(&self, run_dir: &Path) -> io::Result<()> {
        let (text, path) = (files::json(self)?, run_dir.join(FILE));
        if std::fs::read(&path).is_ok_and(|old| old == text) { Ok(()) } else { atomic::replace(&path, &text) }
    }

    /// The folder of a row's cell, inside of the run folder whatever the name of the row's folder.
    pub fn cell_dir(run_dir: &Path, row: &Row, seed: u64) -> PathBuf {
        let name = Path::new(&row.folder).file_name().unwrap_or_default();
        run_dir.join(name).join(format!("seed-{seed}"))
    }

    /// Rows, seeds and folders of all cells, in the order in which they run: all rows of the first seed first.
    pub fn cells(&self, run_dir: &Path) -> impl Iterator<Item = (&Row, u64, PathBuf)> {
        self.seeds
            .iter()
            .flat_map(move |&seed| self.rows.iter().map(move |row| (row, seed, Self::cell_dir(run_dir, row, seed))))
    }

    /// The games, in the order of their first rows.
    pub fn games(&self) -> Vec<GameKind> {
        distinct(self.rows.iter().map(|row| row.game))
    }
}

fn not_a_folder(file: &Path) -> UserError {
    let path = file.display();
    if path.to_string().ends_with(".tar.zst") {
        let help = format!("`posenc report {path}` prints it; `posenc run EXPERIMENT --from {path}` continues it");
        return UserError::new(format!("{path} is a bundle, not a run folder"), help);
    }
    UserError::new(format!("{path} is a file, not a run folder"), "give the folder that `posenc run` made, runs/NAME")
}

fn only_trials(run_dir: &Path) -> UserError {
    let run_dir = run_dir.display();
    let help = format!(
        "`posenc run` finishes them; {run_dir}/{TRIALS} is their run folder, for `report` and `publish --partial`"
    );
    UserError::new(format!("{run_dir} holds no cells yet, because its trials have not ended"), help)
}

/// The run folder, or that of the trials if the rows of a tuned experiment have not begun.
pub fn stage(run_dir: &Path) -> PathBuf {
    let trials = run_dir.join(TRIALS);
    let is_grid = |folder: &Path| folder.join(FILE).is_file();
    if !is_grid(run_dir) && is_grid(&trials) { trials } else { run_dir.to_owned() }
}

/// Whether this is the name of an experiment, alone or followed by the folder of its trials.
fn is_experiment(name: &str) -> bool {
    match name.split_once('/') {
        None => is_run_name(name),
        Some((own, folder)) => is_run_name(own) && folder == TRIALS,
    }
}

fn repeated<T: Eq + Hash + Copy>(all: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = HashSet::new();
    all.into_iter().find(|&one| !seen.insert(one))
}

/// An untrusted name, escaped and shortened for a message.
fn shown(name: &str) -> String {
    const LONGEST: usize = 100;
    format!("{:?}", name.chars().take(LONGEST).collect::<String>())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::{Value, json};

    pub(crate) fn row(folder: &str) -> Value {
        json!({
            "game": "chess", "label": "shaw", "folder": folder, "role": "compared", "mask": "train",
            "network": {"trunk": 1, "heads": 1, "encoding": 1, "injection_points": "", "position_sources": []},
        })
    }

    fn plan() -> Value {
        json!({
            "format": FORMAT, "experiment": "by-hand", "primary": {"metric": "policy_loss", "weights": "raw"},
            "seeds": [0, 1], "rows": [row("chess-shaw-a"), row("chess-rope-b")],
        })
    }

    #[test]
    fn a_bundle_is_no_run_folder_and_neither_are_trials_without_cells() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(FILE), plan().to_string()).expect("a plan");
        assert!(Plan::of_run_folder(dir.path()).is_ok());
        std::fs::write(dir.path().join(SUMS), "").expect("a list");
        assert!(Plan::read(dir.path()).is_ok());
        let trials = dir.path().join(TRIALS);
        std::fs::create_dir(&trials).expect("a folder");
        std::fs::rename(dir.path().join(FILE), trials.join(FILE)).expect("a plan of trials");
        assert!(Plan::read(&trials).is_ok());
        let error = Plan::read(dir.path()).unwrap_err().to_string();
        assert!(
            error.contains("its trials have not ended") && error.contains("/tuning is their run folder"),
            "{error}"
        );
        std::fs::rename(trials.join(FILE), dir.path().join(FILE)).expect("a plan of cells");
        let error = Plan::of_run_folder(dir.path()).unwrap_err().to_string();
        assert!(error.contains("is an unpacked bundle") && error.contains("posenc report"), "{error}");
        for (name, parts) in [
            ("x.tar.zst", [" is a bundle, not a run folder; `posenc report ", "x.tar.zst` continues it"]),
            ("x.yaml", [" is a file, not a run folder; ", "runs/NAME"]),
        ] {
            let file = dir.path().join(name);
            std::fs::write(&file, "").expect("a file");
            let error = Plan::of_run_folder(&file).unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        }
    }

    #[track_caller]
    fn refused(change: impl FnOnce(&mut Value), reason: &str) {
        let mut plan = plan();
        change(&mut plan);
        let error = Plan::parse(plan.to_string().as_bytes(), Path::new("x/grid.json")).unwrap_err().to_string();
        assert!(error.starts_with("x/grid.json is refused: ") && error.contains(reason), "{error}");
    }

    #[test]
    fn a_plan_that_leads_out_of_its_folder_is_refused() {
        let good = Plan::parse(plan().to_string().as_bytes(), Path::new("x")).unwrap();
        let mut trials = plan();
        trials["experiment"] = json!("by-hand/tuning");
        assert!(Plan::parse(trials.to_string().as_bytes(), Path::new("x")).is_ok());
        for name in ["../victim", "/abs", "", ".", "..", "a/b", "a/../tuning", "a/tuning/x", "a\0", &"x".repeat(500)] {
            refused(|plan| plan["experiment"] = json!(name), "the experiment's name");
        }
        for name in ["../x", "/abs/x", "", ".", "..", "a/b", "a\0b", "a\x1b[2J", &"x".repeat(500)] {
            refused(|plan| plan["rows"][1]["folder"] = json!(name), "the plain name of a row's folder");
            let goal = json!({"quantity": "params", "goal": name});
            refused(|plan| plan["rows"][1]["matched"] = goal, "the plain name of a row's folder");
            let interaction =
                json!({"game": "chess", "gap": ["", ""], "by": ["", ""], "rows": [["a", "b"], ["c", name]]});
            refused(|plan| plan["interactions"] = json!([interaction]), "the plain name of a row's folder");
            // A row that was not read cannot lead elsewhere either.
            let row = Row { folder: name.to_owned(), ..good.rows[0].clone() };
            let dir = Plan::cell_dir(Path::new("runs/x"), &row, 0);
            let inside = dir.strip_prefix("runs/x").unwrap();
            assert!(inside.components().all(|part| matches!(part, std::path::Component::Normal(_))), "{dir:?}");
        }
    }

    #[test]
    fn a_plan_has_nothing_twice_and_a_limited_number_of_cells() {
        refused(|plan| plan["rows"][1]["folder"] = json!("chess-shaw-a"), "two rows have the folder chess-shaw-a");
        refused(|plan| plan["seeds"] = json!([0, 1, 0]), "the seed 0 is listed twice");
        let many: Vec<u64> = (0..MOST_CELLS as u64).collect();
        refused(|plan| plan["seeds"] = json!(many), "are more than");
        let more: Vec<usize> = (0..=MOST_CELLS).collect();
        refused(|plan| (plan["rows"], plan["seeds"]) = (json!([]), json!(more)), "0 rows with 100001 seeds");
    }
}
