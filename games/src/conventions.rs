//! How games are written and drawn: the conventions that a [`Game`](crate::Game) chooses from.

use crate::geometry::Geometry;

/// How the second player's board becomes the side to move's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Ranks are mirrored and files stay, as in chess.
    Mirrored,
    /// The board is rotated by 180°, as in shogi.
    Turned,
}

impl Orientation {
    /// The square in the other player's view.
    pub const fn other_view(self, board: Geometry, square: usize) -> usize {
        match self {
            Self::Mirrored => board.mirror_ranks(square),
            Self::Turned => board.rotate(square),
        }
    }
}

/// Lichess' winning chances, a value curve of [`Game`](crate::Game).
pub const LICHESS: (&str, f64) = ("lichess", 0.003_682_08);

/// The drawing of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    /// The outline of a figure above its foot, as the data of an SVG path in a box of 100 × 100; its colour shows its player.
    Figure(&'static str),
    /// A letter, with `+` before that of a promoted piece, on a tile that points at the opponent.
    Letter(&'static str),
}

impl Glyph {
    /// A letter for each piece.
    pub const fn letters<const N: usize>(letters: [&'static str; N]) -> [Self; N] {
        let mut glyphs = [Self::Letter(""); N];
        let mut piece = 0;
        while piece < N {
            glyphs[piece] = Self::Letter(letters[piece]);
            piece += 1;
        }
        glyphs
    }
}

crate::named! {
    /// The text format in which finished games and openings are written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Record {
        /// PGN of chess.
        Pgn = "pgn",
        /// CSA of shogi.
        Csa = "csa",
        /// One game a line: start and moves in USI.
        Usi = "usi",
    }
}

crate::named! {
    /// How positions and moves are written, and the protocol of engines.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Notation {
        /// FEN and UCI: files are letters from the left, ranks numbers from below.
        Uci = "uci",
        /// SFEN and USI: files are numbers from the right, ranks letters from above.
        Usi = "usi",
    }
}

impl Notation {
    /// The fields of a position's text before its counters.
    pub const fn fields(self) -> usize {
        match self {
            Self::Uci => 4,
            Self::Usi => 3,
        }
    }

    /// The counters of a game's start.
    pub const fn first_counters(self) -> &'static str {
        match self {
            Self::Uci => "0 1",
            Self::Usi => "1",
        }
    }

    /// The characters of a square's file and rank, both counted from 0 in the direction of the notation: numbers, after 9 the
    /// letters `A`, `B`, …, and small letters.
    pub const fn characters(self, file: usize, rank: usize) -> [u8; 2] {
        match self {
            Self::Uci => [letter(file), digit(rank)],
            Self::Usi => [digit(file), letter(rank)],
        }
    }

    /// The file and rank of [`Self::characters`]; `None` for other characters. They need not be on the board.
    pub fn coordinates(self, [file, rank]: [u8; 2]) -> Option<(usize, usize)> {
        match self {
            Self::Uci => Some((of_letter(file)?, of_digit(rank)?)),
            Self::Usi => Some((of_digit(file)?, of_letter(rank)?)),
        }
    }

    /// The characters in USI of a square in the first player's view: file 1 is on the right, rank a above.
    pub(crate) const fn usi_square(board: Geometry, square: usize) -> [u8; 2] {
        let turned = board.rotate(square);
        Self::Usi.characters(board.file_of(turned), board.rank_of(turned))
    }

    /// Names of files from the left and of ranks from the top, as the first player sees the board.
    pub fn names(self, board: Geometry) -> (Vec<String>, Vec<String>) {
        let letters = |n: usize| (0..n).map(|i| char::from(letter(i)).to_string()).collect::<Vec<_>>();
        let down = |n: usize| (0..n).rev().map(|i| char::from(digit(i)).to_string()).collect::<Vec<_>>();
        match self {
            Self::Uci => (letters(board.files()), down(board.ranks())),
            Self::Usi => (down(board.files()), letters(board.ranks())),
        }
    }
}

const DIGITS: usize = 9;

const fn letter(number: usize) -> u8 {
    b'a' + number as u8
}

fn of_letter(character: u8) -> Option<usize> {
    character.is_ascii_lowercase().then(|| usize::from(character - b'a'))
}

const fn digit(number: usize) -> u8 {
    if number < DIGITS { b'1' + number as u8 } else { b'A' + (number - DIGITS) as u8 }
}

fn of_digit(character: u8) -> Option<usize> {
    match character {
        b'1'..=b'9' => Some(usize::from(character - b'1')),
        b'A'..=b'Z' => Some(usize::from(character - b'A') + DIGITS),
        _ => None,
    }
}
