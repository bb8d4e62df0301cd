//! Settings of training that never acted.

use super::files::CellRecord;
use super::statistics::Summary;
use facts::grouped;
use serde_json::Value;

/// Those of a row's cells, as words; `clipped` is the share of steps whose gradient was clipped, over finished seeds.
pub(super) fn of(cells: &[CellRecord], clipped: Option<&Summary>) -> Vec<String> {
    let Some(train) = cells.iter().find_map(|cell| cell.facts.as_ref()?.config.get("train")) else { return Vec::new() };
    let clip = train["clip"].as_f64().filter(|_| clipped.is_some_and(|share| share.mean == 0.0));
    let mut inactive: Vec<String> =
        clip.map(|clip| format!("`train.clip: {clip}` (no gradient was longer)")).into_iter().collect();
    let (rate, steps) = (&train["learning_rate"], train["steps"].as_u64());
    let unreached = |step: &Value| {
        let (step, steps) = (step.as_u64()?, steps?);
        (step >= steps).then(|| {
            let (step, steps) = (grouped(step), grouped(steps));
            format!("the boundary of `train.learning_rate` at step {step} (training ends at step {steps})")
        })
    };
    inactive.extend(rate["boundaries"].as_array().into_iter().flatten().filter_map(unreached));
    inactive
}
