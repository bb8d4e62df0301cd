//! Records: Apache Beam's tuples of text and numbers.
//!
//! A text inside a tuple is preceded by its length, 7 bits per byte, lowest first; the last field of a tuple has no
//! length. A number is a 64-bit float, big-endian. Reference: Apache Beam
//! `sdks/python/apache_beam/coders/coder_impl.py`.

use crate::chess::ChessPosition;
use crate::position::Position as _;
use crate::record::{ParsedPosition, RejectKind, Rejected};

/// The kind of a bag's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BagRecord {
    /// FEN, move, and the probability that the side to move wins after this move: one record for each legal move.
    ActionValue,
    /// FEN and the probability that the side to move wins.
    StateValue,
    /// FEN and the best move.
    BehavioralCloning,
}

/// Reads a record and checks that position, move and probability are valid. An action's value is that of its move, so
/// it is the position's value only for the best move.
pub fn parse(record: &[u8], kind: BagRecord, number: u64) -> Result<ParsedPosition, Rejected> {
    let wrong = |kind, reason| Rejected { game: number, ply: None, kind, reason };
    let fields = fields(record, kind).map_err(|(kind, reason)| wrong(kind, reason.to_owned()))?;
    let position =
        ChessPosition::parse(fields.fen).map_err(|error| wrong(RejectKind::StartPosition, error.to_string()))?;
    let mv = fields.mv.map(|text| position.parse_move(text).map(|mv| position.move_text(mv)));
    let mv = mv.transpose().map_err(|error| wrong(RejectKind::IllegalMove, error.to_string()))?;
    if let Some(value) = fields.win_probability.filter(|value| !(0.0..=1.0).contains(value)) {
        return Err(wrong(RejectKind::Syntax, format!("the probability of winning is {value}")));
    }
    let value = fields.win_probability.map(|value| value as f32);
    Ok(ParsedPosition { mv, value, ..ParsedPosition::new(position.to_text()) })
}

/// The unchecked fields of a record.
struct Fields<'a> {
    fen: &'a str,
    mv: Option<&'a str>,
    win_probability: Option<f64>,
}

type Wrong = (RejectKind, &'static str);

fn fields(record: &[u8], kind: BagRecord) -> Result<Fields<'_>, Wrong> {
    let mut rest = record;
    let fen = text(nested(&mut rest)?)?;
    let mv = match kind {
        BagRecord::ActionValue => Some(text(nested(&mut rest)?)?),
        BagRecord::BehavioralCloning => Some(text(std::mem::take(&mut rest))?),
        BagRecord::StateValue => None,
    };
    let win_probability = match kind {
        BagRecord::ActionValue | BagRecord::StateValue => Some(number(&mut rest)?),
        BagRecord::BehavioralCloning => None,
    };
    if !rest.is_empty() {
        return Err((RejectKind::Syntax, "the record continues after its last field: is it another kind of record?"));
    }
    Ok(Fields { fen, mv, win_probability })
}

const CUT_OFF: Wrong = (RejectKind::Truncated, "the record ends inside a field: cut off, or another kind of record");

/// The bytes of a field preceded by its length.
fn nested<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Wrong> {
    let length = usize::try_from(varint(rest)?).map_err(|_| CUT_OFF)?;
    let (field, behind) = rest.split_at_checked(length).ok_or(CUT_OFF)?;
    *rest = behind;
    Ok(field)
}

fn varint(rest: &mut &[u8]) -> Result<u64, Wrong> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, behind) = rest.split_first().ok_or(CUT_OFF)?;
        *rest = behind;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err((RejectKind::Syntax, "the length of a field has too many bytes"))
}

fn text(bytes: &[u8]) -> Result<&str, Wrong> {
    std::str::from_utf8(bytes).map_err(|_| (RejectKind::Syntax, "a text is not UTF-8"))
}

fn number(rest: &mut &[u8]) -> Result<f64, Wrong> {
    let (&bytes, behind) = rest.split_first_chunk().ok_or(CUT_OFF)?;
    *rest = behind;
    Ok(f64::from_be_bytes(bytes))
}
