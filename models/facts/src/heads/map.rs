//! Measures that the heads of maps share.

use crate::metric::{Lookup, Loss, Measures, Metric, Target, loss};

pub const LOSS: Loss = loss!(
    "map" = 1.0,
    "nats",
    Target::MapCells,
    "Cross-entropy of the map's labels.",
    "cross-entropy of the map's labels, over labelled cells"
);

pub const ACCURACY: Metric =
    Metric::share("map_accuracy", Target::MapCells, "labelled cells whose likeliest label is theirs");
pub const RECALL: Metric =
    Metric::share("map_recall", Target::MapCellsAboveZero, "the same of cells with another label than 0");
pub const SPECIFICITY: Metric =
    Metric::share("map_specificity", Target::MapCellsOfZero, "the same of cells with the label 0");
const BALANCED: Metric = Metric::share(
    "map_balanced_accuracy",
    Target::MapCells,
    "the mean of map_recall and map_specificity: the label 0 for all cells gives 0.5",
)
.derived(balanced);
const CELLS: Metric = Metric::count("map_cells", "cells", Target::MapCells, "labelled cells");

fn balanced(of: Lookup<'_>) -> Option<f64> {
    Some((of(RECALL.name)? + of(SPECIFICITY.name)?) / 2.0)
}

pub(super) const MEASURES: Measures =
    Measures { losses: &[LOSS], metrics: &[ACCURACY, RECALL, SPECIFICITY, BALANCED, CELLS] };
