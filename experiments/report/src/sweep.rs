//! Learning rates: chosen on validation, reported on test.

use super::files::RunFolder;
use super::model::PrimaryMetric;
use super::model::variants::{Chosen, Sweep};
use super::statistics::{PairedTest, Summary};
use super::variants::{self, Variant};
use games::GameKind;
use serde_json::Value;
use spec::Role;
use spec::metrics::Direction;

/// The path of the learning rate in a run.
const RATE: &str = "train.learning_rate";

/// The sweep of a game; none if no two rows differ in their learning rate only, or the metric has no better side.
pub(super) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Option<Sweep> {
    let better = match primary.direction {
        Direction::Lower => 1.0,
        Direction::Higher => -1.0,
        Direction::Neither => return None,
    };
    let variants = variants::of(folder, game);
    let sets = variants::sets(&variants, &[RATE]);
    if sets.iter().all(|set| set.len() < 2) {
        return None;
    }
    let seeds = folder.plan.seeds.len();
    let of_reference = sets.iter().find(|set| set.iter().any(|variant| variant.row.role == Role::Reference))?;
    let reference = best(of_reference, primary, better, seeds)?;
    let chosen = sets
        .iter()
        .filter_map(|set| {
            let winner = best(set, primary, better, seeds)?;
            let is_reference = winner.row.folder == reference.row.folder;
            let differences = variants::pairs(&winner.test(primary), &reference.test(primary));
            let difference = if is_reference { None } else { PairedTest::of(&differences) };
            Some(describe(winner, set, primary, difference))
        })
        .collect();
    Some(Sweep { reference: reference.row.label.clone(), chosen })
}

/// The variant that is best on validation, among those with all seeds done.
fn best<'a, 'b>(
    set: &[&'a Variant<'b>],
    primary: &PrimaryMetric,
    better: f64,
    seeds: usize,
) -> Option<&'a Variant<'b>> {
    let mean = |variant: &Variant<'_>| {
        let values: Vec<f64> = variant.validation(primary).into_values().collect();
        Summary::of(&values).filter(|summary| summary.n == seeds).map(|summary| better * summary.mean)
    };
    let judged = set.iter().filter_map(|variant| Some((*variant, mean(variant)?)));
    judged.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(variant, _)| variant)
}

fn describe(
    winner: &Variant<'_>,
    set: &[&Variant<'_>],
    primary: &PrimaryMetric,
    difference: Option<PairedTest>,
) -> Chosen {
    let over_seeds = |values: std::collections::BTreeMap<u64, f64>| {
        Summary::of(&values.into_values().collect::<Vec<_>>()).unwrap_or(Summary { n: 0, mean: f64::NAN, sd: None })
    };
    let own = peak(winner);
    let others = || set.iter().filter_map(|variant| peak(variant));
    let at_the_edge = own.is_some_and(|own| others().all(|peak| peak >= own) || others().all(|peak| peak <= own));
    Chosen {
        label: winner.row.label.clone(),
        tried: set.len(),
        rate: own.map_or_else(|| "?".to_owned(), |peak| format!("{peak:e}")),
        at_the_edge: set.len() > 1 && at_the_edge,
        validation: over_seeds(winner.validation(primary)),
        test: over_seeds(winner.test(primary)),
        difference,
    }
}

/// The highest rate of a schedule: a number, `{values: [rate, …]}` or `{cosine: {from: rate}}`.
fn peak(variant: &Variant<'_>) -> Option<f64> {
    let rate = variant.at(RATE)?;
    let list = rate.get("values").and_then(Value::as_array).into_iter().flatten();
    let cosine = rate.get("cosine").into_iter().flat_map(|cosine| ["from", "to"].map(|end| cosine.get(end)));
    let numbers = list.chain(cosine.flatten()).chain([rate]).filter_map(Value::as_f64);
    numbers.reduce(f64::max)
}
