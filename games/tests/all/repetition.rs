//! Fourth occurrences in shogi: draws and perpetual checks.

use crate::samples::SHOGI_START as START;
use games::shogi::ShogiPosition;
use games::shogi::repetition::{Repetition, Seen, judge};
use games::{Position, Side};

/// Judges the line of `moves`, which start at `sfen`, after every ply.
fn verdicts(sfen: &str, moves: &[&str]) -> Vec<Option<Repetition>> {
    let mut position = ShogiPosition::parse(sfen).unwrap_or_else(|error| panic!("{error}"));
    let mut seen = vec![Seen::of(&position)];
    let mut judged = vec![judge(&seen)];
    for text in moves {
        position.play(position.parse_move(text).unwrap_or_else(|error| panic!("{error}")));
        seen.push(Seen::of(&position));
        judged.push(judge(&seen));
    }
    judged
}

const SHUFFLE: [&str; 4] = ["2h3h", "8b7b", "3h2h", "7b8b"];

/// White's king steps between 4a and 5a, Black's rook gives check from 4e and 5e.
const ROOK_BLACK: &str = "5k3/9/9/9/4R4/9/9/9/8K b - 1";
const CHECKS: [&str; 4] = ["5e4e", "4a5a", "4e5e", "5a4a"];
/// The same way back to the start, without check.
const QUIET: [&str; 4] = ["5e6e", "4a3a", "6e5e", "3a4a"];

#[test]
fn a_fourth_occurrence_is_a_draw_or_lost_by_perpetual_check() {
    let (white_rook, white_checks) = ("k8/9/9/9/4r4/9/9/9/3K5 w - 1", ["5e6e", "6i5i", "6e5e", "5i6i"]);
    let (draw, lost) = (Some(Repetition::Draw), |loser| Some(Repetition::PerpetualCheck { loser }));
    for (name, start, moves, expected) in [
        ("three rounds", START, SHUFFLE.repeat(3), draw),
        ("two rounds", START, SHUFFLE.repeat(2), None),
        ("a ply too few", START, SHUFFLE.repeat(3)[..11].to_vec(), None),
        ("after a detour", START, [&["7g7f", "3c3d"], &SHUFFLE.repeat(3)[..]].concat(), draw),
        ("Black's checks", ROOK_BLACK, CHECKS.repeat(3), lost(Side::First)),
        ("White's checks", white_rook, white_checks.repeat(3), lost(Side::Second)),
        ("quiet in the first round", ROOK_BLACK, [QUIET, CHECKS, CHECKS].concat(), draw),
        ("quiet in the second round", ROOK_BLACK, [CHECKS, QUIET, CHECKS].concat(), draw),
        ("quiet in the third round", ROOK_BLACK, [CHECKS, CHECKS, QUIET].concat(), draw),
    ] {
        let judged = verdicts(start, &moves);
        let (last, before) = judged.split_last().expect("the start is judged");
        assert!(before.iter().all(Option::is_none), "{name}: judged before the fourth occurrence");
        assert_eq!(*last, expected, "{name}");
    }
}

#[test]
fn the_checked_side_may_close_the_circle() {
    // The position that occurs four times is one with the king in check: the first check stands before the cycle.
    let moves = [&CHECKS.repeat(3)[..], &CHECKS[..1]].concat();
    let judged = verdicts(ROOK_BLACK, &moves);
    assert_eq!(judged[13], Some(Repetition::PerpetualCheck { loser: Side::First }));
}

#[test]
fn quiet_moves_before_the_cycle_do_not_count() {
    let moves = [&QUIET[..], &CHECKS.repeat(3)].concat();
    let judged = verdicts(ROOK_BLACK, &moves);
    assert_eq!(judged[12], Some(Repetition::Draw), "the quiet round is part of the first four occurrences");
    assert_eq!(judged[16], Some(Repetition::PerpetualCheck { loser: Side::First }), "but not of the last four");
}

#[test]
fn hands_and_turn_are_part_of_the_position() {
    let position = |text| Seen::of(&ShogiPosition::parse(text).unwrap());
    let base = position("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    for other in ["4k4/9/9/9/9/9/9/9/4K4 b 2P 1", "4k4/9/9/9/9/9/9/9/4K4 w P 1", "4k4/9/9/9/9/9/9/9/4K4 b Pp 1"] {
        assert_eq!(judge(&[base, base, position(other), base]), None);
    }
    assert_eq!(judge(&[base, base, base, base]), Some(Repetition::Draw));
    assert_eq!(judge(&[]), None);
}
