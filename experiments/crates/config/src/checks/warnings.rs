//! Warnings about an experiment that can run but may not answer its question.

use crate::rows::experiment::Experiment;
use crate::rows::row::Row;
use crate::settings::file::Accepted;
use facts::Role;

/// Pairs of seeds below which no verdict is given.
const SEEDS_FOR_A_VERDICT: usize = 3;

impl Experiment {
    /// What may disappoint its author, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.no_effect.clone();
        let seeds = self.seeds.len();
        if seeds < SEEDS_FOR_A_VERDICT && !self.accepts.contains(&Accepted::FewSeeds) {
            let give = if seeds == 1 { "seed gives" } else { "seeds give" };
            warnings
                .push(format!("{seeds} {give} no verdict: at least {SEEDS_FOR_A_VERDICT} complete pairs are needed"));
        }
        for game in self.games() {
            let is_own = |row: &&Row| row.role != Role::Twin && row.run.game == game;
            let rows: Vec<&Row> = self.rows.iter().filter(is_own).collect();
            let name = game.name();
            let repeats = rows.iter().find(|row| row.epochs() > 1.0);
            if let Some(row) = repeats.filter(|_| !self.accepts.contains(&Accepted::ManyEpochs)) {
                let (label, epochs) = (&row.label, row.epochs());
                warnings.push(format!(
                    "{name}: {label} sees the training split {epochs:.2} times; beyond 1 it may memorise"
                ));
            }
            if rows.len() < 2 {
                warnings.push(format!("{name}: there is one row only, so nothing is compared"));
            } else if rows.iter().all(|row| row.role == Role::Reference) {
                warnings.push(format!("{name}: every row is a reference, so nothing is compared"));
            }
            if let Some((row, boundary)) = rows.iter().find_map(|row| Some((row, unreached_boundary(row)?))) {
                let (label, steps) = (&row.label, row.run.train.steps);
                warnings.push(format!(
                    "{name}: {label} has {steps} steps, so its learning rate never changes at {boundary}"
                ));
            }
        }
        warnings
    }
}

/// The end of warm-up or a boundary of the schedule after the last step.
fn unreached_boundary(row: &Row) -> Option<u64> {
    let rate = &row.run.train.learning_rate;
    rate.changes().into_iter().chain([rate.warmup()]).find(|&step| step > row.run.train.steps)
}
