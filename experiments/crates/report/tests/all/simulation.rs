//! The statistics on simulated grids with known effects: intervals cover as often as they say, and false verdicts are rare.
//!
//! `make simulate` looks at 10,000 grids (POSENC_GRIDS), `make test` at fewer of the same.

mod choice;
mod designs;
mod equivalence;
mod held_out;
mod over_seeds;
mod parts;
mod tuned;
mod validation;

fn grids() -> u64 {
    std::env::var("POSENC_GRIDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000)
}
