//! The same comparison at several numbers of steps, each with its own decay of the learning rate.

use super::files::RunFolder;
use super::model::PrimaryMetric;
use super::statistics::PairedTest;
use super::statistics::across::{RankCorrelation, rank_correlation};
use super::variants::{self, Variant};
use games::GameKind;
use records::plan::Role;

/// What may differ between a row at one budget and at another.
const SCHEDULE: [&str; 4] = ["train.steps", "train.learning_rate", "train.checkpoint_every", "eval.every"];

/// A game's comparison at several budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct Budgets {
    /// Optimiser steps, ascending.
    pub steps: Vec<u64>,
    /// The rows.
    pub rows: Vec<BudgetRow>,
    /// For each budget but the last: whether its order of rows is that of the last.
    pub ranks: Vec<Option<RankCorrelation>>,
}

/// One row at several budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetRow {
    /// What its labels have in common.
    pub label: String,
    /// At each budget, on test: row less the reference at the same budget, paired by seed.
    pub differences: Vec<Option<PairedTest>>,
}

/// The comparison at several budgets; none where the reference was trained for one number of steps only.
pub(super) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Option<Budgets> {
    let variants = variants::of(folder, game);
    let reference = variants.iter().find(|variant| variant.row.role == Role::Reference)?;
    let mut sets: Vec<Vec<&Variant<'_>>> = Vec::new();
    for variant in &variants {
        match sets.iter_mut().find(|set| set[0].but(&SCHEDULE) == variant.but(&SCHEDULE)) {
            Some(set) => set.push(variant),
            None => sets.push(vec![variant]),
        }
    }
    let of_reference = sets.iter().position(|set| set[0].but(&SCHEDULE) == reference.but(&SCHEDULE))?;
    let references = sets.remove(of_reference);
    let mut steps: Vec<u64> = references.iter().filter_map(|variant| steps_of(variant)).collect();
    steps.sort_unstable();
    // Rows of one budget that differ in their rate only are a sweep, and this is none.
    if steps.len() < 2 || steps.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let at = |set: &[&Variant<'_>], steps: u64| -> Option<Vec<f64>> {
        let find = |set: &[&Variant<'_>]| set.iter().find(|v| steps_of(v) == Some(steps)).map(|v| v.test(primary));
        Some(variants::pairs(&find(set)?, &find(&references)?))
    };
    let differences: Vec<Vec<Vec<f64>>> =
        sets.iter().map(|set| steps.iter().map(|&steps| at(set, steps).unwrap_or_default()).collect()).collect();
    let rows = sets.iter().zip(&differences).map(|(set, of_set)| BudgetRow {
        label: common(&set.iter().map(|variant| variant.row.label.as_str()).collect::<Vec<_>>()),
        differences: of_set.iter().map(|differences| PairedTest::of(differences)).collect(),
    });
    let last = steps.len() - 1;
    let ranks = (0..last).map(|budget| ranks(&differences, budget, last, folder.plan.seeds.len())).collect();
    Some(Budgets { rows: rows.collect(), steps, ranks })
}

fn steps_of(variant: &Variant<'_>) -> Option<u64> {
    variant.at("train.steps")?.as_u64()
}

/// Of the rows that have all seeds at both budgets, the reference among them.
fn ranks(differences: &[Vec<Vec<f64>>], one: usize, other: usize, seeds: usize) -> Option<RankCorrelation> {
    let complete: Vec<&Vec<Vec<f64>>> =
        differences.iter().filter(|row| row[one].len() == seeds && row[other].len() == seeds).collect();
    let of = |budget: usize| {
        let mut rows: Vec<Vec<f64>> = complete.iter().map(|row| row[budget].clone()).collect();
        rows.push(vec![0.0; seeds]);
        rows
    };
    rank_correlation(&of(one), &of(other), 0)
}

/// What labels begin with, up to a whole part: `shaw` of `shaw-160` and `shaw-640`.
fn common(labels: &[&str]) -> String {
    let parts: Vec<Vec<&str>> = labels.iter().map(|label| label.split('-').collect()).collect();
    let shared = |i: &usize| parts.iter().all(|part| part.get(*i).is_some() && part.get(*i) == parts[0].get(*i));
    let count = (0..parts.first().map_or(0, Vec::len)).take_while(shared).count();
    match (labels, count) {
        ([one], _) => (*one).to_owned(),
        (_, 0) => labels.join(" | "),
        _ => parts[0][..count].join("-"),
    }
}
