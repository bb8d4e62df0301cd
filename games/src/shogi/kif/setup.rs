//! The start of a KIF game: a handicap by name, or a drawn board, with hands and side to move.

use super::moves::{BLANKS, digit, kind};
use crate::position::{Game as _, Position as _};
use crate::shogi::{Shogi, ShogiPosition};
use shogi_core::{Color, PartialPosition, Piece, Square};

/// The handicaps and the squares, as file and rank, of the pieces that White lacks. Left and right are White's.
const HANDICAPS: [(&str, &[(u8, u8)]); 16] = [
    ("平手", &[]),
    ("香落ち", &[LEFT_LANCE]),
    ("右香落ち", &[RIGHT_LANCE]),
    ("角落ち", &[BISHOP]),
    ("飛車落ち", &[ROOK]),
    ("飛香落ち", &[ROOK, LEFT_LANCE]),
    ("二枚落ち", &[ROOK, BISHOP]),
    ("三枚落ち", &[ROOK, BISHOP, LEFT_LANCE]),
    ("四枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE]),
    ("五枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE, RIGHT_KNIGHT]),
    ("左五枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE, LEFT_KNIGHT]),
    ("六枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE, LEFT_KNIGHT, RIGHT_KNIGHT]),
    ("左七枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE, LEFT_KNIGHT, RIGHT_KNIGHT, (3, 1)]),
    ("右七枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE, LEFT_KNIGHT, RIGHT_KNIGHT, (7, 1)]),
    ("八枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE, LEFT_KNIGHT, RIGHT_KNIGHT, (3, 1), (7, 1)]),
    ("十枚落ち", &[ROOK, BISHOP, LEFT_LANCE, RIGHT_LANCE, LEFT_KNIGHT, RIGHT_KNIGHT, (3, 1), (7, 1), (4, 1), (6, 1)]),
];
const ROOK: (u8, u8) = (8, 2);
const BISHOP: (u8, u8) = (2, 2);
const LEFT_LANCE: (u8, u8) = (1, 1);
const RIGHT_LANCE: (u8, u8) = (9, 1);
const LEFT_KNIGHT: (u8, u8) = (2, 1);
const RIGHT_KNIGHT: (u8, u8) = (8, 1);

/// The name of a start with a drawn board.
const OTHER: &str = "その他";

/// The start in the header.
#[derive(Default)]
pub(super) struct Setup {
    handicap: Option<&'static [(u8, u8)]>,
    /// The drawn rows, from the top.
    rows: Vec<Vec<Option<Piece>>>,
    in_hand: Vec<Piece>,
    turn: Option<Color>,
}

impl Setup {
    /// Reads a header line; returns whether it describes the start.
    pub(super) fn read(&mut self, line: &str) -> Result<bool, String> {
        if let Some(cells) = line.trim_start_matches(BLANKS).strip_prefix('|') {
            self.rows.push(row(cells)?);
            return Ok(true);
        }
        match line.split_once(['：', ':']) {
            Some(("手合割", name)) => self.handicap(name.trim())?,
            Some(("先手の持駒" | "下手の持駒", pieces)) => self.hold(Color::Black, pieces)?,
            Some(("後手の持駒" | "上手の持駒", pieces)) => self.hold(Color::White, pieces)?,
            Some(_) => return Ok(false),
            None => match line.trim_matches(BLANKS) {
                "先手番" | "下手番" => self.turn = Some(Color::Black),
                "後手番" | "上手番" => self.turn = Some(Color::White),
                "盤面回転" => {}
                frame if frame.starts_with('+') || frame.starts_with("９") => {}
                _ => return Ok(false),
            },
        }
        Ok(true)
    }

    /// The position after the header.
    pub(super) fn position(&self) -> Result<ShogiPosition, String> {
        let (mut board, first) = if self.rows.is_empty() { self.handicapped() } else { (self.drawn()?, Color::Black) };
        board.side_to_move_set(self.turn.unwrap_or(first));
        ShogiPosition::parse(&board.to_sfen_owned())
            .map_err(|error| format!("{}: SFEN \"{}\"", error.reason, error.input))
    }

    fn handicap(&mut self, name: &str) -> Result<(), String> {
        if name.is_empty() || name == OTHER {
            return Ok(());
        }
        let known = HANDICAPS.iter().find(|&&(known, _)| known == name);
        let (_, missing) = known.ok_or_else(|| format!("unknown handicap \"{}\"", name.escape_debug()))?;
        self.handicap = Some(missing);
        Ok(())
    }

    /// `角二　桂　`: kinds and their numbers.
    fn hold(&mut self, owner: Color, pieces: &str) -> Result<(), String> {
        for held in pieces.split(BLANKS).filter(|held| !matches!(*held, "" | "なし")) {
            let wrong = || format!("\"{}\" cannot be in hand", held.escape_debug());
            let (kind, number) = kind(held).ok_or_else(wrong)?;
            let count = number_to_18(number).ok_or_else(wrong)?;
            self.in_hand.extend((0..count).map(|_| Piece::new(kind, owner)));
            // Limits the total, since a line may be repeated.
            if self.in_hand.len() > Shogi::GEOMETRY.squares() {
                return Err("more pieces in hand than a set has".to_owned());
            }
        }
        Ok(())
    }

    fn handicapped(&self) -> (PartialPosition, Color) {
        let mut board = PartialPosition::startpos();
        let missing = self.handicap.unwrap_or_default();
        for square in missing.iter().filter_map(|&(file, rank)| Square::new(file, rank)) {
            board.piece_set(square, None);
        }
        (board, if missing.is_empty() { Color::Black } else { Color::White })
    }

    fn drawn(&self) -> Result<PartialPosition, String> {
        let (files, ranks) = (Shogi::GEOMETRY.files(), Shogi::GEOMETRY.ranks());
        if self.rows.len() != ranks {
            return Err(format!("the board has {} rows instead of {ranks}", self.rows.len()));
        }
        let mut board = PartialPosition::empty();
        for (rank, row) in (1..).zip(&self.rows) {
            for (column, &piece) in row.iter().enumerate() {
                if let Some(square) = Square::new((files - column) as u8, rank) {
                    board.piece_set(square, piece);
                }
            }
        }
        for &piece in &self.in_hand {
            let hand = board.hand_of_a_player_mut(piece.color());
            *hand = hand.added(piece.piece_kind()).ok_or("a piece that cannot be in hand is in hand")?;
        }
        Ok(board)
    }
}

/// A drawn row after its first bar: cells of a side mark and a piece, ` ・` for an empty square.
fn row(text: &str) -> Result<Vec<Option<Piece>>, String> {
    let files = Shogi::GEOMETRY.files();
    let wrong = || format!("not a row of {files} squares: \"|{}\"", text.escape_debug());
    let (cells, _) = text.split_once('|').ok_or_else(wrong)?;
    let mut row = Vec::with_capacity(files);
    let mut rest = cells;
    while let Some(mark) = rest.chars().next() {
        rest = &rest[mark.len_utf8()..];
        let owner = match mark {
            ' ' | '^' => Color::Black,
            'v' | 'V' => Color::White,
            _ => return Err(wrong()),
        };
        if let Some(behind) = rest.strip_prefix('・') {
            row.push(None);
            rest = behind;
            continue;
        }
        let (kind, behind) = kind(rest).ok_or_else(wrong)?;
        row.push(Some(Piece::new(kind, owner)));
        rest = behind;
    }
    if row.len() == files { Ok(row) } else { Err(wrong()) }
}

/// `十五` as 15; an empty text as 1.
fn number_to_18(text: &str) -> Option<u8> {
    if text.is_empty() {
        return Some(1);
    }
    let (tens, ones) = text.strip_prefix('十').map_or((0, text), |ones| (10, ones));
    let mut rest = ones.chars();
    let ones = rest.next().map_or(Some(0), digit)?;
    (rest.next().is_none() && tens + ones <= 18).then_some(tens + ones)
}
