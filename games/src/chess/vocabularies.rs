//! The vocabularies of chess, by name.

use super::{moves, uci, white_moves};
use crate::geometry::Frame;
use crate::vocabulary::{MoveList, MovesName, Vocabulary};
use shakmaty::{Color, Move};
use std::sync::LazyLock;

pub(super) fn all() -> &'static [(MovesName, Vocabulary)] {
    static ALL: LazyLock<Vec<(MovesName, Vocabulary)>> = LazyLock::new(|| {
        let lists = MovesName::ALL.into_iter().filter_map(|name| Some((name, Vocabulary::List(list(name)?))));
        std::iter::once((MovesName::FromTo, Vocabulary::FromTo(moves::vocabulary()))).chain(lists).collect()
    });
    ALL.as_slice()
}

/// The list of a name; `None` for other vocabularies.
fn list(name: MovesName) -> Option<&'static MoveList> {
    match name {
        MovesName::Chessdecoder1924 => Some(white_moves::vocabulary()),
        other => uci::list(other),
    }
}

/// The index of a move that `turn` could make, its squares numbered in `frame`; `None` if the vocabulary does not
/// support the frame.
pub(super) fn index(mv: Move, turn: Color, name: MovesName, frame: Frame) -> Option<u16> {
    match (name, frame) {
        (MovesName::FromTo, Frame::SideToMove) => Some(moves::index(mv, turn)),
        (MovesName::Chessdecoder1924, Frame::FirstPlayer) => Some(white_moves::index(mv, turn)),
        (name, frame) => uci::index(mv, turn, name, frame),
    }
}
