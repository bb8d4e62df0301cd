//! The plan of an experiment, the content of `grid.json`.

use records::plan::{FORMAT, MatchedTo, Plan, Row};
use spec::{Experiment, Matched, Primary, ReadAt};

/// The plan of an experiment. A smoke run's cells end before any step at which the primary metric could be read.
#[must_use]
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
    }
}

/// A row of the plan; `all` are those of the experiment.
fn row(row: &spec::Row, all: &[spec::Row]) -> Row {
    let reference = |other: &&spec::Row| row.is_compared_with(other);
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
        reference: row.reference.as_ref().and_then(|_| all.iter().find(reference)).map(spec::Row::folder),
        exploratory: row.exploratory,
        mask: row.run.train.mask,
        network: row.shape.facts.clone(),
        matched: row.matched.as_ref().map(matched_to),
    }
}
