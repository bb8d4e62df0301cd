//! −m·distance, m = 2^(−8(h+1)/H) or learned.

use super::*;
use encodings::alibi::{Config, SlopeKind};
use encodings::displacements::Distance;
use std::collections::{HashSet, VecDeque};

/// How far two squares are from each other, by search where moves are counted.
pub(super) fn distance(distance: Distance, [ranks, files]: [f64; 2]) -> f64 {
    match distance {
        Distance::L1 => ranks.abs() + files.abs(),
        Distance::Chebyshev => ranks.abs().max(files.abs()),
        Distance::Euclidean => (ranks * ranks + files * files).sqrt(),
        Distance::Knight => moves_of_a_knight([ranks as i64, files as i64]) as f64,
    }
}

fn moves_of_a_knight(target: [i64; 2]) -> usize {
    let (mut seen, mut waiting) = (HashSet::from([[0, 0]]), VecDeque::from([([0, 0], 0)]));
    loop {
        let ([rank, file], moves) = waiting.pop_front().expect("a knight reaches every square");
        if [rank, file] == target {
            return moves;
        }
        for (up, right) in [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)] {
            let next = [rank + up, file + right];
            if seen.insert(next) {
                waiting.push_back((next, moves + 1));
            }
        }
    }
}

impl Definition for Config {
    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let slopes: Vec<f64> = match self.slopes {
            SlopeKind::Learned => given.of_layer("slope"),
            SlopeKind::Fixed => {
                (0..given.heads()).map(|h| 0.5f64.powf(8.0 * (h + 1) as f64 / given.heads() as f64)).collect()
            }
        };
        given.of_pairs(|head, i, j| match displacement(given, i, j) {
            Some(displacement) => -slopes[head] * distance(self.distance, displacement),
            None => 0.0,
        })
    }
}
