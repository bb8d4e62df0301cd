//! Lc0's training chunks and the input `lc0_112`, against chunks that Lc0 itself wrote.

mod chunks;
mod planes;
mod sample;
mod versions;
