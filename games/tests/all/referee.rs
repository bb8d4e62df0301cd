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
    for (start, moves, result, termination) in [
        (None, "f2f3 e7e5 g2g4 d8h4", GameResult::SecondWins, Termination::Checkmate),
        (Some("7k/8/5KQ1/8/8/8/8/8 w - - 0 1"), "g6f7", GameResult::Draw, Termination::Stalemate),
        (Some("7k/8/8/8/8/8/6p1/6K1 w - - 0 1"), "g1g2", GameResult::Draw, Termination::InsufficientMaterial),
        (Some("7k/8/8/8/8/8/R7/K7 w - - 99 80"), "a2a3", GameResult::Draw, Termination::FiftyMoves),
        // A mate at the last of the fifty moves.
        (Some("7k/R7/6K1/8/8/8/8/8 w - - 99 80"), "a7a8", GameResult::FirstWins, Termination::Checkmate),
    ] {
        assert_eq!(verdict::<Chess>(start, moves), Some((result, termination)), "{moves}");
    }
}

#[test]
fn the_third_repetition_ends_chess() {
    let there_and_back = "g1f3 g8f6 f3g1 f6g8 ";
    assert_eq!(verdict::<Chess>(None, there_and_back), None);
    assert_eq!(verdict::<Chess>(None, &there_and_back.repeat(2)), Some((GameResult::Draw, Termination::Repetition)));
}

#[test]
fn shogi_is_lost_without_a_move() {
    let lost = Some((GameResult::FirstWins, Termination::Checkmate));
    // Gold on the head: mate.
    assert_eq!(verdict::<Shogi>(Some("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), "G*5b"), lost);
    // A king in the corner that is not attacked, and all three squares around it are.
    assert_eq!(verdict::<Shogi>(Some("8k/9/7G1/4B4/9/9/9/9/4K4 b - 1"), "5i5h"), lost);
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
    let lost = Some((GameResult::SecondWins, Termination::Repetition));
    assert_eq!(verdict::<Minishogi>(None, &cycle.repeat(3)), lost);
}

#[test]
fn perpetual_check_loses() {
    fn loses<G: Referee>(start: &str, cycle: &str, result: GameResult) {
        let lost = Some((result, Termination::PerpetualCheck));
        assert_eq!(verdict::<G>(Some(start), &cycle.repeat(3)), lost, "{start}");
    }
    // Black's rook checks from 1a and 1b in turns; White's king has nothing but to walk between 5a and 5b.
    loses::<Shogi>("4k4/8R/9/9/9/9/9/9/4K4 b - 1", "1b1a 5a5b 1a1b 5b5a ", GameResult::SecondWins);
    loses::<Minishogi>("+R4/+B2k1/5/Ks3/4R b 2G2Pbs 1", "1e2e 2b1b 2e1e 1b2b ", GameResult::SecondWins);
    loses::<Minishogi>("k4/3GP/5/gB2K/s1+r2 w rp 1", "3e3d 1d1e 3d3e 1e1d ", GameResult::FirstWins);
}
