//! Attacks on an array board.

use crate::shogi::piece_numbers::{self, FILES, Man, RANKS, SQUARES, WHITE};
use shogi_core::Color;

/// Marks a step off the board.
const OFF: u8 = u8::MAX;

/// The eight directions as steps of file and rank. Rank −1 is forward for Black.
const DIRECTIONS: [(i8, i8); 8] = [(0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1)];

/// The neighbour of each square in each direction.
static NEXT: [[u8; 8]; SQUARES] = {
    let mut next = [[OFF; 8]; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let mut direction = 0;
        while direction < 8 {
            let (file, rank) = DIRECTIONS[direction];
            next[square][direction] = shifted(square, file, rank);
            direction += 1;
        }
        square += 1;
    }
    next
};

/// The squares from which knights of Black and White attack each square.
static KNIGHTS: [[[u8; 2]; 2]; SQUARES] = {
    let mut from = [[[OFF; 2]; 2]; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        from[square][0] = [shifted(square, 1, 2), shifted(square, -1, 2)];
        from[square][1] = [shifted(square, 1, -2), shifted(square, -1, -2)];
        square += 1;
    }
    from
};

const fn shifted(square: usize, file: i8, rank: i8) -> u8 {
    let file = (square / RANKS) as i8 + file;
    let rank = (square % RANKS) as i8 + rank;
    if file < 0 || file >= FILES as i8 || rank < 0 || rank >= RANKS as i8 {
        return OFF;
    }
    (file as usize * RANKS + rank as usize) as u8
}

/// Black's pieces as bit sets, by how they move.
const PAWN: u32 = 1 << 1;
const LANCE: u32 = 1 << 2;
const KNIGHT: Man = 3;
const SILVER: u32 = 1 << 4;
const GOLDS: u32 = (1 << 7) | (1 << 9) | (1 << 10) | (1 << 11) | (1 << 12);
const KING: u32 = 1 << 8;
const BISHOP: u32 = 1 << 5;
const ROOK: u32 = 1 << 6;
const HORSE: u32 = 1 << 13;
const DRAGON: u32 = 1 << 14;

/// By direction *from the attacked square to the attacker*, the pieces that attack over one step, and over any
/// distance.
const REACH: [(u32, u32); 8] = {
    let mut reach = [(0, 0); 8];
    let mut direction = 0;
    while direction < 8 {
        let (file, rank) = DIRECTIONS[direction];
        // Black attacks forward, so its attacker is one rank behind the square (rank +1).
        let black = black_reach(file, rank);
        let white = black_reach(-file, -rank);
        reach[direction] = (black.0 | white.0 << WHITE, black.1 | white.1 << WHITE);
        direction += 1;
    }
    reach
};

const fn black_reach(file: i8, rank: i8) -> (u32, u32) {
    let diagonal = file != 0 && rank != 0;
    let forward = rank > 0;
    if diagonal {
        let golds = if forward { GOLDS } else { 0 };
        return (SILVER | KING | BISHOP | HORSE | DRAGON | golds, BISHOP | HORSE);
    }
    let everywhere = GOLDS | KING | ROOK | HORSE | DRAGON;
    if forward {
        return (everywhere | PAWN | LANCE | SILVER, ROOK | DRAGON | LANCE);
    }
    (everywhere, ROOK | DRAGON)
}

pub(super) fn attacked(squares: &[Man; SQUARES], target: u8, by: Color) -> bool {
    let own: u32 = match by {
        Color::Black => 0xffff,
        Color::White => 0xffff_0000,
    };
    let knight = KNIGHT + piece_numbers::side(by);
    let jumps = KNIGHTS[usize::from(target)][by.array_index()];
    if jumps.iter().any(|&from| from != OFF && squares[usize::from(from)] == knight) {
        return true;
    }
    for (direction, (steps, slides)) in REACH.iter().enumerate() {
        let mut reach = steps & own;
        let mut square = NEXT[usize::from(target)][direction];
        while square != OFF {
            let man = squares[usize::from(square)];
            if man != 0 {
                if reach >> man & 1 == 1 {
                    return true;
                }
                break;
            }
            reach = slides & own;
            square = NEXT[usize::from(square)][direction];
        }
    }
    false
}

pub(super) fn attacks(squares: &[Man; SQUARES], from: u8, to: u8) -> bool {
    let man = squares[usize::from(from)];
    if man & !WHITE == KNIGHT {
        return KNIGHTS[usize::from(to)][usize::from(man / WHITE)].contains(&from);
    }
    let Some(direction) = direction(to, from) else { return false };
    let (mut reach, slides) = REACH[direction];
    let mut square = NEXT[usize::from(to)][direction];
    while square != OFF {
        if square == from {
            return reach >> man & 1 == 1;
        }
        if squares[usize::from(square)] != 0 {
            return false;
        }
        reach = slides;
        square = NEXT[usize::from(square)][direction];
    }
    false
}

/// The direction from `from` to `to`, if it is one of the eight.
fn direction(from: u8, to: u8) -> Option<usize> {
    let of = |square: u8| (i32::from(square) / RANKS as i32, i32::from(square) % RANKS as i32);
    let ((from_file, from_rank), (to_file, to_rank)) = (of(from), of(to));
    let (file, rank) = (to_file - from_file, to_rank - from_rank);
    let aligned = file == 0 || rank == 0 || file.abs() == rank.abs();
    let step = (file.signum() as i8, rank.signum() as i8);
    DIRECTIONS.iter().position(|&direction| aligned && direction == step)
}
