//! The tests of position encodings, in one binary: loading LibTorch takes longer than most of them.

mod board_edge;
mod common;
mod counts;
mod definitions;
mod documentation;
mod guarantees;
mod laws;
mod options;
mod references;
mod translation;
mod watched;
