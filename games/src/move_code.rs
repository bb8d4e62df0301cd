//! A move's text in 16 bits.
//!
//! From the lowest bit: the square it leaves, or the number of squares + the dropped piece; the target, in as many bits (6 in
//! chess, 7 in shogi); 0 or 1 + the promotion. Squares count file by file. The code is of the text alone: the move need not be legal.

use crate::conventions::Notation;
use crate::geometry::Geometry;
use crate::kind::GameKind;
use crate::move_text::MoveText;

#[derive(Clone, Copy)]
struct Code {
    board: Geometry,
    notation: Notation,
    drops: &'static [u8],
    promotions: &'static [u8],
}

/// Bits of a square or a dropped piece.
const fn bits(board: Geometry, drops: usize) -> u32 {
    (board.squares() + drops).next_power_of_two().trailing_zeros()
}

/// Whether every move with a promotion has a code.
pub(crate) const fn fits(board: Geometry, drops: usize, promotions: usize) -> bool {
    2 * bits(board, drops) < 16 && promotions < 1 << (16 - 2 * bits(board, drops))
}

impl Code {
    fn of(game: GameKind) -> Self {
        crate::with_game!(game, G => Self {
            board: G::GEOMETRY,
            notation: G::NOTATION,
            drops: G::DROPS,
            promotions: G::PROMOTIONS,
        })
    }

    fn squares(self) -> u16 {
        self.board.squares() as u16
    }

    fn bits(self) -> u32 {
        bits(self.board, self.drops.len())
    }

    fn square(self, file: u8, rank: u8) -> Option<u16> {
        let (file, rank) = self.notation.coordinates([file, rank])?;
        let is_square = file < self.board.files() && rank < self.board.ranks();
        is_square.then(|| (file * self.board.ranks() + rank) as u16)
    }

    fn name(self, square: u16) -> [u8; 2] {
        let (square, side) = (usize::from(square), self.board.ranks());
        self.notation.characters(square / side, square % side)
    }

    fn of_text(self, text: &[u8]) -> Option<u16> {
        let (&[first, second, to_file, to_rank], promotion) = text.split_first_chunk::<4>()?;
        let promotion = match promotion {
            [] => 0,
            [letter] => 1 + self.promotions.iter().position(|known| known == letter)? as u16,
            _ => return None,
        };
        let from = match second {
            b'*' if promotion == 0 => self.squares() + self.drops.iter().position(|&known| known == first)? as u16,
            _ => self.square(first, second)?,
        };
        Some(from | self.square(to_file, to_rank)? << self.bits() | promotion << (2 * self.bits()))
    }

    fn text(self, code: u16) -> Option<MoveText> {
        let mask = (1 << self.bits()) - 1;
        let (from, to, promotion) = (code & mask, code >> self.bits() & mask, code >> (2 * self.bits()));
        if to >= self.squares() {
            return None;
        }
        let first = match from.checked_sub(self.squares()) {
            None => self.name(from),
            Some(dropped) => [*self.drops.get(usize::from(dropped)).filter(|_| promotion == 0)?, b'*'],
        };
        let letter = match promotion.checked_sub(1) {
            None => None,
            Some(promotion) => Some(*self.promotions.get(usize::from(promotion))?),
        };
        Some(MoveText::of_parts(first, self.name(to), letter))
    }
}

impl MoveText {
    /// The move in 16 bits; `None` if the text is not in the notation of the game.
    pub fn code(&self, game: GameKind) -> Option<u16> {
        Code::of(game).of_text(self.as_bytes())
    }

    /// The text of [`Self::code`]; `None` for other numbers.
    pub fn of_code(code: u16, game: GameKind) -> Option<Self> {
        Code::of(game).text(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_of_one_text() {
        let squares =
            [(GameKind::Chess, 64 * 64 * 5), (GameKind::Shogi, 81 * 81 * 2 + 7 * 81), (GameKind::Board11, 121 * 121)];
        for (game, texts) in squares {
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
    fn a_board_without_bits_for_its_promotions_is_refused() {
        use crate::Game;
        let shogi = crate::shogi::Shogi::GEOMETRY;
        assert!(fits(shogi, 7, 3) && !fits(shogi, 7, 4), "two bits are left");
        assert!(fits(shogi, 47, 0) && !fits(shogi, 48, 0), "129 squares and pieces need eight bits");
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
