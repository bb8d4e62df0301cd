//! PGN: what is read, and what is refused with its place.

use crate::samples::{accepted, check_refused, only, parsed, sample};
use games::chess::pgn;
use games::{GameResult, ParsedGame, RejectKind, Score, Termination};
use std::collections::BTreeMap;

fn games(text: &[u8]) -> Vec<ParsedGame> {
    accepted(pgn::records(text), pgn::parse)
}

fn one(text: &str) -> ParsedGame {
    only(games(text.as_bytes()))
}

fn count<T: Ord>(items: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}

/// The totals were counted in the text with regular expressions in Python.
#[test]
fn engine_games_keep_moves_scores_and_endings() {
    let games = games(&sample("chess_engine_36.pgn.zst"));
    assert_eq!(games.len(), 36);
    assert_eq!(games.iter().map(|game| game.moves.len()).sum::<usize>(), 4825);
    assert_eq!(games.iter().flat_map(|game| &game.scores).flatten().count(), 4249);
    let results = count(games.iter().map(|game| game.result.name()));
    assert_eq!(results, BTreeMap::from([("draw", 18), ("first_wins", 10), ("second_wins", 8)]));
    let endings = count(games.iter().map(|game| game.termination.name()));
    assert_eq!(endings["checkmate"], 11);
    assert_eq!(endings.get("other"), None, "every draw of this file has a reason on the board: {endings:?}");
    assert!(games.iter().all(|game| game.start.is_none() && game.ratings == [None, None]));

    let first = &games[0];
    assert_eq!(first.moves[..4], ["g1f3", "g7g6", "c2c4", "f8g7"]);
    assert_eq!(first.scores[15], None, "book moves have no score");
    assert_eq!(first.scores[16], Some(Score::Centipawns(49)));
    assert_eq!(first.scores[33], Some(Score::Centipawns(-20)), "17... Rxe4, from White's view");
}

#[test]
fn lichess_games_keep_clocks_and_ratings() {
    let games = games(&sample("chess_lichess_40.pgn.zst"));
    assert_eq!(games.len(), 40);
    assert_eq!(games.iter().map(|game| game.moves.len()).sum::<usize>(), 2272);
    assert_eq!(games.iter().flat_map(|game| &game.clocks).flatten().count(), 2272);
    assert_eq!(games.iter().flat_map(|game| &game.scores).flatten().count(), 84, "one game was analysed");
    assert_eq!(games[0].ratings, [Some(1028), Some(1132)]);
    assert_eq!(games[0].clocks[3], Some(302.0));
    assert_eq!(games[0].termination, Termination::Checkmate);
    assert_eq!((games[1].result, games[1].termination), (GameResult::SecondWins, Termination::Time));
    let endings = count(games.iter().map(|game| game.termination.name()));
    assert_eq!(endings["checkmate"], 9);
    assert_eq!(endings["time"], 11);
}

#[test]
fn scores_can_be_those_of_the_positions_after_the_moves() {
    let scored = |text: &str| {
        let mut game = one(text);
        game.score_after_moves();
        game.scores
    };
    let [first, second] = [30, 50].map(|points| Some(Score::Centipawns(points)));
    let scores = scored("1. e4 {[%eval 0.3]} e5 {[%eval 0.5]} 2. Nf3 Nc6 {[%eval #-2]} *");
    assert_eq!(scores, [None, first, second, None]);
    assert!(scored("*").is_empty());
}

#[test]
fn a_number_that_is_no_rating_is_an_unknown_one() {
    let ratings = |white: &str, black: &str| {
        one(&format!("[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n[Result \"*\"]\n\n1. e4 e5 *\n")).ratings
    };
    assert_eq!(ratings("1000000", " -5 "), [Some(1_000_000), Some(-5)]);
    assert_eq!(ratings("2147483647", "-2147483648"), [None, None]);
    assert_eq!(ratings("1000001", "?"), [None, None]);
}

#[test]
fn only_the_main_line_counts() {
    let game = one("[Event \"?\"]\n[Result \"*\"]\n\n; a line of text with 1. a4\n% an escaped line 1. a4\n\
         1.e4! $1 {a comment (with brackets) [%csl Ge4]} (1. d4 d5 (1... Nf6 {) here}) 2. c4) 1... e5 $14 \
         2. Nf3!? Nc6?! 3. Bb5 ({only a comment}) a6 {[%eval -0.3]} *\n");
    assert_eq!(game.moves, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]);
    assert_eq!(game.scores[5], Some(Score::Centipawns(-30)));
    assert_eq!((game.result, game.termination), (GameResult::Unknown, Termination::Other));
}

#[test]
fn moves_become_uci() {
    let castling = one("1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 O-O *");
    assert_eq!(castling.moves[6..], ["e1g1", "e8g8"]);
    let both_squares = one("1. Ng1f3 e5 2. Nf3xe5 Ng8f6 *");
    assert_eq!(both_squares.moves, ["g1f3", "e7e5", "f3e5", "g8f6"]);
    let start = "[SetUp \"1\"]\n[FEN \"4k3/1P6/8/5pP1/8/8/8/4K3 w - f6 0 30\"]\n\n";
    let special = one(&format!("{start}30. gxf6 e.p. Kd7 31. b8=N+ *"));
    assert_eq!(special.moves, ["g5f6", "e8d7", "b7b8n"]);
    assert_eq!(special.start.as_deref(), Some("4k3/1P6/8/5pP1/8/8/8/4K3 w - f6 0 30"));
    let standard = one("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n\n1. e4 *");
    assert_eq!(standard.start, None);
}

#[test]
fn the_largest_move_number_is_written() {
    let start = Some("4k3/8/8/8/8/8/8/4K3 b - - 0 4294967295");
    let moves = ["e8e7", "e1e2", "e7e8"].into_iter();
    let text = pgn::write(start, moves, GameResult::Unknown, &[], &[]).expect("legal moves");
    assert!(text.ends_with("\n4294967295... Ke7 4294967295. Ke2 Ke8 *\n\n"), "{text}");
}

#[test]
fn every_value_of_a_tag_can_be_read_again() {
    let tags = [("Event", "two\nlines\r\n\\ and \"marks\""), ("White", "a")];
    let text = pgn::write(None, ["e2e4"].into_iter(), GameResult::Unknown, &tags, &[]).expect("a legal move");
    let event = ("Event".to_owned(), "two lines  \\ and \"marks\"".to_owned());
    assert_eq!(one(&text).tags[..2], [event, ("White".to_owned(), "a".to_owned())]);
}

#[test]
fn a_start_keeps_its_clock() {
    let start = |fen: &str| one(&format!("[FEN \"{fen}\"]\n\n1. Nf3 *\n")).start;
    let standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(start(&format!("{standard} 0 1")), None);
    assert_eq!(start(&format!("{standard} 8 1")), Some(format!("{standard} 8 1")));
}

#[test]
fn endings_are_read_off_the_board_first() {
    let ending = |text: &str| {
        let game = one(text);
        (game.result, game.termination)
    };
    let (white, black, draw) = (GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw);
    let mate = "1. f3 e5 2. g4 Qh4#";
    assert_eq!(ending(&format!("{mate} 0-1")), (black, Termination::Checkmate));
    assert_eq!(ending(&format!("{mate} *")), (black, Termination::Checkmate));
    assert_eq!(ending("[Result \"1-0\"]\n\n1. e4 1-0"), (white, Termination::Resignation));
    assert_eq!(ending("[Result \"1-0\"]\n\n1. e4 *"), (white, Termination::Resignation));
    assert_eq!(ending("[Termination \"Time forfeit\"]\n\n1. e4 1-0"), (white, Termination::Time));
    assert_eq!(ending("[Termination \"adjudication\"]\n\n1. e4 1/2-1/2"), (draw, Termination::Adjudication));
    assert_eq!(ending("[Termination \"Abandoned\"]\n\n1. e4 1-0"), (white, Termination::Other));
    assert_eq!(ending("1. e4 1/2-1/2"), (draw, Termination::Other));
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
    assert_eq!(ending(&format!("{shuffle} 1/2-1/2")), (draw, Termination::Repetition));
    let claimed = shuffle.strip_suffix(" Ng8").expect("the last move");
    assert_eq!(ending(&format!("{claimed} 1/2-1/2")), (draw, Termination::Repetition));
    let earlier = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6";
    assert_eq!(ending(&format!("{earlier} 1/2-1/2")), (draw, Termination::Other));
    let position = |fen: &str, moves: &str| ending(&format!("[FEN \"{fen}\"]\n\n{moves}"));
    assert_eq!(position("7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "1. Qg6 1/2-1/2"), (draw, Termination::Stalemate));
    assert_eq!(position("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "1. Kxb2 1/2-1/2"), (draw, Termination::InsufficientMaterial));
    assert_eq!(position("7k/8/8/8/8/8/R7/K7 w - - 99 80", "80. Kb1 1/2-1/2"), (draw, Termination::FiftyMoves));
    assert_eq!(position("7k/8/8/8/8/8/R7/K7 w - - 50 80", "80. Kb1 1/2-1/2"), (draw, Termination::Other));
}

#[test]
fn a_ply_cap_is_no_draw() {
    let capped = |text: &str| {
        let mut game = one(text);
        game.cut_off_at(4);
        (game.result, game.termination)
    };
    let cut_off = (GameResult::Unknown, Termination::PlyCap);
    assert_eq!(capped("1. e4 e5 2. d4 d5 1/2-1/2"), cut_off);
    assert_eq!(capped("[Termination \"adjudication\"]\n\n1. e4 e5 2. d4 d5 1/2-1/2"), cut_off);
    assert_eq!(capped("1. e4 e5 2. d4 1/2-1/2"), (GameResult::Draw, Termination::Other), "too short");
    assert_eq!(capped("1. f3 e5 2. g4 Qh4# 0-1"), (GameResult::SecondWins, Termination::Checkmate));
    assert_eq!(capped("1. e4 e5 2. d4 d5 1-0"), (GameResult::FirstWins, Termination::Resignation));
}

#[test]
fn bad_games_are_refused_with_their_place() {
    let cases = [
        ("1. e4 e5 2. Nf6 *", RejectKind::IllegalMove, Some(2), "\"Nf6\" in position \"rnbqkbnr/pppp1ppp/"),
        ("1. e4 e5 2. Zf3 Nc6 *", RejectKind::IllegalMove, Some(2), "\"Zf3\""),
        ("1. e4 -- 2. d4 *", RejectKind::IllegalMove, Some(1), "\"--\""),
        ("1. e4 e5 +- 2. d4 *", RejectKind::Syntax, Some(2), "neither a move nor a result: \"+-\""),
        ("1. e4 {never closed 1... e5 *", RejectKind::Truncated, Some(1), "a comment is never closed"),
        ("1. e4 (1. d4 d5 *", RejectKind::Truncated, Some(1), "a variation is never closed"),
        ("1. e4 e5 2. Nf", RejectKind::IllegalMove, Some(2), "\"Nf\""),
        ("1. e4 e5 2. Nf3", RejectKind::Truncated, Some(3), "without a result"),
        ("[Event \"x\"]\n[White \"Anan", RejectKind::Syntax, None, "malformed tag: \"[White \"Anan"),
        ("[Event \"x\"]\n", RejectKind::Truncated, Some(0), "without a result"),
        ("1. e4 1-0 1... e5 *", RejectKind::Syntax, Some(1), "moves after the result"),
        ("1. f3 e5 2. g4 Qh4# 1-0", RejectKind::Contradiction, Some(4), "Checkmate"),
        ("[Result \"1-0\"]\n\n1. e4 0-1", RejectKind::Contradiction, Some(1), "Result tag"),
        ("[Variant \"Atomic\"]\n\n1. e4 *", RejectKind::Variant, None, "Atomic"),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *", RejectKind::StartPosition, None, "FEN \"8/8/"),
        ("[FEN \"4k3/8/8/8/8/8/4R3/4K3 w - - 0 1\"]\n\n1. Kd1 *", RejectKind::StartPosition, None, "FEN"),
    ];
    check_refused(&cases, pgn::parse);
}

#[test]
fn a_bad_game_costs_no_other() {
    let good = "[Event \"good\"]\n\n1. e4 e5 *\n\n";
    for bad in ["1. e4 Ke7 *", "1. e4 {never closed", "1. e4 (1. d4", "1. e4 e5", "{[%eval 0.1] } ) 1. e5 *", ""] {
        let text = format!("{good}[Event \"bad\"]\n\n{bad}\n\n{good}{good}");
        let read = parsed(pgn::records(text.as_bytes()), pgn::parse);
        let accepted: Vec<bool> = read.iter().map(Result::is_ok).collect();
        if bad.is_empty() {
            // Two blocks of tags without moves between them are one game's tags.
            assert_eq!(accepted, [true, true, true]);
        } else {
            assert_eq!(accepted, [true, false, true, true], "{bad}");
            assert_eq!(read[1].as_ref().map_err(|rejected| rejected.game), Err(1));
        }
    }
}

#[test]
fn games_without_tags_are_told_apart_by_their_results() {
    let games = games(b"1. e4 e5 1-0\n\n1. d4 {a comment\n\nof two parts} d5\n2. c4 1/2-1/2\n\n1. c4 *");
    assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [2, 3, 1]);
}

#[test]
fn a_comment_may_end_a_line_as_a_game_does() {
    for line in ["he expected 1-0", "so ends the game *", "1/2-1/2"] {
        let moves = format!("1. e4 {{{line}\n\nand more}} e5 {{ {line} }} 2. Nf3 1-0\n\n");
        for tags in ["", "[Event \"x\"]\n\n"] {
            let games = games(format!("{tags}{moves}{tags}{moves}").as_bytes());
            assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [3, 3], "{line}");
        }
    }
}

#[test]
fn comments_and_escapes_of_a_line_end_no_game() {
    let rest = games(b"1. e4 {a; b} e5 ; he expected 1-0\n\n2. Nf3 {;} 1-0\n\n1. d4 *\n");
    assert_eq!(rest.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [3, 1]);
    let escapes = one("% 1-0\n[White \"A\"]\n% a program's line\n[WhiteElo \"1500\"]\n\n1. e4\n% *\n\ne5 *\n");
    assert_eq!((escapes.tags.len(), escapes.ratings[0], escapes.moves.len()), (2, Some(1500), 2));
}

#[test]
fn line_ends_and_marks_of_other_systems_are_fine() {
    let text = "\u{feff}[Event \"a \\\"quoted\\\" name\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4 e5\r\n1-0\r\n\r\n";
    let game = one(text);
    assert_eq!(game.tags[0], ("Event".to_owned(), "a \"quoted\" name".to_owned()));
    assert_eq!(game.moves.len(), 2);
}
