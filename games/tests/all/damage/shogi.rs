//! The readers of shogi.

use super::{damage, laws};
use crate::samples::sample;
use games::shogi::{hcpe, hcpe3, psv};

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
    let piece = b"position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e\n\
        sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d resign\n";
    damage(piece.to_vec(), laws::usi_lines);
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
