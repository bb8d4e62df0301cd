//! KIF: samples of several programs in both encodings, and what is refused with its place.

use crate::samples::{check_refused, sample};
use games::shogi::{ShogiPosition, kif};
use games::{GameResult, ParsedGame, Position as _, RejectKind, Rejected, Termination};

/// The only record of a sample.
fn record(file: &str) -> Vec<u8> {
    let mut records: Vec<Vec<u8>> = kif::records(sample(file).as_slice()).map(Result::unwrap).collect();
    assert_eq!(records.len(), 1);
    records.remove(0)
}

fn one(bytes: &[u8]) -> ParsedGame {
    kif::parse(bytes, 0).unwrap_or_else(|rejected| panic!("{rejected:?}"))
}

/// A game with these lines behind the usual header.
fn played(lines: &str) -> String {
    format!("手合割：平手\n先手：甲\n後手：乙\n手数----指手---------消費時間--\n{lines}")
}

fn rejected(text: &str) -> Rejected {
    kif::parse(text.as_bytes(), 7).expect_err(text)
}

#[test]
fn a_game_of_two_engines() {
    // It says it is UTF-8 and is Shift-JIS.
    let game = one(&record("shogi_Shogidokoro.kif"));
    assert_eq!((game.start, game.moves.len()), (None, 131));
    assert_eq!(game.moves[..4], ["6i7h", "4a3b", "5i6h", "5a4b"]);
    assert_eq!(game.moves[130], "9f9e");
    // White resigns where it is mated.
    assert_eq!((game.result, game.termination), (GameResult::FirstWins, Termination::Checkmate));
    assert_eq!((game.times.len(), game.times[0]), (131, Some(1.0)));
    assert!(game.tags.contains(&("先手".to_owned(), "Lesserkai 1.5.0".to_owned())));
}

#[test]
fn variations_are_left_out() {
    let game = one(&record("shogi_forks.kif"));
    let main = "7g7f 8c8d 7i6h 4a3b 2g2f 8d8e 8h7g 3c3d 6i7h 2b7g+ 6h7g 3a2b";
    assert_eq!(game.moves.join(" "), main);
    assert_eq!((game.result, game.termination), (GameResult::Unknown, Termination::Other));
}

#[test]
fn an_aborted_game() {
    let game = one(&record("shogi_example.kif"));
    assert_eq!(game.moves, ["7g7f", "3c3d"]);
    assert_eq!(game.times, [Some(16.0), Some(0.0)]);
    assert_eq!((game.result, game.termination), (GameResult::Unknown, Termination::Other));
}

/// A board that is drawn, with hands; but Black has no king, and posenc's positions have two.
#[test]
fn a_problem_without_a_king_is_refused() {
    let rejected = kif::parse(&record("shogi_everyday_20211107.kif"), 0).expect_err("one king");
    assert_eq!(rejected.kind, RejectKind::StartPosition);
    let sfen = "6l2/6nk1/6R2/5Lppp/9/9/9/9/9 b 2BNr4g4s2n2l15p 1";
    assert_eq!(rejected.reason, format!("Black has no king: SFEN \"{sfen}\""));
}

#[test]
fn a_drawn_board_with_both_kings() {
    let text = String::from_utf8(drawn()).unwrap();
    let game = one(text.as_bytes());
    assert_eq!(game.start.as_deref(), Some("6l2/6nk1/6R2/5Lppp/9/9/9/9/4K4 b 2BNr4g4s2n2l15p 1"));
    assert_eq!(game.moves, ["B*1c", "2b1b"]);
    // White to move, from another square, by name of the side.
    let white = text.split("手数-").next().unwrap().to_owned() + "後手番\n   1 ２一玉(22)\n";
    assert_eq!(one(white.as_bytes()).moves, ["2b2a"]);
}

/// The problem above, with a king for Black.
fn drawn() -> Vec<u8> {
    let text = "手合割：その他\n後手の持駒：飛　金四　銀四　桂二　香二　歩十五　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n\
        +---------------------------+\n| ・ ・ ・ ・ ・ ・v香 ・ ・|一\n| ・ ・ ・ ・ ・ ・v桂v玉 ・|二\n\
        | ・ ・ ・ ・ ・ ・ 飛 ・ ・|三\n| ・ ・ ・ ・ ・ 香v歩v歩v歩|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n\
        | ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n+---------------------------+\n先手の持駒：角二　桂　\n\
        手数----指手---------消費時間--\n   1 １三角打     ( 0:00/00:00:00)\n   2 １二玉(22)   ( 0:00/00:00:00)+\n";
    text.as_bytes().to_vec()
}

#[test]
fn both_encodings_say_the_same() {
    let text = drawn();
    let utf8 = one(&text);
    let with_mark = one(&[b"\xef\xbb\xbf".as_slice(), &text].concat());
    let shift_jis = one(&encoding_rs::SHIFT_JIS.encode(str::from_utf8(&text).unwrap()).0);
    assert_eq!(utf8, with_mark);
    assert_eq!(utf8, shift_jis);
}

#[test]
fn drops_promotions_and_same_square() {
    let text = played(
        "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   5 ４五角打\n   6 ３三角打\n\
         *a comment\n&a bookmark\n   7 ３四角(45)\n",
    );
    let moves = "7g7f 3c3d 8h2b+ 3a2b B*4e B*3c 4e3d";
    assert_eq!(one(text.as_bytes()).moves.join(" "), moves);
    assert_eq!(one(text.replace("同　銀", "同銀").as_bytes()).moves.join(" "), moves);
    assert_eq!(one(text.replace("３四", "34").as_bytes()).moves.join(" "), moves);
    // The other way not to promote.
    let game = one(played("1 ７六歩(77)\n2 ３四歩(33)\n3 ２二角不成(88)\n").as_bytes());
    assert_eq!(game.moves[2], "8h2b");
}

#[test]
fn every_handicap_by_name() {
    let rows = [
        ("香落ち", "lnsgkgsn1/1r5b1"),
        ("右香落ち", "1nsgkgsnl/1r5b1"),
        ("角落ち", "lnsgkgsnl/1r7"),
        ("飛車落ち", "lnsgkgsnl/7b1"),
        ("飛香落ち", "lnsgkgsn1/7b1"),
        ("二枚落ち", "lnsgkgsnl/9"),
        ("三枚落ち", "lnsgkgsn1/9"),
        ("四枚落ち", "1nsgkgsn1/9"),
        ("五枚落ち", "2sgkgsn1/9"),
        ("左五枚落ち", "1nsgkgs2/9"),
        ("六枚落ち", "2sgkgs2/9"),
        ("左七枚落ち", "2sgkg3/9"),
        ("右七枚落ち", "3gkgs2/9"),
        ("八枚落ち", "3gkg3/9"),
        ("十枚落ち", "4k4/9"),
    ];
    for (name, board) in rows {
        // White, who gives the handicap, begins.
        let text = format!("手合割：{name}　\n下手：甲\n上手：乙\n手数----指手---------消費時間--\n1 ３四歩(33)\n");
        let start = format!("{board}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
        let game = one(text.as_bytes());
        assert_eq!((game.start.as_deref(), game.moves.len()), (Some(start.as_str()), 1), "{name}");
        assert!(ShogiPosition::parse(&start).is_ok());
    }
    let unknown = rejected("手合割：歩三兵\n1 ７六歩(77)\n");
    assert_eq!(unknown.kind, RejectKind::StartPosition);
    assert!(unknown.reason.contains("歩三兵"));
}

#[test]
fn endings() {
    use GameResult::{Draw, FirstWins, SecondWins, Unknown};
    let cases = [
        ("2 投了", FirstWins, Termination::Resignation),
        ("2 切れ負け ( 0:10/00:00:10)", FirstWins, Termination::Time),
        ("2 反則負け", FirstWins, Termination::IllegalMove),
        ("2 反則勝ち", SecondWins, Termination::IllegalMove),
        ("2 入玉勝ち", SecondWins, Termination::Declaration),
        ("2 千日手", Draw, Termination::Repetition),
        ("2 持将棋", Draw, Termination::Other),
        ("2 中断", Unknown, Termination::Other),
        ("まで1手で先手の勝ち", FirstWins, Termination::Other),
        ("まで1手で後手の反則勝ち", SecondWins, Termination::IllegalMove),
        ("まで1手で時間切れにより先手の勝ち", FirstWins, Termination::Time),
        ("まで1手で千日手", Draw, Termination::Repetition),
        ("まで1手で中断", Unknown, Termination::Other),
        ("", Unknown, Termination::Other),
    ];
    for (ending, result, termination) in cases {
        let game = one(played(&format!("1 ７六歩(77)\n{ending}\n")).as_bytes());
        assert_eq!((game.moves.len(), game.result, game.termination), (1, result, termination), "{ending}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let cases = [
        ("1 ７六歩(77)\n2 ７五歩(74)", RejectKind::IllegalMove, Some(1), "no such piece of the side to move"),
        ("1 ７六歩(77)\n2 ３四金(33)", RejectKind::IllegalMove, Some(1), "no such piece of the side to move"),
        ("1 ７五歩(77)", RejectKind::IllegalMove, Some(0), "illegal move: \"1 ７五歩(77)\" in position"),
        ("1 ５五歩打", RejectKind::IllegalMove, Some(0), "illegal move"),
        ("1 同　歩(77)", RejectKind::Syntax, Some(0), "neither a move nor an ending"),
        ("1 ７六歩", RejectKind::Syntax, Some(0), "neither a move nor an ending"),
        ("1 ７六歩(77)\n3 ２六歩(27)", RejectKind::Syntax, Some(1), "move 2 is missing"),
        ("1 投了\n2 ３四歩(33)", RejectKind::Syntax, Some(0), "a move after the game's end"),
        ("1 ７六歩(77)\nwhat", RejectKind::Syntax, Some(1), "not a line of KIF here"),
    ];
    for (lines, kind, ply, reason) in cases {
        check_refused(&[(&played(lines), kind, ply, reason)], kif::parse);
    }
    for text in ["", "[Event \"?\"]\n1. e4", "# a comment\n"] {
        assert_eq!(rejected(text).kind, RejectKind::Syntax, "{text}");
    }
    let two_rows = "手合割：その他\n| ・ ・ ・ ・ 玉 ・ ・ ・ ・|一\n| ・ ・|二\n1 ７六歩(77)\n";
    assert_eq!(rejected(two_rows).kind, RejectKind::StartPosition);
}

#[test]
fn an_empty_file_has_no_record_and_an_endless_one_is_refused() {
    assert_eq!(kif::records(&b""[..]).count(), 0);
    let endless = kif::records(std::io::repeat(b'*')).next().expect("an answer");
    assert_eq!(endless.expect_err("too long").kind(), std::io::ErrorKind::InvalidData);
}
