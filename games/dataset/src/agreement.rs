//! How far two datasets agree about the policy of the positions that both have.

use crate::error::DatasetError;
use crate::manifest::Manifest;
use crate::split::{Split, without_counters};
use games::{Candidate, Game, Position as _, with_game};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Two policies of the same positions. Means are over the positions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    /// Test positions with a policy target in both.
    pub positions: u64,
    /// The share in which the two have a most probable move in common; of moves with equal probabilities any counts.
    pub same_best: f64,
    /// How often one most probable move of the first, drawn among equals, is a most probable move of the second, and the
    /// other way round: the accuracy of one set of labels as predictions of the other.
    pub accuracy: [f64; 2],
    /// Half of the sum of the absolute differences of probabilities: 0 for the same policy, 1 for policies without a common move.
    pub total_variation: f64,
    /// The entropies in nats, of the first and of the second: the least policy loss on its labels.
    pub entropy: [f64; 2],
    /// The Jensen–Shannon divergence in nats: the entropy of the mean of both policies less the mean of their entropies.
    pub divergence: f64,
    /// The least expected policy loss on labels of the first, if both are draws of one random label of each position: the
    /// entropy of the first and twice the divergence. To second order in the differences of the draws, this divergence is half
    /// of the mean divergence of a label from the mean label.
    pub floor: f64,
}

type Pair<'a> = (&'a [Candidate], &'a [Candidate]);

/// Compares the test splits of two datasets of one game. Of several equal positions the first counts.
pub fn agreement(first: &Path, second: &Path) -> Result<Agreement, DatasetError> {
    let manifests = [Manifest::read(first)?, Manifest::read(second)?];
    let [a, b] = [&manifests[0], &manifests[1]];
    let refused = |reason: String| DatasetError::Option { option: "datasets", reason };
    if a.game != b.game {
        return Err(refused(format!("{} is of {}, {} of {}", a.name, a.game.name(), b.name, b.game.name())));
    }
    a.verify_shards(first)?;
    b.verify_shards(second)?;
    let [mine, others] = [(first, a), (second, b)]
        .map(|(folder, manifest)| with_game!(manifest.game, G => policies::<G>(folder, manifest)));
    let (mine, others) = (mine?, others?);
    let pairs: Vec<Pair> =
        mine.iter().filter_map(|(text, policy)| Some((policy.as_slice(), others.get(text)?.as_slice()))).collect();
    if pairs.is_empty() {
        return Err(refused(format!("{} and {} share no test position with a policy", a.name, b.name)));
    }
    let mean = |of: &dyn Fn(&Pair) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let entropies = [mean(&|(a, _)| entropy(a)), mean(&|(_, b)| entropy(b))];
    let divergence = mean(&|(a, b)| divergence(a, b));
    Ok(Agreement {
        positions: pairs.len() as u64,
        same_best: mean(&|(a, b)| f64::from(u8::from(best(a).any(|mv| best(b).any(|other| mv == other))))),
        accuracy: [mean(&|(a, b)| shared_best(a, b)), mean(&|(a, b)| shared_best(b, a))],
        total_variation: mean(&|(a, b)| total_variation(a, b)),
        entropy: entropies,
        divergence,
        floor: entropies[0] + 2.0 * divergence,
    })
}

/// The share of the first's most probable moves that are most probable moves of the second.
fn shared_best(first: &[Candidate], second: &[Candidate]) -> f64 {
    let shared = best(first).filter(|mv| best(second).any(|other| mv == &other)).count();
    shared as f64 / best(first).count().max(1) as f64
}

/// The policy of each test position that has a target, by its text without counters. A hard target is one move.
fn policies<G: Game>(folder: &Path, manifest: &Manifest) -> Result<BTreeMap<String, Vec<Candidate>>, DatasetError> {
    let mut all = BTreeMap::new();
    for row in manifest.rows(folder) {
        let row = row?;
        if row.split != Split::Test {
            continue;
        }
        row.play_through::<G>(|line, mv| {
            let (position, ply) = (line.position(), line.plies());
            if row.is_policy_target(ply) {
                let weighed = row.candidates(ply);
                let policy = if weighed.is_empty() { vec![(position.move_text(mv), 1.0)] } else { weighed.to_vec() };
                all.entry(without_counters(G::KIND, &position.to_text())).or_insert(policy);
            }
        })?;
    }
    Ok(all)
}

fn best(policy: &[Candidate]) -> impl Iterator<Item = &str> {
    let most = policy.iter().map(|&(_, share)| share).fold(0.0, f32::max);
    policy.iter().filter(move |&&(_, share)| share == most).map(|(mv, _)| mv.as_str())
}

fn share(policy: &[Candidate], mv: &str) -> f64 {
    policy.iter().find(|(own, _)| own == mv).map_or(0.0, |&(_, share)| f64::from(share))
}

fn total_variation(a: &[Candidate], b: &[Candidate]) -> f64 {
    let common: f64 = a.iter().map(|(mv, own)| f64::from(*own).min(share(b, mv))).sum();
    1.0 - common
}

fn divergence(a: &[Candidate], b: &[Candidate]) -> f64 {
    let to_mean = |from: &[Candidate], other: &[Candidate]| -> f64 {
        let positive = from.iter().map(|(mv, own)| (f64::from(*own), share(other, mv))).filter(|(own, _)| *own > 0.0);
        positive.map(|(own, other)| own * (own / f64::midpoint(own, other)).ln()).sum()
    };
    f64::midpoint(to_mean(a, b), to_mean(b, a))
}

fn entropy(policy: &[Candidate]) -> f64 {
    policy
        .iter()
        .map(|&(_, share)| f64::from(share))
        .filter(|&share| share > 0.0)
        .map(|share| -share * share.ln())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(shares: &[(&str, f32)]) -> Vec<Candidate> {
        shares.iter().map(|&(mv, share)| (mv.to_owned(), share)).collect()
    }

    #[test]
    fn distances_of_policies_are_those_of_the_definition() {
        let (a, b) = (policy(&[("e2e4", 0.5), ("d2d4", 0.5)]), policy(&[("e2e4", 0.25), ("c2c4", 0.75)]));
        assert_eq!(total_variation(&a, &b), 0.75);
        assert_eq!(total_variation(&a, &a), 0.0);
        assert_eq!(total_variation(&a, &policy(&[("g1f3", 1.0)])), 1.0);
        assert_eq!(divergence(&a, &a), 0.0);
        assert!((divergence(&a, &policy(&[("g1f3", 1.0)])) - std::f64::consts::LN_2).abs() < 1e-12);
        let mean = policy(&[("e2e4", 0.375), ("d2d4", 0.25), ("c2c4", 0.375)]);
        let by_entropies = entropy(&mean) - f64::midpoint(entropy(&a), entropy(&b));
        assert!((divergence(&a, &b) - by_entropies).abs() < 1e-12);
        assert!((entropy(&a) - std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(entropy(&policy(&[("e2e4", 1.0), ("d2d4", 0.0)])), 0.0);
        assert_eq!(best(&a).collect::<Vec<_>>(), ["e2e4", "d2d4"]);
        assert_eq!(best(&b).collect::<Vec<_>>(), ["c2c4"]);
    }

    /// Labels are drawn as shares of a known mean, with noise; the least loss is the entropy of the mean.
    #[test]
    fn the_floor_of_two_draws_is_the_entropy_of_the_mean_label() {
        const DRAWS: u32 = 20_000;
        let mut random = streams::stream(0, &["floor"]);
        let mut draw = || {
            let off = (streams::below(&mut random, 2001) as f32 / 1000.0 - 1.0) * 0.2;
            policy(&[("e2e4", 0.6 + off), ("d2d4", 0.4 - off)])
        };
        let (mut own, mut apart) = (0.0, 0.0);
        for _ in 0..DRAWS {
            let (a, b) = (draw(), draw());
            own += entropy(&a) / f64::from(DRAWS);
            apart += divergence(&a, &b) / f64::from(DRAWS);
        }
        let least = entropy(&policy(&[("e2e4", 0.6), ("d2d4", 0.4)]));
        assert!(least - own > 0.02, "the entropy of labels is below the floor: {own}, {least}");
        assert!((own + 2.0 * apart - least).abs() < 0.003, "{own} and twice {apart}, {least}");
    }
}
