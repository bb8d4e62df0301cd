//! The readers of chess.

use super::{config, damage, damage_at, laws};
use crate::bag::{action_value, bag as written};
use crate::evaluations::line;
use crate::samples::{path, sample};
use flate2::read::GzDecoder;
use games::chess::lc0::{ValueSource, Version, parse};
use proptest::prelude::*;
use std::fs::File;
use std::io::Read as _;

/// Tags, comments with commands, annotations, variations, escapes, castling, promotion, a mate and a start of its own.
const GAMES: &[u8] = b"[Event \"a \\\"name\\\"\"]\n[White \"A\"]\n[WhiteElo \"1500\"]\n[Result \"0-1\"]\n\n\
    1. f3 $6 { [%eval -0.9] [%clk 0:03:00] } e5!? (1... d5 (1... c5) {no}) 2. g4 ; why\nQh4# 0-1\n\n\
    [FEN \"r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n[SetUp \"1\"]\n\n\
    1. O-O-O 0-0 2. axb8=Q?? Rfxb8 3. Kd2 { [%emt 0:00:02] } *\n\n\
    % escaped\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2\n";

#[test]
fn pgn_is_safe() {
    damage(GAMES.to_vec(), laws::pgn);
}

/// Games as programs write them, longer than those above.
#[test]
fn pgn_of_programs_is_safe() {
    let text = sample("chess_lichess_40.pgn.zst");
    damage(text[..6_000].to_vec(), laws::pgn);
}

/// The first records of a chunk, as many as make cases fast.
const RECORDS: usize = 4;

/// The beginning of the sample's shortest chunk with [`RECORDS`] records.
fn chunk() -> Vec<u8> {
    let mut archive = tar::Archive::new(File::open(path("lc0_v6_selfplay.tar")).expect("the sample is there"));
    let entry = archive.entries().expect("an archive").next().expect("a chunk").expect("an entry");
    let mut bytes = Vec::new();
    GzDecoder::new(entry).take((RECORDS * Version::V6.bytes()) as u64).read_to_end(&mut bytes).expect("gzip");
    assert_eq!(bytes.len(), RECORDS * Version::V6.bytes());
    bytes
}

#[test]
fn lc0_is_safe() {
    // Where damage is likely to matter: in front of the policy and behind it.
    let size = Version::V6.bytes();
    let inner = prop_oneof![0..8usize, 7440..size, 0..size];
    let places = (0..RECORDS, inner).prop_map(move |(record, at)| record * size + at);
    damage_at(places, chunk(), laws::lc0);
}

/// The position of [`bag`]'s records.
const FEN: &str = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 7 20";

/// A bag of two action values and an empty record.
fn bag(compressed: bool) -> Vec<u8> {
    written(&[action_value(FEN, "e8g8", 0.25), Vec::new(), action_value(FEN, "a8a1", 0.75)], compressed)
}

#[test]
fn bag_is_safe() {
    damage(bag(false), laws::bag);
}

#[test]
fn packed_bag_is_safe() {
    damage(bag(true), laws::bag);
}

#[test]
fn evaluations_are_safe() {
    let searches = [
        r#"{"pvs":[{"cp":-31,"line":"e8h8 e1g1 a8b8"},{"cp":40,"line":"a8b8"}],"knodes":12,"depth":36}"#,
        r#"{"pvs":[{"mate":-2,"line":"a8c8"}],"knodes":11,"depth":35}"#,
    ];
    damage(line("r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", &searches).repeat(3).into_bytes(), laws::evaluations);
}

proptest! {
    #![proptest_config(config())]

    /// Noise behind a version that is readable is no game.
    #[test]
    fn noise_is_no_chunk(
        version in prop::option::of(3..=6u8),
        bytes in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let mut bytes = bytes;
        if let (Some(version), 8..) = (version, bytes.len()) {
            bytes[..8].copy_from_slice(&[version, 0, 0, 0, 1, 0, 0, 0]);
            let pattern = bytes.clone();
            bytes.extend(pattern.iter().cycle().take(2 * Version::V6.bytes()));
        }
        prop_assert!(parse(bytes.as_slice(), 0, ValueSource::Best).is_err());
    }

    /// PGN's own signs in any order, which flipped bits hardly make.
    #[test]
    fn signs_of_pgn_are_safe(text in "[\\[\\]{}();$%!?*#\"\\\\ \n\r0-9a-hBKNOQRx=+./-]{0,200}") {
        laws::pgn(text.as_bytes());
    }
}
