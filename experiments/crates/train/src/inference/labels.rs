//! A network on the labels of another dataset than its own.

use super::cell::Loaded;
use super::error::InferenceError;
use crate::evaluate::{Subject, evaluate};
use crate::setup::open_data;
use config::RunConfig;
use dataset::Split;
use records::Metrics;
use std::path::Path;
use std::sync::Arc;

/// What a network was measured to do on other labels.
#[derive(Debug)]
pub struct OtherLabels {
    /// Means over the positions, as the cell's own evaluation has them.
    pub metrics: Metrics,
    /// The positions that have a policy target.
    pub policy_targets: u64,
}

/// Evaluates the network on every test position of the dataset in `folder`.
///
/// # Errors
/// If the dataset cannot be opened, is of another game, lacks a target that the network trains on or has no test positions.
pub fn on_labels(cell: &Loaded, folder: &Path) -> Result<OtherLabels, InferenceError> {
    let config = RunConfig { data: folder.to_owned(), view: config::DataView::default(), ..cell.config.clone() };
    let dataset = Arc::new(open_data(&config)?);
    let subject = Subject { config: &config, network: &cell.network, dataset: &dataset, device: cell.arena.device() };
    let found = evaluate(subject, &cell.arena.frozen_views(), Split::Test, usize::MAX)?;
    let with_policy = |row: &&records::positions::PositionMetrics| row.values[0].is_some();
    let policy_targets = found.positions.iter().filter(with_policy).count() as u64;
    Ok(OtherLabels { metrics: found.metrics, policy_targets })
}
