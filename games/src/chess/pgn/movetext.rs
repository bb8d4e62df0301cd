//! The syntax of one PGN record: tags, then tokens of the main line.

use crate::record::{GameResult, RejectKind};
use crate::records::without_mark;
use memchr::memchr;

/// A token of the main line, after removing move numbers, annotations and variations.
pub(super) enum Token<'a> {
    /// A word that must be a move in SAN.
    San(&'a [u8]),
    /// The content of a comment.
    Comment(&'a [u8]),
    /// The result that ends the game.
    Result(GameResult),
}

type Tags = Vec<(String, String)>;

/// Reads the tags; returns them and the bytes after them.
pub(super) fn tags(record: &[u8]) -> Result<(Tags, &[u8]), String> {
    let mut rest = without_mark(record).trim_ascii_start();
    let mut tags = Vec::new();
    loop {
        match rest {
            [b'[', inside @ ..] => {
                let (tag, behind) = pair(inside).ok_or_else(|| malformed(rest))?;
                tags.push(tag);
                rest = behind.trim_ascii_start();
            }
            // An escape line, for the program that wrote it.
            [b'%', ..] => rest = after_line(rest).trim_ascii_start(),
            _ => return Ok((tags, rest)),
        }
    }
}

/// `Name "Value"]`, with `\"` and `\\` inside the value.
fn pair(inside: &[u8]) -> Option<((String, String), &[u8])> {
    let quote = inside.iter().position(|&byte| matches!(byte, b'"' | b'\n'))?;
    let name = inside[..quote].trim_ascii();
    let mut at = quote + usize::from(inside[quote] == b'"');
    // Everything before the first special character at once.
    let plain = inside[at..].iter().position(|&byte| matches!(byte, b'"' | b'\\' | b'\n'))?;
    let mut value = inside[at..at + plain].to_vec();
    at += plain;
    loop {
        match (*inside.get(at)?, inside.get(at + 1)) {
            (b'"', _) => break,
            (b'\n', _) => return None,
            (b'\\', Some(&escaped @ (b'"' | b'\\'))) => {
                value.push(escaped);
                at += 2;
            }
            (byte, _) => {
                value.push(byte);
                at += 1;
            }
        }
    }
    let rest = inside[at + 1..].trim_ascii_start().strip_prefix(b"]")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (!name.is_empty()).then(|| ((text(name), text(&value)), rest))
}

fn malformed(rest: &[u8]) -> String {
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    format!("malformed tag: {}", excerpt(line))
}

fn after_line(text: &[u8]) -> &[u8] {
    text.iter().position(|&byte| byte == b'\n').map_or(&[], |end| &text[end + 1..])
}

/// The beginning of a text, for messages.
fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text.trim_ascii());
    let head: String = text.chars().take(60).collect();
    let more = if head.len() < text.len() { "…" } else { "" };
    format!("\"{head}{more}\"")
}

pub(super) struct Movetext<'a> {
    rest: &'a [u8],
    /// Whether `rest` begins a line, where `%` escapes it.
    line_start: bool,
}

impl<'a> Movetext<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text, line_start: true }
    }

    /// Takes the text up to `end`, and removes `end`.
    fn take_until(&mut self, end: u8) -> Option<&'a [u8]> {
        let at = memchr(end, self.rest)?;
        let taken = &self.rest[..at];
        self.rest = &self.rest[at + 1..];
        Some(taken)
    }

    fn skip_line(&mut self) {
        self.rest = after_line(self.rest);
        self.line_start = true;
    }

    fn comment(&mut self) -> Result<&'a [u8], Fault> {
        let text = self.rest;
        self.take_until(b'}')
            .ok_or_else(|| (RejectKind::Truncated, format!("a comment is never closed: {}", excerpt(text))))
    }

    /// Skips a variation after its `(`, with nested ones.
    fn skip_variation(&mut self) -> Result<(), Fault> {
        let text = self.rest;
        let mut depth = 1usize;
        while depth > 0 {
            let Some((&byte, rest)) = self.rest.split_first() else {
                return Err((RejectKind::Truncated, format!("a variation is never closed: ({}", excerpt(text))));
            };
            self.rest = rest;
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'{' => drop(self.comment()?),
                b';' => self.skip_line(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Skips a separate move number like `12.`; other words are left to [`token`].
    fn skip_number(&mut self) -> bool {
        let rest = without_number(self.rest);
        let alone = rest.len() < self.rest.len() && rest.first().is_none_or(|&byte| is_delimiter(byte));
        if alone {
            self.rest = rest;
        }
        alone
    }

    /// Takes a word: a move number, a move, a result.
    fn word(&mut self) -> &'a [u8] {
        let end = self.rest.iter().position(|&byte| is_delimiter(byte)).unwrap_or(self.rest.len()).max(1);
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }
}

type Fault = (RejectKind, String);

impl<'a> Iterator for Movetext<'a> {
    type Item = Result<Token<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let &byte = self.rest.first()?;
            let line_start = std::mem::replace(&mut self.line_start, byte == b'\n');
            match byte {
                b'%' if line_start => self.skip_line(),
                b';' => self.skip_line(),
                b'{' => {
                    self.rest = &self.rest[1..];
                    return Some(self.comment().map(Token::Comment));
                }
                b'(' => {
                    self.rest = &self.rest[1..];
                    if let Err(fault) = self.skip_variation() {
                        return Some(Err(fault));
                    }
                }
                b'$' => {
                    self.rest = &self.rest[1..];
                    let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    self.rest = &self.rest[digits..];
                }
                b'!' | b'?' => self.rest = &self.rest[1..],
                byte if byte.is_ascii_whitespace() => self.rest = &self.rest[1..],
                b'0'..=b'9' if self.skip_number() => {}
                _ => {
                    if let Some(token) = token(self.word()) {
                        return Some(token);
                    }
                }
            }
        }
    }
}

/// Whether a byte ends a word.
static DELIMITERS: [bool; 256] = {
    let mut delimiters = [false; 256];
    let all = b" \t\n\r\x0c{}();$!?";
    let mut i = 0;
    while i < all.len() {
        delimiters[all[i] as usize] = true;
        i += 1;
    }
    delimiters
};

fn is_delimiter(byte: u8) -> bool {
    DELIMITERS[usize::from(byte)]
}

/// The result that a word names.
pub(super) fn result(word: &[u8]) -> Option<GameResult> {
    match word {
        b"1-0" => Some(GameResult::FirstWins),
        b"0-1" => Some(GameResult::SecondWins),
        b"1/2-1/2" | b"\xc2\xbd-\xc2\xbd" => Some(GameResult::Draw),
        b"*" => Some(GameResult::Unknown),
        _ => None,
    }
}

/// The token of a word; `None` for a move number.
fn token(word: &[u8]) -> Option<Result<Token<'_>, Fault>> {
    result(word).map_or_else(|| san(word), |result| Some(Ok(Token::Result(result))))
}

fn san(word: &[u8]) -> Option<Result<Token<'_>, Fault>> {
    let word = without_number(word);
    match word.first() {
        None => None,
        Some(_) if word == b"e.p." => None,
        Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'0' | b'-') => Some(Ok(Token::San(word))),
        Some(_) => Some(Err((RejectKind::Syntax, format!("neither a move nor a result: {}", excerpt(word))))),
    }
}

/// Removes `12`, `12.` or `12...` from the front of `12.Nf3`; the zeros of `0-0` are not a number.
fn without_number(word: &[u8]) -> &[u8] {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dots = word[digits..].iter().take_while(|&&byte| byte == b'.').count();
    if dots > 0 || digits == word.len() { &word[digits + dots..] } else { word }
}
