//! From combinations of settings to rows.

use super::expand::Combination;
use super::label::{Label, labels};
use super::opened_datasets::{Datasets, OpenedData};
use super::row::{Row, RowData};
use super::{identity, phase_steps, resolve};
use crate::settings::run::RunConfig;
use crate::settings::setting::Setting;
use crate::yaml::source::ConfigError;
use facts::{Role, distinct};
use std::collections::BTreeSet;

/// The rows of combinations, labelled by the settings in which they differ.
pub(crate) fn rows(combinations: &[Combination], datasets: &Datasets) -> Result<Vec<Row>, ConfigError> {
    let mut settings: Vec<Setting> = distinct(combinations.iter().flat_map(|row| row.point.settings()).cloned());
    settings.sort_by_key(Setting::rank);
    let named = combinations.iter().zip(labels(&combinations.iter().collect::<Vec<_>>(), &settings));
    named.map(|(combination, label)| row(combination, &label, datasets)).collect()
}

pub(crate) fn row(combination: &Combination, label: &Label, datasets: &Datasets) -> Result<Row, ConfigError> {
    let mut run = resolve::run(combination, datasets)?;
    let cost = resolve::cost(combination, &run)?;
    if cost.facts.encoding == 0 || run.train.freezes_encodings() {
        // A factor on the rate of no parameter that learns: the same run, whatever it is.
        run.train.encoding_rate = 1.0;
    }
    let opened = datasets.of(run.game);
    let OpenedData { manifest, positions, test, generate, .. } = opened;
    let rows = opened.rows(&[], run.plies()).map_err(|error| combination.refused(&["data"], error))?;
    // Hardly any generated position comes twice.
    let trained = generate.is_some().then(|| run.trained_positions());
    let ends = phase_steps::ends(&run, opened);
    let phase_ends = ends.map_err(|error| combination.refused(&["train", "phases"], error))?;
    let data = RowData {
        name: manifest.name.clone(),
        content_hash: manifest.identity(),
        test: test.as_ref().map(|test| test.set.clone()),
        train_positions: trained.unwrap_or(positions.train),
        train_rows: trained.unwrap_or(rows),
        validation_positions: positions.validation,
        test_positions: positions.test,
        phase_ends,
    };
    let hash = identity::hash(&run, &data.content());
    let (label, name) = (label.folder(), label.name());
    let role = Role::Compared;
    let (custom_name, reference, exploratory, matched) = (None, None, false, None);
    Ok(Row { label, name, custom_name, hash, run, cost, data, role, reference, exploratory, matched })
}

/// Adds the A/A control of each game's first reference.
pub(crate) fn add_twins(rows: &mut Vec<Row>) {
    let twin = |row: &Row| {
        let run = RunConfig { twin: true, ..row.run.clone() };
        let hash = identity::hash(&run, &row.data.content());
        Row {
            label: format!("{}-twin", row.label),
            name: format!("{}-twin", row.name),
            custom_name: row.custom_name.as_ref().map(|name| format!("{name}-twin")),
            hash,
            run,
            role: Role::Twin,
            ..row.clone()
        }
    };
    let mut games = BTreeSet::new();
    let references = rows.iter().filter(|row| row.role == Role::Reference && games.insert(row.run.game));
    let twins: Vec<Row> = references.map(twin).collect();
    rows.extend(twins);
}
