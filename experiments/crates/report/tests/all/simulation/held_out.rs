//! Designs that were written down, with what is demanded of them, before they were run once: other distributions, numbers
//! of seeds and of games, compositions and random numbers than those of [`choice`](super::choice) and
//! [`validation`](super::validation).

use super::designs::{Design, Effects, Lengths, Seeds, has_a_false_verdict, tested};
use super::{greatest, grids, least, mean, noise, sample, share};

const SEEDS: [usize; 3] = [4, 7, 10];
const GAMES: [usize; 2] = [47, 128];

/// Shares of seeds, games and positions in the variance of the mean.
const SHARES: [[f64; 3]; 3] = [[0.65, 0.35, 0.0], [0.3, 0.7, 0.0], [0.15, 0.3, 0.55]];

/// The first number of a random stream: far above those of the other designs.
const FIRST: u64 = 1 << 32;

#[test]
fn false_verdicts_are_rare_and_intervals_cover_on_designs_seen_once() {
    let grids = grids();
    let noise = noise(grids);
    for &seeds in sample(&SEEDS, 1) {
        let mut coverages = Vec::new();
        let mut worst: f64 = 0.0;
        for (games, shares) in sample(&GAMES, 1).iter().flat_map(|&games| SHARES.map(|shares| (games, shares))) {
            for (lengths, luck) in [(Lengths::TwoKinds, Seeds::Equal), (Lengths::Uniform, Seeds::Unequal)] {
                let design = Design { seeds, games, shares, effects: Effects::Contaminated, lengths, luck };
                let streams = FIRST..FIRST + grids;
                coverages.push(share(streams.clone(), |trial| tested(trial, &design).p > 0.05));
                worst = worst.max(share(streams, |grid| has_a_false_verdict(grid, &design)));
            }
        }
        let (mean, least, greatest) = (mean(&coverages), least(&coverages), greatest(&coverages));
        println!(
            "{seeds} seeds, {grids} of each design: 95 % intervals cover {:.2} % on average, {:.2} to {:.2} %; at most {:.2} % \
             of the grids have a false verdict",
            100.0 * mean,
            100.0 * least,
            100.0 * greatest,
            100.0 * worst
        );
        assert!(worst <= 0.05 + noise, "{seeds} seeds: {worst}");
        assert!(least >= 0.94 - noise, "{seeds} seeds: {least}");
    }
}
