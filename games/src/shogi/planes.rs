//! Shogi's vocabularies of planes: dlshogi's labels (direction of the move × target square), the possible ones among them, and
//! python-dlshogi2's.
//!
//! | name | entries | what |
//! |---|---|---|
//! | `dlshogi_2187` | 27 · 81 | every label, `class · 81 + target` |
//! | `shogi_1496` | 1,496 | the labels that some piece can make, in the same order: 965 on the board, 531 drops |
//! | `python_dlshogi_2187` | 27 · 81 | as the first, but gold, bishop and rook are dropped as classes 24, 25, 26 instead of 26, 24, 25 |
//!
//! A label is possible if there is an origin square: in its direction, and with promotion in the last three ranks or
//! entering them; knights do not enter the last two ranks unpromoted, and dropped pieces must be able to move. (So
//! `shogi_1496` follows a queen's rays, not the moves of each piece: its numbers are those of the table in
//! TadaoYamaoka/DeepLearningShogi, branch `feature/transformer`, and of rsshogi's compact labels.)
//!
//! A label is `class · 81 + target`, the target counted file by file from 1a on a board rotated by 180° for White.
//! Classes 0 to 9 are the directions forward, forward to the left and right, left, right, backward, backward to the
//! left and right, and the knight's jumps to the left and right, from the side to move's view; 10 to 19 the same with
//! promotion; 20 to 26 drops of pawn, lance, knight, silver, bishop, rook, gold. The gold is last here: python-dlshogi2
//! numbers drops pawn, lance, knight, silver, gold, bishop, rook, so their labels are incompatible.
//!
//! A label does not include the distance: of two pieces on one line to a square, the nearer blocks the other, so legal
//! moves of a position have different labels. Reference: `cppshogi/cppshogi.cpp` in TadaoYamaoka/DeepLearningShogi;
//! checked against cshogi.

use super::frame::IN_FRAME;
use super::piece_numbers::{self, FILES, RANKS, SQUARES};
use super::{Shogi, moves};
use crate::position::Game as _;
use crate::vocabulary::{MovesName, PlaneEntry, Planes, Vocabulary};
use shogi_core::{Color, Move, Square};
use std::sync::LazyLock;

const LABELS: usize = CLASSES * SQUARES;
const CLASSES: usize = 27;
/// The first direction of the knight.
const KNIGHT: usize = 8;
/// The first class of promotions.
const PROMOTIONS: usize = 10;
/// One below the first class of drops: a pawn's number is 1.
const DROPS: usize = 2 * PROMOTIONS - 1;
/// The number of promotion ranks.
const ZONE: i32 = 3;

/// The label of a move that `turn` makes. Panics if no piece of shogi can move so.
fn label(mv: Move, turn: Color) -> u16 {
    let (class, to) = match mv {
        Move::Drop { piece, to } => (DROPS + usize::from(piece_numbers::man_of_kind(piece.piece_kind())), to),
        Move::Normal { from, to, promote } => {
            let direction = direction(coordinates(from, turn), coordinates(to, turn))
                .unwrap_or_else(|| panic!("{mv:?} is not a move of shogi"));
            (direction + if promote { PROMOTIONS } else { 0 }, to)
        }
    };
    (class * SQUARES + seen(to, turn)) as u16
}

/// The square's number from the side to move's view.
fn seen(square: Square, turn: Color) -> usize {
    match turn {
        Color::Black => square.array_index(),
        Color::White => Shogi::GEOMETRY.rotate(square.array_index()),
    }
}

/// File, counted from the right, and rank, counted from the far end, from the side to move's view.
fn coordinates(square: Square, turn: Color) -> (i32, i32) {
    let square = seen(square, turn) as i32;
    let ranks = Shogi::GEOMETRY.ranks() as i32;
    (square / ranks, square % ranks)
}

/// The steps of the first directions: files to the left, and ranks backward.
const DIRECTIONS: [(i32, i32); KNIGHT] = [(0, -1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (1, 1), (-1, 1)];

/// The direction from one square (file from the right, rank from the far end) to another, if a piece can move so.
fn direction(from: (i32, i32), to: (i32, i32)) -> Option<usize> {
    let (left, down) = (to.0 - from.0, to.1 - from.1);
    if down == -2 && left.abs() == 1 {
        return Some(if left > 0 { KNIGHT } else { KNIGHT + 1 });
    }
    let is_line = left == 0 || down == 0 || left.abs() == down.abs();
    DIRECTIONS.iter().position(|&step| is_line && step == (left.signum(), down.signum()))
}

/// dlshogi's classes; python-dlshogi2 orders the last three differently.
const NAMES: [&str; CLASSES] = names("drop_bishop", "drop_rook", "drop_gold");
const PYTHON_NAMES: [&str; CLASSES] = names("drop_gold", "drop_bishop", "drop_rook");

const fn names(first: &'static str, second: &'static str, third: &'static str) -> [&'static str; CLASSES] {
    macro_rules! names {
        ($($direction:literal)+; $($drop:expr),+) => {
            [$($direction,)+ $(concat!($direction, "_promoting"),)+ $($drop),+]
        };
    }
    names!(
        "forward" "forward_left" "forward_right" "left" "right" "backward" "backward_left" "backward_right"
        "knight_left" "knight_right";
        "drop_pawn", "drop_lance", "drop_knight", "drop_silver", first, second, third
    )
}

/// dlshogi's first classes of bishop, rook and gold.
const BISHOP: usize = 24;
const GOLD: usize = 26;

/// Marks a label without a compact one.
const ABSENT: u16 = u16::MAX;

/// For each of dlshogi's labels its number among the possible ones.
static COMPACT: LazyLock<[u16; LABELS]> = LazyLock::new(|| {
    let mut compact = [ABSENT; LABELS];
    let possible = (0..LABELS).filter(|&label| can_occur(label));
    possible.enumerate().for_each(|(number, label)| compact[label] = number as u16);
    compact
});

pub(super) fn vocabularies() -> Vec<(MovesName, Vocabulary)> {
    static PLANES: LazyLock<[Planes; 3]> = LazyLock::new(|| {
        let all = || (0..LABELS).map(entry);
        let possible = (0..LABELS).filter(|&label| COMPACT[label] != ABSENT).map(entry);
        [
            Planes::new("dlshogi_2187", &NAMES, all().collect()),
            Planes::new("shogi_1496", &NAMES, possible.collect()),
            Planes::new("python_dlshogi_2187", &PYTHON_NAMES, all().collect()),
        ]
    });
    let [dlshogi, compact, python] = &*PLANES;
    vec![
        (MovesName::FromTo, Vocabulary::FromTo(moves::vocabulary())),
        (MovesName::Dlshogi2187, Vocabulary::Planes(dlshogi)),
        (MovesName::Shogi1496, Vocabulary::Planes(compact)),
        (MovesName::PythonDlshogi2187, Vocabulary::Planes(python)),
    ]
}

/// The index of a move that `turn` could make. Panics if no piece can make the move.
pub(super) fn index(mv: Move, turn: Color, name: MovesName) -> u16 {
    match name {
        MovesName::FromTo => moves::index(mv, turn),
        MovesName::Dlshogi2187 => label(mv, turn),
        MovesName::Shogi1496 => {
            let compact = COMPACT[usize::from(label(mv, turn))];
            assert_ne!(compact, ABSENT, "{mv:?} is not a move of shogi");
            compact
        }
        MovesName::PythonDlshogi2187 => python(label(mv, turn)),
        MovesName::Chessdecoder1924 | MovesName::Uci1968Dm | MovesName::Uci1968Sid => {
            panic!("shogi has no moves {}", name.name())
        }
    }
}

/// dlshogi's label as python-dlshogi2 numbers it: the gold comes before bishop and rook.
fn python(label: u16) -> u16 {
    let (class, to) = (usize::from(label) / SQUARES, usize::from(label) % SQUARES);
    let class = match class {
        GOLD => BISHOP,
        BISHOP.. => class + 1,
        _ => class,
    };
    (class * SQUARES + to) as u16
}

fn entry(label: usize) -> PlaneEntry {
    // A label's square is from the mover's view, and Black's view equals the numbering.
    PlaneEntry { class: (label / SQUARES) as u8, to: IN_FRAME[Color::Black.array_index()][label % SQUARES] }
}

/// Whether any piece can make a label's move.
fn can_occur(label: usize) -> bool {
    let (class, to) = (label / SQUARES, label % SQUARES);
    // Ranks count from the far end.
    let (file, rank) = ((to / RANKS) as i32, (to % RANKS) as i32);
    if class > DROPS {
        // Pawn, lance and knight need ranks ahead of them.
        return rank >= [1, 1, 2].get(class - DROPS - 1).copied().unwrap_or(0);
    }
    let (wanted, promotes) = (class % PROMOTIONS, class >= PROMOTIONS);
    if wanted >= KNIGHT && !promotes && rank < 2 {
        return false;
    }
    let squares = (0..FILES as i32).flat_map(|file| (0..RANKS as i32).map(move |rank| (file, rank)));
    squares
        .filter(|&(_, from)| !promotes || from < ZONE || rank < ZONE)
        .any(|from| direction(from, (file, rank)) == Some(wanted))
}
