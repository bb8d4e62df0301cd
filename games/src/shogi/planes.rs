//! Shogi's vocabularies of planes: dlshogi's labels ([`super::labels`]), the possible ones among them, and
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

use super::frame::IN_FRAME;
use super::labels::{self, CLASSES, DROPS, LABELS, PROMOTIONS};
use super::{Shogi, moves};
use crate::planes::{PlaneEntry, Planes};
use crate::position::Game as _;
use crate::vocabulary::{MovesName, Vocabulary};
use shogi_core::{Color, Move};
use std::sync::LazyLock;

const SQUARES: usize = Shogi::GEOMETRY.squares();
const FILES: usize = Shogi::GEOMETRY.files();
const RANKS: usize = Shogi::GEOMETRY.ranks();

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

/// The index of a move that `turn` could make.
///
/// # Panics
/// If no piece can make the move.
pub(super) fn index(mv: Move, turn: Color, name: MovesName) -> u16 {
    match name {
        MovesName::FromTo => moves::index(mv, turn),
        MovesName::Dlshogi2187 => labels::label(mv, turn),
        MovesName::Shogi1496 => {
            let compact = COMPACT[usize::from(labels::label(mv, turn))];
            assert_ne!(compact, ABSENT, "{mv:?} is not a move of shogi");
            compact
        }
        MovesName::PythonDlshogi2187 => python(labels::label(mv, turn)),
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
    let rank = to % RANKS;
    if class > DROPS {
        // Pawn, lance and knight need ranks ahead of them.
        return rank >= [1, 1, 2].get(class - DROPS - 1).copied().unwrap_or(0);
    }
    let (direction, promotes) = (class % PROMOTIONS, class >= PROMOTIONS);
    if direction >= labels::KNIGHT && !promotes && rank < 2 {
        return false;
    }
    let squares = (0..FILES).flat_map(|file| (0..RANKS).map(move |rank| (file, rank)));
    squares
        .filter(|&(_, from)| !promotes || from < labels::ZONE || rank < labels::ZONE)
        .any(|from| labels::direction(signed(from), signed((to / RANKS, rank))) == Some(direction))
}

fn signed((file, rank): (usize, usize)) -> (i32, i32) {
    (file as i32, rank as i32)
}
