//! What the heads of maps share: their loss and how they are measured.

use super::{HeadDeclaration, HeadName, Need};
use crate::examples::{Column, Target};
use crate::loss::MapTargets;
use crate::measure::Visit;
use crate::metric::{Direction, Lookup, Loss, Metric, loss};
use tch::Tensor;

const LOSS: Loss = loss!(
    "map" = 1.0,
    "nats",
    Target::MapCells,
    "Cross-entropy of the map's labels.",
    "cross-entropy of the map's labels, over labelled cells"
);

const fn share(name: &'static str, target: Target, description: &'static str) -> Metric {
    Metric::mean(name, "share", Direction::Higher, target, description)
}

const ACCURACY: Metric = share("map_accuracy", Target::MapCells, "labelled cells whose likeliest label is theirs");
const RECALL: Metric = share("map_recall", Target::MapCellsAboveZero, "the same of cells with another label than 0");
const SPECIFICITY: Metric = share("map_specificity", Target::MapCellsOfZero, "the same of cells with the label 0");
const BALANCED: Metric = share(
    "map_balanced_accuracy",
    Target::MapCells,
    "the mean of map_recall and map_specificity: guessing one label for all cells gives 0.5",
)
.derived(balanced);
const CELLS: Metric = Metric::count("map_cells", "cells", Target::MapCells, "labelled cells");

fn balanced(of: Lookup<'_>) -> Option<f64> {
    Some((of(RECALL.name)? + of(SPECIFICITY.name)?) / 2.0)
}

/// The declaration of a head that learns maps of one shape.
pub(super) const fn declaration(needs: &'static [Need], evaluate: fn(&mut Visit<'_>)) -> HeadDeclaration {
    HeadDeclaration {
        losses: &[LOSS],
        metrics: &[ACCURACY, RECALL, SPECIFICITY, BALANCED, CELLS],
        columns: &[Column::Map],
        needs,
        evaluate,
    }
}

/// Measures the answer of a head to a map of `cells`: by its losses `[b,cells]` and its likeliest labels `[b,cells]`, i64.
pub(super) fn evaluate(
    visit: &mut Visit<'_>,
    head: HeadName,
    cells: fn(&Tensor) -> i64,
    losses: fn(&Tensor, &MapTargets) -> Tensor,
    answers: fn(&Tensor) -> Tensor,
) {
    let Some(logits) = visit.output.get(head) else { return };
    let targets = visit.examples.map(cells(logits));
    visit.loss(&LOSS, || losses(logits, &targets));
    let MapTargets { label_bc, present_bc } = &targets;
    let right = || answers(logits).eq_tensor(label_bc).logical_and(present_bc);
    visit.value(&ACCURACY, right);
    visit.value(&RECALL, || right().logical_and(&label_bc.gt(0)));
    visit.value(&SPECIFICITY, || right().logical_and(&label_bc.eq(0)));
}
