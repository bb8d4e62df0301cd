//! The plan of an experiment, the content of `grid.json`.

use records::plan::{Declared, FORMAT, Matched, Plan, Primary, Role, Row};
use spec::{Experiment, ReadAt};

/// The plan of an experiment. A smoke run's cells end before any step at which the primary metric could be read.
#[must_use]
pub fn plan(experiment: &Experiment, smoke: bool) -> Plan {
    let at = match experiment.primary.at {
        ReadAt::Step(step) if !smoke => Some(step),
        _ => None,
    };
    let primary = &experiment.primary;
    Plan {
        format: FORMAT,
        experiment: experiment.name.clone(),
        question: experiment.question.clone(),
        expect: experiment.expect.clone(),
        smoke,
        primary: Primary {
            metric: primary.metric.clone(),
            at,
            weights: primary.weights.name().to_owned(),
            difference: primary.difference,
        },
        seeds: experiment.seeds.clone(),
        rows: experiment.rows.iter().map(row).collect(),
        interactions: experiment.interactions.clone(),
    }
}

fn row(row: &spec::Row) -> Row {
    let game = row.run.game;
    let shape = &row.shape;
    Row {
        game,
        label: row.name.clone(),
        folder: row.folder(),
        role: match row.role {
            spec::Role::Candidate => Role::Compared,
            spec::Role::Reference => Role::Reference,
            spec::Role::Twin => Role::Twin,
        },
        mask: row.run.train.mask,
        network: Declared {
            trunk: shape.trunk,
            heads: shape.heads,
            encoding: shape.encoding,
            injection_points: shape.injection_points.clone(),
            position_sources: shape.position_sources.clone(),
        },
        matched: row.matched.as_ref().map(|matched| Matched {
            quantity: matched.quantity,
            goal: matched.goal_folder.clone(),
            ratio: matched.ratio(),
        }),
    }
}
