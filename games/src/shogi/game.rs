//! Shogi as a [`Game`]: its constants, moves and inputs.

use super::detect::{self, Binary};
use super::{Shogi, ShogiPosition, input, moves, planes};
use crate::conventions::{Glyph, Notation, Orientation, Record};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::moves::FromTo;
use crate::position::Game;
use crate::vocabulary::{MovesName, Vocabulary};

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
