//! Which relations a map over displacements follows, beyond distance, by a permutation test.
//!
//! **Question.** A head's value at each displacement is compared with the mean at the same distance (in king's moves).
//! The difference is the residual: the part that distance does not explain. A relation's share is the part of the map's
//! variance that the relation explains of the residuals.
//!
//! **Permutation.** Without a direction in the map, residuals at one distance are exchangeable. So they are permuted
//! within distances, and whatever function of the distance the map has, every permuted map has it too. The eight
//! displacements at distance 1 have only 28 arrangements of gold's six steps, too few for a small p. Residuals at the
//! distances up to [`NEAR`] are therefore permuted together; this assumes that they vary alike, where exchange within a
//! distance would not.
//!
//! **The neighbourhood of the king** is a whole distance: within it nothing can be exchanged. The question is whether the
//! values fall at its edge, so those at distances 1 and 2 are permuted together. A smooth decay falls there too; therefore
//! the neighbourhood is only eligible if the step from the neighbours to all others is [`KING_OF_DISTANCE`] of all that
//! distance explains.
//!
//! **Correction.** Each draw keeps the largest standardised statistic over all relations, so p is corrected for their
//! number (Westfall & Young 1993); [`super::significance`] corrects for the number of heads.
//!
//! **Draws.** A test ends before all its permutations if every relation was reached [`ENOUGH`] times: such a p-value is known
//! well enough, and it is not small (Besag & Clifford 1991).
//!
//! **Noise.** Where pairs of one displacement differ, a mean over few pairs is noisier than one over many. Residuals are
//! therefore divided by their standard error, with a variance between displacements and one within them.

use super::displacement::{Displacements, Profile};
use super::relation::{Relation, distance};
use streams::{Stream, shuffle};

/// Residuals at distances up to this one are permuted together.
pub const NEAR: usize = 3;

/// The share of what distance explains that the king's neighbourhood must explain by itself.
pub const KING_OF_DISTANCE: f64 = 0.8;

/// The p-value of a relation is known after this many permutations that reach its statistic.
pub const ENOUGH: usize = 200;

/// The first distance beyond the king's neighbourhood.
const BEYOND_STEP: usize = 2;

/// Two statistics closer than this are equal.
const TIE: f64 = 1e-9;

/// The share of a map that a relation explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explained {
    pub relation: Relation,
    /// The share of the map's variance that it explains beyond distance (the king's neighbourhood: by itself).
    pub share: f64,
    /// The share that it explains by itself, with what distance explains of it.
    pub fit: f64,
    /// Whether its displacements differ from all others in the direction of `z` without regard to distance too.
    pub agrees: bool,
    /// The standardised statistic: above 0 if its displacements have higher values. 0 if it is not eligible.
    pub z: f64,
    /// The p-value, corrected for the number of relations.
    pub p: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// The share of the map's variance that distance explains.
    pub distance: f64,
    pub relations: Vec<Explained>,
}

/// A contrast of residuals, and the strata within which they are permuted.
struct Contrast {
    relation: Relation,
    /// One number for each move.
    weights: Vec<f64>,
    observed: f64,
    mean: f64,
    sd: f64,
    share: f64,
    fit: f64,
    /// The contrast with all other displacements, whatever their distance.
    alone: f64,
    eligible: bool,
}

/// A map prepared for its test.
struct Prepared {
    /// Residuals after distance, each divided by its standard error up to a factor.
    residuals: Vec<f64>,
    /// The same with one mean for the distances on either side of the king's step.
    around_step: Vec<f64>,
    /// The places of moves that are permuted together.
    strata: Vec<Vec<usize>>,
    /// The places of moves on either side of the king's step.
    step: Vec<Vec<usize>>,
    contrasts: Vec<Contrast>,
    distance: f64,
}

/// Standardised statistics of a map without permutations, in the order of the relations.
pub fn statistics(board: &Displacements, profile: &Profile, relations: &[Relation]) -> Vec<f64> {
    let prepared = Prepared::of(board, profile, relations);
    prepared.contrasts.iter().map(|contrast| contrast.standardised(contrast.observed)).collect()
}

/// Tests a map with at most this many permutations from a stream.
pub fn test(
    board: &Displacements,
    profile: &Profile,
    relations: &[Relation],
    permutations: usize,
    stream: &mut Stream,
) -> Test {
    let mut prepared = Prepared::of(board, profile, relations);
    let z: Vec<f64> = prepared.contrasts.iter().map(|contrast| contrast.standardised(contrast.observed)).collect();
    let mut as_large = vec![0usize; z.len()];
    let mut draws = 0;
    while draws < permutations && as_large.iter().any(|&count| count < ENOUGH) {
        draws += 1;
        let largest = prepared.draw(stream);
        as_large.iter_mut().zip(&z).filter(|(_, z)| largest >= z.abs() - TIE).for_each(|(count, _)| *count += 1);
    }
    let explained = |((contrast, &z), &count): ((&Contrast, &f64), &usize)| Explained {
        relation: contrast.relation,
        share: contrast.share,
        fit: contrast.fit,
        agrees: z * contrast.alone > 0.0,
        z,
        p: (count + 1) as f64 / (draws + 1) as f64,
    };
    let relations = prepared.contrasts.iter().zip(&z).zip(&as_large).map(explained).collect();
    Test { distance: prepared.distance, relations }
}

impl Contrast {
    fn standardised(&self, statistic: f64) -> f64 {
        if self.eligible && self.sd > 0.0 { (statistic - self.mean) / self.sd } else { 0.0 }
    }
}

impl Prepared {
    fn of(board: &Displacements, profile: &Profile, relations: &[Relation]) -> Self {
        let moves: Vec<usize> = board.moves().filter(|&place| profile.pairs[place] > 0.0).collect();
        let values: Vec<f64> = moves.iter().map(|&place| profile.means[place]).collect();
        let distances: Vec<usize> = moves.iter().map(|&place| distance(board.steps[place])).collect();
        let pairs: Vec<f64> = moves.iter().map(|&place| profile.pairs[place]).collect();
        let precision = precisions(&values, &distances, &pairs, profile.within);
        let roots: Vec<f64> = precision.iter().map(|precision| precision.sqrt()).collect();
        let scaled = |off: Vec<f64>| -> Vec<f64> { off.iter().zip(&roots).map(|(off, root)| off * root).collect() };
        let one_group = vec![0; moves.len()];
        let residuals = scaled(off_means(&values, &distances, &precision));
        let centred = scaled(off_means(&values, &one_group, &precision));
        let total = squares(&centred);
        // Rounding errors of a map that distance explains are not a direction.
        let is_flat = squares(&residuals) <= TIE * TIE * total;
        let residuals = if is_flat { vec![0.0; residuals.len()] } else { residuals };
        let distance_share = if total > 0.0 { 1.0 - squares(&residuals) / total } else { 0.0 };
        let strata = strata(&distances);
        let sides: Vec<usize> = distances.iter().map(|&distance| usize::from(distance > BEYOND_STEP)).collect();
        let around_step = scaled(off_means(&values, &sides, &precision));
        let step = vec![(0..moves.len()).filter(|&place| sides[place] == 0).collect::<Vec<usize>>()];
        let contrast = |&relation: &Relation| {
            let inside = moves.iter().map(|&place| f64::from(u8::from(relation.contains(board.steps[place]))));
            let inside: Vec<f64> = inside.collect();
            let (groups, data, strata) = match relation.is_distance() {
                true => (&sides, &around_step, &step),
                false => (&distances, &residuals, &strata),
            };
            let weights = scaled(off_means(&inside, groups, &precision));
            let observed = dot(&weights, data);
            let (mean, sd) = moments(&weights, data, strata);
            let explained = |weights: &[f64], observed: f64| {
                let whole = total * squares(weights);
                if whole > 0.0 { observed * observed / whole } else { 0.0 }
            };
            let of_all = scaled(off_means(&inside, &one_group, &precision));
            let alone = dot(&of_all, &centred);
            let fit = explained(&of_all, alone);
            let share = if relation.is_distance() { fit } else { explained(&weights, observed) };
            let eligible = !relation.is_distance() || share >= KING_OF_DISTANCE * distance_share;
            Contrast { relation, weights, observed, mean, sd, share, fit, alone, eligible }
        };
        let contrasts = relations.iter().map(contrast).collect();
        Self { residuals, around_step, strata, step, contrasts, distance: distance_share }
    }

    /// The largest standardised statistic of a permuted map.
    fn draw(&mut self, stream: &mut Stream) -> f64 {
        permute(stream, &self.strata, &mut self.residuals);
        permute(stream, &self.step, &mut self.around_step);
        let statistic = |contrast: &Contrast| {
            let data = if contrast.relation.is_distance() { &self.around_step } else { &self.residuals };
            // A draw counts whether or not the map itself is eligible.
            if contrast.sd > 0.0 { ((dot(&contrast.weights, data) - contrast.mean) / contrast.sd).abs() } else { 0.0 }
        };
        self.contrasts.iter().map(statistic).fold(0.0, f64::max)
    }
}

fn permute(stream: &mut Stream, strata: &[Vec<usize>], values: &mut [f64]) {
    for stratum in strata {
        let mut permuted: Vec<f64> = stratum.iter().map(|&place| values[place]).collect();
        shuffle(stream, &mut permuted);
        stratum.iter().zip(permuted).for_each(|(&place, value)| values[place] = value);
    }
}

/// One over the variance of each value around the mean of its distance, by the method of moments: a part between
/// displacements, and a part within them that shrinks with the number of pairs.
fn precisions(values: &[f64], distances: &[usize], pairs: &[f64], within: f64) -> Vec<f64> {
    let equal = vec![1.0; values.len()];
    let off = off_means(values, distances, &equal);
    let freedom = values.len() - distances.iter().max().unwrap_or(&0);
    let spread = squares(&off) / freedom.max(1) as f64;
    let of_pairs = within * pairs.iter().map(|pairs| pairs.recip()).sum::<f64>() / pairs.len() as f64;
    let between = (spread - of_pairs).max(0.0);
    if between + within <= f64::MIN_POSITIVE {
        return equal;
    }
    // Relative to the variance of the best known value, so that weights are near 1.
    let variance = |pairs: &f64| between + within / pairs;
    let least = pairs.iter().map(variance).fold(f64::INFINITY, f64::min);
    pairs.iter().map(|pairs| least / variance(pairs)).collect()
}

/// Values less the weighted means of their groups.
fn off_means(values: &[f64], groups: &[usize], weights: &[f64]) -> Vec<f64> {
    let count = groups.iter().max().map_or(0, |last| last + 1);
    let (mut sums, mut totals) = (vec![0.0; count], vec![0.0; count]);
    for ((value, &group), weight) in values.iter().zip(groups).zip(weights) {
        sums[group] += value * weight;
        totals[group] += weight;
    }
    values.iter().zip(groups).map(|(value, &group)| value - sums[group] / totals[group]).collect()
}

/// The places at distances up to [`NEAR`], then those of each further distance.
fn strata(distances: &[usize]) -> Vec<Vec<usize>> {
    let farthest = distances.iter().copied().max().unwrap_or(0);
    let mut strata = vec![Vec::new(); farthest.saturating_sub(NEAR) + 1];
    distances.iter().enumerate().for_each(|(place, distance)| strata[distance.saturating_sub(NEAR)].push(place));
    strata
}

/// Mean and standard deviation of a contrast over all permutations within strata.
fn moments(weights: &[f64], data: &[f64], strata: &[Vec<usize>]) -> (f64, f64) {
    let (mut mean, mut variance) = (0.0, 0.0);
    for stratum in strata.iter().filter(|stratum| stratum.len() > 1) {
        let number = stratum.len() as f64;
        let part = |numbers: &[f64]| {
            let sum: f64 = stratum.iter().map(|&place| numbers[place]).sum();
            let spread: f64 = stratum.iter().map(|&place| (numbers[place] - sum / number).powi(2)).sum();
            (sum, spread)
        };
        let ((weight, weight_spread), (value, value_spread)) = (part(weights), part(data));
        mean += weight * value / number;
        variance += weight_spread * value_spread / (number - 1.0);
    }
    (mean, variance.sqrt())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn squares(values: &[f64]) -> f64 {
    dot(values, values)
}
