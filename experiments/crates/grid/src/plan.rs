//! The plan of an experiment, the content of `grid.json`.

use config::{Experiment, Matched, Primary, ReadAt, Role};
use records::folder::hash_of;
use records::plan::{FORMAT, MatchedTo, Plan, Row};
use records::{Axes, CellState, UserError};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// The plan of an experiment. A smoke run's cells end before any step at which the primary metric could be read.
pub fn plan(experiment: &Experiment, smoke: bool) -> Plan {
    let at = if smoke { ReadAt::Last } else { experiment.primary.at };
    Plan {
        format: FORMAT,
        experiment: experiment.name.clone(),
        question: experiment.question.clone(),
        expect: experiment.expect.clone(),
        smoke,
        primary: Primary { at, ..experiment.primary.clone() },
        seeds: experiment.seeds.clone(),
        rows: rows(experiment),
        interactions: experiment.interactions.clone(),
        equivalent_within: experiment.equivalent_within.clone(),
        late_margin: false,
        late_comparisons: false,
        floor: experiment.floor.clone(),
        extrapolate: experiment.extrapolate,
    }
}

/// Whether a margin of a plan was written or changed after a cell had finished in its run folder. A late margin stays late.
pub(super) fn margin_is_late(plan: &Plan, run_dir: &Path) -> bool {
    if plan.equivalent_within.is_empty() {
        return false;
    }
    let before = Plan::read(run_dir).ok().filter(|before| before.equivalent_within == plan.equivalent_within);
    let has_finished = || plan.cells(run_dir).any(|(_, _, cell)| CellState::of(&cell) == CellState::Done);
    before.map_or_else(has_finished, |before| before.late_margin)
}

/// Whether what decides verdicts was changed in view of results: the primary metric when a cell had finished, a comparison of which
/// both rows had finished cells, or the seeds, to which some were added when all had ended. It stays so.
pub(super) fn comparisons_are_late(plan: &Plan, run_dir: &Path) -> bool {
    let Ok(before) = Plan::read(run_dir) else { return false };
    let states =
        |row: &Row| before.seeds.iter().map(|&seed| CellState::of(&Plan::cell_dir(run_dir, row, seed))).collect();
    let states: Vec<Vec<CellState>> = before.rows.iter().map(states).collect();
    let finished: HashSet<&str> = (before.rows.iter().zip(&states))
        .filter(|(_, states)| states.contains(&CellState::Done))
        .map(|(row, _)| hash_of(&row.folder))
        .collect();
    let comparisons = |plan: &Plan| -> HashSet<[String; 2]> {
        let planned = plan.rows.iter().filter(|row| row.role == Role::Compared && !row.exploratory);
        let both = |row: &Row| {
            let reference = plan.rows.iter().find(|other| row.is_compared_with(other))?;
            Some([&row.folder, &reference.folder].map(|folder| hash_of(folder).to_owned()))
        };
        planned.filter_map(both).collect()
    };
    let now = comparisons(plan);
    let is_lost = |own: &[String; 2]| own.iter().all(|hash| finished.contains(&hash[..])) && !now.contains(own);
    let metric = |plan: &Plan| (plan.primary.metric.clone(), plan.primary.at, plan.primary.weights);
    let is_changed =
        !finished.is_empty() && metric(plan) != metric(&before) || comparisons(&before).iter().any(is_lost);
    let has_more_seeds = plan.seeds.iter().any(|seed| !before.seeds.contains(seed));
    let have_ended = || states.iter().flatten().all(CellState::has_ended);
    before.late_comparisons || is_changed || (has_more_seeds && have_ended())
}

/// Refuses a plan that lacks finished cells of the plan in the run folder: reports and `posenc status` show the cells of
/// the plan only. Rows are identified by their hash: under another label a row keeps its cells.
pub(super) fn refuse_dropped(run_dir: &Path, new: &Plan) -> Result<(), UserError> {
    let Ok(old) = Plan::read(run_dir) else { return Ok(()) };
    let hashes: HashSet<&str> = new.rows.iter().map(|row| hash_of(&row.folder)).collect();
    let is_dropped = |row: &Row, seed: u64| {
        let stays = hashes.contains(hash_of(&row.folder)) && new.seeds.contains(&seed);
        !stays && CellState::of(&Plan::cell_dir(run_dir, row, seed)) == CellState::Done
    };
    let count = |row: &Row| old.seeds.iter().filter(|&&seed| is_dropped(row, seed)).count();
    let rows = old.rows.iter().map(|row| (&row.folder[..], count(row)));
    let rows: Vec<(&str, usize)> = rows.filter(|&(_, cells)| cells > 0).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let cells: usize = rows.iter().map(|(_, cells)| cells).sum();
    let first: Vec<&str> = rows.iter().take(SHOWN).map(|&(folder, _)| folder).collect();
    let more = match rows.len().saturating_sub(SHOWN) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let message = format!(
        "{} has {cells} finished cells that the new plan lacks ({}{more}): the file or the version of posenc has changed",
        run_dir.display(),
        first.join(", ")
    );
    let help = "to keep both, give the file another `name` or name another folder with --out; to take these cells out of \
                the plan, add --replace (their files stay)";
    Err(UserError::new(message, help))
}

const SHOWN: usize = 3;

/// The rows of the plan, with their values of the settings in which they differ.
fn rows(experiment: &Experiment) -> Vec<Row> {
    let mut rows: Vec<Row> = experiment.rows.iter().map(|own| row(own, &experiment.rows)).collect();
    let run = |own: &config::Row| {
        let mut run = own.run.clone();
        // A plan is published and names no folder.
        if let Some(start) = &mut run.train.start {
            let file = start.file_mut();
            *file = file.file_name().unwrap_or_default().into();
        }
        run.to_json()
    };
    let runs: Vec<Value> = experiment.rows.iter().map(run).collect();
    let axes = Axes::of(rows.iter().zip(&runs));
    let several_games = rows.iter().any(|row| row.game != rows[0].game);
    for row in &mut rows {
        row.axes = axes.names().iter().cloned().zip(axes.values(row)).collect();
        if several_games {
            row.axes.insert("game".to_owned(), row.game.name().to_owned());
        }
    }
    rows
}

/// A row of the plan; `all` are those of the experiment.
fn row(row: &config::Row, all: &[config::Row]) -> Row {
    let reference = |other: &&config::Row| row.is_compared_with(other);
    let matched_to = |matched: &Matched| MatchedTo {
        quantity: matched.quantity,
        goal: matched.goal_folder.clone(),
        ratio: matched.ratio(),
    };
    Row {
        game: row.run.game,
        label: row.name.clone(),
        name: row.custom_name.clone(),
        folder: row.folder(),
        role: row.role,
        reference: row.reference.as_ref().and_then(|_| all.iter().find(reference)).map(config::Row::folder),
        exploratory: row.exploratory,
        mask: row.run.train.mask,
        network: row.cost.facts.clone(),
        matched: row.matched.as_ref().map(matched_to),
        axes: BTreeMap::new(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use records::Status;
    use records::status::State;
    use serde_json::json;

    pub(crate) fn plan(rows: &[&str]) -> Plan {
        let row = |folder: &&str| {
            json!({
                "game": "chess", "label": folder, "folder": folder, "role": "compared", "mask": "train",
                "network": {"trunk": 1, "heads": 1, "encoding": 1, "injection_points": "", "position_sources": []},
            })
        };
        serde_json::from_value(json!({
            "format": FORMAT, "experiment": "x", "primary": {"metric": "policy_loss", "weights": "raw"},
            "seeds": [0, 1, 2], "rows": rows.iter().map(row).collect::<Vec<_>>(),
        }))
        .expect("a plan")
    }

    fn finish(run_dir: &Path, rows: &[Row], seed: u64) {
        for row in rows {
            let cell = Plan::cell_dir(run_dir, row, seed);
            std::fs::create_dir_all(&cell).expect("a folder");
            Status::new(State::Done, 1, 1).write(&cell).expect("written");
        }
    }

    #[test]
    fn comparisons_that_are_changed_in_view_of_results_are_late() {
        let dir = tempfile::tempdir().expect("a folder");
        let (run_dir, mut own) = (dir.path(), plan(&["shaw"]));
        let row = |folder: &str, role: Role| Row { folder: folder.to_owned(), role, ..own.rows[0].clone() };
        own.rows =
            vec![row("absolute-0", Role::Reference), row("shaw-1", Role::Compared), row("rope-2", Role::Compared)];
        own.seeds = vec![0, 1];
        let changed = |change: fn(&mut Plan)| {
            let mut other = own.clone();
            change(&mut other);
            comparisons_are_late(&other, run_dir)
        };
        let metric = |plan: &mut Plan| plan.primary.metric = "policy_accuracy".to_owned();
        let exploratory = |plan: &mut Plan| plan.rows[1].exploratory = true;
        let reference = |plan: &mut Plan| {
            plan.rows.iter_mut().take(2).for_each(|row| {
                row.role = if row.role == Role::Reference { Role::Compared } else { Role::Reference };
            })
        };
        let retuned = |plan: &mut Plan| plan.rows[2].folder = "rope-3".to_owned();
        let another = |plan: &mut Plan| plan.rows.push(Row { folder: "alibi-4".to_owned(), ..plan.rows[1].clone() });
        let seeds = |plan: &mut Plan| plan.seeds.push(2);
        let all: [fn(&mut Plan); 6] = [metric, exploratory, reference, retuned, another, seeds];
        own.write(run_dir).expect("written");
        assert_eq!(all.map(changed), [false; 6], "nothing has finished");
        finish(run_dir, &own.rows[..2], 0);
        assert_eq!(all.map(changed), [true, true, true, false, false, false], "a row without a cell may be tuned");
        finish(run_dir, &own.rows, 0);
        finish(run_dir, &own.rows, 1);
        assert_eq!(all.map(changed), [true, true, true, true, false, true]);
        Plan { late_comparisons: true, ..own.clone() }.write(run_dir).expect("written");
        assert!(changed(|_| ()), "it stays so");
    }

    #[test]
    fn a_margin_that_is_written_after_a_cell_has_finished_is_late_and_stays_late() {
        let dir = tempfile::tempdir().expect("a folder");
        let run_dir = dir.path();
        let within = |margins: Value| Plan {
            equivalent_within: serde_json::from_value(margins).expect("margins"),
            ..plan(&["shaw"])
        };
        let [none, mut margin] = [json!({}), json!({"policy_loss": 0.02})].map(within);
        assert!(!margin_is_late(&margin, run_dir), "nothing has finished");
        margin.write(run_dir).expect("written");
        finish(run_dir, &margin.rows, 0);
        assert!(!margin_is_late(&margin, run_dir), "it was there before");
        assert!(margin_is_late(&within(json!({"policy_loss": 0.05})), run_dir), "another one was");
        none.write(run_dir).expect("written");
        assert!(margin_is_late(&margin, run_dir) && !margin_is_late(&none, run_dir));
        margin.late_margin = true;
        margin.write(run_dir).expect("written");
        assert!(margin_is_late(&within(json!({"policy_loss": 0.02})), run_dir), "the next run changes nothing");
    }
}
