//! Shogi as a [`Game`]: its constants, moves, inputs and attacks, and the end of a game.

use super::detect::{self, Binary};
use super::input::attacked_from;
use super::{Shogi, ShogiPosition, frame, input, moves, planes, repetition};
use crate::attacks::{Attacked, Pieces, SquareSet, Tactics};
use crate::conventions::{Glyph, Notation, Orientation, Record};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::position::{Game, Position as _};
use crate::record::{GameResult, Termination};
use crate::referee::{Played, Referee};
use crate::vocabulary::{FromTo, MovesName, Vocabulary};
use rsshogi::types::{Bitboard, Color as RulesColor, Square as RulesSquare};
use shogi_core::{Color, PieceKind, Square};

impl Game for Shogi {
    const KIND: GameKind = GameKind::Shogi;
    const NAME: &'static str = "shogi";
    const GEOMETRY: Geometry = Geometry::new(9, 9);
    const ORIENTATION: Orientation = Orientation::Turned;
    const NOTATION: Notation = Notation::Usi;
    const COLOURS: [&'static str; 2] = ["Black", "White"];
    const DROPS: &'static [u8] = b"PLNSGBR";
    const PROMOTIONS: &'static [u8] = b"+";
    const VALUE_CURVE: (&'static str, f64) = ("dlshogi", 1.0 / 756.086_496_295_176_2);
    const BLOCK_BYTES: u64 = 35_000_000;
    const PIECES: &'static [&'static str] = &[
        "pawn",
        "lance",
        "knight",
        "silver",
        "gold",
        "bishop",
        "rook",
        "king",
        "promoted_pawn",
        "promoted_lance",
        "promoted_knight",
        "promoted_silver",
        "horse",
        "dragon",
    ];
    const GLYPHS: &'static [Glyph] =
        &Glyph::letters(["P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R"]);
    const MOVEMENTS: &'static [Movement] = &[
        Movement::Rank,
        Movement::File,
        Movement::Rook,
        Movement::Diagonal,
        Movement::AntiDiagonal,
        Movement::Bishop,
        Movement::King,
        Movement::Lance,
        Movement::LanceBack,
        Movement::ShogiKnight,
        Movement::ShogiKnightBack,
        Movement::Silver,
        Movement::SilverBack,
        Movement::Gold,
        Movement::GoldBack,
    ];
    const EXAMPLES: &'static [(&'static str, &'static str)] = &[
        ("starting position", "startpos"),
        ("opening", "startpos moves 7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 5g5f 3a3b"),
        ("bishops exchanged", "startpos moves 7g7f 8c8d 2g2f 3c3d 8h7g 2b7g+ 8i7g 3a4b"),
        ("endgame", "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124"),
    ];
    const RECORD: Record = Record::Csa;
    const FORMATS: &'static [&'static str] = &["csa", "kif", "usi", "hcpe", "hcpe3", "psv"];
    type Position = ShogiPosition;

    fn detect_format(head: &[u8]) -> Option<&'static str> {
        // Text is never recognised as a binary format.
        let control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace() && *byte != 0x1b;
        let binary = head.iter().any(control).then(|| detect::detect(head)).flatten()?;
        Some(match binary {
            Binary::Hcpe => "hcpe",
            Binary::Hcpe3 => "hcpe3",
            Binary::Psv => "psv",
        })
    }

    fn from_to() -> &'static FromTo {
        moves::vocabulary()
    }

    fn vocabularies() -> Vec<(MovesName, Vocabulary)> {
        planes::vocabularies()
    }

    fn inputs() -> &'static [InputLayout] {
        input::layouts()
    }
}

impl Tactics for Shogi {
    const MAX_TARGETS: u16 = 20;
    const WORTH: &'static [u8] = &[1, 3, 3, 5, 6, 8, 10, 100, 6, 6, 6, 6, 12, 14];
    const SLIDERS: &'static [&'static str] = &["L", "B", "R", "+B", "+R"];

    fn pieces(position: &ShogiPosition) -> Pieces {
        let rules = &position.rules;
        let (turn, opponent) = (rules.turn(), rules.turn().flip());
        Pieces {
            own: set(rules.bitboards().color_pieces(turn), turn),
            opponent: set(rules.bitboards().color_pieces(opponent), turn),
            pinned: set(rules.pinned_pieces(turn) | rules.pinned_pieces(opponent), turn),
        }
    }

    fn attacks(position: &ShogiPosition) -> Vec<SquareSet> {
        let rules = &position.rules;
        let mut by = vec![SquareSet::default(); Self::GEOMETRY.squares()];
        for from in &rules.bitboards().occupied() {
            by[in_frame(from, rules.turn())] = set(attacked_from(rules, from), rules.turn());
        }
        by
    }

    fn attacked(position: &ShogiPosition) -> Attacked {
        let rules = &position.rules;
        let by = |color| {
            let mut all = Bitboard::EMPTY;
            for from in &rules.bitboards().color_pieces(color) {
                all |= attacked_from(rules, from);
            }
            set(all, rules.turn())
        };
        Attacked { own: by(rules.turn()), opponent: by(rules.turn().flip()) }
    }
}

fn set(squares: Bitboard, turn: RulesColor) -> SquareSet {
    (&squares).into_iter().map(|square| in_frame(square, turn)).collect()
}

fn in_frame(square: RulesSquare, turn: RulesColor) -> usize {
    usize::from(frame::IN_FRAME[turn.to_index()][square.to_board_index()])
}

const CAMP_RANKS: u8 = 3;

/// Pieces besides the king that a declaration needs in the camp.
const PIECES_IN_CAMP: usize = 10;

/// A player without a legal move has lost, in check or not.
impl Referee for Shogi {
    fn verdict_with_moves(played: &Played<ShogiPosition>) -> Option<(GameResult, Termination)> {
        repetition::verdict(played, GameResult::Draw)
    }

    /// The 27-point rule of computer shogi (CSA): not in check, the king and at least ten other pieces in the
    /// opponent's camp, and at least 28 points for Black or 27 for White, counting pieces in the camp and in hand;
    /// rooks and bishops count five, all others one.
    fn may_declare_win(position: &ShogiPosition) -> bool {
        let us = position.turn();
        if position.in_check() {
            return false;
        }
        let in_camp: Vec<PieceKind> = Square::all()
            .filter(|square| square.relative_rank(us) <= CAMP_RANKS)
            .filter_map(|square| position.piece_at(square))
            .filter(|piece| piece.color() == us)
            .map(|piece| piece.piece_kind())
            .collect();
        let king = in_camp.contains(&PieceKind::King);
        let in_hand = PieceKind::all().into_iter().map(|kind| u32::from(position.in_hand(us, kind)) * points(kind));
        let total = in_camp.iter().copied().map(points).sum::<u32>() + in_hand.sum::<u32>();
        let needed = match us {
            Color::Black => 28,
            Color::White => 27,
        };
        king && in_camp.len() > PIECES_IN_CAMP && total >= needed
    }
}

const fn points(kind: PieceKind) -> u32 {
    match kind {
        PieceKind::King => 0,
        PieceKind::Bishop | PieceKind::Rook | PieceKind::ProBishop | PieceKind::ProRook => 5,
        _ => 1,
    }
}
