//! Exact values of the smallest endgames: a king and a pawn, rook or queen against a lone king.
//!
//! Retrograde analysis (K. Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986): mates are
//! lost in 0 plies; from there every level of positions is found by taking moves back. A move of the strong side that
//! leads to a lost position wins; the lone king has lost when all of its moves lose. Positions that are not reached are
//! draws. The rules of repetition and of fifty moves are ignored.
//!
//! Squares are stored from the strong side's view, as White: the rules of chess are the same for both colours.

use super::ChessPosition;
use super::moves::in_frame;
use crate::position::Position as _;
use shakmaty::attacks::{attacks, king_attacks};
use shakmaty::{Bitboard, Board, CastlingMode, Color, FromSetup as _, Move, Piece, Position as _, Role, Setup, Square};

crate::named! {
    /// An endgame, by its material.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Ending {
        /// King and pawn against king. Pawns may be on every file.
        Kpk = "kpk",
        /// King and rook against king.
        Krk = "krk",
        /// King and queen against king.
        Kqk = "kqk",
    }
}

impl Ending {
    const fn role(self) -> Role {
        match self {
            Self::Kpk => Role::Pawn,
            Self::Krk => Role::Rook,
            Self::Kqk => Role::Queen,
        }
    }

    /// Every legal position with White as the strong side, in a fixed order, including positions without a legal move.
    pub fn placements(self) -> impl Iterator<Item = Placement> {
        let squares = || Square::ALL.into_iter();
        [true, false]
            .into_iter()
            .flat_map(move |strong| squares().map(move |king| (strong, king)))
            .flat_map(move |(strong, king)| squares().map(move |piece| (strong, king, piece)))
            .flat_map(move |(strong, king, piece)| {
                squares().map(move |lone| Placement { ending: self, strong_to_move: strong, king, piece, lone })
            })
            .filter(|placement| placement.is_legal())
    }
}

/// The value of a position for the side to move under best play, with the plies until mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// It mates in this many plies at best.
    Win(u8),
    /// Neither side can force mate.
    Draw,
    /// It is mated in this many plies at best; 0 if it is mated now.
    Loss(u8),
}

impl Value {
    /// Whether a move to a position of value `after` (for the opponent) keeps the result, regardless of its length.
    pub const fn is_kept_by(self, after: Self) -> bool {
        matches!(
            (self, after),
            (Self::Win(_), Self::Loss(_)) | (Self::Draw, Self::Draw) | (Self::Loss(_), Self::Win(_))
        )
    }
}

/// The squares of the three pieces and the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    ending: Ending,
    strong_to_move: bool,
    king: Square,
    piece: Square,
    lone: Square,
}

/// Placements, legal or not: the side to move and three squares.
const PLACEMENTS: usize = 2 * Square::ALL.len().pow(3);

impl Placement {
    /// The position, with White as the strong side.
    pub fn position(self) -> ChessPosition {
        let mut board = Board::empty();
        board.set_piece_at(self.king, Color::White.king());
        board.set_piece_at(self.piece, self.ending.role().of(Color::White));
        board.set_piece_at(self.lone, Color::Black.king());
        let turn = if self.strong_to_move { Color::White } else { Color::Black };
        let setup = Setup { board, turn, ..Setup::empty() };
        let rules = shakmaty::Chess::from_setup(setup, CastlingMode::Standard);
        ChessPosition::from_rules(rules.expect("placements are handed out only if they are legal"))
    }

    fn index(self) -> usize {
        [self.king, self.piece, self.lone]
            .into_iter()
            .fold(usize::from(self.strong_to_move), |index, square| index * Square::ALL.len() + square.to_usize())
    }

    fn is_legal(self) -> bool {
        let Self { ending, strong_to_move, king, piece, lone } = self;
        let apart = king != piece && piece != lone && lone != king && !king_attacks(king).contains(lone);
        let stands = ending != Ending::Kpk || !Bitboard::BACKRANKS.contains(piece);
        apart && stands && !(strong_to_move && self.attacked(lone))
    }

    /// Whether the strong side's piece attacks a square, with the lone king removed from the board.
    fn attacked(self, square: Square) -> bool {
        let piece = Piece { color: Color::White, role: self.ending.role() };
        attacks(self.piece, piece, Bitboard::from_square(self.king)).contains(square)
    }

    /// The number of the lone king's moves. Capturing the piece is one of them, and the only one that leaves the
    /// endgame.
    fn lone_king_moves(self) -> u8 {
        let safe = |to: Square| !king_attacks(self.king).contains(to) && (to == self.piece || !self.attacked(to));
        king_attacks(self.lone).into_iter().filter(|&to| safe(to)).count() as u8
    }

    /// The positions from which the side not to move can have reached this one by a move within the endgame.
    fn before(self) -> impl Iterator<Item = Self> {
        let Self { ending, strong_to_move, king, piece, lone } = self;
        let turned = Self { strong_to_move: !strong_to_move, ..self };
        let from = |possible, squares: Bitboard| if possible { squares } else { Bitboard::EMPTY };
        let lone_from = from(strong_to_move, king_attacks(lone));
        let king_from = from(!strong_to_move, king_attacks(king));
        let occupied = Bitboard::from_square(king) | Bitboard::from_square(lone);
        let piece_from = match ending {
            Ending::Kpk => pawn_origins(piece, occupied),
            Ending::Krk | Ending::Kqk => attacks(piece, Piece { color: Color::White, role: ending.role() }, occupied),
        };
        let by_lone = lone_from.into_iter().map(move |lone| Self { lone, ..turned });
        let by_king = king_from.into_iter().map(move |king| Self { king, ..turned });
        let by_piece = from(!strong_to_move, piece_from).into_iter().map(move |piece| Self { piece, ..turned });
        by_lone.chain(by_king).chain(by_piece).filter(|placement| placement.is_legal())
    }
}

/// The squares from which a white pawn may have come without capturing.
fn pawn_origins(pawn: Square, occupied: Bitboard) -> Bitboard {
    let step = Bitboard::from_square(pawn).shift(-8) & !occupied;
    let jump = (step & Bitboard::from_rank(shakmaty::Rank::Third)).shift(-8);
    step | jump
}

/// Replaces a distance in drawn positions.
const DRAWN: u8 = u8::MAX;

/// The plies until mate of every placement of one endgame; [`DRAWN`] in draws.
#[derive(Debug)]
struct Table {
    ending: Ending,
    plies: Vec<u8>,
}

impl Table {
    /// Works backwards from the mates and, with pawns, from the winning promotions in a table of `promoted`.
    fn solve(ending: Ending, promoted: &[Self]) -> Self {
        let mut plies = vec![DRAWN; PLACEMENTS];
        // Moves of the lone king that are not yet lost.
        let mut escapes = vec![0_u8; PLACEMENTS];
        let mut levels: Vec<Vec<Placement>> = vec![Vec::new()];
        for placement in ending.placements() {
            if placement.strong_to_move {
                let wins = promoted.iter().filter_map(|table| table.after_promotion(placement));
                wins.for_each(|distance| schedule(&mut levels, distance + 1, placement));
            } else {
                let moves = placement.lone_king_moves();
                escapes[placement.index()] = moves;
                if moves == 0 && placement.attacked(placement.lone) {
                    schedule(&mut levels, 0, placement);
                }
            }
        }
        let mut distance = 0;
        while distance < levels.len() {
            for placement in std::mem::take(&mut levels[distance]) {
                if plies[placement.index()] != DRAWN {
                    continue;
                }
                plies[placement.index()] = distance as u8;
                for before in placement.before() {
                    if !before.strong_to_move {
                        let left = &mut escapes[before.index()];
                        *left -= 1;
                        if *left > 0 {
                            continue;
                        }
                    }
                    schedule(&mut levels, distance + 1, before);
                }
            }
            distance += 1;
        }
        Self { ending, plies }
    }

    /// The plies until mate after a pawn's promotion to this endgame's piece, if it is possible and wins.
    fn after_promotion(&self, placement: Placement) -> Option<usize> {
        let last = Bitboard::from_square(placement.piece).shift(8) & Bitboard::from_rank(shakmaty::Rank::Eighth);
        let piece = last.into_iter().find(|&to| to != placement.king && to != placement.lone)?;
        let after = Placement { ending: self.ending, strong_to_move: false, piece, ..placement };
        match self.plies[after.index()] {
            DRAWN => None,
            distance => Some(distance.into()),
        }
    }
}

/// Records that a placement is decided in this many plies, unless it is decided sooner.
fn schedule(levels: &mut Vec<Vec<Placement>>, distance: usize, placement: Placement) {
    if levels.len() <= distance {
        levels.resize(distance + 1, Vec::new());
    }
    levels[distance].push(placement);
}

/// Solved endgames.
#[derive(Debug)]
pub struct Solved {
    tables: Vec<Table>,
}

impl Solved {
    /// Solves an endgame and those reached by promotion: about a third of a second each.
    pub fn new(ending: Ending) -> Self {
        let tables = match ending {
            Ending::Kpk => {
                let mut tables: Vec<Table> = [Ending::Kqk, Ending::Krk].map(|ending| Table::solve(ending, &[])).into();
                let pawns = Table::solve(ending, &tables);
                tables.push(pawns);
                tables
            }
            Ending::Krk | Ending::Kqk => vec![Table::solve(ending, &[])],
        };
        Self { tables }
    }

    /// The value of a position for the side to move; `None` if its endgame is not solved here. A lone king against a
    /// king, with or without a knight or a bishop, is a draw.
    pub fn value(&self, position: &ChessPosition) -> Option<Value> {
        let rules = position.as_shakmaty();
        let (board, turn) = (rules.board(), rules.turn());
        if rules.castles().any() {
            return None;
        }
        let mut pieces = board.occupied() & !board.kings();
        let Some(square) = pieces.pop_front() else { return Some(Value::Draw) };
        if pieces.any() {
            return None;
        }
        let piece = board.piece_at(square)?;
        if matches!(piece.role, Role::Knight | Role::Bishop) {
            return Some(Value::Draw);
        }
        let table = self.tables.iter().find(|table| table.ending.role() == piece.role)?;
        let seen = |square: Square| Square::new(in_frame(square, piece.color) as u32);
        let placement = Placement {
            ending: table.ending,
            strong_to_move: turn == piece.color,
            king: seen(board.king_of(piece.color)?),
            piece: seen(square),
            lone: seen(board.king_of(!piece.color)?),
        };
        Some(match (table.plies[placement.index()], placement.strong_to_move) {
            (DRAWN, _) => Value::Draw,
            (plies, true) => Value::Win(plies),
            (plies, false) => Value::Loss(plies),
        })
    }

    /// The legal moves that keep the position's result: all winning moves in a won position, all drawing moves in a
    /// drawn one, every move in a lost one. Empty if there is no move, or the position is not solved here.
    pub fn keeping(&self, position: &ChessPosition) -> Vec<Move> {
        let Some(value) = self.value(position) else { return Vec::new() };
        let mut moves = position.list_moves();
        moves.retain(|&mv| self.value(&position.after(mv)).is_some_and(|after| value.is_kept_by(after)));
        moves
    }
}
