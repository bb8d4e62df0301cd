//! The vocabularies of chess, by name. Besides [`moves`] and ChessDecoder's list there are all moves that a piece of either colour
//! can make on an empty board, in UCI: 1,792 pairs of squares and 44 · 4 promotions, in two orders. Castling is the king's own step.
//!
//! * `uci_1968_dm`: for each square a1, b1 … h8 the squares of a queen, then those of a knight, each ascending; then the
//!   promotions of Black and of White, file by file: straight, to the left, to the right, each to queen, rook, bishop,
//!   knight. Reference: google-deepmind/searchless_chess, `src/utils.py`.
//! * `uci_1968_sid`: for each square a1, a2 … h8 rays to the right, left, up and down, the four diagonals, then knights;
//!   after a pair that promotes: bishop, knight, rook and queen. Reference: Sid3024/Chess-AI, `uci_move_dict.py`.

use super::{Chess, moves};
use crate::geometry::{Frame, Geometry, Relation};
use crate::movement::Step;
use crate::position::Game;
use crate::vocabulary::{Entry, FromTo, MoveList, MovesName, Vocabulary};
use shakmaty::{Color, Move, Role, Square};
use std::sync::LazyLock;

pub(super) fn all() -> Vec<(MovesName, Vocabulary)> {
    let lists = MovesName::ALL.into_iter().filter_map(|name| Some((name, Vocabulary::List(list(name)?))));
    std::iter::once((MovesName::FromTo, Vocabulary::FromTo(moves::vocabulary()))).chain(lists).collect()
}

/// The list of a name; `None` for other vocabularies.
fn list(name: MovesName) -> Option<&'static MoveList> {
    static DM: LazyLock<MoveList> = LazyLock::new(|| in_uci(MovesName::Uci1968Dm, deepmind_order()));
    static SID: LazyLock<MoveList> = LazyLock::new(|| in_uci(MovesName::Uci1968Sid, sid3024_order()));
    match name {
        MovesName::Chessdecoder1924 => Some(from_whites_view()),
        MovesName::Uci1968Dm => Some(&DM),
        MovesName::Uci1968Sid => Some(&SID),
        _ => None,
    }
}

/// The index of a move that `turn` could make, its squares numbered in `frame`; `None` if the vocabulary does not
/// support the frame.
pub(super) fn index(mv: Move, turn: Color, name: MovesName, frame: Frame) -> Option<u16> {
    match (name, frame) {
        (MovesName::FromTo, Frame::SideToMove) => Some(moves::index(mv, turn)),
        (MovesName::Chessdecoder1924, Frame::FirstPlayer) => Some(index_from_whites_view(mv, turn)),
        (MovesName::Uci1968Dm | MovesName::Uci1968Sid, frame) => Some(index_in_uci(mv, turn, list(name)?, frame)),
        _ => None,
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

/// The promotion pieces, in DeepMind's order; their letters number the entries' promotions.
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
const LETTERS: &[&str; 4] = &["q", "r", "b", "n"];

/// The promotion pieces, in Sid3024's order.
const SID_PROMOTIONS: [Role; 4] = [Role::Bishop, Role::Knight, Role::Rook, Role::Queen];

/// Steps of file and rank in Sid3024's order: rays, then jumps.
const RAYS: [Step; 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [Step; 8] = [(2, 1), (2, -1), (-2, 1), (-2, -1), (1, 2), (1, -2), (-1, 2), (-1, -2)];

fn in_uci(name: MovesName, entries: Vec<Entry>) -> MoveList {
    MoveList { frames: name.frames(), moves: FromTo::new(name.name(), Chess::GEOMETRY, LETTERS, &[], entries) }
}

/// The index of a move that `turn` could make, with squares numbered in `frame`.
fn index_in_uci(mv: Move, turn: Color, list: &MoveList, frame: Frame) -> u16 {
    let on_board = |square: Square| match frame {
        Frame::SideToMove => moves::in_frame(square, turn),
        Frame::FirstPlayer => square.to_usize(),
    };
    let (from, to, promotion) = moves::steps(mv);
    let (from, to) = (on_board(from), on_board(to));
    let entry = promotion.map_or(Entry::plain((from, to)), |role| promoting(from, to, role));
    list.moves.index_of(entry).expect("every chess move has an entry") as u16
}

fn promoting(from: usize, to: usize, role: Role) -> Entry {
    let kind = PROMOTIONS.iter().position(|&own| own == role).expect("a pawn becomes one of these");
    Entry::promotion((from, to), kind)
}

fn deepmind_order() -> Vec<Entry> {
    let board = Chess::GEOMETRY;
    let related = |from: usize, wanted: fn(Relation) -> bool| {
        (0..board.squares()).filter(move |&to| wanted(board.relation(from, to))).map(move |to| Entry::plain((from, to)))
    };
    let knight = |relation| relation == Relation::Knight;
    let pairs = (0..board.squares()).flat_map(|from| related(from, Relation::is_line).chain(related(from, knight)));
    let last = board.ranks() - 1;
    let promotions = [(1, 0), (last - 1, last)].into_iter().flat_map(|(rank, next)| {
        (0..board.files()).flat_map(move |file| {
            let targets = [Some(file), file.checked_sub(1), Some(file + 1).filter(|&file| file < board.files())];
            targets.into_iter().flatten().flat_map(move |target| {
                let (from, to) = (board.square(file, rank), board.square(target, next));
                PROMOTIONS.map(|role| promoting(from, to, role))
            })
        })
    });
    pairs.chain(promotions).collect()
}

fn sid3024_order() -> Vec<Entry> {
    let board = Chess::GEOMETRY;
    let squares = (0..board.files()).flat_map(|file| (0..board.ranks()).map(move |rank| board.square(file, rank)));
    let mut moves = Vec::new();
    for from in squares {
        let rays = RAYS.into_iter().flat_map(|step| board.ray(from, step));
        let jumps = JUMPS.into_iter().filter_map(|step| board.stepped(from, step));
        for to in rays.chain(jumps) {
            moves.push(Entry::plain((from, to)));
            if promotes(board, from, to) {
                moves.extend(SID_PROMOTIONS.map(|role| promoting(from, to, role)));
            }
        }
    }
    moves
}

/// Whether a pawn of either colour promotes with this step.
fn promotes(board: Geometry, from: usize, to: usize) -> bool {
    let last = board.ranks() - 1;
    let ranks = (board.rank_of(from), board.rank_of(to));
    let aside = board.file_of(from).abs_diff(board.file_of(to)) <= 1;
    aside && (ranks == (last - 1, last) || ranks == (1, 0))
}
