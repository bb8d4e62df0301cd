//! The text of a move, without heap allocation.

use std::borrow::Borrow;
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;

/// The maximal length of a text: UCI and USI need four or five bytes.
const ROOM: usize = 7;

/// Replaces texts that are too long for a move; it is not a move either.
const NO_MOVE: u8 = b'?';

/// A move in UCI or USI: a text of eight bytes that is copied instead of allocated. It compares and joins like the
/// text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MoveText {
    /// Zeros after the text; the last one is its length.
    bytes: [u8; ROOM + 1],
}

impl MoveText {
    /// The text.
    pub fn as_str(&self) -> &str {
        // Only `From` and the games' writers fill the bytes, with whole texts.
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The text's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.bytes[ROOM])]
    }

    /// Its eight bytes as one number; texts with the same number are equal.
    pub fn key(&self) -> u64 {
        u64::from_le_bytes(self.bytes)
    }

    /// An ASCII text of at most the maximal length.
    const fn of_ascii(text: &[u8]) -> Self {
        assert!(text.len() <= ROOM);
        let mut bytes = [0; ROOM + 1];
        let mut i = 0;
        while i < text.len() {
            assert!(text[i].is_ascii());
            bytes[i] = text[i];
            i += 1;
        }
        bytes[ROOM] = text.len() as u8;
        Self { bytes }
    }

    /// A move's origin (a square, or a dropped piece and `*`), its target and, if it promotes, the character for that.
    pub(crate) const fn of_parts([a, b]: [u8; 2], [c, d]: [u8; 2], promotion: Option<u8>) -> Self {
        match promotion {
            None => Self::of_ascii(&[a, b, c, d]),
            Some(promotion) => Self::of_ascii(&[a, b, c, d, promotion]),
        }
    }

    /// Moves as stored in a dataset: separated by single spaces.
    pub fn line(moves: &[Self]) -> String {
        let mut line = Vec::with_capacity((ROOM - 1) * moves.len());
        for mv in moves {
            line.extend_from_slice(mv.as_bytes());
            line.push(b' ');
        }
        line.pop();
        String::from_utf8(line).unwrap_or_default()
    }
}

/// A text that is too long for a move becomes `?`, which is not a move.
impl From<&str> for MoveText {
    fn from(text: &str) -> Self {
        let bytes = text.as_bytes();
        if bytes.len() > ROOM {
            return Self::of_ascii(&[NO_MOVE]);
        }
        let mut room = [0; ROOM + 1];
        room[..bytes.len()].copy_from_slice(bytes);
        room[ROOM] = bytes.len() as u8;
        Self { bytes: room }
    }
}

impl From<String> for MoveText {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<MoveText> for String {
    fn from(text: MoveText) -> Self {
        text.as_str().to_owned()
    }
}

impl Deref for MoveText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for MoveText {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq<str> for MoveText {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for MoveText {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<String> for MoveText {
    fn eq(&self, other: &String) -> bool {
        self == other.as_str()
    }
}

impl Display for MoveText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl Debug for MoveText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_and_no_long_one_becomes_a_move() {
        for text in ["", "e2e4", "e7e8q", "P*5e", "2b3c+", "金打"] {
            assert_eq!(MoveText::from(text), text);
            assert_eq!(String::from(MoveText::from(text)), text);
        }
        for long in ["e2e4e5e6", "e2e4\u{1f600}"] {
            assert_eq!(MoveText::from(long), "?");
        }
    }

    #[test]
    fn a_line_is_what_joining_texts_gives() {
        let texts = ["e2e4", "e7e5", "e1g1"];
        for count in 0..=texts.len() {
            let moves: Vec<MoveText> = texts[..count].iter().map(|&text| text.into()).collect();
            assert_eq!(MoveText::line(&moves), texts[..count].join(" "));
            assert_eq!(moves.join(" "), texts[..count].join(" "));
        }
    }
}
