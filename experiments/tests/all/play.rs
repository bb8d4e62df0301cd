//! Networks as players, as people and programs ask them.

mod engine;
mod evaluations;
mod matches;
mod suites;
