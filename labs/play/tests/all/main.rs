//! Networks as players: what agents choose, what programs are answered, matches.

mod agents;
mod engine;
mod matches;
