//! A board as SFEN.

use super::{Board, EMPTY, FILES, HAND, HAND_MEN, KING, Man, PROMOTED, RANKS, SQUARES, WHITE};
use shogi_core::Color;
use std::fmt::Write as _;

/// Black's letters by number, unpromoted.
const LETTERS: &[u8; 9] = b".PLNSBRGK";

/// The order of SFEN's hands, as places in [`HAND`].
const HANDS: [usize; HAND.len()] = [6, 5, 4, 3, 2, 1, 0];

impl Board {
    /// The SFEN of this board; `ply` is the number of the next move, from 1. Equal to [`crate::Position::to_text`] of
    /// the position.
    pub fn sfen(&self, ply: u32) -> String {
        let mut text = String::with_capacity(2 * SQUARES);
        for rank in 0..RANKS {
            let mut empty = 0;
            for file in (0..FILES).rev() {
                match self.squares[file * RANKS + rank] {
                    EMPTY => empty += 1,
                    man => {
                        push_above(&mut text, 0, std::mem::take(&mut empty));
                        push_man(&mut text, man);
                    }
                }
            }
            push_above(&mut text, 0, empty);
            text.push(if rank + 1 < RANKS { '/' } else { ' ' });
        }
        text.push_str(if self.turn == Color::Black { "b " } else { "w " });
        let before_hands = text.len();
        for (hand, side) in self.hands.iter().zip([0, WHITE]) {
            for place in HANDS.into_iter().filter(|&place| hand[place] > 0) {
                push_above(&mut text, 1, hand[place]);
                push_man(&mut text, HAND_MEN[place] + side);
            }
        }
        if text.len() == before_hands {
            text.push('-');
        }
        let _ = write!(text, " {ply}");
        text
    }
}

/// Writes a number up to 18 if it is greater than `silent`.
fn push_above(text: &mut String, silent: u8, number: u8) {
    if number >= 10 {
        text.push('1');
    }
    if number > silent {
        text.push(char::from(b'0' + number % 10));
    }
}

fn push_man(text: &mut String, man: Man) {
    let black = man & !WHITE;
    let unpromoted = if black > KING { black - PROMOTED } else { black };
    if unpromoted < black {
        text.push('+');
    }
    let letter = char::from(LETTERS[usize::from(unpromoted)]);
    text.push(if man == black { letter } else { letter.to_ascii_lowercase() });
}
