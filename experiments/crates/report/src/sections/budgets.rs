//! The same comparison at several numbers of steps, each with its own decay of the learning rate.

use super::variants::{self, Variant};
use crate::numbers::{alone, of_ranks, of_test, or_absent};
use crate::primary::PrimaryMetric;
use crate::run_folder::RunFolder;
use crate::statistics::across::{RankCorrelation, rank_correlation};
use crate::statistics::{MeanTest, PairedTest, Summary};
use crate::table::{ROW, Table};
use facts::row_name::readable;
use facts::{Role, grouped};
use games::GameKind;
use std::iter::once;

#[derive(Debug, Clone, PartialEq)]
pub struct Budgets {
    pub steps: Vec<u64>,
    pub rows: Vec<BudgetRow>,
    /// For each budget but the last: whether its order of rows is that of the last.
    pub ranks: Vec<Option<RankCorrelation>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BudgetRow {
    pub label: String,
    /// At each budget, on test: row less the reference at the same budget, the mean over paired seeds.
    pub differences: Vec<Option<f64>>,
    /// The tests of them, from two pairs on.
    pub tests: Vec<Option<PairedTest>>,
}

/// The comparison at several budgets; none if the reference has one number of steps only.
pub(crate) fn of(folder: &RunFolder, game: GameKind, primary: &PrimaryMetric) -> Option<Budgets> {
    let variants = variants::of(folder, game);
    let is_reference = |variant: &&Variant<'_>| variant.row.role == Role::Reference;
    let sets = variants::curves(folder, &variants);
    let (references, sets): (Vec<_>, Vec<_>) = sets.into_iter().partition(|set| set.iter().any(is_reference));
    let mut steps: Vec<u64> = references.first()?.iter().filter_map(|variant| steps_of(variant)).collect();
    steps.sort_unstable();
    // Rows with equal numbers of steps that differ in their rate only are not budgets.
    if steps.len() < 2 || steps.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let at = |set: &[&Variant<'_>], steps: u64| -> Option<Vec<f64>> {
        let find = |set: &[&Variant<'_>]| set.iter().find(|v| steps_of(v) == Some(steps)).map(|v| v.test(primary));
        let own = |other: &&Variant<'_>| set[0].row.is_compared_with(other.row);
        let reference = references.iter().find(|others| others.iter().any(own))?;
        Some(variants::pairs(&find(set)?, &find(reference)?))
    };
    let differences: Vec<Vec<Vec<f64>>> =
        sets.iter().map(|set| steps.iter().map(|&steps| at(set, steps).unwrap_or_default()).collect()).collect();
    let rows = sets.iter().zip(&differences).map(|(set, of_set)| BudgetRow {
        label: common(&set.iter().map(|variant| variant.row.display_name()).collect::<Vec<_>>()),
        differences: of_set.iter().map(|differences| Some(Summary::of(differences)?.mean)).collect(),
        tests: of_set.iter().map(|differences| PairedTest::of(differences)).collect(),
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
    rank_correlation(&of(one), &of(other))
}

/// What labels have in common: the parts that are the same at the same place, `shaw, frozen` of `shaw, steps 160, frozen` and
/// `shaw, steps 640, frozen`, or the beginning up to a whole part, `shaw` of `shaw-160` and `shaw-640`.
pub(crate) fn common(labels: &[&str]) -> String {
    let parts: Vec<Vec<&str>> = labels.iter().map(|label| label.split(", ").collect()).collect();
    let first = labels.first().copied().unwrap_or_default();
    let of_all = |(place, part): &(usize, &str)| parts.iter().all(|others| others.get(*place) == Some(part));
    let shared: Vec<&str> = first.split(", ").enumerate().filter(of_all).map(|(_, part)| part).collect();
    if !shared.is_empty() && parts.iter().all(|others| others.len() == parts[0].len()) {
        return shared.join(", ");
    }
    let ends_a_part = |rest: &str| rest.is_empty() || rest.starts_with(['-', ',']);
    let mut ends = first.match_indices(['-', ',']).map(|(end, _)| end).chain([first.len()]);
    let begins = |end: &usize| labels.iter().all(|label| label.strip_prefix(&first[..*end]).is_some_and(ends_a_part));
    ends.rfind(begins).map_or_else(|| labels.join(" | "), |end| first[..end].to_owned())
}

pub(crate) fn table(budgets: &Budgets) -> Table {
    let header = once(ROW.to_owned()).chain(budgets.steps.iter().map(|&n| format!("{} steps", grouped(n))));
    let difference = |(mean, test): (&Option<f64>, &Option<PairedTest>)| match test {
        Some(test) => of_test(&MeanTest::from(*test)),
        None => or_absent(*mean, alone),
    };
    let cells = |row: &BudgetRow| row.differences.iter().zip(&row.tests).map(difference).collect::<Vec<_>>();
    let rows = budgets.rows.iter().map(|row| once(readable(&row.label)).chain(cells(row)).collect());
    let ranks = budgets.ranks.iter().zip(&budgets.steps).filter_map(|(ranks, &steps)| {
        Some(format!("order of the rows after {} steps and at the end: {}", grouped(steps), of_ranks(ranks.as_ref()?)))
    });
    Table::new(header, &[0], rows)
        .titled("budgets: differences on test to the reference with the same number of steps")
        .noted(["plain 95 % t-intervals, paired by seed, uncorrected"])
        .noted(ranks)
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn labels_have_in_common_what_all_have_at_the_same_place() {
        assert_eq!(common(&["shaw, steps 160, frozen", "shaw, steps 640, frozen"]), "shaw, frozen");
        assert_eq!(common(&["shaw, steps 160", "shaw, steps 640"]), "shaw");
        assert_eq!(common(&["shaw-160", "shaw-640"]), "shaw");
        assert_eq!(common(&["shaw, steps 160", "rope"]), "shaw, steps 160 | rope");
    }
}
