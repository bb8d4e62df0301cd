//! Chess as a [`Game`]: its constants, moves and inputs.

use super::{Chess, ChessPosition, input, moves, vocabularies};
use crate::conventions::{Glyph, LICHESS, Notation, Orientation, Record};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::moves::FromTo;
use crate::position::Game;
use crate::vocabulary::{MovesName, Vocabulary};

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
