//! When games are over.

use games::chess::Chess;
use games::minishogi::Minishogi;
use games::shogi::Shogi;
use games::{Game, GameResult, Played, Position as _, Referee, Termination};

fn played<G: Referee>(start: Option<&str>, moves: &str) -> Played<G::Position> {
    let mut played = Played::from(<G as Game>::Position::beginning(start).expect("a position"));
    for text in moves.split_ascii_whitespace() {
        assert_eq!(G::verdict(&played), None, "the game is over before {text}");
        let mv = played.position().parse_move(text).unwrap_or_else(|error| panic!("{error}"));
        played.play(mv);
    }
    played
}

fn verdict<G: Referee>(start: Option<&str>, moves: &str) -> Option<(GameResult, Termination)> {
    G::verdict(&played::<G>(start, moves))
}

#[test]
fn chess_ends_by_the_rules() {
    let mate = verdict::<Chess>(None, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(mate, Some((GameResult::SecondWins, Termination::Checkmate)));
    let stalemate = verdict::<Chess>(Some("7k/8/5KQ1/8/8/8/8/8 w - - 0 1"), "g6f7");
    assert_eq!(stalemate, Some((GameResult::Draw, Termination::Stalemate)));
    let dead = verdict::<Chess>(Some("7k/8/8/8/8/8/6p1/6K1 w - - 0 1"), "g1g2");
    assert_eq!(dead, Some((GameResult::Draw, Termination::InsufficientMaterial)));
    let quiet = verdict::<Chess>(Some("7k/8/8/8/8/8/R7/K7 w - - 99 80"), "a2a3");
    assert_eq!(quiet, Some((GameResult::Draw, Termination::FiftyMoves)));
    let mate_at_last = verdict::<Chess>(Some("7k/R7/6K1/8/8/8/8/8 w - - 99 80"), "a7a8");
    assert_eq!(mate_at_last, Some((GameResult::FirstWins, Termination::Checkmate)));
}

#[test]
fn the_third_repetition_ends_chess() {
    let there_and_back = "g1f3 g8f6 f3g1 f6g8";
    assert_eq!(verdict::<Chess>(None, there_and_back), None);
    let drawn = verdict::<Chess>(None, &[there_and_back; 2].join(" "));
    assert_eq!(drawn, Some((GameResult::Draw, Termination::Repetition)));
}

#[test]
fn shogi_is_lost_without_a_move() {
    // Gold on the head: mate.
    let mate = verdict::<Shogi>(Some("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), "G*5b");
    assert_eq!(mate, Some((GameResult::FirstWins, Termination::Checkmate)));
    // A king in the corner that is not attacked, and all three squares around it are.
    let stuck = verdict::<Shogi>(Some("8k/9/7G1/4B4/9/9/9/9/4K4 b - 1"), "5i5h");
    assert_eq!(stuck, Some((GameResult::FirstWins, Termination::Checkmate)));
}

#[test]
fn the_fourth_repetition_ends_shogi() {
    let there_and_back = "2h3h 8b7b 3h2h 7b8b";
    assert_eq!(verdict::<Shogi>(None, &[there_and_back; 2].join(" ")), None);
    let drawn = verdict::<Shogi>(None, &[there_and_back; 3].join(" "));
    assert_eq!(drawn, Some((GameResult::Draw, Termination::Repetition)));
}

#[test]
fn perpetual_check_loses() {
    // Black's rook checks from 1a and 1b in turns; White's king has nothing but to walk between 5a and 5b.
    let start = "4k4/8R/9/9/9/9/9/9/4K4 b - 1";
    let cycle = "1b1a 5a5b 1a1b 5b5a";
    let lost = verdict::<Shogi>(Some(start), &[cycle; 3].join(" "));
    assert_eq!(lost, Some((GameResult::SecondWins, Termination::PerpetualCheck)));
}

#[test]
fn a_win_is_declared_with_enough_points() {
    let may = |sfen: &str| Shogi::may_declare_win(&<Shogi as Game>::Position::parse(sfen).expect("a position"));
    // King and ten pieces in the camp: two rooks, two bishops and six others make 26 points, two silvers in hand 28.
    assert!(may("K+R+R+B+BGGGG/1PP6/9/9/9/9/9/9/8k b 2S 1"));
    // 27 are enough for White only.
    assert!(!may("K+R+R+B+BGGGG/1PP6/9/9/9/9/9/9/8k b S 1"));
    assert!(may("8K/9/9/9/9/9/9/6pp1/gggg+b+b+r+rk w s 1"));
    // Nine pieces are too few, in check it is forbidden, and nobody declares at the start.
    assert!(!may("K+R+R+B+BGGGG/P8/9/9/9/9/9/9/8k b 9P 1"));
    assert!(may("K+R+B+BGGGGS/1PP6/9/9/9/9/9/9/1r6k b 9P 1"));
    assert!(!may("K+R+B+BGGGGS/1PP6/9/9/9/9/9/9/r7k b 9P 1"));
    assert!(!may("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"));
    assert!(!Chess::may_declare_win(&<Chess as Game>::Position::start()));
}

#[test]
fn a_fourth_occurrence_in_minishogi_loses_for_the_first_player() {
    let cycle = "1e1d 5a5b 1d1e 5b5a ";
    assert_eq!(verdict::<Minishogi>(None, &cycle.repeat(2)), None);
    let repeated = verdict::<Minishogi>(None, &cycle.repeat(3));
    assert_eq!(repeated, Some((GameResult::SecondWins, Termination::Repetition)));
}

#[test]
fn perpetual_check_loses_in_minishogi() {
    for (start, cycle, result) in [
        ("+R4/+B2k1/5/Ks3/4R b 2G2Pbs 1", "1e2e 2b1b 2e1e 1b2b ", GameResult::SecondWins),
        ("k4/3GP/5/gB2K/s1+r2 w rp 1", "3e3d 1d1e 3d3e 1e1d ", GameResult::FirstWins),
    ] {
        let found = verdict::<Minishogi>(Some(start), &cycle.repeat(3));
        assert_eq!(found, Some((result, Termination::PerpetualCheck)), "{start}");
    }
}
