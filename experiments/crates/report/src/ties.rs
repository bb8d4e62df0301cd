//! Which rows of a game are tied: pairwise equivalent, with the variance that verdicts have.

use super::files::RunFolder;
use super::model::comparison::{ALPHA, Missing};
use super::model::ties::{MOST_ROWS, TiedPair, TiedRow, Ties};
use super::model::{GameReport, PrimaryMetric};
use super::pairs::{Line, Paired, decisive, difference, diverged};
use super::positions::Positions;
use super::statistics::equivalence::two_one_sided;
use super::statistics::{Summary, holm};
use facts::Role;
use facts::metrics::Direction;

/// The tests of all pairs of a game's rows, without a correction; none without a margin, in a smoke run and below two rows.
pub(super) fn of(
    folder: &RunFolder,
    lines: &[Line<'_>],
    primary: &PrimaryMetric,
    positions: Option<&Positions>,
) -> Option<Ties> {
    let margin = primary.margin.filter(|_| !folder.plan.smoke)?.size;
    let tested = lines.iter().filter(|(row, _)| row.role != Role::Twin && !row.exploratory);
    let mut ranked: Vec<(Line<'_>, f64)> = tested.filter_map(|line| Some((*line, mean(*line, primary)?))).collect();
    ranked.sort_by(|(_, a), (_, b)| match primary.direction {
        Direction::Higher => b.total_cmp(a),
        _ => a.total_cmp(b),
    });
    if ranked.len() < 2 {
        return None;
    }
    let all = if ranked.len() <= MOST_ROWS { ranked.len() } else { 0 };
    let pairs = (0..all).flat_map(|first| (first + 1..all).map(move |second| [first, second]));
    let pairs = pairs.map(|rows| {
        let p = p_of_pair(rows.map(|place| ranked[place].0), margin, primary, positions);
        TiedPair { rows, p, holm_p: None }
    });
    let pairs: Vec<TiedPair> = pairs.collect();
    let rows = ranked.iter().map(|((row, _), mean)| TiedRow { label: row.label.clone(), mean: *mean }).collect();
    Some(Ties { rows, pairs, family: 0, groups: Vec::new() })
}

fn mean((_, cells): Line<'_>, primary: &PrimaryMetric) -> Option<f64> {
    let values = cells.iter().filter_map(|cell| cell.result.as_ref()?.primary.metrics.get(&primary.name));
    Some(Summary::of(&values.collect::<Vec<_>>())?.mean)
}

/// None under the conditions under which a row has no verdict against its reference.
fn p_of_pair(
    [one, other]: [Line<'_>; 2],
    margin: f64,
    primary: &PrimaryMetric,
    positions: Option<&Positions>,
) -> Option<f64> {
    let cells: Vec<_> = one.1.iter().zip(other.1).map(|(own, other)| [own, other]).collect();
    let Paired { differences, test, missing } =
        Paired::of(&cells, |[own, other]| difference(own, other, &primary.name), primary.direction);
    if diverged(one.1) + diverged(other.1) > 0 || missing.iter().any(Missing::rules_out_a_verdict) {
        return None;
    }
    let terms = [(&one.0.folder[..], 1.0), (&other.0.folder[..], -1.0)];
    let (test, _) = decisive(test, &differences, &terms, positions)?;
    Some(two_one_sided(&test, margin))
}

/// Corrects the pairs of all games together, and makes the groups.
pub(super) fn correct(games: &mut [GameReport]) {
    let all = games.iter_mut().filter_map(|game| game.ties.as_mut());
    let mut family: Vec<&mut TiedPair> = all.flat_map(|ties| &mut ties.pairs).collect();
    let p_values: Vec<_> = family.iter().map(|pair| pair.p).collect();
    let size = family.len();
    for (pair, corrected) in family.iter_mut().zip(holm(&p_values, ALPHA)) {
        pair.holm_p = corrected.map(|corrected| corrected.p);
    }
    for ties in games.iter_mut().filter_map(|game| game.ties.as_mut()) {
        ties.family = size;
        ties.groups = groups(ties.rows.len(), &ties.pairs);
    }
}

/// For each tied pair that is in no group yet, the pair and every further row, the best first, that is tied with all of
/// the group.
fn groups(rows: usize, pairs: &[TiedPair]) -> Vec<Vec<usize>> {
    let mut tied = vec![vec![false; rows]; rows];
    for [one, other] in pairs.iter().filter(|pair| pair.is_tied()).map(|pair| pair.rows) {
        tied[one][other] = true;
        tied[other][one] = true;
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.is_tied()).map(|pair| pair.rows) {
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
