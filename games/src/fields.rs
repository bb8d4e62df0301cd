//! Text fields with their places, for reading FEN and SFEN, and the board of both.

use crate::conventions::Notation;
use crate::geometry::Geometry;

/// A place (offset in bytes) and what is wrong there.
pub(crate) type Wrong = (usize, String);

/// One whitespace-separated field of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) text: &'a str,
    /// Where it starts in the whole text, in bytes.
    pub(crate) at: usize,
}

impl<'a> Field<'a> {
    /// Its characters and their places in the whole text.
    pub(crate) fn chars(self) -> impl Iterator<Item = (usize, char)> + 'a {
        self.text.char_indices().map(move |(i, c)| (self.at + i, c))
    }

    pub(crate) fn end(self) -> usize {
        self.at + self.text.len()
    }
}

/// Splits a text into as many fields as one of `counts`; `needs` describes them in the error.
pub(crate) fn split<'a>(text: &'a str, counts: &[usize], needs: &str) -> Result<Vec<Field<'a>>, Wrong> {
    let start = text.as_ptr().addr();
    let fields: Vec<Field<'_>> =
        text.split_ascii_whitespace().map(|field| Field { text: field, at: field.as_ptr().addr() - start }).collect();
    if counts.contains(&fields.len()) {
        return Ok(fields);
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let at = fields.get(most).map_or(text.len(), |extra| extra.at);
    Err((at, format!("{needs}; {} found", fields.len())))
}

/// Reads the board of a FEN or SFEN. `piece` is what a letter means, promoted or not; `put` gets every piece, its square in the
/// first player's view, and where it begins.
pub(crate) fn read_board<T>(
    field: Field<'_>,
    board: Geometry,
    notation: Notation,
    piece: impl Fn(char, bool) -> Result<T, String>,
    mut put: impl FnMut(T, usize, usize),
) -> Result<(), Wrong> {
    let (files, ranks) = (board.files(), board.ranks());
    let name = |rank: usize| notation.names(board).1.swap_remove(ranks - 1 - rank);
    // The text begins with the rank at the top.
    let (mut rank, mut filled, mut promoted) = (ranks - 1, 0, None);
    let stray = |plus: usize| (plus, "+ stands before the piece that is promoted".to_owned());
    for (at, c) in field.chars() {
        if let Some(plus) = promoted.filter(|_| !c.is_ascii_alphabetic()) {
            return Err(stray(plus));
        }
        let empty = c.to_digit(10).map(|digit| digit as usize).filter(|digit| (1..=files).contains(digit));
        match (c, empty) {
            ('/', _) if filled < files => {
                return Err((at, format!("rank {} has only {filled} squares", name(rank))));
            }
            ('/', _) if rank == 0 => return Err((at, format!("the board has more than {ranks} ranks"))),
            ('/', _) => (rank, filled) = (rank - 1, 0),
            ('+', _) if notation == Notation::Usi => promoted = Some(at),
            (_, Some(empty)) => filled += empty,
            (_, None) => {
                let piece = piece(c, promoted.is_some()).map_err(|reason| (at, reason))?;
                let start = promoted.take().unwrap_or(at);
                if filled < files {
                    put(piece, board.square(filled, rank), start);
                }
                filled += 1;
            }
        }
        if filled > files {
            return Err((at, format!("rank {} has more than {files} squares", name(rank))));
        }
    }
    match (promoted, filled < files, rank > 0) {
        (Some(plus), ..) => Err(stray(plus)),
        (None, true, _) => Err((field.end(), format!("rank {} has only {filled} squares", name(rank)))),
        (None, false, true) => Err((field.end(), format!("the board has only {} ranks", ranks - rank))),
        (None, false, false) => Ok(()),
    }
}
