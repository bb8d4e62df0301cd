//! USI and SFEN lines.

use crate::samples::TWO_PIECE_HANDICAP as HANDICAP;
use games::shogi::Shogi;
use games::{GameResult, ParsedGame, RejectKind, Termination, usi_lines};

fn one(line: &str) -> ParsedGame {
    usi_lines::parse::<Shogi>(line.as_bytes(), 0).unwrap_or_else(|rejected| panic!("{rejected:?}"))
}

#[test]
fn every_way_to_write_a_game() {
    for line in [
        "position startpos moves 7g7f 3c3d",
        "startpos moves 7g7f 3c3d\r\n",
        "startpos 7g7f 3c3d",
        "moves 7g7f 3c3d",
        "  7g7f   3c3d ",
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f 3c3d",
    ] {
        let game = one(line);
        assert_eq!((game.start, game.moves.join(" ")), (None, "7g7f 3c3d".to_owned()), "{line}");
        assert_eq!((game.result, game.termination), (GameResult::Unknown, Termination::Other));
    }
    for line in [format!("position sfen {HANDICAP} moves 3c3d"), format!("{HANDICAP} 3c3d")] {
        let game = one(&line);
        assert_eq!((game.start.as_deref(), game.moves.join(" ")), (Some(HANDICAP), "3c3d".to_owned()), "{line}");
    }
    let three_fields = HANDICAP.strip_suffix(" 1").unwrap();
    for line in [HANDICAP, three_fields, &format!("sfen {three_fields}"), &format!("sfen {HANDICAP} moves")] {
        let game = one(line);
        assert_eq!((game.start.as_deref(), game.moves.len()), (Some(HANDICAP), 0), "{line}");
    }
}

#[test]
fn lines_that_say_nothing_are_passed_over() {
    let file = "\u{feff}# openings\n\n7g7f\n   \n2g2f\r\n# end";
    let lines: Vec<Vec<u8>> = usi_lines::records(file.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(lines, [b"7g7f\n".to_vec(), b"2g2f\r\n".to_vec()]);
}

#[test]
fn results_are_what_the_board_says() {
    // Gold in front of the king, guarded by a pawn: mate.
    let mated = one("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b");
    assert_eq!((mated.result, mated.termination), (GameResult::FirstWins, Termination::Checkmate));
    let shuffle = "2h3h 8b7b 3h2h 7b8b ";
    let thrice = one(&shuffle.repeat(2));
    assert_eq!(thrice.result, GameResult::Unknown);
    let four_times = one(&shuffle.repeat(3));
    assert_eq!((four_times.result, four_times.termination), (GameResult::Draw, Termination::Repetition));
    let resigned = one("7g7f resign");
    assert_eq!((resigned.moves.len(), resigned.result), (1, GameResult::FirstWins));
    let declared = one("7g7f win");
    assert_eq!((declared.result, declared.termination), (GameResult::SecondWins, Termination::Declaration));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let illegal = usi_lines::parse::<Shogi>(b"7g7f 7g7f", 3).expect_err("illegal");
    assert_eq!((illegal.game, illegal.ply, illegal.kind), (3, Some(1), RejectKind::IllegalMove));
    let position = usi_lines::parse::<Shogi>(b"sfen 9/9/9/9/9/9/9/9/9 b - 1", 3).expect_err("no kings");
    assert_eq!((position.ply, position.kind), (None, RejectKind::StartPosition));
    assert_eq!(usi_lines::parse::<Shogi>(b"\xff\xfe7g7f", 0).expect_err("no text").kind, RejectKind::Syntax);
    assert_eq!(usi_lines::parse::<Shogi>(b"resign 7g7f", 0).expect_err("too early").kind, RejectKind::IllegalMove);
}
