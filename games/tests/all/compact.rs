//! Positions in a few bytes: what comes back is the position, and damaged bytes are refused or are one.

use crate::damage::counts::Counts;
use crate::damage::seeded;
use crate::samples::{TWO_PIECE_HANDICAP, oracle, row};
use games::chess::{Chess, ChessPosition};
use games::minishogi::Minishogi;
use games::shogi::{Shogi, ShogiPosition};
use games::{Game, GameKind, InputName, Position, with_game};

/// Compares everything that a loader reads of a position.
fn comes_back<G: Game>(text: &str) {
    let position = G::Position::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let bytes = position.compact().unwrap_or_else(|| panic!("{text}"));
    let same = G::Position::from_compact(&bytes).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(same.to_text(), position.to_text());
    assert_eq!(same.compact().as_ref(), Some(&bytes), "{text}");
    assert_eq!((same.repetition_key(), same.in_check()), (position.repetition_key(), position.in_check()), "{text}");
    assert_eq!(position.list_moves(), same.list_moves(), "{text}");
    let packed = |position: &G::Position| row::<G>(position, InputName::PieceTokens, 0);
    assert_eq!(packed(&same), packed(&position), "{text}");
}

#[test]
fn positions_come_back() {
    for game in GameKind::ALL {
        for (text, _) in oracle(game).iter().step_by(7) {
            with_game!(game, G => comes_back::<G>(text));
        }
    }
    comes_back::<Shogi>(TWO_PIECE_HANDICAP);
    comes_back::<Chess>("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQq e3 65535 65535");
    let long = ChessPosition::parse("8/8/8/4k3/8/8/8/4K2R w K - 70000 1").expect("legal");
    assert_eq!(long.compact(), None, "its clock does not fit");
}

/// Refused, or a position that is written as it was read.
fn law<P: Position>(bytes: &[u8]) -> Counts {
    Counts::of(P::from_compact(bytes), |position| {
        let again = P::parse(&position.to_text()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.to_text(), position.to_text());
    })
}

#[test]
fn compact_positions_are_safe() {
    fn is_safe<P: Position>(name: &str) {
        seeded::damage(name, 5_000, P::start().compact().expect("it has few bytes"), law::<P>);
    }
    is_safe::<ChessPosition>("compact chess");
    is_safe::<ShogiPosition>("compact shogi");
    is_safe::<<Minishogi as Game>::Position>("compact minishogi");
}
