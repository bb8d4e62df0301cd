//! The pieces of a position as they stand in FEN and SFEN: to take pieces away or to move them all at once.
//!
//! Both texts begin with the ranks from the top, separated by `/`: a letter for a piece, upper case for the player who moves
//! first, `+` before a promoted one, and a number for empty squares.

use crate::conventions::{Notation, Orientation};
use crate::geometry::Geometry;
use crate::position::{Game, Position, Side};

/// The pieces, rank by rank from the top of the diagram, each rank from the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    ranks: Vec<Vec<Option<String>>>,
    /// The fields after the pieces. In FEN without castling rights and en passant, which belong to pieces on certain squares.
    rest: String,
    /// Whether the left of the side to move is the right of the diagram: see [`Orientation`].
    turned: bool,
}

impl Placement {
    /// The pieces of a position.
    pub fn of<G: Game>(position: &G::Position) -> Self {
        let text = position.to_text();
        let (pieces, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let rest = match rest.split(' ').collect::<Vec<_>>().as_slice() {
            [turn, _castling, _en_passant, clocks @ ..] if G::NOTATION == Notation::Uci => {
                [&[*turn, "-", "-"], clocks].concat().join(" ")
            }
            _ => rest.to_owned(),
        };
        let turned = G::ORIENTATION == Orientation::Turned && position.side_to_move() == Side::Second;
        Self { ranks: pieces.split('/').map(squares).collect(), rest, turned }
    }

    /// Keeps the pieces for which `keeps` is true of their file, from the left of the side to move, and their letters in upper
    /// case, as `R` or `+R`.
    pub fn retain(&mut self, keeps: impl Fn(usize, &str) -> bool) {
        let turned = self.turned;
        for rank in &mut self.ranks {
            let last = rank.len() - 1;
            for (column, square) in rank.iter_mut().enumerate() {
                let file = if turned { last - column } else { column };
                if square.as_ref().is_some_and(|piece| !keeps(file, &piece.to_ascii_uppercase())) {
                    *square = None;
                }
            }
        }
    }

    /// Whether `wanted` is true of some piece, described as in [`Placement::retain`].
    pub fn any(&self, wanted: impl Fn(usize, &str) -> bool) -> bool {
        let mut others = self.clone();
        others.retain(|file, piece| !wanted(file, piece));
        others != *self
    }

    /// Moves every piece this many files to the right of the side to move. Pieces that leave the board are lost.
    pub fn shift_right(&mut self, files: usize) {
        for rank in &mut self.ranks {
            let empty = (0..files.min(rank.len())).map(|_| None);
            if self.turned {
                rank.drain(..files.min(rank.len()));
                rank.extend(empty);
            } else {
                rank.truncate(rank.len().saturating_sub(files));
                rank.splice(0..0, empty);
            }
        }
    }

    /// The position with these pieces; `None` if it is not legal: a king is missing, or could be captured.
    pub fn position<G: Game>(&self) -> Option<G::Position> {
        let ranks: Vec<String> = self.ranks.iter().map(|rank| rank_text(rank)).collect();
        G::Position::parse(&format!("{} {}", ranks.join("/"), self.rest)).ok()
    }
}

/// The most empty squares that a number counts: boards are smaller.
const MOST_EMPTY: usize = 128;

/// The squares of a rank from the left of the diagram, each with its piece.
pub fn squares(rank: &str) -> Vec<Option<String>> {
    let mut squares = Vec::new();
    let (mut empty, mut promoted) = (0, "");
    for letter in rank.chars() {
        if let Some(digit) = letter.to_digit(10) {
            empty = (10 * empty + digit as usize).min(MOST_EMPTY);
            continue;
        }
        squares.resize(squares.len() + std::mem::take(&mut empty), None);
        match letter {
            '+' => promoted = "+",
            _ => squares.push(Some(format!("{}{letter}", std::mem::take(&mut promoted)))),
        }
    }
    squares.resize(squares.len() + empty, None);
    squares
}

/// The inverse of [`squares`].
fn rank_text(rank: &[Option<String>]) -> String {
    let runs = rank.chunk_by(|a, b| a.is_none() && b.is_none());
    let text = |run: &[Option<String>]| run[0].clone().unwrap_or_else(|| run.len().to_string());
    runs.map(text).collect()
}

/// The kinds of pieces of a game, as SFEN writes the first player's.
pub(crate) struct Codes<const KINDS: usize>(pub(crate) [&'static str; KINDS]);

impl<const KINDS: usize> Codes<KINDS> {
    /// The code of a side's piece: 0 is an empty square.
    pub(crate) const fn code(&self, side: Side, kind: usize) -> u8 {
        (1 + KINDS * side as usize + kind) as u8
    }

    /// The piece of a code.
    pub(crate) fn piece(&self, code: u8) -> Option<(Side, usize)> {
        let number = usize::from(code).checked_sub(1)?;
        Some((if number < KINDS { Side::First } else { Side::Second }, number % KINDS))
    }

    /// A piece as SFEN writes it.
    pub(crate) fn written(&self, code: u8) -> Option<String> {
        self.piece(code).map(|(side, kind)| match side {
            Side::First => self.0[kind].to_owned(),
            Side::Second => self.0[kind].to_ascii_lowercase(),
        })
    }

    fn code_of(&self, written: &str) -> Option<u8> {
        let kind = self.0.iter().position(|letters| letters.eq_ignore_ascii_case(written))?;
        let is_first = written.chars().all(|letter| !letter.is_ascii_lowercase());
        Some(self.code(if is_first { Side::First } else { Side::Second }, kind))
    }

    /// An SFEN of these squares, whose codes are in the first player's view.
    pub(crate) fn text(&self, board: Geometry, codes: &[u8], turn: Side, hands: &str, ply: u32) -> String {
        let written: Vec<_> = codes.iter().map(|&code| self.written(code)).collect();
        let ranks: Vec<String> = written.chunks_exact(board.files()).rev().map(rank_text).collect();
        format!("{} {} {hands} {ply}", ranks.join("/"), if turn == Side::First { "b" } else { "w" })
    }

    /// The codes, the side to move and the number of the next move of an SFEN with empty hands. The error for another piece is `unknown`.
    pub(crate) fn read(
        &self,
        text: &str,
        board: Geometry,
        unknown: &'static str,
    ) -> Result<(Vec<u8>, Side, u32), &'static str> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [ranks, turn, "-", number @ ..] = &fields[..] else {
            return Err("a position has a board, a turn, - for empty hands, and a move number");
        };
        let read =
            |rank: &str| Some(squares(rank)).filter(|found| found.len() == board.files() && rank_text(found) == rank);
        let ranks: Option<Vec<_>> = ranks.rsplit('/').map(read).collect();
        let ranks = ranks.filter(|ranks| ranks.len() == board.ranks());
        let ranks = ranks.ok_or("the board has another number of ranks or squares")?;
        let turn = match *turn {
            "b" => Side::First,
            "w" => Side::Second,
            _ => return Err("the turn is b or w"),
        };
        let ply = match number {
            [] => 1,
            [number] => number.parse().map_err(|_| "the move number is a whole number")?,
            _ => return Err("nothing follows the move number"),
        };
        let code = |square: &Option<String>| square.as_ref().map_or(Some(0), |written| self.code_of(written));
        let codes: Option<Vec<u8>> = ranks.iter().flatten().map(code).collect();
        Ok((codes.ok_or(unknown)?, turn, ply))
    }
}
