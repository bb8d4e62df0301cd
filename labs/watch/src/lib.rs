//! A run folder as a live page: a tile for each cell, differences seed by seed, verdicts when all seeds have ended.
//!
//! The page is one HTML file without other files. [`Server`] serves it on this machine, [`write`] replaces a file again and
//! again. Statistics are those of the crate `report`.

mod cell;
mod colours;
mod curve;
mod page;
mod plots;
mod row;
mod server;
mod token;
mod view;
mod watching;

pub use server::Server;
pub use watching::{Watch, write};
