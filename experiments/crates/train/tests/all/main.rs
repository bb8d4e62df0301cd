//! Training cells: bit-identical runs, also after crashes and damage, and their logs.

mod batch_norm;
#[path = "../../../report/tests/all/by_hand.rs"]
pub mod by_hand;
pub mod damage;
mod datasets;
mod decoder;
mod heads;
mod inspecting;
mod metrics;
mod pairing;
mod phases;
mod pictures;
mod resume;
mod saving;
mod starter_batches;
mod steps;
mod tables;
mod tensorboard;
mod training;
