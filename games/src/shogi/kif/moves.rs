//! The numbered lines of a KIF record: `  10 ７七角成(22)   ( 0:12/00:00:34)`.

use crate::record::{GameResult, Termination};
use crate::shogi::ShogiPosition;
use shogi_core::{Color, Move, Piece, PieceKind, Square};

/// The kinds as KIF writes them.
const KINDS: [(&str, PieceKind); 19] = [
    ("歩", PieceKind::Pawn),
    ("香", PieceKind::Lance),
    ("桂", PieceKind::Knight),
    ("銀", PieceKind::Silver),
    ("金", PieceKind::Gold),
    ("角", PieceKind::Bishop),
    ("飛", PieceKind::Rook),
    ("玉", PieceKind::King),
    ("王", PieceKind::King),
    ("と", PieceKind::ProPawn),
    ("成香", PieceKind::ProLance),
    ("成桂", PieceKind::ProKnight),
    ("成銀", PieceKind::ProSilver),
    ("杏", PieceKind::ProLance),
    ("圭", PieceKind::ProKnight),
    ("全", PieceKind::ProSilver),
    ("馬", PieceKind::ProBishop),
    ("龍", PieceKind::ProRook),
    ("竜", PieceKind::ProRook),
];

/// Takes a kind from the beginning of a text.
pub(super) fn kind(text: &str) -> Option<(PieceKind, &str)> {
    KINDS.iter().find_map(|&(name, kind)| Some((kind, text.strip_prefix(name)?)))
}

/// A digit from 1 to 9: `7`, `７` or `七`. 0 is not a square's digit.
pub(super) fn digit(c: char) -> Option<u8> {
    let place = |digits: &str| digits.chars().position(|digit| digit == c);
    ["123456789", "１２３４５６７８９", "一二三四五六七八九"].into_iter().find_map(place).map(|place| place as u8 + 1)
}

/// The number at the beginning of a line and the rest.
pub(super) fn numbered(line: &str) -> Option<(u32, &str)> {
    let (number, rest) = line.split_once(BLANKS)?;
    Some((number.parse().ok()?, rest.trim_start_matches(BLANKS)))
}

pub(super) const BLANKS: [char; 3] = [' ', '\t', '　'];

/// CSA's name of the ending in a line, if there is one; `turn` is the side to move.
///
/// In a win by the other side's illegal move, that move is not in the record.
pub(super) fn ending(text: &str, turn: Color) -> Option<&'static str> {
    let word = text.split([' ', '\t', '　', '(']).next()?;
    Some(match word {
        "投了" => "%TORYO",
        "詰み" | "詰" => "%TSUMI",
        "中断" | "封じ手" => "%CHUDAN",
        "千日手" => "%SENNICHITE",
        "持将棋" => "%JISHOGI",
        "切れ負け" => "%TIME_UP",
        "反則負け" => "%ILLEGAL_MOVE",
        "反則勝ち" if turn == Color::Black => "%-ILLEGAL_ACTION",
        "反則勝ち" => "%+ILLEGAL_ACTION",
        "入玉勝ち" => "%KACHI",
        "不詰" => "%FUZUMI",
        _ => return None,
    })
}

/// The result in the line `まで108手で先手の勝ち`, if it is a summary line.
pub(super) fn summary(line: &str) -> Option<(GameResult, Termination)> {
    let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let termination = if says(&["反則"]) {
        Termination::IllegalMove
    } else if says(&["時間切れ", "切れ負け"]) {
        Termination::Time
    } else if says(&["千日手"]) {
        Termination::Repetition
    } else {
        Termination::Other
    };
    let result = match (says(&["先手の", "下手の"]), says(&["後手の", "上手の"]), says(&["勝ち"]), says(&["負け"]))
    {
        (true, false, true, false) | (false, true, false, true) => GameResult::FirstWins,
        (false, true, true, false) | (true, false, false, true) => GameResult::SecondWins,
        _ if says(&["千日手", "持将棋", "引き分け", "引分"]) => GameResult::Draw,
        _ => return None,
    };
    Some((result, termination))
}

pub(super) struct KifMove {
    /// `None` for a drop.
    from: Option<Square>,
    to: Square,
    /// The piece before the move.
    kind: PieceKind,
    promote: bool,
}

impl KifMove {
    /// Reads a move and its seconds; `last` is the target of the previous move, for `同`.
    pub(super) fn read(text: &str, last: Option<Square>) -> Option<(Self, Option<f32>)> {
        let (to, rest) = target(text, last)?;
        let (kind, rest) = kind(rest)?;
        let (promote, rest) = match (rest.strip_prefix("不成"), rest.strip_prefix("成")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) => (true, rest),
            (None, None) => (false, rest),
        };
        if let Some(rest) = rest.strip_prefix("打") {
            return (!promote).then(|| (Self { from: None, to, kind, promote }, seconds(rest)));
        }
        let (from, rest) = rest.trim_start_matches(BLANKS).strip_prefix('(')?.split_once(')')?;
        let from = square(from).filter(|(_, rest)| rest.is_empty())?.0;
        Some((Self { from: Some(from), to, kind, promote }, seconds(rest)))
    }

    /// The move on this board; its piece must be the recorded one.
    pub(super) fn resolve(&self, position: &ShogiPosition) -> Result<Move, String> {
        let Some(from) = self.from else {
            return Ok(Move::Drop { to: self.to, piece: Piece::new(self.kind, position.turn()) });
        };
        let stands = position.piece_at(from);
        if stands != Some(Piece::new(self.kind, position.turn())) {
            return Err(format!("no such piece of the side to move stands on {}{}", from.file(), from.rank()));
        }
        Ok(Move::Normal { from, to: self.to, promote: self.promote })
    }
}

fn target(text: &str, last: Option<Square>) -> Option<(Square, &str)> {
    match text.strip_prefix("同") {
        Some(rest) => Some((last?, rest.trim_start_matches(BLANKS))),
        None => square(text),
    }
}

/// A square from two digits: file, then rank.
fn square(text: &str) -> Option<(Square, &str)> {
    let mut rest = text.chars();
    let square = Square::new(digit(rest.next()?)?, digit(rest.next()?)?)?;
    Some((square, rest.as_str()))
}

/// The seconds of a move: `( 0:12/00:00:34)` gives 12. `None` if missing or invalid.
fn seconds(text: &str) -> Option<f32> {
    let used = text.trim_start_matches(BLANKS).strip_prefix('(')?.split(['/', ')']).next()?;
    let mut seconds = 0u32;
    for part in used.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.trim().parse().ok()?)?;
    }
    Some(seconds as f32)
}
