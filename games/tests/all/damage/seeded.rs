//! Seeded tests of many inputs, and damaged bytes as such inputs.

use super::counts::Counts;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
use std::cell::Cell;
use std::fs;
use std::path::Path;

/// A seeded test of this many inputs, or of as many as `POSENC_CASES` asks for in a long run.
pub fn config(usual: u32) -> Config {
    let cases = std::env::var("POSENC_CASES").map_or(usual, |cases| cases.parse().expect("POSENC_CASES is a number"));
    Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(3), ..Config::default() }
}

/// Any place in a piece of this length.
pub fn anywhere(length: usize) -> impl Strategy<Value = usize> {
    any::<Index>().prop_map(move |place| place.index(length))
}

/// Copies of a piece that are cut or have flipped bits at these places; one in ten is any bytes at all.
pub fn damaged(piece: Vec<u8>, places: impl Strategy<Value = usize>) -> impl Strategy<Value = Vec<u8>> {
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
    prop_oneof![9 => damaged, 1 => anything]
}

/// Holds `law` on damaged copies of `piece`, which `POSENC_SEEDS`, a folder, gets as a sample for the fuzz target of this
/// name, if there is one.
pub fn damage(name: &str, usual: u32, piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    if let Some(samples) = std::env::var_os("POSENC_SEEDS") {
        let dir = Path::new(&samples).join(name);
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(dir.join("sample-fixture"), &piece).expect("written");
    }
    let places = anywhere(piece.len());
    hold(name, usual, &damaged(piece, places), law);
}

/// Holds `law` on every input, and sees to it that both outcomes were common enough for that to mean something. Prints
/// how often each occurred; `name` is that of the reader.
#[allow(clippy::print_stdout, reason = "for those who ask with --nocapture")]
pub fn hold(name: &str, usual: u32, inputs: &impl Strategy<Value = Vec<u8>>, law: impl Fn(&[u8]) -> Counts) {
    let config = config(usual);
    let cases = config.cases;
    let counts = Cell::new(Counts::default());
    let run = TestRunner::new(config).run(inputs, |bytes| {
        counts.set(counts.get().plus(law(&bytes)));
        Ok(())
    });
    match run {
        Err(TestError::Fail(reason, bytes)) => panic!("{name}: {reason} with b\"{}\"", bytes.escape_ascii()),
        other => other.expect("no input is passed over"),
    }
    let Counts { accepted, refused } = counts.get();
    println!("{name}: {cases} inputs; accepted {accepted}, refused {refused}");
    let enough = u64::from(cases / 40);
    assert!(accepted > enough && refused > enough, "{name}: accepted {accepted}, refused {refused} of {cases}");
}
