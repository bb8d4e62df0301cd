//! Chess as a [`Game`]: its constants, moves, inputs and attacks, and the end of a game.

use super::moves::in_frame;
use super::pgn::ending;
use super::{Chess, ChessPosition, input, moves, vocabularies};
use crate::attacks::{Attacked, Pieces, SquareSet, Tactics};
use crate::conventions::{Glyph, LICHESS, Notation, Orientation, Record};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::position::{Game, Position as _};
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use crate::vocabulary::{FromTo, MovesName, Vocabulary};
use shakmaty::attacks::{between, bishop_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, Position as _};

impl Game for Chess {
    const KIND: GameKind = GameKind::Chess;
    const NAME: &'static str = "chess";
    const GEOMETRY: Geometry = Geometry::new(8, 8);
    const ORIENTATION: Orientation = Orientation::Mirrored;
    const NOTATION: Notation = Notation::Uci;
    const COLOURS: [&'static str; 2] = ["White", "Black"];
    const DROPS: &'static [u8] = b"";
    const PROMOTIONS: &'static [u8] = b"qrbn";
    /// Lichess' winning chances, as in searchless_chess.
    const VALUE_CURVE: (&'static str, f64) = LICHESS;
    const HAS_RIGHTS: bool = true;
    const BLOCK_BYTES: u64 = 20_000_000;
    const PIECES: &'static [&'static str] = &["pawn", "knight", "bishop", "rook", "queen", "king"];
    const GLYPHS: &'static [Glyph] = &[
        Glyph::Figure("M50 20A13 13 0 0 1 58 43L66 80H34L42 43A13 13 0 0 1 50 20Z"),
        Glyph::Figure("M34 80C33 62 47 56 47 44L35 53L25 46L40 27L41 15L52 24C72 28 78 54 73 80Z"),
        Glyph::Figure("M50 10A6 6 0 0 1 54 21C68 36 68 54 59 64L65 80H35L41 64C32 54 32 36 46 21A6 6 0 0 1 50 10Z"),
        Glyph::Figure("M26 22H37V32H45V22H55V32H63V22H74V42L66 48V70L72 80H28L34 70V48L26 42Z"),
        Glyph::Figure("M18 30L33 56L36 20L50 50L64 20L67 56L82 30L73 70L75 80H25L27 70Z"),
        Glyph::Figure(
            "M46 8H54V15H61V23H54V34C66 24 86 36 77 57L71 70L73 80H27L29 70L23 57C14 36 34 24 46 34V23H39V15H46Z",
        ),
    ];
    const MOVEMENTS: &'static [Movement] = &[
        Movement::Rank,
        Movement::File,
        Movement::Rook,
        Movement::Diagonal,
        Movement::AntiDiagonal,
        Movement::Bishop,
        Movement::Queen,
        Movement::Knight,
        Movement::King,
        Movement::Pawn,
        Movement::PawnBack,
    ];
    const EXAMPLES: &'static [(&'static str, &'static str)] = &[
        ("starting position", "startpos"),
        ("opening", "startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7"),
        ("middlegame", "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 4 11"),
        ("rook endgame", "8/5pk1/4p1p1/3r4/1R3P2/4K1P1/8/8 w - - 0 40"),
    ];
    const RECORD: Record = Record::Pgn;
    const FORMATS: &'static [&'static str] =
        &["pgn", "lc0", "bag_state_value", "bag_behavioral_cloning", "bag_action_value", "lichess_evals"];
    type Position = ChessPosition;

    fn detect_format(head: &[u8]) -> Option<&'static str> {
        // The version number of an Lc0 record, with which no text begins.
        matches!(head, [3..=9, 0, 0, 0, ..]).then_some("lc0")
    }

    fn from_to() -> &'static FromTo {
        moves::vocabulary()
    }

    fn vocabularies() -> Vec<(MovesName, Vocabulary)> {
        vocabularies::all()
    }

    fn inputs() -> &'static [InputLayout] {
        input::layouts()
    }
}

impl Tactics for Chess {
    const MAX_TARGETS: u16 = 27;
    const WORTH: &'static [u8] = &[1, 3, 3, 5, 9, 100];
    const SLIDERS: &'static [&'static str] = &["B", "R", "Q"];

    fn pieces(position: &ChessPosition) -> Pieces {
        let (board, turn) = (position.as_shakmaty().board(), position.as_shakmaty().turn());
        Pieces {
            own: set(board.by_color(turn), turn),
            opponent: set(board.by_color(!turn), turn),
            pinned: set(pinned(board, turn) | pinned(board, !turn), turn),
        }
    }

    fn attacks(position: &ChessPosition) -> Vec<SquareSet> {
        let (board, turn) = (position.as_shakmaty().board(), position.as_shakmaty().turn());
        let mut by = vec![SquareSet::default(); Self::GEOMETRY.squares()];
        for square in board.occupied() {
            by[in_frame(square, turn)] = set(board.attacks_from(square), turn);
        }
        by
    }

    fn attacked(position: &ChessPosition) -> Attacked {
        let (board, turn) = (position.as_shakmaty().board(), position.as_shakmaty().turn());
        let by = |color| {
            let from = board.by_color(color).into_iter();
            set(from.fold(Bitboard::EMPTY, |all, square| all | board.attacks_from(square)), turn)
        };
        Attacked { own: by(turn), opponent: by(!turn) }
    }
}

/// Squares in the frame of the side to move, which mirrors the ranks for Black.
fn set(squares: Bitboard, turn: Color) -> SquareSet {
    let seen = match turn {
        Color::White => squares,
        Color::Black => squares.flip_vertical(),
    };
    SquareSet::of_bits(u64::from(seen).into())
}

/// The pieces of a colour that are pinned to its king.
fn pinned(board: &Board, color: Color) -> Bitboard {
    let Some(king) = board.king_of(color) else { return Bitboard::EMPTY };
    let on_lines = rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let on_diagonals = bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let sliders = (on_lines | on_diagonals) & board.by_color(!color);
    let alone = |slider| Some(between(king, slider) & board.occupied()).filter(|pieces| pieces.count() == 1);
    sliders.into_iter().filter_map(alone).fold(Bitboard::EMPTY, |all, one| all | one) & board.by_color(color)
}

/// Draws that a player would have to claim (the third repetition, fifty moves) end a game, as in engine matches.
impl Referee for Chess {
    fn verdict_without_moves(position: &ChessPosition) -> (GameResult, Termination) {
        match position.in_check() {
            true => (GameResult::won_by(position.side_to_move().other()), Termination::Checkmate),
            false => (GameResult::Draw, Termination::Stalemate),
        }
    }

    fn verdict_with_moves(played: &Played<ChessPosition>) -> Option<(GameResult, Termination)> {
        ending::drawn(played.line()).map(|termination| (GameResult::Draw, termination))
    }
}
