//! Positions: what is refused and how, phases, repetition keys, lines.

use crate::samples::{CHESS_START, SHOGI_START};
use games::chess::{Chess, ChessPosition};
use games::minishogi::MinishogiPosition;
use games::shogi::{Shogi, ShogiPosition};
use games::{Game, Line, ParsePosition, Phase, Position, Side};

#[test]
fn the_start_is_the_start() {
    assert_eq!(<Chess as Game>::Position::start().to_text(), CHESS_START);
    assert_eq!(<Shogi as Game>::Position::start().to_text(), SHOGI_START);
    assert_eq!(ChessPosition::start().side_to_move(), Side::First);
    assert_eq!(ShogiPosition::start().side_to_move(), Side::First);
}

/// A wrong text, the place of the error marked by `^` before the character, and a part of the message.
fn check_refusals<P: Position>(cases: &[(&str, &str)]) {
    for (marked, part) in cases {
        let (before, after) = marked.split_once('^').expect("a mark");
        let text = format!("{before}{after}");
        let error = P::parse(&text).expect_err(&text);
        assert!(error.reason.contains(part), "{text}: {error}");
        assert_eq!(error.at, Some(before.len()), "{error}");
    }
}

#[test]
fn wrong_fens_are_refused_with_their_place() {
    check_refusals::<ChessPosition>(&[
        ("^", "6 fields"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq^", "6 fields"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0^", "6 fields"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ^bm e4;", "6 fields"),
        ("rnbqkbnr/pppp^xppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "'x' is neither"),
        ("rnbqkbnr/pppp^♟ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "is neither"),
        ("rnbqkbnr/pppppppp^p/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7 has more"),
        ("rnbqkbnr/pppp^5/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7 has more"),
        ("rnbqkbnr/ppppppp^/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7 has only 7"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN^ w KQkq - 0 1", "rank 1 has only 7"),
        ("rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR^ w KQkq - 0 1", "only 7 ranks"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR^/8 w KQkq - 0 1", "more than 8 ranks"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR^[] w KQkq - 0 1", "neither"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ^~KBNR w KQkq - 0 1", "neither"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR ^W KQkq - 0 1", "w or b"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ^xq - 0 1", "castling"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w ^KQkq - 0 1", "castling right K"),
        ("rnbq1bnr/ppppkppp/8/8/8/8/PPPPPPPP/RNBQKBNR w ^q - 0 1", "castling right q"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq ^e9 0 1", "a square, or -"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq ^e6 0 1", "no pawn has just passed"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ^-1 1", "whole number"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1^x", "whole number"),
        ("^8/8/8/8/8/8/8/8 w - - 0 1", "empty"),
        ("^4k3/8/8/8/8/8/8/8 w - - 0 1", "a king is missing"),
        ("^4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "more than one king"),
        ("^4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "first or last rank"),
        ("^4k3/8/8/8/QQQQQQQQ/QQQQQQQQ/8/4K3 b - - 0 1", "than promotions can explain"),
        ("4k3/4Q3/8/8/8/8/8/4K3 ^w - - 0 1", "White is to move and could capture the king"),
        ("8/8/8/8/8/3k4/4K3/8 ^b - - 0 1", "Black is to move and could capture the king"),
    ]);
}

#[test]
fn wrong_sfens_are_refused_with_their_place() {
    check_refusals::<ShogiPosition>(&[
        ("^", "4 fields"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b^", "4 fields"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 ^moves 7g7f", "4 fields"),
        ("lnsgkgsnl/1r5b1/pppp^xpppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "'x' is neither"),
        ("lnsgkgsnl/1r5b1/pppp^歩pppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "is neither"),
        ("lnsgkgsnl/1r5b1/ppppppppp^p/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "rank c has more"),
        ("lnsgkgsnl/1r5b^2/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "rank b has more"),
        ("lnsgkgsnl/1r5b^/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "rank b has only 8"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN^ b - 1", "rank i has only 8"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL^ b - 1", "only 8 ranks"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL^/9 b - 1", "more than 9 ranks"),
        ("lnsgkgsnl/1r5b1/pppp^+1pppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "+ stands before"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL^+ b - 1", "+ stands before"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNS+^GKGSNL b - 1", "cannot be promoted"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL ^x - 1", "b or w"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 2P^K 1", "cannot be in hand"),
        ("4k4/9/9/9/9/9/9/9/4K4 b ^19P 1", "between 1 and 18"),
        ("4k4/9/9/9/9/9/9/9/4K4 b P^99999999999999999999p 1", "between 1 and 18"),
        ("4k4/9/9/9/9/9/9/9/4K4 b ^0P 1", "between 1 and 18"),
        ("4k4/9/9/9/9/9/9/9/4K4 b P^2 1", "a number without its piece"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - ^one", "whole number"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - ^-1", "whole number"),
        ("^9/9/9/9/9/9/9/9/4K4 b - 1", "White has no king"),
        ("^4k4/9/9/9/9/9/9/9/9 b - 1", "Black has no king"),
        ("4k4/9/9/9/9/9/9/9/3K^K4 b - 1", "Black has more than one king"),
        ("4k4/9/9/9/9/9/6R2/9/3KR2^R1 b - 1", "more than 2 pieces"),
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b ^P 1", "more than 18 pieces"),
        ("4k4/9/9/9/9/9/R8/9/3K2+R^R1 b - 1", "more than 2 pieces of the kind Rook"),
        ("4k4/9/9/9/4P4/9/4^P4/9/4K4 b - 1", "two unpromoted pawns of Black on file 5"),
        ("4k4/9/p8/9/^p8/9/9/9/4K4 b - 1", "two unpromoted pawns of White on file 9"),
        ("4k3^P/9/9/9/9/9/9/9/4K4 b - 1", "never move again"),
        ("4k3^L/9/9/9/9/9/9/9/4K4 b - 1", "never move again"),
        ("4k3^N/9/9/9/9/9/9/9/4K4 b - 1", "never move again"),
        ("4k4/^N8/9/9/9/9/9/9/4K4 b - 1", "never move again"),
        ("4k4/9/9/9/9/9/9/7^n1/4K4 b - 1", "never move again"),
        ("4k4/9/9/9/9/9/9/9/^p3K4 b - 1", "never move again"),
        ("4k4/9/9/9/9/9/9/9/^n3K4 b - 1", "never move again"),
        ("4k4/9/9/9/9/9/9/9/4K3^l b - 1", "never move again"),
        ("4k4/4R4/9/9/9/9/9/9/4K4 ^b - 1", "Black is to move and could capture the king"),
        ("9/9/9/9/4k4/4K4/9/9/9 ^w - 1", "White is to move and could capture the king"),
    ]);
}

#[test]
fn wrong_sfens_of_minishogi_are_refused_with_their_place() {
    check_refusals::<MinishogiPosition>(&[
        ("rbsgk/4p/5/P^+3/KGSBR b - 1", "+ stands before"),
        ("rbsgk/3p^/5/P4/KGSBR b - 1", "rank b has only 4"),
        ("rbsgk/4p/5/P4^ b - 1", "only 4 ranks"),
    ]);
}

#[test]
fn a_message_points_at_the_place() {
    let error = ChessPosition::parse("rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap_err();
    let expected = "'x' is neither a piece (KQRBNP, kqrbnp) nor a number of empty squares
  rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
               ^";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_message_stays_readable_whatever_the_text() {
    let long = format!("{}\x1b[2J\tx{}", "8/".repeat(5_000), "8".repeat(100_000));
    let error = ChessPosition::parse(&long).unwrap_err();
    assert!(error.to_string().len() < 1_000 && !error.to_string().contains('\x1b'));
    let nowhere = ParsePosition { at: None, ..error };
    assert!(nowhere.to_string().len() < 1_000 && !nowhere.to_string().contains('\n'));
}

#[test]
fn texts_may_lack_the_clocks() {
    let chess = ChessPosition::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -").unwrap();
    assert_eq!(chess.to_text(), CHESS_START);
    let shogi = ShogiPosition::parse("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -").unwrap();
    assert_eq!(shogi.to_text(), SHOGI_START);
}

#[test]
fn pawn_drop_mate_is_no_move() {
    for (sfen, drop) in [
        ("+N2+B2g2/+L2+N1k3/2+L3pbP/2S2gn2/GPs1P+R1+Rl/8p/1S2+pP3/P+p1P1p+n+p1/+p1+l1K1+sg+p w 3Pp 302", "P*5h"),
        ("2+N3k2/1g1L4+N/n3Srp2/ps3p1s1/slp1P2p1/1p1G2PPB/+b2gG3p/P3p+p1+l1/3K1N1+l1 w Pr4p 326", "P*6h"),
    ] {
        let position = ShogiPosition::parse(sfen).unwrap();
        assert_eq!(position.parse_move(drop).unwrap_err().reason, "illegal move");
        assert!(position.list_moves().into_iter().all(|mv| position.move_text(mv) != drop));
    }
}

#[test]
fn phases_follow_the_material() {
    for (fen, phase) in [
        (CHESS_START, Phase::Opening),
        ("r1bqk2r/8/8/8/8/8/8/RNBQKBNR w - - 0 1", Phase::Opening),
        ("2bqk2r/8/8/8/8/8/8/RNBQKBNR w - - 0 1", Phase::Middlegame),
        ("4k3/8/8/8/8/8/8/RNBQKBNR w - - 0 1", Phase::Middlegame),
        ("4k3/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w - - 0 1", Phase::Endgame),
    ] {
        assert_eq!(ChessPosition::parse(fen).unwrap().phase(), phase, "{fen}");
    }
    for (hands, phase) in [
        ("-", Phase::Opening),
        ("2Pp", Phase::Opening),
        ("R2Pp", Phase::Middlegame),
        ("4P4p", Phase::Middlegame),
        ("R4P4p", Phase::Endgame),
    ] {
        let sfen = format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1");
        assert_eq!(ShogiPosition::parse(&sfen).unwrap().phase(), phase, "{sfen}");
    }
}

#[test]
fn repetition_keys_tell_apart_what_the_rules_tell_apart() {
    let keys = |texts: &[&str]| -> Vec<u64> {
        texts.iter().map(|text| ChessPosition::parse(text).expect(text).repetition_key()).collect()
    };
    let different = keys(&[
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
    ]);
    for (i, key) in different.iter().enumerate() {
        assert!(!different[..i].contains(key), "position {i}");
    }
    // Clocks do not count, nor an en-passant square that no pawn can use.
    let same = keys(&["4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 7 9"]);
    assert_eq!(same[0], same[1]);

    let key = |text: &str| ShogiPosition::parse(text).expect(text).repetition_key();
    let base = key("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    assert_eq!(base, key("4k4/9/9/9/9/9/9/9/4K4 b P 9"));
    for other in ["4k4/9/9/9/9/9/9/9/4K4 w P 1", "4k4/9/9/9/9/9/9/9/4K4 b p 1", "4k4/9/9/9/9/9/9/9/4K4 b 2P 1"] {
        assert_ne!(base, key(other), "{other}");
    }
}

#[test]
fn a_line_counts_earlier_occurrences() {
    let mut line = Line::new(ChessPosition::start());
    for (i, text) in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(12).enumerate() {
        assert_eq!(line.repetitions(), i as u8 / 4, "before ply {i}");
        line.play(line.position().parse_move(text).unwrap());
    }
    assert_eq!((line.plies(), line.repetitions()), (12, 3));
}

/// rsshogi numbers plies in 16 bits and keeps every state; a long game must neither end there nor slow down.
#[test]
fn a_shogi_game_may_be_long() {
    let mut position = ShogiPosition::parse(&SHOGI_START.replace(" 1", " 65530")).unwrap();
    for text in ["2h3h", "8b7b", "3h2h", "7b8b"].iter().cycle().take(400) {
        position.play(position.parse_move(text).unwrap());
    }
    assert_eq!(position.to_text(), SHOGI_START.replace(" 1", " 65930"));
    assert_eq!(position.repetition_key(), ShogiPosition::start().repetition_key());
}
