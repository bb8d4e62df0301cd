//! Tests of the crate `dataset`, in one binary; [`memory`](../memory.rs) measures its process and needs its own.

mod bags;
mod containers;
pub mod damage;
mod derived;
mod evaluations;
mod export_hcpe3;
mod export_pgn;
mod filters;
mod generated_positions;
mod import;
mod inputs;
mod loader;
mod manifest;
mod maps;
mod of_moves;
mod policy;
mod remake;
mod sampled;
mod samples;
mod sequences;
mod split;
mod store;
mod targets;
mod test_set;
mod traits;
