//! Networks as players, as people and programs ask them.

mod engine;
mod evaluations;
mod judged;
mod matches;
mod suites;
