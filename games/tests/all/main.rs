//! Tests of the crate `games`, in one binary.

mod attacks;
mod bag;
mod boards;
mod codes;
mod compact;
mod csa;
pub mod damage;
mod endgame;
mod evaluations;
mod geometry;
mod hcpe;
mod inputs;
mod kif;
mod lc0;
mod oracle;
mod perft;
mod pgn;
mod placement;
mod positions;
mod referee;
mod repetition;
mod samples;
mod usi;
mod vocabularies;
