//! The plan of an experiment, the content of `grid.json`.

use config::{Experiment, Matched, Primary, ReadAt};
use records::CellState;
use records::plan::{FORMAT, MatchedTo, Plan, Row};
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
        rows: experiment.rows.iter().map(|own| row(own, &experiment.rows)).collect(),
        interactions: experiment.interactions.clone(),
        equivalent_within: experiment.equivalent_within.clone(),
        late_margin: false,
    }
}

/// Whether a plan has a margin that was written or changed when a cell had finished in its run folder. A margin that was
/// late stays late.
pub(super) fn margin_is_late(plan: &Plan, run_dir: &Path) -> bool {
    if plan.equivalent_within.is_empty() {
        return false;
    }
    let before = Plan::read(run_dir).ok().filter(|before| before.equivalent_within == plan.equivalent_within);
    before.map_or_else(|| has_finished(plan, run_dir), |before| before.late_margin)
}

fn has_finished(plan: &Plan, run_dir: &Path) -> bool {
    let mut cells =
        plan.rows.iter().flat_map(|row| plan.seeds.iter().map(move |&seed| Plan::cell_dir(run_dir, row, seed)));
    cells.any(|cell| CellState::of(&cell) == CellState::Done)
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
        folder: row.folder(),
        role: row.role,
        reference: row.reference.as_ref().and_then(|_| all.iter().find(reference)).map(config::Row::folder),
        exploratory: row.exploratory,
        mask: row.run.train.mask,
        network: row.shape.facts.clone(),
        matched: row.matched.as_ref().map(matched_to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::Status;
    use records::status::State;
    use serde_json::json;

    fn plan(margins: &serde_json::Value) -> Plan {
        serde_json::from_value(json!({
            "format": FORMAT, "experiment": "x", "primary": {"metric": "policy_loss", "weights": "raw"}, "seeds": [0],
            "rows": [{
                "game": "chess", "label": "shaw", "folder": "shaw", "role": "compared", "mask": "train",
                "network": {"trunk": 1, "heads": 1, "encoding": 1, "injection_points": "", "position_sources": []},
            }],
            "equivalent_within": margins,
        }))
        .expect("a plan")
    }

    #[test]
    fn a_margin_that_is_written_after_a_cell_has_finished_is_late_and_stays_late() {
        let dir = tempfile::tempdir().expect("a folder");
        let run_dir = dir.path();
        let [none, mut margin] = [json!({}), json!({"policy_loss": 0.02})].map(|margins| plan(&margins));
        assert!(!margin_is_late(&margin, run_dir), "nothing has finished");
        margin.write(run_dir).expect("written");
        let cell = Plan::cell_dir(run_dir, &margin.rows[0], 0);
        std::fs::create_dir_all(&cell).expect("a folder");
        Status::new(State::Done, 1, 1).write(&cell).expect("written");
        assert!(!margin_is_late(&margin, run_dir), "it was there before");
        assert!(margin_is_late(&plan(&json!({"policy_loss": 0.05})), run_dir), "another one was");
        none.write(run_dir).expect("written");
        assert!(margin_is_late(&margin, run_dir) && !margin_is_late(&none, run_dir));
        margin.late_margin = true;
        margin.write(run_dir).expect("written");
        assert!(margin_is_late(&plan(&json!({"policy_loss": 0.02})), run_dir), "the next run changes nothing");
    }
}
