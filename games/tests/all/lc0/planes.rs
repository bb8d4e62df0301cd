//! Our planes, replayed from the games, are Lc0's.

use super::{Chunk, lines, sample_chunks};
use games::chess::history::{self, HistoryFill, STEPS};
use games::chess::lc0::{PLANES, Record};
use games::chess::{Chess, ChessPosition};
use games::{Earlier, FeatureKind, Game, InputName, Line, Position};
use serde::Deserialize;

const SQUARES: usize = 64;

/// The 104 bitboards of a packed row, in the order of Lc0's planes.
fn bitboards(row: &[u8]) -> Vec<u64> {
    let board = |step: usize| &row[step * SQUARES..(step + 1) * SQUARES];
    let piece = |step: usize, code: u8| {
        board(step)
            .iter()
            .enumerate()
            .filter(|&(_, &found)| found == code)
            .fold(0, |bits, (square, _)| bits | 1 << square)
    };
    let repeated = |step: usize| if row[STEPS * SQUARES + step] == 0 { 0 } else { u64::MAX };
    (0..STEPS).flat_map(|step| (1..=12).map(move |code| piece(step, code)).chain([repeated(step)])).collect()
}

/// Calls `check` with every record, the line that led to it and its legal moves' indices in order.
fn each_record(chunk: &Chunk, mut check: impl FnMut(usize, &Record<'_>, &Line<ChessPosition>)) {
    let start = ChessPosition::parse(&chunk.game.startfen).expect("a position");
    let mut line = Line::for_input(start, Chess::input(InputName::Lc0_112));
    let mut records = chunk.records();
    for (ply, text) in chunk.game.moves.iter().enumerate() {
        if let Some(number) = ply.checked_sub(chunk.game.first_recorded_ply) {
            let record = records.next().expect("a record").expect("a record for every ply");
            check(number, &record, &line);
        }
        let mv = line.position().parse_move(text).expect("a legal move");
        line.play(mv);
    }
    assert!(records.next().expect("the end").is_none(), "{}: a record more than plies", chunk.game.file);
}

#[test]
fn every_record_has_our_planes_and_our_legal_moves() {
    let layout = Chess::input(InputName::Lc0_112);
    let mut row = vec![0xAA; layout.row_bytes()];
    let mut compared = 0;
    for chunk in sample_chunks() {
        each_record(&chunk, |number, record, line| {
            let place = format!("{} record {number}, {}", chunk.game.file, line.position().to_text());
            line.pack(layout, &mut row);
            let planes: Vec<u64> = (0..PLANES).map(|i| record.plane(i)).collect();
            assert_eq!(bitboards(&row), planes, "{place}");
            let [ooo, oo, their_ooo, their_oo] = record.castling();
            let scalars = [ooo, oo, their_ooo, their_oo, record.side_to_move(), record.rule_50(), 0, 1];
            assert_eq!(row[layout.features_at()..], scalars, "{place}");

            let moves = line.position().list_moves().into_iter();
            let mut legal: Vec<usize> = moves.map(|mv| line.position().move_index(mv).into()).collect();
            legal.sort_unstable();
            let listed = record.policy().enumerate().filter(|&(_, share)| share >= 0.0).map(|(i, _)| i);
            assert_eq!(listed.collect::<Vec<_>>(), legal, "{place}");
            assert!(record.policy().all(|share| share >= 0.0 || share == -1.0), "{place}");
            compared += 1;
        });
    }
    assert_eq!(compared, 6459);
}

/// The Chessformer paper's A.1: eight boards, en passant and castling, the count divided by 100, repetitions; 112 in all.
#[test]
fn the_papers_input_has_the_en_passant_square_in_place_of_the_side_to_move() {
    let [classical, paper] = [InputName::Lc0_112, InputName::Lc0_112EnPassant].map(Chess::input);
    let channels = paper.board_channels() + paper.features.len();
    assert_eq!((channels, paper.features_at()), (112, classical.features_at()));
    let scales: Vec<_> = paper.scalars().map(|(_, feature)| (feature.name, feature.kind)).collect();
    assert!(scales.contains(&("rule_50", FeatureKind::Scalar { scale: 100.0 })), "{scales:?}");
    assert!(scales.iter().all(|&(name, _)| name != "black_to_move"), "{scales:?}");
    let rule_50 = FeatureKind::Scalar { scale: 99.0 };
    assert!(classical.scalars().any(|(_, feature)| (feature.name, feature.kind) == ("rule_50", rule_50)));
    let [mut row, mut other] = [paper, classical].map(|layout| vec![0xAA; layout.row_bytes()]);
    let mut marked = 0;
    for chunk in sample_chunks() {
        each_record(&chunk, |_, record, line| {
            let fen = line.position().to_text();
            line.pack(paper, &mut row);
            line.pack(classical, &mut other);
            assert_eq!(row[..paper.features_at()], other[..paper.features_at()], "{fen}");
            let fields: Vec<&str> = fen.split(' ').collect();
            let mark = match fields[3].as_bytes() {
                &[file, rank] => {
                    let rank = if fields[1] == "b" { b'8' - rank } else { rank - b'1' };
                    rank * 8 + (file - b'a') + 1
                }
                _ => 0,
            };
            let [ooo, oo, their_ooo, their_oo] = record.castling();
            let expected = [ooo, oo, their_ooo, their_oo, mark, record.rule_50(), 0, 1];
            assert_eq!(row[paper.features_at()..], expected, "{fen}");
            marked += usize::from(mark > 0);
        });
    }
    assert!(marked > 0, "no capture en passant in the sample");
}

/// A position whose planes Lc0 computed.
#[derive(Deserialize)]
struct Reference {
    name: String,
    startfen: String,
    moves: Vec<String>,
    history_fill: String,
    /// Number, bitboard in hex and value of each plane that is not empty.
    planes: Vec<(usize, String, f32)>,
}

#[test]
fn the_112_planes_of_lc0_in_play() {
    let layout = Chess::input(InputName::Lc0_112);
    let references: Vec<Reference> = lines("lc0_planes_ref.jsonl.zst");
    assert_eq!(references.len(), 4);
    for reference in references {
        assert_eq!(reference.history_fill, "fen_only");
        let moves: Vec<&str> = reference.moves.iter().map(String::as_str).collect();
        let row = packed(&reference.startfen, &moves, HistoryFill::FenOnly);
        let mut found: Vec<(usize, u64, f32)> =
            bitboards(&row).into_iter().zip(0..).map(|(bits, i)| (i, bits, 1.0)).collect();
        found.retain(|&(_, bits, _)| bits != 0);
        let features = row[layout.features_at()..].iter().zip(PLANES..);
        // The file writes the plane of rule 50 even where its value is 0.
        let features = features.filter(|&(&byte, plane)| byte != 0 || plane == PLANES + 5);
        found.extend(features.map(|(&byte, plane)| (plane, u64::MAX, f32::from(byte))));
        let expected: Vec<(usize, u64, f32)> = reference
            .planes
            .iter()
            .map(|(plane, bits, value)| (*plane, u64::from_str_radix(bits, 16).expect("hex"), *value))
            .collect();
        assert_eq!(found, expected, "{}", reference.name);
    }
}

/// The row of the position behind these moves, with its history, which is kept here by hand.
fn packed(startfen: &str, moves: &[&str], fill: HistoryFill) -> Vec<u8> {
    let mut line = Line::new(ChessPosition::parse(startfen).expect("a position"));
    let mut earlier = Vec::new();
    for text in moves {
        earlier.insert(0, Earlier { position: line.position().clone(), repetitions: line.repetitions() });
        let mv = line.position().parse_move(text).expect("a legal move");
        line.play(mv);
    }
    let mut row = vec![0xAA; Chess::input(InputName::Lc0_112).row_bytes()];
    history::pack(InputName::Lc0_112, line.position(), line.repetitions(), &earlier, fill, &mut row);
    row
}

#[test]
fn the_rules_of_missing_history() {
    let filled = |row: &[u8]| {
        (0..STEPS)
            .map(|step| row[step * SQUARES..(step + 1) * SQUARES].iter().any(|&code| code != 0))
            .filter(|&any| any)
            .count()
    };
    let standard = ChessPosition::start().to_text();
    let endgame = "8/8/8/5k2/R7/1r6/2K5/8 b - - 33 74";
    let passed = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    for (fen, moves, fill, steps) in [
        (standard.as_str(), &[][..], HistoryFill::No, 1),
        (&standard, &[], HistoryFill::FenOnly, 1),
        (&standard, &["e2e4", "c7c5"], HistoryFill::FenOnly, 3),
        (endgame, &[], HistoryFill::No, 1),
        (endgame, &[], HistoryFill::FenOnly, STEPS),
        (endgame, &["b3a3"], HistoryFill::No, 2),
        (endgame, &["b3a3"], HistoryFill::FenOnly, STEPS),
        (passed, &[], HistoryFill::No, 2),
        (passed, &[], HistoryFill::FenOnly, STEPS),
        (passed, &["e1e2"], HistoryFill::No, 3),
        // The d-pawn has gone one step only, or none at all: nothing can be taken back.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", &[], HistoryFill::No, 1),
    ] {
        assert_eq!(filled(&packed(fen, moves, fill)), steps, "{fen} {moves:?} {fill:?}");
    }
    // Before the double step the pawn stood on d7: square 51 for White, and after a white move, with Black to move and
    // the ranks mirrored, square 11.
    let row = packed(passed, &[], HistoryFill::No);
    assert_eq!((row[SQUARES + 51], row[SQUARES + 35], row[35]), (7, 0, 7));
    let row = packed(passed, &["e1e2"], HistoryFill::No);
    assert_eq!((row[2 * SQUARES + 11], row[2 * SQUARES + 27], row[SQUARES + 27]), (1, 0, 1));
    // Lc0's own trainer writes its games with the first rule, and so does the input.
    let mut row = vec![0xAA; Chess::input(InputName::Lc0_112).row_bytes()];
    ChessPosition::parse(passed).unwrap().pack(InputName::Lc0_112, 0, &mut row);
    assert_eq!(row, packed(passed, &[], HistoryFill::No));
}

#[test]
#[should_panic(expected = "lc0_112 shows 7 earlier positions, kept are 0")]
fn a_line_without_history_is_not_packed_as_if_it_had_one() {
    let layout = Chess::input(InputName::Lc0_112);
    Line::new(ChessPosition::start()).pack(layout, &mut vec![0; layout.row_bytes()]);
}
