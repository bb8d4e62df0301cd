//! Damaged bytes from outside: cut, with flipped bits, or any bytes at all. Every reader of chess and shogi holds its
//! law ([`laws`]) on them.

mod chess;
pub mod counts;
pub mod laws;
pub mod seeded;
mod shogi;
mod texts;

use counts::Counts;
use proptest::prelude::*;
use proptest::test_runner::Config;
use std::any::type_name_of_val;

const USUAL: u32 = 20_000;

fn config() -> Config {
    seeded::config(USUAL)
}

/// Holds `law` on damaged copies of `piece`.
fn damage(piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    damage_at(seeded::anywhere(piece.len()), piece, law);
}

/// The same, with the flipped bits at these places.
fn damage_at(places: impl Strategy<Value = usize>, piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    seeded::hold(type_name_of_val(&law), USUAL, &seeded::damaged(piece, places), law);
}
