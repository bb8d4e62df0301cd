//! The statistics on simulated grids with known effects: intervals cover as often as they say, and false verdicts are rare.
//!
//! `scripts/long-check simulate` looks at 10,000 grids of every design (POSENC_GRIDS), `make test` at 1,000 of a few designs.

mod choice;
mod designs;
mod equivalence;
mod held_out;
mod over_seeds;
mod scaling;
mod tuned;
mod validation;

use std::ops::Range;

fn asked() -> Option<u64> {
    std::env::var("POSENC_GRIDS").ok()?.parse().ok()
}

fn grids() -> u64 {
    asked().unwrap_or(1_000)
}

/// Three standard errors of a share of 5 % in the grids.
fn noise(grids: u64) -> f64 {
    3.0 * (0.95 * 0.05 / grids as f64).sqrt()
}

/// The share of these grids of which something is true.
fn share(grids: Range<u64>, is_true: impl Fn(u64) -> bool) -> f64 {
    let all = (grids.end - grids.start) as f64;
    grids.filter(|&grid| is_true(grid)).count() as f64 / all
}

fn least(all: &[f64]) -> f64 {
    all.iter().copied().fold(f64::INFINITY, f64::min)
}

fn greatest(all: &[f64]) -> f64 {
    all.iter().copied().fold(0.0, f64::max)
}

fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len() as f64
}

/// All designs in a long run, otherwise the first ones.
fn sample<T>(all: &[T], few: usize) -> &[T] {
    if asked().is_some() { all } else { &all[..few] }
}
