//! A move's text in 16 bits.
//!
//! | game | bits, from the lowest |
//! |---|---|
//! | chess | 6: square it leaves, 6: target, 3: promotion (0 none, then q, r, b, n) |
//! | shogi | 7: square it leaves, or 81 + the dropped piece, 7: target, 1: promotion |
//!
//! Squares count file by file. The code is of the text alone: the move need not be legal.

use crate::kind::GameKind;
use crate::move_text::MoveText;

const CHESS_PROMOTIONS: &[u8; 4] = b"qrbn";
const SHOGI_DROPS: &[u8; 7] = b"PLNSGBR";

const CHESS: Board = Board { files: b'a', ranks: b'1', side: 8, bits: 6 };
const SHOGI: Board = Board { files: b'1', ranks: b'a', side: 9, bits: 7 };

/// How a notation names squares.
#[derive(Clone, Copy)]
struct Board {
    /// The first file's and the first rank's character.
    files: u8,
    ranks: u8,
    side: u8,
    /// Bits of a square's number.
    bits: u16,
}

impl Board {
    fn square(self, file: u8, rank: u8) -> Option<u16> {
        let (file, rank) = (file.wrapping_sub(self.files), rank.wrapping_sub(self.ranks));
        (file < self.side && rank < self.side).then(|| u16::from(file) * u16::from(self.side) + u16::from(rank))
    }

    fn name(self, square: u16) -> [u8; 2] {
        let (file, rank) = (square / u16::from(self.side), square % u16::from(self.side));
        [self.files + file as u8, self.ranks + rank as u8]
    }

    fn squares(self) -> u16 {
        u16::from(self.side) * u16::from(self.side)
    }

    /// The two squares of a code and what is above them.
    fn parts(self, code: u16) -> (u16, u16, u16) {
        let mask = (1 << self.bits) - 1;
        (code & mask, code >> self.bits & mask, code >> (2 * self.bits))
    }
}

impl MoveText {
    /// The move in 16 bits; `None` if the text is not in the notation of the game.
    pub fn code(&self, game: GameKind) -> Option<u16> {
        match game {
            GameKind::Chess => chess_code(self.as_bytes()),
            GameKind::Shogi => shogi_code(self.as_bytes()),
        }
    }

    /// The text of [`Self::code`]; `None` for other numbers.
    pub fn of_code(code: u16, game: GameKind) -> Option<Self> {
        match game {
            GameKind::Chess => chess_text(code),
            GameKind::Shogi => shogi_text(code),
        }
    }
}

fn chess_code(text: &[u8]) -> Option<u16> {
    let (&[from_file, from_rank, to_file, to_rank], promotion) = text.split_first_chunk::<4>()?;
    let promotion = match promotion {
        [] => 0,
        [letter] => 1 + CHESS_PROMOTIONS.iter().position(|known| known == letter)? as u16,
        _ => return None,
    };
    let (from, to) = (CHESS.square(from_file, from_rank)?, CHESS.square(to_file, to_rank)?);
    Some(from | to << CHESS.bits | promotion << (2 * CHESS.bits))
}

fn chess_text(code: u16) -> Option<MoveText> {
    let (from, to, promotion) = CHESS.parts(code);
    let ([from_file, from_rank], [to_file, to_rank]) = (CHESS.name(from), CHESS.name(to));
    Some(match promotion.checked_sub(1) {
        None => MoveText::of_ascii(&[from_file, from_rank, to_file, to_rank]),
        Some(promotion) => {
            let letter = *CHESS_PROMOTIONS.get(usize::from(promotion))?;
            MoveText::of_ascii(&[from_file, from_rank, to_file, to_rank, letter])
        }
    })
}

fn shogi_code(text: &[u8]) -> Option<u16> {
    let (&[first, second, to_file, to_rank], promotion) = text.split_first_chunk::<4>()?;
    let promotion = match promotion {
        [] => 0,
        b"+" => 1,
        _ => return None,
    };
    let from = match second {
        b'*' if promotion == 0 => SHOGI.squares() + SHOGI_DROPS.iter().position(|&known| known == first)? as u16,
        _ => SHOGI.square(first, second)?,
    };
    Some(from | SHOGI.square(to_file, to_rank)? << SHOGI.bits | promotion << (2 * SHOGI.bits))
}

fn shogi_text(code: u16) -> Option<MoveText> {
    let (from, to, promotion) = SHOGI.parts(code);
    if to >= SHOGI.squares() {
        return None;
    }
    let [to_file, to_rank] = SHOGI.name(to);
    let first = match from.checked_sub(SHOGI.squares()) {
        None => SHOGI.name(from),
        Some(dropped) => [*SHOGI_DROPS.get(usize::from(dropped)).filter(|_| promotion == 0)?, b'*'],
    };
    Some(match promotion {
        0 => MoveText::of_ascii(&[first[0], first[1], to_file, to_rank]),
        1 => MoveText::of_ascii(&[first[0], first[1], to_file, to_rank, b'+']),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_of_one_text() {
        for (game, texts) in [(GameKind::Chess, 64 * 64 * 5), (GameKind::Shogi, 81 * 81 * 2 + 7 * 81)] {
            let mut found = 0;
            for code in 0..=u16::MAX {
                let Some(text) = MoveText::of_code(code, game) else { continue };
                assert_eq!(text.code(game), Some(code), "{text}");
                found += 1;
            }
            assert_eq!(found, texts);
        }
    }

    #[test]
    fn texts_of_another_notation_have_no_code() {
        for text in ["", "?", "e2", "e2e9", "e2e4k", "e7e8qq", "7g7f", "P*5e", "0000"] {
            assert_eq!(MoveText::from(text).code(GameKind::Chess), None, "{text}");
        }
        for text in ["", "e2e4", "P*5e+", "K*5e", "p*5e", "7g7j", "7g7f-", "resign"] {
            assert_eq!(MoveText::from(text).code(GameKind::Shogi), None, "{text}");
        }
    }
}
