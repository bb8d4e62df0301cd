//! Tests of the crate `games`, in one binary.

mod attacks;
mod bag;
mod chessdecoder;
mod codes;
mod colours;
mod compact;
mod csa;
pub mod damage;
mod dlshogi_planes;
mod endgame;
mod geometry;
mod hcpe;
mod inputs;
mod kif;
mod lc0;
mod oracle;
mod perft;
mod pgn;
mod placement;
mod planes;
mod positions;
mod referee;
mod repetition;
mod samples;
mod uci;
mod usi;
mod vocabularies;
