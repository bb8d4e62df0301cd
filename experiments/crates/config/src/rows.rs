//! From a file to its rows and cells.

pub(crate) mod build;
pub mod cell;
pub(crate) mod expand;
pub mod experiment;
pub mod identity;
pub(crate) mod interactions;
pub(crate) mod label;
pub mod matched;
pub(crate) mod names;
pub mod network_cost;
pub(crate) mod opened_datasets;
pub(crate) mod phase_steps;
pub(crate) mod references;
pub(crate) mod resolve;
pub(crate) mod row;
pub mod trials;
