//! Which rows of a game are tied: pairwise equivalent, with the variance that verdicts have.

use crate::comparison::{ALPHA, Paired, RowCells, diverged};
use crate::no_verdict::Missing;
use crate::numbers::{decimals, fixed};
use crate::primary::PrimaryMetric;
use crate::sections::GameSource;
use crate::statistics::{Summary, holm, two_one_sided};
use crate::table::{ABSENT, Table};
use facts::Role;
use facts::metrics::Direction;
use facts::row_name::readable;

/// No more rows of a game are tested against each other: 780 pairs.
const MOST_ROWS: usize = 40;

/// The rows of a game tested against each other, the reference among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ties {
    /// The rows with a value of the primary metric, the best first; without A/A controls and exploratory rows.
    pub rows: Vec<TiedRow>,
    /// Every pair of them; none if there are too many rows.
    pub pairs: Vec<TiedPair>,
    /// The same with the rows that have no value yet, or never get one.
    planned: usize,
    /// How many pairs Holm's correction counts: the planned ones of all games.
    pub family: usize,
    /// Groups of two or more rows of which every pair is tied and to which no other row can be added, by their places
    /// among the rows. Every tied pair is in a group, and a row can be in several.
    pub groups: Vec<Vec<usize>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TiedRow {
    pub label: String,
    pub mean: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TiedPair {
    pub rows: [usize; 2],
    /// The larger p-value of the two one-sided tests; none if the pair could have no verdict, or if a seed diverged.
    pub p: Option<f64>,
    pub holm_p: Option<f64>,
}

impl Ties {
    /// The numbers of the groups that a row is in, from 1.
    pub fn groups_of(&self, label: &str) -> Vec<usize> {
        let has = |group: &Vec<usize>| group.iter().any(|&place| self.rows[place].label == label);
        (1..).zip(&self.groups).filter(|(_, group)| has(group)).map(|(number, _)| number).collect()
    }
}

/// The tests of all pairs of a game's rows, without a correction; none without a margin, in a smoke run and below two rows.
pub(crate) fn of(source: GameSource<'_>, lines: &[RowCells<'_>]) -> Option<Ties> {
    let GameSource { folder, primary, .. } = source;
    let margin = primary.margin.filter(|_| !folder.plan.smoke)?.size;
    let mean = |(_, cells): RowCells<'_>| {
        let values = cells.iter().filter_map(|cell| cell.result.as_ref()?.primary.metrics.get(&primary.name));
        Some(Summary::of(&values.collect::<Vec<_>>())?.mean)
    };
    let is_tested = |(row, _): &&RowCells<'_>| row.role != Role::Twin && !row.exploratory;
    let tested: Vec<RowCells<'_>> = lines.iter().filter(is_tested).copied().collect();
    if tested.len() < 2 {
        return None;
    }
    let planned = if tested.len() <= MOST_ROWS { tested.len() * (tested.len() - 1) / 2 } else { 0 };
    let mut ranked: Vec<(RowCells<'_>, f64)> = tested.iter().filter_map(|line| Some((*line, mean(*line)?))).collect();
    ranked.sort_by(|(_, a), (_, b)| match primary.direction {
        Direction::Higher => b.total_cmp(a),
        _ => a.total_cmp(b),
    });
    let all = if planned > 0 { ranked.len() } else { 0 };
    let pairs = (0..all).flat_map(|first| (first + 1..all).map(move |second| [first, second]));
    let pairs = pairs.map(|rows| {
        let p = p_of_pair(source, rows.map(|place| ranked[place].0), margin);
        TiedPair { rows, p, holm_p: None }
    });
    let pairs: Vec<TiedPair> = pairs.collect();
    let rows =
        ranked.iter().map(|((row, _), mean)| TiedRow { label: row.display_name().to_owned(), mean: *mean }).collect();
    Some(Ties { rows, pairs, planned, family: 0, groups: Vec::new() })
}

/// None under the conditions under which a row has no verdict against its reference.
fn p_of_pair(source: GameSource<'_>, [one, other]: [RowCells<'_>; 2], margin: f64) -> Option<f64> {
    let paired = Paired::of_rows(source, one, other);
    if diverged(one.1) + diverged(other.1) > 0 || paired.missing.iter().any(Missing::blocks_verdict) {
        return None;
    }
    Some(two_one_sided(&paired.decisive?, margin))
}

/// Corrects the pairs of all games together, and makes the groups.
pub(crate) fn correct<'a>(games: impl Iterator<Item = &'a mut Ties>) {
    let mut games: Vec<&mut Ties> = games.collect();
    let size: usize = games.iter().map(|ties| ties.planned).sum();
    let mut family: Vec<&mut TiedPair> = games.iter_mut().flat_map(|ties| &mut ties.pairs).collect();
    let mut p_values: Vec<_> = family.iter().map(|pair| pair.p).collect();
    p_values.resize(size, None);
    for (pair, corrected) in family.iter_mut().zip(holm(&p_values, ALPHA)) {
        pair.holm_p = corrected.map(|corrected| corrected.p);
    }
    for ties in games {
        ties.family = size;
        ties.groups = groups(ties.rows.len(), &ties.pairs);
    }
}

/// For each tied pair that is in no group yet, the pair and every further row, the best first, that is tied with all of
/// the group.
fn groups(rows: usize, pairs: &[TiedPair]) -> Vec<Vec<usize>> {
    let pairs = || pairs.iter().filter(|pair| pair.holm_p.is_some_and(|p| p < ALPHA)).map(|pair| pair.rows);
    let mut tied = vec![vec![false; rows]; rows];
    for [one, other] in pairs() {
        tied[one][other] = true;
        tied[other][one] = true;
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for pair in pairs() {
        if groups.iter().any(|group| pair.iter().all(|row| group.contains(row))) {
            continue;
        }
        let mut group = pair.to_vec();
        for (row, with) in tied.iter().enumerate() {
            if group.iter().all(|&member| with[member]) {
                group.push(row);
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

/// A line for each group of rows that are pairwise equivalent.
pub(crate) fn table(ties: Option<&Ties>, primary: &PrimaryMetric) -> Table {
    let ties = ties.filter(|ties| ties.rows.len() > 1);
    let (Some(ties), Some(margin), Some(within)) = (ties, primary.margin, primary.within()) else {
        return Table::default();
    };
    let line = |(number, group): (usize, &Vec<usize>)| {
        let all: Vec<&TiedRow> = group.iter().map(|&place| &ties.rows[place]).collect();
        let names: Vec<String> = all.iter().map(|row| readable(&row.label)).collect();
        let mean = |row: &&TiedRow| fixed(row.mean, decimals(margin.size));
        let ends = [all.first(), all.last()].map(|row| row.map_or_else(String::new, mean));
        vec![number.to_string(), names.join("; "), ends.join(" to ")]
    };
    let mut rows: Vec<Vec<String>> = (1..).zip(&ties.groups).map(line).collect();
    if rows.is_empty() {
        let why = if ties.planned == 0 { format!("not tested: more than {MOST_ROWS} rows") } else { "none".to_owned() };
        rows.push(vec![ABSENT.to_owned(), why, ABSENT.to_owned()]);
    }
    let notes = vec![format!(
        "rows are tied if each two of them are equivalent within {within}: two one-sided tests for every pair of rows, with \
         the variance of verdicts, Holm-corrected over the grid's {} pairs; that is stricter than the verdicts, which count \
         the comparisons with the reference only; a row can be in several groups; rows that are not tied need not differ",
        ties.family
    )];
    let name = &primary.name;
    Table::new(["group", "rows, the best first", name.as_str()], &[0, 1], rows)
        .titled(&format!("tied rows in {name}"))
        .noted(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_every_tied_pair_and_no_other() {
        let pair = |rows: [usize; 2]| TiedPair { rows, p: Some(0.01), holm_p: Some(0.01) };
        let apart = |rows: [usize; 2]| TiedPair { rows, p: Some(0.5), holm_p: Some(0.5) };
        assert!(groups(3, &[apart([0, 1]), apart([0, 2]), apart([1, 2])]).is_empty());
        // A chain whose ends differ: two groups.
        assert_eq!(groups(3, &[pair([0, 1]), apart([0, 2]), pair([1, 2])]), [[0, 1], [1, 2]]);
        // The ends are tied and the row between them, which varies more, is tied with the first only.
        assert_eq!(groups(3, &[pair([0, 1]), pair([0, 2]), apart([1, 2])]), [[0, 1], [0, 2]]);
        assert_eq!(groups(3, &[pair([0, 1]), pair([0, 2]), pair([1, 2])]), [[0, 1, 2]]);
    }
}
