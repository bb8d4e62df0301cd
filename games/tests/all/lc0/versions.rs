//! V3 to V5: no such chunks are at hand, so the V6 records are rewritten as their layouts say.

use super::{Chunk, read_game, sample_chunks};
use games::chess::lc0::{ValueSource, Version};
use games::{GameResult, Termination};

/// A V6 record in an older layout. `result` is a win, a draw or a loss of the side to move.
fn rewritten(record: &[u8], version: Version) -> Vec<u8> {
    let mut out = (version as u32).to_le_bytes().to_vec();
    if version >= Version::V5 {
        out.extend_from_slice(&record[4..8]);
    }
    out.extend_from_slice(&record[8..8278]);
    // The move count of V3 and V4, or V5's bits.
    out.push(if version >= Version::V5 { record[8278] } else { 0 });
    let q = f32::from_le_bytes(record[8308..8312].try_into().expect("four bytes"));
    out.push((q as i8) as u8);
    let values = match version {
        Version::V3 => 0,
        Version::V4 => 4,
        _ => 7,
    };
    out.extend_from_slice(&record[8280..8280 + 4 * values]);
    assert_eq!(out.len(), version.bytes());
    out
}

fn rewrite(chunk: &Chunk, version: Version) -> Vec<u8> {
    chunk.bytes.chunks(Version::V6.bytes()).flat_map(|record| rewritten(record, version)).collect()
}

#[test]
fn older_chunks_lose_the_last_move_and_nothing_else() {
    for chunk in sample_chunks().iter().step_by(3) {
        let full = read_game(&chunk.bytes, ValueSource::Root).expect("a game");
        let plies = full.moves.len() - 1;
        for version in [Version::V3, Version::V4, Version::V5] {
            let game = read_game(&rewrite(chunk, version), ValueSource::Root).expect("a game");
            assert_eq!((&game.start, &game.result), (&full.start, &full.result), "{} {version:?}", chunk.game.file);
            assert_eq!(game.moves, full.moves[..plies], "{} {version:?}", chunk.game.file);
            assert_eq!(game.candidates, full.candidates[..plies]);
            let values = if version == Version::V3 { vec![None; plies] } else { full.values[..plies].to_vec() };
            assert_eq!(game.values, values);
            let adjudicated = version == Version::V5 && full.termination == Termination::Adjudication;
            let termination = if adjudicated { Termination::Adjudication } else { Termination::Other };
            assert_eq!(game.termination, termination);
        }
    }
}

#[test]
fn older_chunks_have_their_own_fields() {
    let chunk = &sample_chunks()[1];
    let mut records = chunk.records();
    let newest = records.next().unwrap().unwrap();
    for version in [Version::V3, Version::V4, Version::V5] {
        let bytes = rewrite(chunk, version);
        let mut records = games::chess::lc0::Records::new(bytes.as_slice());
        let record = records.next().unwrap().unwrap();
        assert_eq!(record.version(), version);
        assert_eq!(record.input_format(), 1);
        assert!(record.policy().eq(newest.policy()));
        assert_eq!(record.pieces(0), newest.pieces(0));
        assert_eq!((record.castling(), record.rule_50()), (newest.castling(), newest.rule_50()));
        assert_eq!(record.result(), newest.result());
        let q = |evaluation: Option<games::chess::lc0::RecordedEvaluation>| evaluation.map(|e| (e.q, e.d));
        let m = |evaluation: Option<games::chess::lc0::RecordedEvaluation>| evaluation.and_then(|e| e.m);
        let (has_values, has_moves_left) = (version > Version::V3, version > Version::V4);
        assert_eq!(q(record.root()), q(newest.root()).filter(|_| has_values));
        assert_eq!(q(record.best()), q(newest.best()).filter(|_| has_values));
        assert_eq!(m(record.root()), m(newest.root()).filter(|_| has_moves_left));
        assert_eq!((record.played(), record.original(), record.search()), (None, None, None));
    }
}

#[test]
fn older_chunks_are_put_in_order_too() {
    for chunk in sample_chunks().iter().step_by(11) {
        let ordered = rewrite(chunk, Version::V4);
        let mut records: Vec<&[u8]> = ordered.chunks(Version::V4.bytes()).collect();
        records.reverse();
        records.rotate_left(5);
        let found = read_game(&records.concat(), ValueSource::Root).expect("a game");
        assert_eq!(found, read_game(&ordered, ValueSource::Root).expect("a game"), "{}", chunk.game.file);
    }
}

#[test]
fn records_from_a_rescorer_do_not_name_the_move() {
    let chunk = &sample_chunks()[2];
    let mut bytes = chunk.bytes.clone();
    for record in bytes.chunks_mut(Version::V6.bytes()) {
        // Made from V5: no visits, and the move's index means nothing.
        record[8340..8346].fill(0);
    }
    let found = read_game(&bytes, ValueSource::Root).expect("a game");
    let full = read_game(&chunk.bytes, ValueSource::Root).expect("a game");
    assert_eq!(found.moves, full.moves[..full.moves.len() - 1]);
    assert_ne!(found.result, GameResult::Unknown);
}
