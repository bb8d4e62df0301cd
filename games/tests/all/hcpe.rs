//! HCPE, HCPE3 and PSV: the same forty games in three formats, written by cshogi, against the list of what is in them.

use crate::samples::{TWO_PIECE_HANDICAP, accepted, sample, text};
use games::shogi::detect::{Binary, detect};
use games::shogi::hcpe::{self, Hcpe, NotWritten};
use games::shogi::psv::{self, Psv};
use games::shogi::{Board, ShogiPosition, hcpe3};
use games::{
    GameResult, ParsedGame, ParsedPosition, Position as _, PositionFacts, RejectKind, Rejected, Score, Termination,
};

/// The games in the format with this ending.
fn sampled(ending: &str) -> Vec<u8> {
    sample(&format!("shogi_selfplay_40games.{ending}"))
}

/// What a position's record must say.
struct Truth {
    sfen: String,
    mv: String,
    /// From the side to move's view.
    score: i32,
    result: GameResult,
}

impl Truth {
    fn first_players(&self) -> Option<Score> {
        let black = self.sfen.split(' ').nth(1) == Some("b");
        Some(Score::Centipawns(if black { self.score } else { -self.score }))
    }

    fn ply(&self) -> u32 {
        self.sfen.rsplit_once(' ').expect("a move number").1.parse::<u32>().expect("a number") - 1
    }

    fn without_ply(&self) -> &str {
        self.sfen.rsplit_once(' ').expect("a move number").0
    }
}

fn truth() -> Vec<Truth> {
    let rows: Vec<Truth> = text("shogi_selfplay_40games.truth.tsv.zst")
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let &[sfen, mv, score, result] = fields.as_slice() else { panic!("four fields: {line}") };
            let result = match result {
                "0" => GameResult::Draw,
                "1" => GameResult::FirstWins,
                "2" => GameResult::SecondWins,
                other => panic!("no result: {other}"),
            };
            Truth { sfen: sfen.to_owned(), mv: mv.to_owned(), score: score.parse().expect("a score"), result }
        })
        .collect();
    assert_eq!(rows.len(), 4_731);
    rows
}

fn games(file: &[u8]) -> Vec<ParsedGame> {
    accepted(hcpe3::records(file), hcpe3::parse)
}

type Parse = fn(&[u8], u64) -> Result<ParsedPosition, Rejected>;

fn positions(file: &[u8], length: usize, parse: Parse) -> Vec<ParsedPosition> {
    accepted(file.chunks(length).map(|record| Ok(record.to_vec())), parse)
}

fn every_field_is(read: &[ParsedPosition], start_and_ply: fn(&Truth) -> (String, Option<u32>)) {
    let truth = truth();
    assert_eq!(read.len(), truth.len());
    for (read, truth) in read.iter().zip(&truth) {
        let (start, ply) = start_and_ply(truth);
        let expected = ParsedPosition {
            known: Some(PositionFacts::of(&ShogiPosition::parse(&truth.sfen).unwrap())),
            mv: Some(truth.mv.clone()),
            score: truth.first_players(),
            result: truth.result,
            ply,
            ..ParsedPosition::new(start)
        };
        assert_eq!(read, &expected);
    }
}

#[test]
fn every_hcpe_field() {
    let read = positions(&sampled("hcpe"), hcpe::BYTES, hcpe::parse);
    every_field_is(&read, |truth| (format!("{} 1", truth.without_ply()), None));
}

#[test]
fn every_psv_field() {
    let read = positions(&sampled("psv"), psv::BYTES, psv::parse);
    every_field_is(&read, |truth| (truth.sfen.clone(), Some(truth.ply())));
}

#[test]
fn every_hcpe3_field() {
    let games = games(&sampled("hcpe3"));
    assert_eq!(games.len(), 40);
    let mut truth = truth().into_iter();
    for game in &games {
        assert_eq!((&game.start, game.termination), (&None, Termination::Other));
        let mut position = ShogiPosition::start();
        for (ply, mv) in game.moves.iter().enumerate() {
            let truth = truth.next().expect("a row for every move");
            assert_eq!(position.to_text(), truth.sfen);
            assert_eq!(
                (mv.as_str(), game.scores[ply], game.result),
                (truth.mv.as_str(), truth.first_players(), truth.result)
            );
            // The sample has the move played as its only candidate, with one visit.
            assert_eq!(game.candidates[ply], [(truth.mv.clone(), 1.0)]);
            position.play(position.parse_move(mv).unwrap());
        }
    }
    assert!(truth.next().is_none());
}

/// Records made from positions, moves and scores, not from other records.
#[test]
fn writers_equal_cshogi() {
    let (mut as_hcpe, mut as_psv) = (Vec::new(), Vec::new());
    for truth in truth() {
        let position = ShogiPosition::parse(&truth.sfen).unwrap();
        let (board, mv) = (Board::of(&position), position.parse_move(&truth.mv).unwrap());
        let (score, ply) = (truth.score as i16, truth.ply() as u16 + 1);
        as_hcpe.extend(Hcpe::new(&board, mv, score, truth.result).unwrap().write());
        as_psv.extend(Psv::new(&board, mv, score, ply, truth.result).unwrap().write());
    }
    assert_eq!(as_hcpe, sampled("hcpe"));
    assert_eq!(as_psv, sampled("psv"));
}

#[test]
fn formats_are_told_apart() {
    let (hcpe, hcpe3, psv) = (sampled("hcpe"), sampled("hcpe3"), sampled("psv"));
    for (file, format) in [(&hcpe, Binary::Hcpe), (&psv, Binary::Psv), (&hcpe3, Binary::Hcpe3)] {
        // The beginning is enough, wherever it is cut; and so is any game or record alone.
        for length in [file.len(), 100, 1_000, 3_001] {
            assert_eq!(detect(&file[..length]), Some(format));
        }
    }
    for (file, size, format) in [(&hcpe, hcpe::BYTES, Binary::Hcpe), (&psv, psv::BYTES, Binary::Psv)] {
        file.chunks(size).for_each(|record| assert_eq!(detect(record), Some(format)));
    }
    for game in hcpe3::records(hcpe3.as_slice()) {
        assert_eq!(detect(&game.unwrap()), Some(Binary::Hcpe3));
    }
    // A damaged first record does not hide the others.
    let mut damaged = hcpe.clone();
    damaged[..hcpe::BYTES].fill(0xff);
    assert_eq!(detect(&damaged), Some(Binary::Hcpe));
    for other in [&b""[..], b"V2.2\nN+black\n", &[0; 4_096], &[0xff; 4_096]] {
        assert_eq!(detect(other), None);
    }
}

#[test]
fn hcpe2_says_how_the_game_ended() {
    let first = Hcpe::read(sampled("hcpe")[..hcpe::BYTES].try_into().unwrap());
    let read = move |outcome: u8| {
        let record = Hcpe { outcome, ..first }.write();
        hcpe::parse(&record, 3).map(|read| (read.result, read.termination))
    };
    assert_eq!(read(4), Ok((GameResult::Draw, Termination::Repetition)));
    assert_eq!(read(4 | 2), Ok((GameResult::SecondWins, Termination::PerpetualCheck)));
    assert_eq!(read(8 | 1), Ok((GameResult::FirstWins, Termination::Declaration)));
    assert_eq!(read(16), Ok((GameResult::Unknown, Termination::PlyCap)));
    for outcome in [3, 4 | 8, 32, 255] {
        let rejected = read(outcome).expect_err("no outcome");
        assert_eq!((rejected.game, rejected.kind), (3, RejectKind::Syntax), "{rejected:?}");
    }
}

#[test]
fn visits_become_shares() {
    let file = sampled("hcpe3");
    let record = hcpe3::records(file.as_slice()).next().unwrap().unwrap();
    let mut game = hcpe3::Game::read(&record).unwrap();
    // 7g7f, 2g2f, and 9g9f without a visit.
    game.turns.truncate(1);
    game.turns[0].visits = vec![(7739, 30), (1934, 10), (10061, 0)];
    let parsed = hcpe3::parse(&game.write().unwrap(), 0).unwrap();
    assert_eq!(parsed.candidates, [[("7g7f".to_owned(), 0.75), ("2g2f".to_owned(), 0.25)]]);
    for visits in [vec![(7739, 1), (7739, 2)], vec![(5, 1)]] {
        game.turns[0].visits = visits;
        let rejected = hcpe3::parse(&game.write().unwrap(), 5).expect_err("candidates");
        assert_eq!((rejected.game, rejected.ply, rejected.kind), (5, Some(0), RejectKind::IllegalMove));
    }
}

#[test]
fn a_game_may_start_anywhere() {
    let record = hcpe3::records(sampled("hcpe3").as_slice()).next().unwrap().unwrap();
    let whole = hcpe3::parse(&record, 0).unwrap();
    let mut game = hcpe3::Game::read(&record).unwrap();
    game.turns.remove(0);
    // The second record of the same game has the position after its first move.
    game.hcp = Hcpe::read(sampled("hcpe")[hcpe::BYTES..2 * hcpe::BYTES].try_into().unwrap()).hcp;
    let rest = hcpe3::parse(&game.write().unwrap(), 0).unwrap();
    let start = truth()[1].without_ply().to_owned() + " 1";
    assert_eq!((rest.start, &rest.moves[..]), (Some(start), &whole.moves[1..]));
    assert_eq!(rest.scores, whole.scores[1..]);
}

#[test]
fn what_is_damaged_is_named() {
    let file = sampled("hcpe");
    let first = Hcpe::read(file[..hcpe::BYTES].try_into().unwrap());
    let reject = |record: &[u8]| hcpe::parse(record, 9).expect_err("damaged");
    let illegal = reject(&Hcpe { move16: 1 << 7 | 3, ..first }.write());
    assert_eq!((illegal.game, illegal.kind), (9, RejectKind::IllegalMove));
    assert!(illegal.reason.contains("illegal move 1b1d in position \"lnsgkgsnl/"), "{}", illegal.reason);
    assert_eq!(reject(&Hcpe { hcp: [0xff; 32], ..first }.write()).kind, RejectKind::StartPosition);
    let cut = reject(&file[..37]);
    assert_eq!((cut.kind, cut.reason.contains("37 of 38 bytes")), (RejectKind::Truncated, true), "{cut:?}");
    // A file that ends inside a record gives the whole ones and then that.
    let lengths: Vec<usize> = hcpe::records(&file[..100]).map(|record| record.unwrap().len()).collect();
    assert_eq!(lengths, [38, 38, 24]);
    let third = sampled("psv")[2 * psv::BYTES..3 * psv::BYTES].to_vec();
    let wrong_result = Psv { result: 2, ..Psv::read(third.as_slice().try_into().unwrap()) };
    assert_eq!(psv::parse(&wrong_result.write(), 0).expect_err("no result").kind, RejectKind::Syntax);
    let games = sampled("hcpe3");
    let cut: Vec<_> = hcpe3::records(&games[..2_000]).map(|record| hcpe3::parse(&record.unwrap(), 0)).collect();
    let (last, whole) = cut.split_last().unwrap();
    assert!(whole.iter().all(Result::is_ok));
    assert_eq!(last.as_ref().expect_err("cut off").kind, RejectKind::Truncated);
}

#[test]
fn games_without_a_result_are_not_written() {
    let board = Board::of(&ShogiPosition::start());
    let mv = ShogiPosition::start().parse_move("7g7f").unwrap();
    assert_eq!(Hcpe::new(&board, mv, 0, GameResult::Unknown), Err(NotWritten::NoResult));
    assert_eq!(Psv::new(&board, mv, 0, 1, GameResult::Unknown), Err(NotWritten::NoResult));
    let handicap = ShogiPosition::parse(TWO_PIECE_HANDICAP).unwrap();
    let mv = handicap.parse_move("3c3d").unwrap();
    let board = Board::of(&handicap);
    assert!(matches!(Hcpe::new(&board, mv, 0, GameResult::Draw), Err(NotWritten::Position(_))));
    let written = Psv::new(&board, mv, 0, 1, GameResult::FirstWins).unwrap().write();
    let read = psv::parse(&written, 0).unwrap();
    assert_eq!((read.start, read.ply), (handicap.to_text(), Some(0)));
    let without_ply = Psv::new(&board, mv, 0, 0, GameResult::FirstWins).unwrap().write();
    assert_eq!(psv::parse(&without_ply, 0).unwrap().ply, None);
}
