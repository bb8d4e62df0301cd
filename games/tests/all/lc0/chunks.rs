//! Records field by field, and chunks as games.

use super::{Chunk, lines, read_game, sample_chunks};
use crate::samples::after;
use games::chess::lc0::{Record, RecordedEvaluation, ValueSource, Version, parse, records};
use games::chess::{Chess, ChessPosition};
use games::{Game, GameResult, Position, RejectKind, Termination};
use serde_json::{Value, json};
use std::collections::HashMap;

#[test]
fn every_field_is_what_another_program_reads() {
    let chunks: HashMap<String, Chunk> =
        sample_chunks().into_iter().map(|chunk| (chunk.game.file.clone(), chunk)).collect();
    let truths: Vec<Value> = lines("lc0_v6_truth.jsonl.zst");
    assert_eq!(truths.len(), 110);
    for truth in truths {
        let chunk = &chunks[truth["file"].as_str().expect("a name")];
        let mut records = chunk.records();
        for _ in 0..truth["rec"].as_u64().expect("a number") {
            records.next().expect("a record").expect("a record");
        }
        let record = records.next().expect("a record").expect("a record");
        check(&record, &truth);
        let position = ChessPosition::parse(truth["fen"].as_str().expect("a FEN")).expect("a position");
        for name in ["played", "best"] {
            let mv = position.parse_move(truth[name].as_str().expect("a move")).expect("a legal move");
            assert_eq!(truth[format!("{name}_idx")], position.move_index(mv), "{name} of {truth}");
        }
    }
}

fn check(record: &Record<'_>, truth: &Value) {
    let place = format!("{} record {}", truth["file"], truth["rec"]);
    assert_eq!(truth["version"], record.version() as u32, "{place}");
    assert_eq!(truth["input_format"], record.input_format(), "{place}");
    assert_eq!(truth["rule50"], record.rule_50(), "{place}");
    assert_eq!(truth["side_to_move"], ["w", "b"][usize::from(record.side_to_move())], "{place}");
    assert_eq!(truth["castling"], json!(record.castling()), "{place}");
    let steps = (0..8).filter(|&step| record.pieces(step) != [0; 12]).count();
    assert_eq!(truth["history_steps"], steps, "{place}");
    assert_eq!(truth["invariance_info"], record.invariance_info(), "{place}");

    let legal: Vec<(usize, f32)> = record.policy().enumerate().filter(|&(_, share)| share >= 0.0).collect();
    assert_eq!(truth["n_legal"], legal.len(), "{place}");
    assert_eq!(truth["legal_idx_sum"], legal.iter().map(|&(index, _)| index).sum::<usize>(), "{place}");
    let sum: f64 = legal.iter().map(|&(_, share)| f64::from(share)).sum();
    assert!((sum - truth["prob_sum"].as_f64().expect("a number")).abs() < 1e-6, "{place}");
    for likely in truth["top3"].as_array().expect("a list") {
        let share = record.policy().nth(likely[1].as_u64().expect("an index") as usize);
        assert_eq!(likely[2], share.expect("one of the moves"), "{place}");
    }

    let number = |name: &str| truth[name].as_f64().expect("a number") as f32;
    let evaluation = |name: &str| {
        let [q, d, m] = ["q", "d", "m"].map(|part| number(&format!("{name}_{part}")));
        Some(RecordedEvaluation { q, d, m: Some(m) })
    };
    let result = RecordedEvaluation { q: number("result_q"), d: number("result_d"), m: None };
    assert_eq!(record.result(), result, "{place}");
    assert_eq!(record.root(), evaluation("root"), "{place}");
    assert_eq!(record.best(), evaluation("best"), "{place}");
    assert_eq!(record.played(), evaluation("played"), "{place}");
    assert_eq!(record.original(), evaluation("orig"), "{place}");
    let search = record.search().expect("V6 knows its search");
    assert_eq!(truth["visits"], search.visits, "{place}");
    assert_eq!(truth["played_idx"], search.played, "{place}");
}

#[test]
fn chunks_are_the_games_that_were_played() {
    for chunk in sample_chunks() {
        let game = parse(chunk.bytes.as_slice(), 7, ValueSource::Root).unwrap_or_else(|error| panic!("{error:?}"));
        let played = &chunk.game;
        assert_eq!(game.moves, played.moves[played.first_recorded_ply..], "{}", played.file);
        assert_eq!(game.moves.len(), played.records);
        let result = match played.result.as_str() {
            "whitewon" => GameResult::FirstWins,
            "blackwon" => GameResult::SecondWins,
            "draw" => GameResult::Draw,
            other => panic!("{other}"),
        };
        let termination = match played.end.as_str() {
            "checkmate" => Termination::Checkmate,
            "adjudicated" => Termination::Adjudication,
            "threefold" => Termination::Repetition,
            "stalemate" => Termination::Stalemate,
            "insufficient" => Termination::InsufficientMaterial,
            other => panic!("{other}"),
        };
        assert_eq!((game.result, game.termination), (result, termination), "{}", played.file);
        check_start(&chunk, game.start.as_deref());
        check_labels(&chunk, &game);
    }
}

/// The start is the position of the first record, its move number aside.
fn check_start(chunk: &Chunk, start: Option<&str>) {
    let first = ChessPosition::parse(&chunk.game.startfen).expect("a position");
    let position = after(first, &chunk.game.moves[..chunk.game.first_recorded_ply]);
    let without_number = |fen: &str| fen.rsplit_once(' ').expect("six fields").0.to_owned();
    assert_eq!(start.is_none(), position.to_text() == ChessPosition::start().to_text());
    let start = start.map_or_else(|| ChessPosition::start().to_text(), str::to_owned);
    assert_eq!(without_number(&start), without_number(&position.to_text()), "{}", chunk.game.file);
}

fn check_labels(chunk: &Chunk, game: &games::ParsedGame) {
    let mut position = ChessPosition::beginning(game.start.as_deref()).expect("a position");
    let mut records = chunk.records();
    for (ply, text) in game.moves.iter().enumerate() {
        let record = records.next().expect("a record").expect("a record");
        let root = record.root().expect("V6 has values");
        assert_eq!(game.values[ply], Some((root.q + 1.0) / 2.0));
        assert_eq!(game.scores[ply], None);
        let mut shares = vec![0.0; Chess::from_to().len()];
        for (candidate, share) in &game.candidates[ply] {
            let mv = position.parse_move(candidate).expect("candidates are legal");
            shares[usize::from(position.move_index(mv))] = *share;
        }
        let policy: Vec<f32> = record.policy().map(|share| share.max(0.0)).collect();
        assert_eq!(shares, policy, "{} ply {ply}", chunk.game.file);
        let mv = position.parse_move(text).expect("a legal move");
        position.play(mv);
    }
}

#[test]
fn the_value_can_come_from_elsewhere() {
    let chunk = &sample_chunks()[0];
    let mut records = chunk.records();
    let record = records.next().expect("a record").expect("a record");
    let value = |source| read_game(&chunk.bytes, source).expect("a game").values[0];
    for (source, found) in [
        (ValueSource::Root, record.root()),
        (ValueSource::Best, record.best()),
        (ValueSource::Played, record.played()),
        (ValueSource::Original, record.original()),
    ] {
        assert_eq!(value(source), found.map(|found| (found.q + 1.0) / 2.0), "{source:?}");
    }
    let mut bytes = chunk.bytes.clone();
    bytes[8328..8332].copy_from_slice(&f32::NAN.to_le_bytes());
    let game = read_game(&bytes, ValueSource::Original).expect("orig_q may be missing");
    assert_eq!((game.values[0], game.values[1].is_some()), (None, true));
}

#[test]
fn a_chunk_is_one_record_of_a_file() {
    let chunk = &sample_chunks()[0];
    let found: Vec<Vec<u8>> = records(chunk.bytes.as_slice()).map(Result::unwrap).collect();
    assert_eq!(found, [chunk.bytes.as_slice()]);
    assert_eq!(records(&[][..]).count(), 0);
    // Endless bytes are not kept, and are no game.
    let found: Vec<Vec<u8>> = records(std::io::repeat(6)).map(Result::unwrap).collect();
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [4097 * Version::V6.bytes()]);
    let first = &chunk.bytes[..Version::V6.bytes()];
    let found: Vec<Vec<u8>> = records(first.repeat(5000).as_slice()).map(Result::unwrap).collect();
    assert_eq!(parse(found[0].as_slice(), 0, ValueSource::Root).unwrap_err().kind, RejectKind::TooLong);
}

#[test]
fn shuffled_records_are_put_in_order() {
    for (i, chunk) in sample_chunks().iter().enumerate().step_by(7) {
        let size = Version::V6.bytes();
        let mut records: Vec<&[u8]> = chunk.bytes.chunks(size).collect();
        let count = records.len();
        records.rotate_left(i % count);
        records.swap(1, count / 2);
        records[count / 3..].reverse();
        let shuffled = records.concat();
        assert_ne!(shuffled, chunk.bytes);
        let [found, expected] = [&shuffled, &chunk.bytes].map(|bytes| read_game(bytes, ValueSource::Root));
        assert_eq!(found.expect("a game"), expected.expect("a game"), "{}", chunk.game.file);
    }
}

#[test]
fn what_is_no_game_is_named() {
    let chunk = &sample_chunks()[3].bytes;
    let size = Version::V6.bytes();
    let fault = |bytes: &[u8]| read_game(bytes, ValueSource::Root).expect_err("no game");
    let with = |at: usize, value: &[u8]| {
        let mut bytes = chunk.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        fault(&bytes)
    };
    let last = chunk.len() - size;
    for (found, kind, record, part) in [
        (fault(&[]), RejectKind::NoMoves, None, "the chunk holds 0 records"),
        (fault(&chunk[..size].repeat(5000)), RejectKind::TooLong, None, "more than 4096 records"),
        (fault(&chunk[..3]), RejectKind::Truncated, Some(0), "3 of 4 bytes"),
        (fault(&chunk[..size + 100]), RejectKind::Truncated, Some(1), "100 of 8356 bytes"),
        (with(0, &[7]), RejectKind::Variant, Some(0), "version 7"),
        (with(size, &[5]), RejectKind::Variant, Some(1), "version 5"),
        (with(size + 4, &[3]), RejectKind::Variant, Some(1), "input format 3 (canonical)"),
        (with(4, &[132]), RejectKind::Variant, Some(0), "132 (canonical, hectoplies, armageddon), only 1 (classic)"),
        (with(8280, &f32::NAN.to_le_bytes()), RejectKind::Syntax, Some(0), "q is NaN"),
        (with(8308, &2f32.to_le_bytes()), RejectKind::Syntax, Some(0), "the result's q is 2"),
        (with(8, &1f32.to_le_bytes()), RejectKind::Syntax, Some(0), "the sum of the policy is "),
        (with(8, &f32::INFINITY.to_le_bytes()), RejectKind::Syntax, Some(0), "the sum of the policy is inf"),
        (with(8276, &[2]), RejectKind::StartPosition, Some(0), "the side to move is 2"),
        // White's king is everywhere.
        (with(7440 + 5 * 8, &[255; 8]), RejectKind::StartPosition, Some(0), "two pieces stand on one square"),
        // a1a8 is not legal at the start.
        (with(8344, &[13, 0]), RejectKind::IllegalMove, Some(0), "the move played is 13 of the 1,858 moves"),
        // The last record gives the mated side the game.
        (with(last + 8308, &(-1f32).to_le_bytes()), RejectKind::Contradiction, None, "but the board shows "),
    ] {
        assert_eq!((found.kind, found.ply), (kind, record), "{found:?}");
        assert!(found.reason.contains(part), "{part:?} is not in {found:?}");
    }
    // Without its second record the chunk is two halves, and a record may not occur twice.
    for bytes in [[&chunk[..size], &chunk[2 * size..]].concat(), [&chunk[..size], chunk].concat()] {
        let found = fault(&bytes);
        assert!(found.kind == RejectKind::Syntax && found.ply.is_some(), "{found:?}");
    }
    let rejected = parse(&chunk[..size + 100], 5, ValueSource::Root).unwrap_err();
    assert_eq!((rejected.game, rejected.ply, rejected.kind), (5, Some(1), RejectKind::Truncated));
}
