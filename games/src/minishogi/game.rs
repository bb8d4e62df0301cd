//! Minishogi as a [`Game`]: its constants, moves, inputs and attacks, and the end of a game.

use super::board::{LETTERS, in_view};
use super::{Minishogi, MinishogiPosition, input, moves};
use crate::attacks::{Pieces, SquareSet, Tactics};
use crate::conventions::{Glyph, LICHESS, Notation, Orientation};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::position::{Game, Side};
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use crate::shogi::repetition;
use crate::vocabulary::FromTo;

impl Game for Minishogi {
    const KIND: GameKind = GameKind::Minishogi;
    const NAME: &'static str = "minishogi";
    const GEOMETRY: Geometry = Geometry::new(5, 5);
    const ORIENTATION: Orientation = Orientation::Turned;
    const NOTATION: Notation = Notation::Usi;
    const COLOURS: [&'static str; 2] = ["Black", "White"];
    const DROPS: &'static [u8] = b"PSGBR";
    const PROMOTIONS: &'static [u8] = b"+";
    /// Lichess' winning chances, which Lichess also takes for the scores of Fairy-Stockfish.
    const VALUE_CURVE: (&'static str, f64) = LICHESS;
    const BLOCK_BYTES: u64 = 10_000_000;
    const PIECES: &'static [&'static str] =
        &["pawn", "silver", "gold", "bishop", "rook", "king", "promoted_pawn", "promoted_silver", "horse", "dragon"];
    const GLYPHS: &'static [Glyph] = &Glyph::letters(LETTERS);
    const MOVEMENTS: &'static [Movement] = &[
        Movement::Rank,
        Movement::File,
        Movement::Rook,
        Movement::Diagonal,
        Movement::AntiDiagonal,
        Movement::Bishop,
        Movement::King,
        Movement::Silver,
        Movement::SilverBack,
        Movement::Gold,
        Movement::GoldBack,
    ];
    const EXAMPLES: &'static [(&'static str, &'static str)] = &[
        ("starting position", "startpos"),
        ("opening", "startpos moves 3e4d 3a2b 2e3d 4a3b"),
        ("middlegame", "r2gk/3sp/3b1/PGS2/K2BR b - 5"),
        ("endgame", "4R/1grk1/sgP2/1P1SB/1K3 b B 43"),
    ];
    type Position = MinishogiPosition;

    fn from_to() -> &'static FromTo {
        moves::vocabulary()
    }

    fn inputs() -> &'static [InputLayout] {
        input::layouts()
    }
}

impl Tactics for Minishogi {
    /// Of a dragon or a horse in the middle.
    const MAX_TARGETS: u16 = 12;
    const WORTH: &'static [u8] = &[1, 5, 6, 8, 10, 100, 6, 6, 12, 14];
    const SLIDERS: &'static [&'static str] = &["B", "R", "+B", "+R"];

    fn pieces(position: &MinishogiPosition) -> Pieces {
        let (board, turn) = (&position.board, position.turn);
        let of = |side: Side| {
            let squares = board.pieces().filter(move |&(_, (owner, _))| owner == side);
            squares.map(|(square, _)| in_view(square, turn)).collect()
        };
        let pinned = board.pinned(Side::First).or(board.pinned(Side::Second));
        Pieces { own: of(turn), opponent: of(turn.other()), pinned: set(pinned, turn) }
    }

    fn attacks(position: &MinishogiPosition) -> Vec<SquareSet> {
        let turn = position.turn;
        let attacks = |square| set(position.board.attacks(in_view(square, turn)), turn);
        (0..Self::GEOMETRY.squares()).map(attacks).collect()
    }
}

fn set(squares: SquareSet, turn: Side) -> SquareSet {
    squares.iter().map(|square| in_view(square, turn)).collect()
}

/// A player without a legal move has lost. The fourth occurrence of a position loses for the side that gave check with every one of
/// its moves since the first one; otherwise for the player who moved first in the game.
impl Referee for Minishogi {
    fn verdict_with_moves(played: &Played<MinishogiPosition>) -> Option<(GameResult, Termination)> {
        repetition::verdict(played, GameResult::won_by(Side::Second))
    }
}
