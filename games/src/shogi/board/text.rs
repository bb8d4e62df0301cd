//! A board as SFEN.

use super::Board;
use crate::shogi::frame::HAND;
use crate::shogi::piece_numbers::{EMPTY, FILES, HAND_MEN, KING, Man, PROMOTED, RANKS, WHITE};
use shogi_core::Color;

/// Black's letters by number, unpromoted.
const LETTERS: &[u8; 9] = b".PLNSBRGK";

/// The text of each piece, and how many of the two bytes it has.
static MEN: [([u8; 2], u8); 32] = {
    let mut men = [(*b"??", 1); 32];
    // A digit, which is kept when the next piece or the rank's end follows.
    men[EMPTY as usize] = (*b"0 ", 0);
    let mut man = 1;
    while man <= KING + 6 {
        let promoted = man > KING;
        let letter = LETTERS[(if promoted { man - PROMOTED } else { man }) as usize];
        men[man as usize] = written(letter, promoted);
        men[(man + WHITE) as usize] = written(letter.to_ascii_lowercase(), promoted);
        man += 1;
    }
    men
};

const fn written(letter: u8, promoted: bool) -> ([u8; 2], u8) {
    if promoted { ([b'+', letter], 2) } else { ([letter, b' '], 1) }
}

/// The order of SFEN's hands, as places in [`HAND`].
const HANDS: [usize; HAND.len()] = [6, 5, 4, 3, 2, 1, 0];

/// More than the longest SFEN: 40 pieces of two bytes, nine ranks with separators and empty squares, numbers. 256, so
/// that a byte index needs no check.
const MAX_BYTES: usize = 256;

impl Board {
    /// The SFEN of this board; `ply` is the number of the next move, from 1. Equal to [`crate::Position::to_text`] of
    /// the position.
    pub fn sfen(&self, ply: u32) -> String {
        let mut text = Text { bytes: [0; MAX_BYTES], length: 0 };
        self.push_squares(&mut text);
        text.push(b' ');
        text.push(if self.turn == Color::Black { b'b' } else { b'w' });
        text.push(b' ');
        self.push_hands(&mut text);
        text.push(b' ');
        text.number(ply);
        String::from_utf8(text.bytes[..usize::from(text.length)].to_vec()).unwrap_or_default()
    }

    fn push_squares(&self, text: &mut Text) {
        for rank in 0..RANKS {
            if rank > 0 {
                text.push(b'/');
            }
            // Without branches: on an empty square the new digit overwrites the previous one.
            let mut empty = 0;
            for file in (0..FILES).rev() {
                let man = self.squares[file * RANKS + rank];
                let is_empty = u8::from(man == EMPTY);
                text.length = text.length.wrapping_add(u8::from(empty > 0) & (1 ^ is_empty));
                empty = (empty + 1) & is_empty.wrapping_neg();
                text.man(man, empty);
            }
            text.length += u8::from(empty > 0);
        }
    }

    fn push_hands(&self, text: &mut Text) {
        let before = text.length;
        for (hand, side) in self.hands.iter().zip([0, WHITE]) {
            for place in HANDS {
                let count = hand[place];
                if count > 0 {
                    text.count(count, 1);
                    text.man(HAND_MEN[place] + side, 0);
                }
            }
        }
        if text.length == before {
            text.push(b'-');
        }
    }
}

/// A text on the stack.
struct Text {
    bytes: [u8; MAX_BYTES],
    length: u8,
}

impl Text {
    fn push(&mut self, byte: u8) {
        self.bytes[usize::from(self.length)] = byte;
        self.length = self.length.wrapping_add(1);
    }

    /// Writes both bytes of a piece, of which the second may be dropped later, or the number of empty squares so far.
    fn man(&mut self, man: Man, empty: u8) {
        let ([first, second], length) = MEN[usize::from(man) % MEN.len()];
        self.bytes[usize::from(self.length)] = first.wrapping_add(empty);
        self.bytes[usize::from(self.length.wrapping_add(1))] = second;
        self.length = self.length.wrapping_add(length);
    }

    /// Writes a number up to 18 if it is greater than `silent`.
    fn count(&mut self, number: u8, silent: u8) {
        if number >= 10 {
            self.push(b'1');
        }
        if number > silent {
            self.push(b'0' + number % 10);
        }
    }

    fn number(&mut self, number: u32) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.push(b'0' + (number % 10) as u8);
    }
}
