//! Damaged bytes from outside: cut, with flipped bits, or any bytes at all. Every reader of chess and shogi holds its
//! law ([`laws`]) on them.

pub mod counts;
pub mod laws;
pub mod seeded;
mod texts;

use crate::bag::writer::{action_value, bag as written};
use crate::evaluations::line;
use crate::lc0::sample_chunks;
use crate::samples::sample;
use counts::Counts;
use games::chess::lc0::{ValueSource, Version, parse};
use games::shogi::{hcpe, hcpe3, psv};
use proptest::prelude::*;
use std::any::type_name_of_val;

const USUAL: u32 = 20_000;

/// Holds `law` on damaged copies of `piece`.
fn damage(piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    seeded::damage(type_name_of_val(&law), USUAL, piece, law);
}

/// The same, with the flipped bits at these places.
fn damage_at(places: impl Strategy<Value = usize>, piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    seeded::hold(type_name_of_val(&law), USUAL, &seeded::damaged(piece, places), law);
}

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

#[test]
fn lc0_is_safe() {
    // Fields stand before the policy and after it: two of three damages are there.
    let size = Version::V6.bytes();
    let inner = prop_oneof![0..8usize, 7440..size, 0..size];
    let places = (0..RECORDS, inner).prop_map(move |(record, at)| record * size + at);
    let mut chunk = sample_chunks().swap_remove(0).bytes;
    chunk.truncate(RECORDS * size);
    assert_eq!(chunk.len(), RECORDS * size);
    damage_at(places, chunk, laws::lc0);
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

#[test]
fn hcpe_is_safe() {
    damage(sample("shogi_selfplay_40games.hcpe")[..3 * hcpe::BYTES].to_vec(), laws::hcpe);
}

#[test]
fn psv_is_safe() {
    damage(sample("shogi_selfplay_40games.psv")[100 * psv::BYTES..103 * psv::BYTES].to_vec(), laws::psv);
}

#[test]
fn hcpe3_is_safe() {
    // Two games of four moves.
    let mut piece = Vec::new();
    for record in hcpe3::records(sample("shogi_selfplay_40games.hcpe3").as_slice()).take(2) {
        let mut game = hcpe3::Game::read(&record.unwrap()).unwrap();
        game.turns.truncate(4);
        piece.extend(game.write().unwrap());
    }
    damage(piece, laws::hcpe3);
}

#[test]
fn kif_is_safe() {
    damage(sample("shogi_forks.kif"), laws::kif);
}

#[test]
fn usi_is_safe() {
    let shogi = "position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e\n\
        sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d resign\n";
    let minishogi = "position startpos moves 3e4d 3a2b 2e3d 4a3b\n\
        sfen +R4/+B2k1/5/Ks3/4R b 2G2Pbs 1 moves 1e2e 2b1b resign\n";
    for piece in [shogi, minishogi] {
        damage(piece.into(), laws::usi_lines);
    }
}

#[test]
fn csa_is_safe() {
    let piece = b"V2.2\nPI82HI22KA\n-\n-3334FU\nT2\n'** -30\n+7776FU\n%TORYO\n/\nPI\n+\n+2726FU\n%CHUDAN\n";
    damage(piece.to_vec(), laws::csa);
}

#[test]
fn csa_of_programs_is_safe() {
    damage(sample("shogi_engine_41.csa.zst")[..2_000].to_vec(), laws::csa);
}

/// A header may promise 65,535 moves: nothing is set aside for what does not come.
#[test]
fn promises_take_no_memory() {
    let mut promise = sample("shogi_selfplay_40games.hcpe3")[..36].to_vec();
    promise[32..34].fill(0xff);
    let record = hcpe3::records(promise.as_slice()).next().unwrap().unwrap();
    assert!(record.capacity() < 1_000);
    assert!(hcpe3::parse(&record, 0).is_err());
    // An endless stream of such moves ends at the longest that a game can be.
    let endless = std::io::Read::chain(promise.as_slice(), std::io::repeat(1));
    let record = hcpe3::records(endless).next().unwrap().unwrap();
    assert!(record.len() < 17 << 20, "{}", record.len());
}

proptest! {
    #![proptest_config(seeded::config(USUAL))]

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

    /// Lines that place CSA's pieces, in any order.
    #[test]
    fn placements_of_csa_are_safe(lines in "((P[1-9I+-])?[ *+0-9A-Z-]{0,30}\n){0,8}") {
        laws::csa(format!("{lines}+\n+7776FU\n").as_bytes());
    }
}
