//! The vocabularies of chess, by name.

use super::{Chess, moves, uci};
use crate::geometry::Frame;
use crate::moves::{Entry, FromTo};
use crate::position::Game as _;
use crate::vocabulary::{MoveList, MovesName, Vocabulary};
use shakmaty::{Color, Move};
use std::sync::LazyLock;

pub(super) fn all() -> Vec<(MovesName, Vocabulary)> {
    let lists = MovesName::ALL.into_iter().filter_map(|name| Some((name, Vocabulary::List(list(name)?))));
    std::iter::once((MovesName::FromTo, Vocabulary::FromTo(moves::vocabulary()))).chain(lists).collect()
}

/// The list of a name; `None` for other vocabularies.
fn list(name: MovesName) -> Option<&'static MoveList> {
    match name {
        MovesName::Chessdecoder1924 => Some(from_whites_view()),
        other => uci::list(other),
    }
}

/// The index of a move that `turn` could make, its squares numbered in `frame`; `None` if the vocabulary does not
/// support the frame.
pub(super) fn index(mv: Move, turn: Color, name: MovesName, frame: Frame) -> Option<u16> {
    match (name, frame) {
        (MovesName::FromTo, Frame::SideToMove) => Some(moves::index(mv, turn)),
        (MovesName::Chessdecoder1924, Frame::FirstPlayer) => Some(index_from_whites_view(mv, turn)),
        (name, frame) => uci::index(mv, turn, name, frame),
    }
}

/// Moves from White's view, for both players: ChessDecoder's 1,924 entries. The 1,858 of [`moves`], which are White's, then
/// Black's 66 promotions to queen, rook or bishop in the same order. Reference: maxlegrec1/ChessDecoder `vocab.py`
/// (`policy_index`): a1b1 is 0, a7a8q 1792, a2a1q 1858, h2h1b 1923.
fn from_whites_view() -> &'static MoveList {
    static VOCABULARY: LazyLock<MoveList> = LazyLock::new(|| {
        let of_white = moves::vocabulary().entries();
        let promotes = |entry: &&Entry| matches!(entry, Entry::Promotion { .. });
        let of_black = of_white.iter().filter(promotes).map(|&entry| in_frame_of_black(entry));
        let entries = of_white.iter().copied().chain(of_black).collect();
        let promotions = moves::vocabulary().promotions;
        let moves = FromTo::new("chessdecoder_1924", Chess::GEOMETRY, promotions, &[], entries);
        MoveList { frames: MovesName::Chessdecoder1924.frames(), moves }
    });
    &VOCABULARY
}

/// The index of a move that `turn` could make.
fn index_from_whites_view(mv: Move, turn: Color) -> u16 {
    let entry = match turn {
        Color::White => moves::entry(mv, turn),
        Color::Black => in_frame_of_black(moves::entry(mv, turn)),
    };
    from_whites_view().moves.index_of(entry).expect("every chess move has an entry") as u16
}

/// Converts a move between Black's and White's view.
fn in_frame_of_black(entry: Entry) -> Entry {
    let mirrored = |square: u8| Chess::GEOMETRY.mirror_ranks(usize::from(square)) as u8;
    match entry {
        Entry::Plain { from, to } => Entry::Plain { from: mirrored(from), to: mirrored(to) },
        Entry::Promotion { from, to, kind } => Entry::Promotion { from: mirrored(from), to: mirrored(to), kind },
        Entry::Drop { .. } => entry,
    }
}
