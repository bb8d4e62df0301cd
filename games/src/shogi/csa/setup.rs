//! The start position of a CSA record: `PI`, rows `P1`…`P9`, and single pieces `P+`/`P-`.

use crate::position::{Game as _, Position as _};
use crate::shogi::frame::{HAND, HAND_TOTALS};
use crate::shogi::{Shogi, ShogiPosition};
use shogi_core::{Color, PartialPosition, Piece, PieceKind, Square};

/// The codes of the kinds, in shogi_core's order.
const CODES: [&str; PieceKind::NUM] =
    ["FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

pub(super) fn piece_kind(code: &str) -> Option<PieceKind> {
    let place = CODES.iter().position(|&known| known == code)?;
    PieceKind::from_u8(place as u8 + 1)
}

pub(super) fn code(kind: PieceKind) -> &'static str {
    CODES[kind.array_index()]
}

/// A square as `76`: file, then rank.
pub(super) fn square(text: &str) -> Option<Square> {
    let &[file, rank] = text.as_bytes() else { return None };
    Square::new(file.wrapping_sub(b'0'), rank.wrapping_sub(b'0'))
}

/// `+` is Black, anything else White.
pub(super) fn color(sign: char) -> Color {
    if sign == '+' { Color::Black } else { Color::White }
}

#[derive(Default)]
pub(super) struct Setup {
    board: Option<PartialPosition>,
    /// Which of the rows `P1`…`P9` were given; a board by rows needs all nine.
    rows: Vec<u8>,
}

impl Setup {
    /// Reads a placement, which is a line without its leading `P`.
    pub(super) fn place(&mut self, placement: &str) -> Result<(), String> {
        let mut rest = placement.chars();
        match rest.next() {
            Some('I') => self.standard_without(rest.as_str()),
            Some(rank @ '1'..='9') => self.row(rank as u8 - b'0', rest.as_str()),
            Some(sign @ ('+' | '-')) => self.pieces(color(sign), rest.as_str()),
            _ => Err(format!("not a placement: \"P{}\"", placement.escape_debug())),
        }
    }

    pub(super) fn position(&self, turn: Color) -> Result<ShogiPosition, String> {
        let board = self.board.as_ref().ok_or("no start position (PI, P1…P9 or P+/P-)")?;
        let ranks = Shogi::GEOMETRY.ranks() as u8;
        if let (false, Some(missing)) = (self.rows.is_empty(), (1..=ranks).find(|rank| !self.rows.contains(rank))) {
            return Err(format!("row P{missing} is missing"));
        }
        let mut board = board.clone();
        board.side_to_move_set(turn);
        ShogiPosition::parse(&board.to_sfen_owned())
            .map_err(|error| format!("{}: SFEN \"{}\"", error.reason, error.input))
    }

    fn board(&mut self) -> &mut PartialPosition {
        self.board.get_or_insert_with(PartialPosition::empty)
    }

    /// `PI` with removed pieces: `PI82HI22KA`.
    fn standard_without(&mut self, removed: &str) -> Result<(), String> {
        let mut board = PartialPosition::startpos();
        for (at, kind) in groups(removed)? {
            let square = square(at).ok_or_else(|| format!("no square \"{at}\" in \"PI{removed}\""))?;
            let stands = board.piece_at(square).map(|piece| piece.piece_kind());
            if stands.is_none() || stands != piece_kind(kind) {
                return Err(format!("no {kind} stands on {at} at the start"));
            }
            board.piece_set(square, None);
        }
        self.board = Some(board);
        Ok(())
    }

    /// A row: nine cells of three characters, ` * ` where a square is empty.
    fn row(&mut self, rank: u8, cells: &str) -> Result<(), String> {
        if self.rows.contains(&rank) {
            return Err(format!("row P{rank} is given twice"));
        }
        self.rows.push(rank);
        let files = Shogi::GEOMETRY.files();
        // Trailing blanks may be missing.
        let cells = format!("{:width$}", cells.trim_end(), width = 3 * files - 1);
        let cells: Vec<char> = cells.chars().collect();
        if !(3 * files - 1..=3 * files).contains(&cells.len()) {
            return Err(format!("row P{rank} does not have {files} squares"));
        }
        for (i, cell) in cells.chunks(3).enumerate() {
            let cell: String = cell.iter().collect();
            let square = Square::new((files - i) as u8, rank).ok_or_else(|| format!("row P{rank} is too long"))?;
            let piece = row_piece(&cell).map_err(|what| format!("row P{rank}: {what}"))?;
            self.board().piece_set(square, piece);
        }
        Ok(())
    }

    /// Single pieces: `P+99KY` on the board, `P+00FU` in hand, `P-00AL` all remaining pieces in hand.
    fn pieces(&mut self, owner: Color, placed: &str) -> Result<(), String> {
        for (at, kind) in groups(placed)? {
            if (at, kind) == ("00", "AL") {
                self.hand_out_rest(owner)?;
                continue;
            }
            let kind = piece_kind(kind).ok_or_else(|| format!("no piece \"{kind}\""))?;
            if at == "00" {
                self.hand_out(owner, kind)?;
                continue;
            }
            let square = square(at).ok_or_else(|| format!("no square \"{at}\""))?;
            if self.board().piece_at(square).is_some() {
                return Err(format!("two pieces on square {at}"));
            }
            self.board().piece_set(square, Some(Piece::new(kind, owner)));
        }
        Ok(())
    }

    fn hand_out(&mut self, owner: Color, kind: PieceKind) -> Result<(), String> {
        let hand = self.board().hand_of_a_player_mut(owner);
        let more = hand.added(kind).ok_or_else(|| format!("no {} can be in hand", code(kind)))?;
        // The counts of a hand begin again at 0 after 255.
        if more.count(kind) == Some(0) {
            return Err(format!("more {} in hand than a set has", code(kind)));
        }
        *hand = more;
        Ok(())
    }

    fn hand_out_rest(&mut self, owner: Color) -> Result<(), String> {
        for ((kind, _), total) in HAND.into_iter().zip(HAND_TOTALS) {
            let board = self.board().clone();
            let on_board = Square::all()
                .filter_map(|square| board.piece_at(square))
                .filter(|piece| piece.unpromote().unwrap_or(*piece).piece_kind() == kind)
                .count();
            let in_hands: usize =
                Color::all().map(|color| board.hand(Piece::new(kind, color)).unwrap_or(0).into()).iter().sum();
            for _ in on_board + in_hands..total.into() {
                self.hand_out(owner, kind)?;
            }
        }
        Ok(())
    }
}

/// Groups of a square and a piece code, four characters each.
fn groups(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let text = text.trim_end();
    if !text.is_ascii() || !text.len().is_multiple_of(4) {
        return Err(format!("not squares and pieces (like 00FU): \"{}\"", text.escape_debug()));
    }
    Ok((0..text.len()).step_by(4).map(|at| (&text[at..at + 2], &text[at + 2..at + 4])).collect())
}

fn row_piece(cell: &str) -> Result<Option<Piece>, String> {
    let mut rest = cell.chars();
    match rest.next() {
        Some(sign @ ('+' | '-')) => piece_kind(rest.as_str())
            .map(|kind| Some(Piece::new(kind, color(sign))))
            .ok_or_else(|| format!("no piece \"{}\"", cell.escape_debug())),
        _ if cell.trim() == "*" => Ok(None),
        _ => Err(format!("neither a piece nor an empty square: \"{}\"", cell.escape_debug())),
    }
}
