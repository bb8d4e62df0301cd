//! The designs that choose the approximation of the degrees of freedom: grids without differences, normal effects of games,
//! lengths of 5 to 64 positions, 40 and 200 games. Those of [`validation`](super::validation) have no part in it.

use super::designs::{Design, Effects, Lengths, ROWS, Seeds, null_grid};
use super::{asked, grids, noise, sample};
use report::statistics::crossed::{Differences, parts, share_power, test};
use report::statistics::{MeanTest, holm};

const POWERS: [f64; 9] = [0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0];

/// Shares of seeds, games and positions in the variance of the mean.
const SHARES: [[f64; 3]; 12] = [
    [1.0, 0.0, 0.0],
    [0.95, 0.05, 0.0],
    [0.9, 0.1, 0.0],
    [0.8, 0.2, 0.0],
    [0.5, 0.5, 0.0],
    [0.2, 0.8, 0.0],
    [0.0, 1.0, 0.0],
    [0.5, 0.0, 0.5],
    [0.0, 0.0, 1.0],
    [0.0, 0.5, 0.5],
    [0.2, 0.5, 0.3],
    [0.1, 0.2, 0.7],
];

/// The p-values of a row with each power; that of [`share_power`] is the program's.
fn p_values(differences: Differences<'_>) -> [f64; POWERS.len()] {
    let seeds = differences.sums.len();
    let (mean, parts) = parts(differences).expect("seeds and games");
    let of_games = (parts.games - parts.both).max(0.0);
    let variance = parts.seeds + of_games;
    let share = parts.seeds / variance;
    let sum = |power: i32| differences.positions.iter().map(|&n| f64::from(n).powi(power)).sum::<f64>();
    let games = sum(2).powi(2) / sum(4) - 1.0;
    POWERS.map(|power| {
        let freedom = 1.0 / (share.powf(power) / (seeds as f64 - 1.0) + (1.0 - share).powi(2) / games);
        MeanTest::new(mean, variance.sqrt(), freedom).p
    })
}

/// Of the designs with a number of seeds, for one power: grids with a false verdict at worst, least and greatest coverage.
#[derive(Debug, Clone, Copy)]
struct Reached {
    wrong: f64,
    least: f64,
    greatest: f64,
}

#[test]
fn the_power_of_the_seeds_share_keeps_false_verdicts_at_5_percent() {
    let grids = grids() / 2;
    let noise = noise(grids);
    for &seeds in sample(&[3, 5, 10], 2) {
        let own = POWERS.iter().position(|power| (power - share_power(seeds)).abs() < 1e-9).expect("it is tried");
        let mut reached = [Reached { wrong: 0.0, least: 1.0, greatest: 0.0 }; POWERS.len()];
        for (games, shares) in sample(&[40, 200], 1).iter().flat_map(|&games| SHARES.map(|shares| (games, shares))) {
            let (effects, lengths, luck) = (Effects::Normal, Lengths::Uniform, Seeds::Equal);
            let design = Design { seeds, games, shares, effects, lengths, luck };
            let mut wrong = [0_u64; POWERS.len()];
            let mut covered = [0_u64; POWERS.len()];
            for grid in 0..grids {
                let (rows, positions) = null_grid(grid, &design);
                let of_rows: Vec<[f64; POWERS.len()]> =
                    rows.iter().map(|sums| p_values(Differences { sums, positions: &positions })).collect();
                for power in 0..POWERS.len() {
                    let p_values: Vec<Option<f64>> = of_rows.iter().map(|of_row| Some(of_row[power])).collect();
                    covered[power] += p_values.iter().flatten().filter(|&&p| p > 0.05).count() as u64;
                    wrong[power] += u64::from(holm(&p_values, 0.05).iter().flatten().any(|holm| holm.p < 0.05));
                }
                let program = test(Differences { sums: &rows[0], positions: &positions }).expect("seeds and games");
                assert!((program.test.p - of_rows[0][own]).abs() < 1e-9, "{program:?}");
            }
            for (power, reached) in reached.iter_mut().enumerate() {
                let coverage = covered[power] as f64 / (grids * ROWS as u64) as f64;
                reached.wrong = reached.wrong.max(wrong[power] as f64 / grids as f64);
                reached.least = reached.least.min(coverage);
                reached.greatest = reached.greatest.max(coverage);
            }
        }
        for (power, Reached { wrong, least, greatest }) in POWERS.iter().zip(reached) {
            println!(
                "{seeds} seeds, power {power}: at most {:.1} % of {grids} grids have a false verdict, intervals cover {:.1} to \
                 {:.1} %{}",
                wrong * 100.0,
                least * 100.0,
                greatest * 100.0,
                if *power == POWERS[own] { " (chosen)" } else { "" }
            );
        }
        let Reached { wrong, least, greatest } = reached[own];
        assert!(wrong <= 0.05 + noise, "{seeds} seeds: {wrong}");
        // With three seeds intervals are too wide: docs/statistics.md.
        let most = [0.99, 0.97][usize::from(seeds > 3)];
        assert!(least >= 0.94 - noise / 2.0 && greatest <= most + noise / 2.0, "{seeds} seeds: {least} {greatest}");
        if asked().is_some() {
            assert!(reached[POWERS.len() - 1].wrong > wrong, "{seeds} seeds: Satterthwaite's power would do");
        }
    }
}
