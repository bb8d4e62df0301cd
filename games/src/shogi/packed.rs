//! Positions in 32 bytes: the common part of HCP and PackedSfen.
//!
//! Both are a stream of 256 bits, least significant first: the side to move (0 is Black), the squares of Black's and
//! White's king (7 bits each, file by file from 1a), the other squares in order with a prefix code per piece, and the
//! pieces in hand, one code each. A piece takes as many bits in hand as on the board minus the bit of the empty square,
//! so a complete set always takes 256 bits. Only the codes differ.
//!
//! Pieces in hand are read in any order: cshogi writes Black's before White's and gold before bishop, other programs do
//! not.

mod bits;

pub use bits::BYTES;

use super::board::{BadPosition, Board};
use super::frame::{HAND, HAND_TOTALS};
use super::piece_numbers::{EMPTY, HAND_MEN, KING, Man, PROMOTED, SQUARES, WHITE};
use bits::{BitReader, BitWriter};
use shogi_core::Color;

const SQUARE_BITS: u8 = 7;

/// A piece's bits, the first in the lowest place, and their number.
#[derive(Clone, Copy)]
struct Code {
    bits: u8,
    length: u8,
}

/// The codes of one kind: its bits on the board and in hand, and the bits for White and for promotion.
pub(super) struct KindCode {
    /// Length of the code on the board, in bits; in hand it is one less.
    pub(super) length: u8,
    /// Black's unpromoted piece on the board.
    pub(super) board: u8,
    /// Added for White's piece on the board.
    pub(super) white: u8,
    /// Added for a promoted piece on the board; 0 for gold.
    pub(super) promoted: u8,
    /// Black's piece in hand; White's also has the highest bit of the code.
    pub(super) hand: u8,
    /// A piece outside the game, if the format has such a code.
    pub(super) boxed: Option<u8>,
}

/// The code tables of a format.
pub(super) struct Codec {
    /// By the next 8 bits: the piece and its length; length 0 if they are not a code.
    read_board: [(Man, u8); 256],
    /// By the next 8 bits: several squares at once.
    steps: [Step; 256],
    /// The table for pieces in hand; [`BOXED`] for those outside the game.
    read_hand: [(Man, u8); 128],
    write_board: [Code; 32],
    /// By side and place in [`HAND`].
    write_hand: [[Code; HAND.len()]; 2],
    write_box: [Option<Code>; HAND.len()],
}

/// The content at the beginning of 8 bits: empty squares and then, if its code fits, a piece.
#[derive(Clone, Copy)]
struct Step {
    empty: u8,
    man: Man,
    /// Squares, including the piece's.
    squares: u8,
    /// Bits; 0 if they do not begin a code.
    length: u8,
}

/// The largest number of squares of a [`Step`].
const STEP_SQUARES: usize = 8;

/// A piece outside the game, in [`Codec::read_hand`].
const BOXED: Man = Man::MAX;

impl Codec {
    /// The tables for the codes of the hand pieces' kinds, in [`HAND`]'s order.
    pub(super) const fn new(kinds: [KindCode; HAND.len()]) -> Self {
        let none = Code { bits: 0, length: 0 };
        let mut codec = Self {
            read_board: [(EMPTY, 0); 256],
            steps: [Step { empty: 0, man: EMPTY, squares: 0, length: 0 }; 256],
            read_hand: [(EMPTY, 0); 128],
            write_board: [none; 32],
            write_hand: [[none; HAND.len()]; 2],
            write_box: [None; HAND.len()],
        };
        codec.add_board(EMPTY, Code { bits: 0, length: 1 });
        let mut place = 0;
        while place < HAND.len() {
            let KindCode { length, board, white, promoted, hand, boxed } = kinds[place];
            let man = HAND_MEN[place];
            codec.add_board(man, Code { bits: board, length });
            codec.add_board(man + WHITE, Code { bits: board + white, length });
            if promoted != 0 {
                codec.add_board(man + PROMOTED, Code { bits: board + promoted, length });
                codec.add_board(man + PROMOTED + WHITE, Code { bits: board + promoted + white, length });
            }
            let length = length - 1;
            let whites = hand + (1 << (length - 1));
            codec.write_hand[0][place] = codec.add_hand(man, Code { bits: hand, length });
            codec.write_hand[1][place] = codec.add_hand(man + WHITE, Code { bits: whites, length });
            if let Some(bits) = boxed {
                codec.write_box[place] = Some(codec.add_hand(BOXED, Code { bits, length }));
            }
            place += 1;
        }
        codec.add_steps();
        codec
    }

    const fn add_steps(&mut self) {
        let mut bits = 0;
        while bits < self.steps.len() {
            let empty = (bits as u8).trailing_zeros() as u8;
            self.steps[bits] = Step { empty, man: EMPTY, squares: empty, length: empty };
            if (empty as usize) < STEP_SQUARES {
                // Missing bits are zeros: a code that ends before them does not depend on them.
                let (man, length) = self.read_board[bits >> empty];
                if length > 0 && empty + length <= STEP_SQUARES as u8 {
                    self.steps[bits] = Step { empty, man, squares: empty + 1, length: empty + length };
                }
            }
            bits += 1;
        }
    }

    const fn add_board(&mut self, man: Man, code: Code) {
        self.write_board[man as usize] = code;
        enter(&mut self.read_board, man, code);
    }

    const fn add_hand(&mut self, man: Man, code: Code) -> Code {
        enter(&mut self.read_hand, man, code);
        code
    }

    /// Reads a position and checks it, see [`Board::check`].
    pub(super) fn decode(&self, bytes: &[u8; BYTES]) -> Result<Board, BadPosition> {
        let mut bits = BitReader::new(bytes);
        let turn = if bits.take(1) == 0 { Color::Black } else { Color::White };
        let kings = [bits.take(SQUARE_BITS), bits.take(SQUARE_BITS)];
        let mut board = with_kings(kings, turn)?;
        self.decode_squares(&mut bits, &mut board)?;
        self.decode_hands(&mut bits, &mut board)?;
        if bits.at() != BitReader::LENGTH {
            return Err(BadPosition::Length(bits.at()));
        }
        board.check()?;
        Ok(board)
    }

    /// Reads the squares except those of the kings, which take no bits.
    fn decode_squares(&self, bits: &mut BitReader, board: &mut Board) -> Result<(), BadPosition> {
        let mut men = [EMPTY; SQUARES - 2];
        let mut next = 0;
        'steps: loop {
            let window = bits.window();
            let mut used = 0;
            // A fixed number of steps that surely fit into a window: a data-dependent end would mispredict branches.
            for _ in 0..BitReader::WINDOW / 8 {
                let step = self.steps[(window >> used) as usize & 0xff];
                if next + STEP_SQUARES > men.len() || step.length == 0 {
                    bits.skip(used);
                    break 'steps;
                }
                men[next + usize::from(step.empty) % STEP_SQUARES] = step.man;
                next += usize::from(step.squares);
                used += step.length;
            }
            bits.skip(used);
        }
        // The last squares one by one, and error detection.
        loop {
            // An empty square is a 0; every other code begins with a 1.
            let empty = usize::from(bits.zeros()).min(men.len() - next);
            bits.skip(empty as u8);
            next += empty;
            let Some(square) = men.get_mut(next) else { break };
            let (man, length) = self.read_board[usize::from(bits.peek())];
            if length == 0 {
                return Err(BadPosition::NoSuchCode { at: bits.at() });
            }
            bits.skip(length);
            *square = man;
            next += 1;
        }
        // The kings split the squares into three ranges.
        let (first, second) = (board.kings[0].min(board.kings[1]).into(), board.kings[0].max(board.kings[1]).into());
        board.squares[..first].copy_from_slice(&men[..first]);
        board.squares[first + 1..second].copy_from_slice(&men[first..second - 1]);
        board.squares[second + 1..].copy_from_slice(&men[second - 1..]);
        Ok(())
    }

    fn decode_hands(&self, bits: &mut BitReader, board: &mut Board) -> Result<(), BadPosition> {
        while bits.at() < BitReader::LENGTH {
            let (man, length) = self.read_hand[usize::from(bits.peek() & 0x7f)];
            if length == 0 {
                return Err(BadPosition::NoSuchCode { at: bits.at() });
            }
            bits.skip(length);
            if man != BOXED {
                // At most 256 bits of at least 3 each: no count can overflow.
                board.hands[usize::from(man / WHITE)][HAND_PLACES[usize::from(man & !WHITE)]] += 1;
            }
        }
        Ok(())
    }

    /// Writes a position; pieces outside the game go into the box.
    pub(super) fn encode(&self, board: &Board) -> Result<[u8; BYTES], BadPosition> {
        board.check()?;
        let mut bits = BitWriter::new();
        bits.put(u8::from(board.turn == Color::White), 1);
        bits.put(board.kings[0], SQUARE_BITS);
        bits.put(board.kings[1], SQUARE_BITS);
        for &man in board.squares.iter().filter(|&&man| man & !WHITE != KING) {
            let Code { bits: code, length } = self.write_board[usize::from(man)];
            bits.put(code, length);
        }
        for (hand, codes) in board.hands.iter().zip(&self.write_hand) {
            for (&count, code) in hand.iter().zip(codes) {
                (0..count).for_each(|_| bits.put(code.bits, code.length));
            }
        }
        for (boxed, missing) in self.write_box.iter().zip(missing(board)) {
            if let Some(code) = boxed {
                (0..missing).for_each(|_| bits.put(code.bits, code.length));
            }
        }
        bits.finish().map_err(BadPosition::Length)
    }
}

/// Enters a code into a table by the next bits, whatever follows it.
const fn enter(table: &mut [(Man, u8)], man: Man, code: Code) {
    let mut bits = code.bits as usize;
    while bits < table.len() {
        assert!(table[bits].1 == 0, "two codes begin alike");
        table[bits] = (man, code.length);
        bits += 1 << code.length;
    }
}

/// The place of a hand piece's number in [`HAND`].
const HAND_PLACES: [usize; 8] = {
    let mut places = [0; 8];
    let mut place = 0;
    while place < HAND_MEN.len() {
        places[HAND_MEN[place] as usize] = place;
        place += 1;
    }
    places
};

fn with_kings(kings: [u8; 2], turn: Color) -> Result<Board, BadPosition> {
    for (square, color) in kings.into_iter().zip([Color::Black, Color::White]) {
        if usize::from(square) >= SQUARES {
            return Err(BadPosition::NoKing { color, square });
        }
    }
    if kings[0] == kings[1] {
        return Err(BadPosition::KingsCoincide(kings[0]));
    }
    let mut board = Board::empty(kings, turn);
    board.squares[usize::from(kings[0])] = KING;
    board.squares[usize::from(kings[1])] = KING + WHITE;
    Ok(board)
}

/// How many pieces of each hand kind this board lacks to a complete set.
fn missing(board: &Board) -> [u8; HAND.len()] {
    let mut missing = HAND_TOTALS;
    for (place, missing) in missing.iter_mut().enumerate() {
        let on_board = board.squares.iter().filter(|&&man| man & 7 == HAND_MEN[place]).count();
        *missing -= on_board as u8 + board.hands[0][place] + board.hands[1][place];
    }
    missing
}
