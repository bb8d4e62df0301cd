//! From the text of a record to a game that can be kept. Runs in parallel, so it depends on the record only.

use super::ImportOptions;
use super::source::Record;
use crate::playback::{Stuck, play_through};
use crate::value::ValueCurve;
use games::{Game, GameKind, ParsedGame, Position as _, RejectKind, Rejected, Side, chess::pgn, shogi::csa};

/// A game that can be kept.
pub(super) struct Examined {
    pub(super) number: u64,
    pub(super) game: ParsedGame,
    /// The moves, separated by spaces.
    pub(super) moves: String,
    pub(super) plies: u16,
    /// Per ply, winning probability of the side to move.
    pub(super) value: Vec<Option<f32>>,
    /// Per ply, the repetition key of the position.
    pub(super) keys: Vec<u64>,
    /// The hash of start and moves.
    pub(super) fingerprint: [u8; 32],
}

/// Reads a record and plays it through.
pub(super) fn examine<G: Game>(record: &Record, number: u64, options: &ImportOptions) -> Result<Examined, Rejected> {
    let reject = |kind, ply, reason| Rejected { game: number, ply, kind, reason };
    let text = record.as_ref().map_err(|reason| {
        let reason = format!("the file cannot be read on from here: {reason}");
        reject(RejectKind::Unreadable, None, reason)
    })?;
    let mut game = match G::KIND {
        GameKind::Chess => pgn::parse(text, number),
        GameKind::Shogi => csa::parse(text, number),
    }?;
    if let Some(cap) = options.ply_cap {
        game.cut_off_at(cap);
    }
    let plies = match u16::try_from(game.moves.len()) {
        Ok(0) => return Err(reject(RejectKind::NoMoves, None, "the game has no moves".to_owned())),
        Ok(plies) => plies,
        Err(_) => {
            let reason = format!("{} plies are more than the {} a dataset can hold", game.moves.len(), u16::MAX);
            return Err(reject(RejectKind::TooLong, None, reason));
        }
    };
    let moves = game.moves.join(" ");
    let curve = ValueCurve::of(G::KIND);
    let mut value = Vec::with_capacity(game.moves.len());
    let mut keys = Vec::with_capacity(game.moves.len());
    // Played again from the text that will be stored: what the loader will read is known to be legal.
    play_through::<G>(game.start.as_deref(), &moves, |line, _| {
        let side: Side = line.position().side_to_move();
        value.push(game.scores[line.plies()].map(|score| curve.win_probability(score, side)));
        keys.push(line.position().repetition_key());
    })
    .map_err(|Stuck { ply, reason }| reject(RejectKind::IllegalMove, Some(ply as u32), reason))?;
    let fingerprint = fingerprint(game.start.as_deref(), &moves);
    Ok(Examined { number, game, moves, plies, value, keys, fingerprint })
}

fn fingerprint(start: Option<&str>, moves: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(start.unwrap_or("").as_bytes());
    hasher.update(b"\n");
    hasher.update(moves.as_bytes());
    *hasher.finalize().as_bytes()
}
