//! The statistics on simulated grids with known effects: intervals cover as often as they say, and false verdicts are rare.
//!
//! `scripts/long-check simulate` looks at 10,000 grids of every design (POSENC_GRIDS), `make test` at 1,000 of a few designs.

mod choice;
mod designs;
mod equivalence;
mod held_out;
mod over_seeds;
mod parts;
mod tuned;
mod validation;

fn asked() -> Option<u64> {
    std::env::var("POSENC_GRIDS").ok()?.parse().ok()
}

fn grids() -> u64 {
    asked().unwrap_or(1_000)
}

/// All designs in a long run, otherwise the first ones.
fn sample<T>(all: &[T], few: usize) -> &[T] {
    if asked().is_some() { all } else { &all[..few] }
}
