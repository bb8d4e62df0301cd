//! CSA: what is read, and what is refused with its place.

use crate::samples::{TWO_PIECE_HANDICAP, accepted, after, check_refused, only, parsed, sample};
use games::shogi::{ShogiPosition, csa};
use games::{GameResult, ParsedGame, Position as _, RejectKind, Score, Termination};

fn games(text: &[u8]) -> Vec<ParsedGame> {
    accepted(csa::records(text), csa::parse)
}

fn one(text: &str) -> ParsedGame {
    only(games(text.as_bytes()))
}

/// The figures are cshogi's reading of the same file.
#[test]
fn a_floodgate_game() {
    let game = only(games(&sample("shogi_floodgate.csa")));
    assert_eq!(game.start, None);
    assert_eq!(game.moves.len(), 125);
    assert_eq!(game.moves[..3], ["2g2f", "3c3d", "7g7f"]);
    assert_eq!((game.result, game.termination), (GameResult::FirstWins, Termination::Resignation));
    assert_eq!(game.ratings, [Some(3382), Some(3613)]);
    assert_eq!(game.scores[..4], [113, 126, 143, 149].map(|points| Some(Score::Centipawns(points))));
    assert_eq!(game.times[..3], [Some(14.0), Some(12.0), Some(15.0)]);
    assert!(game.tags.contains(&("N+".to_owned(), "10b_n003_1060".to_owned())));
    assert!(game.tags.contains(&("'Max_Moves".to_owned(), "256".to_owned())));
}

/// The totals were counted in the text with regular expressions in Python.
#[test]
fn a_file_of_many_games() {
    let mut games = games(&sample("shogi_engine_41.csa.zst"));
    assert_eq!(games.len(), 41);
    assert_eq!(games.iter().map(|game| game.moves.len()).sum::<usize>(), 5051);
    assert_eq!(games.iter().flat_map(|game| &game.scores).flatten().count(), 5051);
    let lost = |game: &&ParsedGame| matches!(game.termination, Termination::Resignation | Termination::Checkmate);
    assert_eq!(games.iter().filter(lost).count(), 40);
    for game in games.iter().filter(lost) {
        let loser_moves_next = if game.moves.len() % 2 == 0 { GameResult::SecondWins } else { GameResult::FirstWins };
        assert_eq!(game.result, loser_moves_next);
    }

    let capped = games.last_mut().expect("41 games");
    assert_eq!((capped.moves.len(), capped.result), (320, GameResult::Draw));
    capped.cut_off_at(320);
    assert_eq!((capped.result, capped.termination), (GameResult::Unknown, Termination::PlyCap));
}

#[test]
fn endings() {
    let ending = |text: &str| {
        let game = one(&format!("V2.2\nPI\n+\n+7776FU\n{text}\n"));
        (game.result, game.termination)
    };
    let (black, white) = (GameResult::FirstWins, GameResult::SecondWins);
    // After one move, White is to move.
    for (text, result, termination) in [
        ("%TORYO", black, Termination::Resignation),
        ("%TSUMI", black, Termination::Other),
        ("%KACHI", white, Termination::Declaration),
        ("%TIME_UP", black, Termination::Time),
        ("%ILLEGAL_MOVE", black, Termination::IllegalMove),
        ("%+ILLEGAL_ACTION", white, Termination::IllegalMove),
        ("%-ILLEGAL_ACTION", black, Termination::IllegalMove),
        ("%SENNICHITE", GameResult::Draw, Termination::Repetition),
        ("%JISHOGI", GameResult::Draw, Termination::Other),
        ("%HIKIWAKE", GameResult::Draw, Termination::Other),
        ("%MAX_MOVES", GameResult::Unknown, Termination::PlyCap),
        ("%CHUDAN", GameResult::Unknown, Termination::Other),
        ("", GameResult::Unknown, Termination::Other),
    ] {
        assert_eq!(ending(text), (result, termination), "{text}");
    }
}

#[test]
fn scores_and_times_after_the_ending_are_of_no_move() {
    let game = one("V2.2\nPI\n+\n+7776FU\n'** 30\nT2\n%TORYO\n'** -9999\nT5\n");
    assert_eq!((&game.scores[..], &game.times[..]), (&[Some(Score::Centipawns(30))][..], &[Some(2.0)][..]));
}

#[test]
fn a_cap_in_the_header_makes_a_jishogi_no_draw() {
    for header in ["'Max_Moves:2", "$MAX_MOVES:2"] {
        let record = |moves| format!("V2.2\n{header}\nPI\n+\n{moves}\n%JISHOGI\n");
        let capped = one(&record("+7776FU\n-3334FU"));
        assert_eq!((capped.result, capped.termination), (GameResult::Unknown, Termination::PlyCap));
        let agreed = one(&record("+7776FU"));
        assert_eq!((agreed.result, agreed.termination), (GameResult::Draw, Termination::Other));
    }
}

/// White's king steps between 4a and 5a, Black's rook gives check from 4e and 5e; three rounds are four occurrences.
#[test]
fn a_perpetual_check_loses_whatever_the_record_calls_it() {
    let round = "+5545HI\n-4151OU\n+4555HI\n-5141OU\n";
    let start = "V2.2\nP-41OU\nP+55HI19OU\n+\n";
    let game = one(&format!("{start}{}%SENNICHITE\n", round.repeat(3)));
    assert_eq!(game.start.as_deref(), Some("5k3/9/9/9/4R4/9/9/9/8K b - 1"));
    assert_eq!((game.result, game.termination), (GameResult::SecondWins, Termination::PerpetualCheck));

    let quiet = "+5556HI\n-4131OU\n+5655HI\n-3141OU\n";
    let game = one(&format!("{start}{}{}%SENNICHITE\n", round.repeat(2), quiet));
    assert_eq!((game.result, game.termination), (GameResult::Draw, Termination::Repetition));
}

#[test]
fn mate_on_the_board_is_told_from_resignation() {
    let mate = "P-51OU\nP+53KI00KI59OU\n+\n+0052KI\n%TORYO\n";
    let game = one(mate);
    assert_eq!((game.result, game.termination), (GameResult::FirstWins, Termination::Checkmate));
}

#[test]
fn boards_are_set_up_in_three_ways() {
    let start = |setup: &str| one(&format!("{setup}\n%CHUDAN")).start;
    let rows = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n\
                P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  *\nP6 *  *  *  *  *  *  *  *  * \n\
                P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+";
    assert_eq!(start(rows), None);
    assert_eq!(start("PI\n+"), None);
    assert_eq!(start("PI82HI22KA\n-").as_deref(), Some(TWO_PIECE_HANDICAP));
    let problem = "P-51OU\nP+59OU53KI00KI\nP-00AL\n+";
    let rest = "4k4/9/4G4/9/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1";
    assert_eq!(start(problem).as_deref(), Some(rest));
    assert!(ShogiPosition::parse(rest).is_ok());
}

#[test]
fn statements_may_share_a_line() {
    let game = one("V2.2\nN+a, b\nPI\n+\n+7776FU,T12\n-3334FU,T3.5\n%CHUDAN");
    assert_eq!(game.moves, ["7g7f", "3c3d"]);
    assert_eq!(game.times, [Some(12.0), Some(3.5)]);
    assert_eq!(game.tags, [("N+".to_owned(), "a, b".to_owned())]);
}

#[test]
fn bad_games_are_refused_with_their_place() {
    let after = |moves: &str| format!("V2.2\nPI\n+\n{moves}\n%TORYO\n");
    let row = |row: &str| format!("V2.2\nP1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n{row}\n+\n+7776FU\n");
    for (text, kind, ply, part) in [
        (after("+7775FU"), RejectKind::IllegalMove, Some(0), "illegal move: \"+7775FU\" in position \"lnsgk"),
        (after("+7776KI"), RejectKind::IllegalMove, Some(0), "the piece on 77 is FU: \"+7776KI\""),
        (after("+7776FU\n-3334TO"), RejectKind::IllegalMove, Some(1), "illegal move: \"-3334TO\""),
        (after("+7776FU\n-5554FU"), RejectKind::IllegalMove, Some(1), "square 55 is empty"),
        (after("+3334FU"), RejectKind::IllegalMove, Some(0), "the piece on 33 is the opponent's"),
        (after("+7776FU\n+2726FU"), RejectKind::IllegalMove, Some(1), "the other side is to move"),
        (after("+0055FU"), RejectKind::IllegalMove, Some(0), "illegal move"),
        (after("+0055OU"), RejectKind::IllegalMove, Some(0), "illegal move"),
        (after("+7776"), RejectKind::Syntax, Some(0), "not a move like +7776FU: \"+7776\""),
        (after("+7776XX"), RejectKind::Syntax, Some(0), "\"+7776XX\""),
        (after("+7776FU\nTx"), RejectKind::Syntax, Some(1), "not a time"),
        (after("+7776FU\n%TORYO\n-3334FU"), RejectKind::Syntax, Some(1), "after the game's end"),
        ("V2.2\nPI\n+\n%NONSENSE".to_owned(), RejectKind::Syntax, Some(0), "unknown ending"),
        (after("what is this"), RejectKind::Syntax, Some(0), "\"what is this\""),
        ("V2.2\n+\n+7776FU".to_owned(), RejectKind::StartPosition, None, "no start position"),
        ("V2.2\nPI\n+7776FU".to_owned(), RejectKind::StartPosition, None, "the side to move"),
        ("V2.2\nPI\n".to_owned(), RejectKind::StartPosition, None, "the side to move"),
        (row("P2 * -HI *"), RejectKind::StartPosition, None, "row P2"),
        (row("P2-XX *  *  *  *  *  *  *  * "), RejectKind::StartPosition, None, "row P2: no piece \"-XX\""),
        (row("P2 *  *  *  *  *  *  *  *  *  * "), RejectKind::StartPosition, None, "row P2 does not have 9 squares"),
        (row("P2 *  *  *  *  *  *  *  *  * "), RejectKind::StartPosition, None, "row P3 is missing"),
        (row("P1 *  *  *  *  *  *  *  *  * "), RejectKind::StartPosition, None, "row P1 is given twice"),
        ("PI99FU\n+".to_owned(), RejectKind::StartPosition, None, "no FU stands on 99"),
        ("PI\nP+55XX\n+".to_owned(), RejectKind::StartPosition, None, "no piece \"XX\""),
        ("PI\nP+77FU\n+".to_owned(), RejectKind::StartPosition, None, "two pieces on square 77"),
        ("PI\nP+00FU\n+".to_owned(), RejectKind::StartPosition, None, "SFEN"),
        // 257 pawns are not one.
        (format!("P+59OU{}\nP-51OU\n+", "00FU".repeat(257)), RejectKind::StartPosition, None, "more FU in hand"),
        ("P-51OU\nP+52HI59OU\n+\n+5251HI".to_owned(), RejectKind::StartPosition, None, "SFEN \"4k4/4R4/"),
    ] {
        check_refused(&[(&text, kind, ply, part)], csa::parse);
    }
}

#[test]
fn a_bad_game_costs_no_other() {
    let good = "V2.2\nPI\n+\n+7776FU\n%TORYO\n";
    let bad = "V2.2\nPI\n+\n+7775FU\n%TORYO\n";
    let text = format!("'CSA encoding=UTF-8\n{good}/\n{bad}/\n\n/\n{good}/\n");
    let read = parsed(csa::records(text.as_bytes()), csa::parse);
    assert_eq!(read.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn names_in_other_encodings_do_not_matter() {
    let text = b"V2.2\nN+\x90\xec\x8e\xe8\nPI\n+\n+7776FU\n%TORYO\n";
    assert_eq!(games(text)[0].moves, ["7g7f"]);
}

/// Engines' games, written and read again: from their start, and from a position in the middle with pieces in hand.
#[test]
fn what_is_written_is_read_again() {
    for game in games(&sample("shogi_engine_41.csa.zst")) {
        let texts: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
        let moves = || texts.iter().map(String::as_str);
        let written = csa::write(["a", "b"], game.start.as_deref(), moves(), game.result, game.termination);
        let again = one(&written.expect("legal moves"));
        assert_eq!((&again.start, &again.moves, again.result), (&game.start, &game.moves, game.result));
        assert!(again.tags.contains(&("N+".to_owned(), "a".to_owned())));
        if [Termination::Checkmate, Termination::Resignation, Termination::Repetition].contains(&game.termination) {
            assert_eq!(again.termination, game.termination);
        }
        let half = game.moves.len() / 2;
        let start = ShogiPosition::beginning(game.start.as_deref()).expect("a position");
        let position = after(start, &texts[..half]);
        let (start, rest) = (position.to_text(), moves().skip(half));
        let written = csa::write(["a", "b"], Some(&start), rest, GameResult::Unknown, Termination::Other);
        let again = one(&written.expect("legal moves"));
        // A record does not have the number of its first move.
        let without_ply = |text: &str| text.rsplit_once(' ').map(|(position, _)| position.to_owned());
        assert_eq!(again.start.as_deref().and_then(without_ply), without_ply(&start));
        assert_eq!((&again.moves[..], again.result), (&game.moves[half..], GameResult::Unknown));
    }
}

#[test]
fn endings_are_written_by_who_is_to_move() {
    let ending = |result, termination| {
        let text = csa::write(["", ""], None, ["7g7f"].into_iter(), result, termination).expect("a legal move");
        text.lines().skip_while(|line| !line.starts_with("+7776FU")).skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ending(GameResult::FirstWins, Termination::Resignation), "%TORYO");
    assert_eq!(ending(GameResult::FirstWins, Termination::Adjudication), "%TORYO");
    assert_eq!(ending(GameResult::SecondWins, Termination::Adjudication), "'adjudication: second_wins %CHUDAN");
    assert_eq!(ending(GameResult::SecondWins, Termination::Declaration), "%KACHI");
    assert_eq!(ending(GameResult::FirstWins, Termination::IllegalMove), "%ILLEGAL_MOVE");
    assert_eq!(ending(GameResult::Draw, Termination::PlyCap), "%HIKIWAKE");
    assert_eq!(ending(GameResult::Unknown, Termination::PlyCap), "%MAX_MOVES");
    assert_eq!(ending(GameResult::Unknown, Termination::Other), "%CHUDAN");
    assert_eq!(ending(GameResult::FirstWins, Termination::PerpetualCheck), "%-ILLEGAL_ACTION");
    let (ply, reason) = csa::write(["", ""], None, ["7g7e"].into_iter(), GameResult::Draw, Termination::PlyCap)
        .expect_err("an illegal move");
    assert!(ply == 0 && reason.contains("7g7e"), "{reason}");
}

/// Without all moves of a perpetual check, or against them, the result is written in another way.
#[test]
fn what_a_repetition_meant_is_written_and_read_again() {
    let (start, round) = ("5k3/9/9/9/4R4/9/9/9/8K b - 1", ["5e4e", "4a5a", "4e5e", "5a4a"]);
    let lost = (GameResult::SecondWins, Termination::PerpetualCheck);
    let draw = (GameResult::Draw, Termination::Repetition);
    for (rounds, (result, termination), statement, read) in [
        (3, lost, "%SENNICHITE", lost),
        (2, lost, "%+ILLEGAL_ACTION", (GameResult::SecondWins, Termination::IllegalMove)),
        (3, draw, "%HIKIWAKE", (GameResult::Draw, Termination::Other)),
        (2, draw, "%SENNICHITE", draw),
    ] {
        let moves = round.repeat(rounds);
        let written = csa::write(["", ""], Some(start), moves.into_iter(), result, termination).expect("legal moves");
        assert!(written.ends_with(&format!("{statement}\n")), "{rounds} rounds: {written}");
        let again = one(&written);
        assert_eq!((again.result, again.termination), read, "{rounds} rounds: {written}");
    }
}

#[test]
fn comments_without_a_game_take_bounded_memory() {
    // 100 MB of comments before a game, from a reader that makes them.
    let comments = std::io::Read::take(std::io::repeat(b'\''), 100 << 20);
    let lines = std::io::Read::chain(comments, &b"\nPI\n+\n+7776FU\n%TORYO\n"[..]);
    let found: Vec<Vec<u8>> =
        csa::records(std::io::BufReader::new(lines)).map(|record| record.expect("read")).collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].len() < 40 << 20, "{}", found[0].len());
}
