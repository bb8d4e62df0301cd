//! Baselines on positions made by hand and on the starter sets.

mod features;
mod starter;
