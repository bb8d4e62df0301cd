//! Pieces that are taken away or moved all at once, against the packed rows that networks read.

use crate::samples::{self, codes};
use games::attacks::Tactics;
use games::placement::Placement;
use games::{Game, GameKind, Position, with_game};

/// The codes with every piece moved to the right by `files` files.
fn shifted<G: Game>(codes: &[u8], files: usize) -> Vec<u8> {
    let board = G::GEOMETRY;
    let from =
        |square: usize| board.file_of(square).checked_sub(files).map(|file| board.square(file, board.rank_of(square)));
    (0..codes.len()).map(|square| from(square).map_or(0, |from| codes[from])).collect()
}

fn is_slider<G: Tactics>(code: u8) -> bool {
    let kind = G::PIECES[(usize::from(code) - 1) % G::PIECES.len()];
    ["bishop", "rook", "queen", "lance", "horse", "dragon"].contains(&kind)
}

fn check<G: Tactics>(text: &str) -> [bool; 3] {
    let position = G::Position::parse(text).expect("a position of the oracle");
    let (pieces, before) = (Placement::of::<G>(&position), codes::<G>(&position));
    let as_it_was = pieces.position::<G>().expect("legal without castling rights too");
    assert_eq!((codes::<G>(&as_it_was), as_it_was.side_to_move()), (before.clone(), position.side_to_move()), "{text}");

    let mut without = pieces.clone();
    without.retain(|file, piece| file > 0 || !G::SLIDERS.contains(&piece));
    let on_the_left = |square: usize, code: u8| G::GEOMETRY.file_of(square) == 0 && code > 0 && is_slider::<G>(code);
    let kept: Vec<u8> =
        before.iter().enumerate().map(|(i, &code)| if on_the_left(i, code) { 0 } else { code }).collect();
    assert_eq!(pieces.any(|file, piece| file == 0 && G::SLIDERS.contains(&piece)), kept != before, "{text}");
    let removed = without.position::<G>();
    assert!(removed.as_ref().is_none_or(|position| codes::<G>(position) == kept), "{text}");

    let mut moved = pieces;
    moved.shift_right(1);
    let moved = moved.position::<G>();
    assert!(moved.as_ref().is_none_or(|position| codes::<G>(position) == shifted::<G>(&before, 1)), "{text}");
    [kept != before, removed.is_some(), moved.is_some()]
}

#[test]
fn pieces_are_where_networks_see_them() {
    for game in GameKind::ALL {
        let mut seen = [0; 3];
        for (text, _) in samples::oracle(game).iter().step_by(7) {
            let done = with_game!(game, G => check::<G>(text));
            seen.iter_mut().zip(done).for_each(|(seen, done)| *seen += u32::from(done));
        }
        assert!(seen.iter().all(|&seen| seen > 500), "{game:?}: sliders, removed, moved: {seen:?}");
    }
}
