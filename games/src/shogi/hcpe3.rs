//! HCPE3, dlshogi's record of a game with the visits of every search.
//!
//! | bytes | content |
//! |---|---|
//! | 32 | the start as [`super::hcp`] |
//! | 2 | how many moves follow |
//! | 1 | result and how the game ended, as in HCPE2 |
//! | 1 | who played: 0 one engine both sides, 1 a USI engine Black, 2 a USI engine White |
//!
//! and for each move its 16 bits (Apery's), the score from the side to move's view, the number of candidates (2 bytes
//! each), and for each candidate its 16 bits and its visits. Numbers are little-endian. The length of a game follows
//! only from its content, so nothing after a damaged game can be read. Reference: `HuffmanCodedPosAndEval3` and
//! `MoveVisits` in TadaoYamaoka/DeepLearningShogi.

use super::board::Board;
use super::checks::{bad_position, first_players, reject};
use super::hcpe::NotWritten;
use super::move16::Move16;
use super::{ShogiPosition, hcp, moves, outcome};
use crate::position::Position as _;
use crate::record::{Candidate, GameResult, ParsedGame, RejectKind, Rejected, Termination};
use crate::records;
use shogi_core::{Color, Move, ToUsi as _};
use std::io::{self, Read};

const HEADER: usize = 36;
/// The length of a move without its candidates.
const TURN: usize = 6;
const CANDIDATE: usize = 4;
/// The largest number of legal moves in a position of shogi.
const MAX_CANDIDATES: u16 = 593;
/// The size limit of a game, so that a damaged file does not fill the memory.
const MAX_BYTES: usize = 16 << 20;

/// The unchecked fields of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The start as [`super::hcp`] packs it.
    pub hcp: [u8; 32],
    /// Result and how the game ended.
    pub outcome: u8,
    /// 0 one engine both sides, 1 a USI engine Black, 2 a USI engine White.
    pub opponent: u8,
    /// The moves.
    pub turns: Vec<Turn>,
}

/// One move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The played move as [`Move16::Apery`] writes it.
    pub move16: u16,
    /// Its score from the side to move's view.
    pub score: i16,
    /// The searched moves and their visits.
    pub visits: Vec<(u16, u16)>,
}

impl Turn {
    /// A played move, its score from the side to move's view, and the searched moves with their visits.
    pub fn new(mv: Move, score: i16, searched: impl IntoIterator<Item = (Move, u16)>) -> Self {
        let visits = searched.into_iter().map(|(mv, visits)| (Move16::Apery.encode(mv), visits)).collect();
        Self { move16: Move16::Apery.encode(mv), score, visits }
    }
}

impl Game {
    /// A game of one engine against itself with these moves, its result and how it ended.
    pub fn new(
        start: &Board,
        result: GameResult,
        termination: Termination,
        turns: Vec<Turn>,
    ) -> Result<Self, NotWritten> {
        let outcome = outcome::write(result, termination).ok_or(NotWritten::NoResult)?;
        Ok(Self { hcp: hcp::encode(start)?, outcome, opponent: 0, turns })
    }

    /// Reads a game; `None` if the length does not match.
    pub fn read(mut bytes: &[u8]) -> Option<Self> {
        let header = bytes.split_off(..HEADER)?;
        let (hcp, rest) = header.split_first_chunk()?;
        let count = u16_at(rest, 0);
        let mut turns = Vec::new();
        for _ in 0..count {
            let turn = bytes.split_off(..TURN)?;
            let visits = bytes.split_off(..CANDIDATE * usize::from(u16_at(turn, 4)))?;
            turns.push(Turn {
                move16: u16_at(turn, 0),
                score: u16_at(turn, 2).cast_signed(),
                visits: visits.chunks_exact(CANDIDATE).map(|one| (u16_at(one, 0), u16_at(one, 2))).collect(),
            });
        }
        bytes.is_empty().then_some(Self { hcp: *hcp, outcome: rest[2], opponent: rest[3], turns })
    }

    /// Writes a game. `None` if it has more than 65,535 moves, or a move has more candidates.
    pub fn write(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        bytes.extend(self.hcp);
        bytes.extend(u16::try_from(self.turns.len()).ok()?.to_le_bytes());
        bytes.extend([self.outcome, self.opponent]);
        for turn in &self.turns {
            bytes.extend(turn.move16.to_le_bytes());
            bytes.extend(turn.score.to_le_bytes());
            bytes.extend(u16::try_from(turn.visits.len()).ok()?.to_le_bytes());
            for (mv, visits) in &turn.visits {
                bytes.extend(mv.to_le_bytes());
                bytes.extend(visits.to_le_bytes());
            }
        }
        Some(bytes)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// Splits a file into the bytes of its games; the reader should be buffered. If a game is truncated or has more candidates
/// than a position has moves, its available bytes come last: the next game cannot be located.
pub fn records(mut input: impl Read) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut is_cut = false;
    records::until_error(move || {
        let mut record = Vec::new();
        is_cut = is_cut || !read_record(&mut input, &mut record)?;
        Ok((!record.is_empty()).then_some(record))
    })
}

/// Reads the bytes of one game; returns whether it is complete.
fn read_record(input: &mut impl Read, record: &mut Vec<u8>) -> io::Result<bool> {
    if !append(input, record, HEADER)? {
        return Ok(false);
    }
    for _ in 0..u16_at(record, hcp::BYTES) {
        let turn = record.len();
        if !append(input, record, TURN)? {
            return Ok(false);
        }
        let candidates = u16_at(record, turn + 4);
        let length = CANDIDATE * usize::from(candidates);
        if candidates > MAX_CANDIDATES || record.len() + length > MAX_BYTES || !append(input, record, length)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads `count` more bytes; returns whether they were available.
fn append(input: &mut impl Read, record: &mut Vec<u8>, count: usize) -> io::Result<bool> {
    let before = record.len();
    record.resize(before + count, 0);
    let read = records::fill(input, &mut record[before..])?;
    record.truncate(before + read);
    Ok(read == count)
}

/// Reads and checks one game. `number` is its index in the file, from 0, for rejections.
///
/// The visits become [`ParsedGame::candidates`]: their share of the sum, without unvisited moves. The opponent is
/// stored as the tag `opponent`. An error on a truncated game, an invalid start, an illegal move, illegal or repeated
/// candidates, and an unknown result.
pub fn parse(record: &[u8], number: u64) -> Result<ParsedGame, Rejected> {
    let game = Game::read(record).ok_or_else(|| {
        let reason = "the game ends before its moves do, or is damaged; the rest of the file is lost".to_owned();
        reject(number, RejectKind::Truncated, reason)
    })?;
    let board = hcp::decode(&game.hcp).map_err(|error| bad_position(&error, number))?;
    let mut position = board.unchecked_position(1);
    let text = position.to_text();
    let start = (text != ShogiPosition::start().to_text()).then_some(text);
    let tags = vec![("opponent".to_owned(), game.opponent.to_string())];
    let mut parsed = ParsedGame::beginning(start, tags);
    (parsed.result, parsed.termination) =
        outcome::read(game.outcome).map_err(|reason| reject(number, RejectKind::Syntax, reason))?;
    for (ply, turn) in game.turns.iter().enumerate() {
        let illegal = |reason| Rejected { ply: Some(ply as u32), ..reject(number, RejectKind::IllegalMove, reason) };
        let (mv, candidates) = check(turn, &position).map_err(illegal)?;
        parsed.push(position.write_move(mv));
        parsed.keys.push(position.repetition_key());
        parsed.scores[ply] = Some(first_players(turn.score, position.turn()));
        parsed.candidates[ply] = candidates;
        position.play(mv);
    }
    Ok(parsed)
}

/// The played move and its candidates.
fn check(turn: &Turn, position: &ShogiPosition) -> Result<(Move, Vec<Candidate>), String> {
    let color = position.turn();
    let legal = |code| Move16::Apery.decode(code, color).filter(|&mv| position.is_legal(mv));
    let place = || format!("in position \"{}\"", position.to_text());
    let mv = legal(turn.move16).ok_or_else(|| format!("{} is not legal {}", shown(turn.move16, color), place()))?;
    let sum: f64 = turn.visits.iter().map(|&(_, visits)| f64::from(visits)).sum();
    let mut seen = Vec::with_capacity(turn.visits.len());
    let mut candidates = Vec::with_capacity(turn.visits.len());
    for &(code, visits) in &turn.visits {
        let candidate = legal(code)
            .filter(|_| !seen.contains(&code))
            .ok_or_else(|| format!("candidate {} is not legal, or named twice, {}", shown(code, color), place()))?;
        seen.push(code);
        if visits > 0 {
            candidates.push((moves::write(candidate).into(), (f64::from(visits) / sum) as f32));
        }
    }
    Ok((mv, candidates))
}

fn shown(code: u16, color: Color) -> String {
    Move16::Apery.decode(code, color).map_or_else(|| format!("move {code}"), |mv| mv.to_usi_owned())
}

/// Whether truncated bytes begin like a game: a valid start and a legal first move.
pub(super) fn begins(record: &[u8]) -> bool {
    let (Some((hcp, _)), Some(code)) = (record.split_first_chunk(), record.get(HEADER..HEADER + 2)) else {
        return false;
    };
    hcp::decode(hcp).is_ok_and(|board| {
        let mv = Move16::Apery.decode(u16_at(code, 0), board.turn());
        mv.is_some_and(|mv| board.is_legal(mv))
    })
}
