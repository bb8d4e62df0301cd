//! Networks of Lc0 as people import, ask, play and export them.

mod agent;
mod command;
#[path = "../../../labs/lc0/tests/all/maia.rs"]
pub mod maia;
#[path = "../../../labs/lc0/tests/all/random.rs"]
pub mod random;
#[path = "../../../labs/lc0/tests/all/samples.rs"]
pub mod samples;
#[path = "../../../labs/lc0/tests/all/wire.rs"]
pub mod wire;
