//! Damaged bytes from outside: cut, with flipped bits, or any bytes at all. Every reader of chess and shogi holds its
//! law ([`laws`]) on them.

mod chess;
pub mod laws;
mod shogi;
mod texts;

use laws::Counts;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

/// Cases for each reader; `POSENC_CASES` asks for more in a long run.
fn cases() -> u32 {
    std::env::var("POSENC_CASES").map_or(20_000, |cases| cases.parse().expect("POSENC_CASES is a number"))
}

fn config() -> Config {
    Config { cases: cases(), failure_persistence: None, rng_seed: RngSeed::Fixed(3), ..Config::default() }
}

/// Holds `law` on damaged copies of `piece`.
fn damage(piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    let places = any::<Index>().prop_map({
        let length = piece.len();
        move |place| place.index(length)
    });
    damage_at(places, piece, law);
}

/// The same, with the flipped bits at these places.
fn damage_at(places: impl Strategy<Value = usize>, piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    let edits = prop::collection::vec((places, 0..8u8), 0..6);
    let cut = prop::option::of(any::<Index>());
    let damaged = (edits, cut).prop_map(move |(edits, cut)| {
        let mut bytes = piece.clone();
        for (place, bit) in edits {
            bytes[place] ^= 1 << bit;
        }
        bytes.truncate(cut.map_or(piece.len(), |at| at.index(piece.len())));
        bytes
    });
    let anything = prop::collection::vec(any::<u8>(), 0..200);
    hold(&prop_oneof![9 => damaged, 1 => anything], law);
}

/// Holds `law` on every input, and sees to it that both outcomes were common enough for that to mean something.
fn hold(inputs: &impl Strategy<Value = Vec<u8>>, law: impl Fn(&[u8]) -> Counts) {
    let counts = std::cell::Cell::new(Counts::default());
    let run = TestRunner::new(config()).run(inputs, |bytes| {
        counts.set(counts.get().plus(law(&bytes)));
        Ok(())
    });
    match run {
        Err(TestError::Fail(reason, bytes)) => panic!("{reason} with b\"{}\"", bytes.escape_ascii()),
        other => other.expect("no input is passed over"),
    }
    let counts = counts.get();
    let enough = u64::from(cases() / 20);
    assert!(counts.accepted > enough && counts.refused > enough, "{counts:?}");
}
