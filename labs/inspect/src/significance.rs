//! From tests of single heads to names: corrected for the number of heads, and compared with random weights.

use super::displacement::Profile;
use super::permutation::{Explained, Test};
use records::inspected::{HeadRecord, Movement, Occupant, RelationRecord, Signal};
use report::statistics::{Holm, holm};

#[derive(Debug, Clone, PartialEq)]
pub struct Tested {
    pub layer: usize,
    pub head: usize,
    pub signal: Signal,
    /// The requested piece; without one, all pairs of squares.
    pub occupant: Option<Occupant>,
    pub profile: Profile,
    pub test: Test,
}

/// How many permutations a test needs so that p can be below `alpha` in a family of `heads`.
pub fn permutations(heads: usize, alpha: f64) -> usize {
    const USUAL: usize = 9_999;
    USUAL.max((2.0 * heads as f64 / alpha).ceil() as usize)
}

/// How many controls there must be for a p-value below `alpha`: even above all of them it is 1 of one more.
pub fn least_controls(alpha: f64) -> usize {
    (1.0 / alpha).floor() as usize
}

/// Names the heads of one network, or its heads and pieces. `controls` holds, for each network with random weights, the largest statistic of all
/// its heads and relations; comparing with it corrects for both.
///
/// Among relations with both p-values below `alpha`, a head is named after the one that explains most beyond distance.
/// Relations come first whose contrast beyond distance has the sign of their contrast with all other squares: a head that
/// looks at all neighbours but one is not named after that one. The king's neighbourhood, of which distance explains
/// everything, takes the relation's place if it fits better, each by itself: distance also explains a part of a gold
/// general's steps.
pub fn name(tested: &[Tested], alpha: f64, controls: &[f64]) -> Vec<HeadRecord> {
    let least = |one: &Tested| one.test.relations.iter().map(|found| found.p).fold(1.0, f64::min);
    let least: Vec<Option<f64>> = tested.iter().map(|one| Some(least(one))).collect();
    let factor = |(least, corrected): (&Option<f64>, Option<Holm>)| match (least, corrected) {
        (Some(least), Some(corrected)) => corrected.p / least,
        _ => 1.0,
    };
    let factors = least.iter().zip(holm(&least, alpha)).map(factor);
    tested.iter().zip(factors).map(|(one, factor)| record(one, factor, alpha, controls)).collect()
}

fn record(tested: &Tested, factor: f64, alpha: f64, controls: &[f64]) -> HeadRecord {
    let among_controls = |z: f64| {
        let as_large = controls.iter().filter(|&&largest| largest >= z.abs()).count();
        (as_large + 1) as f64 / (controls.len() + 1) as f64
    };
    let relations: Vec<RelationRecord> = tested
        .test
        .relations
        .iter()
        .map(|found| RelationRecord {
            relation: found.relation.name().to_owned(),
            share: found.share,
            fit: found.fit,
            z: found.z,
            p: (found.p * factor).min(1.0),
            p_control: (!controls.is_empty()).then(|| among_controls(found.z)),
        })
        .collect();
    let is_significant = |found: &RelationRecord| found.p < alpha && found.p_control.is_none_or(|p| p < alpha);
    let significant = relations.iter().zip(&tested.test.relations).filter(|(found, _)| is_significant(found));
    let (of_distance, directed): (Vec<_>, Vec<_>) = significant.partition(|(_, tested)| tested.relation.is_distance());
    let order = |a: &Explained, b: &Explained| a.agrees.cmp(&b.agrees).then(a.share.total_cmp(&b.share));
    let directed = directed.into_iter().max_by(|a, b| order(a.1, b.1));
    let movement = of_distance.into_iter().chain(directed).max_by(|a, b| a.0.fit.total_cmp(&b.0.fit));
    let movement = movement.map(|(found, _)| Movement { relation: found.relation.clone(), favours: found.z > 0.0 });
    HeadRecord {
        layer: tested.layer,
        head: tested.head,
        signal: tested.signal,
        occupant: tested.occupant.clone(),
        displacement_share: tested.profile.share,
        distance_share: tested.test.distance,
        movement,
        relations,
    }
}
