//! Positions with a mate in one move, and positions that have none although checks tempt.

use crate::error::PlayError;
use crate::player::Player;
use crate::share::Share;
use crate::suites::of_lines;
use games::referee::mating_among;
use games::{Position, Referee};
use serde::Serialize;
use std::path::Path;
use streams::Stream;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MateScore {
    /// Positions in which its move mates.
    pub mates: Share,
    /// Positions in which its move gives check: a false alarm where no move mates.
    pub checks: Share,
}

/// Reads positions, one FEN or SFEN a line, plain or compressed.
pub fn read<G: Referee>(path: &Path) -> Result<Vec<G::Position>, PlayError> {
    let bytes = dataset::unpacked(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let positions = of_lines(&text, |_, line| G::Position::parse(line).map_err(|error| error.to_string()));
    let positions = positions.map_err(|wrong| PlayError::at(path, wrong))?;
    if positions.is_empty() {
        return Err(PlayError::file(path, "it has no position"));
    }
    Ok(positions)
}

pub fn score<G: Referee>(
    player: &Player<'_>,
    positions: &[G::Position],
    stream: &mut Stream,
) -> Result<MateScore, PlayError> {
    let decisions = player.decide_in::<G>(positions, stream)?;
    let outcome = |(start, decision): (&G::Position, &crate::Decision)| -> [bool; 2] {
        let Some(mv) = decision.text().and_then(|text| start.parse_move(text).ok()) else { return [false; 2] };
        [!mating_among(start, &[mv]).is_empty(), start.gives_check(mv)]
    };
    let outcomes: Vec<[bool; 2]> = positions.iter().zip(&decisions).map(outcome).collect();
    Ok(MateScore {
        mates: Share::of(outcomes.iter().map(|outcome| outcome[0])),
        checks: Share::of(outcomes.iter().map(|outcome| outcome[1])),
    })
}
