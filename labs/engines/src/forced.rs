//! Forced lines: positions of a dataset's test games in which only one move keeps a forced mate, and the line to the mate. Whether a
//! network finds them by its policy alone is a probe for implicit search.
//!
//! From the end of a decisive game backwards, positions count as long as the engine sees a mate for the winner, and no second move
//! that mates too. The line is then verified: the engine searches every position of it, each move of the solver but the last must
//! be the only one that mates, and each answer is the engine's choice. A game gives one line, the longest that is verified, so that
//! lines do not depend on each other. Nothing is drawn at random.

use crate::engine::{Engine, EngineError, EngineSettings};
use crate::error::GenerateError;
use crate::{searches, test_games};
use dataset::store::GameRow;
use games::{GameKind, GameResult, Position, Referee, Score, Side, with_game};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The longest line, in plies.
const LONGEST: usize = 41;

/// The engine compares the best move with the second.
pub const MULTI_PV: usize = 2;

#[derive(Debug, Clone)]
pub struct ForcedSettings {
    pub game: GameKind,
    /// The dataset whose test games are searched.
    pub from: PathBuf,
    /// The engine, which compares [`MULTI_PV`] moves.
    pub engine: EngineSettings,
    pub nodes: u64,
    /// Engines at a time. They do not change the lines.
    pub processes: usize,
    /// The maximum number of lines of a length.
    pub per_length: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForcedLine {
    pub game: u32,
    /// The position before the opponent's last move: FEN or SFEN.
    pub before: String,
    /// The opponent's move, then the line: the solver's moves and the answers, in UCI or USI.
    pub moves: Vec<String>,
}

impl ForcedLine {
    /// Plies from the solver's first move to the mate.
    pub fn plies(&self) -> usize {
        self.moves.len() - 1
    }
}

/// The lines in the columns of Lichess' puzzles; the theme is the length: `plies_5`.
pub fn csv(lines: &[ForcedLine]) -> String {
    let row = |line: &ForcedLine| {
        format!("game-{},{},{},,,plies_{}\n", line.game, line.before, line.moves.join(" "), line.plies())
    };
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Themes\n".to_owned() + &lines.iter().map(row).collect::<String>()
}

/// Searches the games, in their order.
pub fn forced_lines(settings: &ForcedSettings) -> Result<Vec<ForcedLine>, GenerateError> {
    let mut rows = test_games::rows(&settings.from, settings.game)?;
    rows.retain(|row| matches!(row.result, GameResult::FirstWins | GameResult::SecondWins));
    with_game!(settings.game, G => of_games::<G>(settings, &rows))
}

fn of_games<G: Referee>(settings: &ForcedSettings, rows: &[GameRow]) -> Result<Vec<ForcedLine>, GenerateError> {
    let ask = |engine: &mut Engine, row: &GameRow| Searcher { engine, nodes: settings.nodes }.of_game::<G>(row);
    let found = searches::answers(&settings.engine, settings.processes, rows, ask)?;
    let mut of_length: BTreeMap<usize, usize> = BTreeMap::new();
    let mut is_wanted = |line: &ForcedLine| {
        let count = of_length.entry(line.plies()).or_default();
        *count += 1;
        *count <= settings.per_length
    };
    Ok(found.into_iter().flatten().filter(|line| is_wanted(line)).collect())
}

/// The engine's result for a position in which the winner is to move.
struct OnlyMate {
    mv: String,
    moves: i32,
}

struct Searcher<'a> {
    engine: &'a mut Engine,
    nodes: u64,
}

impl Searcher<'_> {
    /// The longest verified line at the end of a game.
    fn of_game<G: Referee>(&mut self, row: &GameRow) -> Result<Option<ForcedLine>, EngineError> {
        let winner = if row.result == GameResult::FirstWins { Side::First } else { Side::Second };
        let moves: Vec<&str> = row.moves.split_ascii_whitespace().collect();
        let Some(line) = test_games::positions::<G>(row) else { return Ok(None) };
        let places = (1..moves.len()).rev().filter(|&ply| line[ply].side_to_move() == winner);
        let mut candidates = Vec::new();
        for ply in places.take(LONGEST / 2) {
            if self.only_mate::<G>(&line[ply])?.is_none() {
                break;
            }
            candidates.push(ply);
        }
        for ply in candidates.into_iter().rev() {
            if let Some(solution) = self.solution::<G>(line[ply].clone())? {
                let moves = std::iter::once(moves[ply - 1].to_owned()).chain(solution).collect();
                return Ok(Some(ForcedLine { game: row.id, before: line[ply - 1].to_text(), moves }));
            }
        }
        Ok(None)
    }

    /// The best two moves with their scores from the mover's point of view.
    fn best_two<G: Referee>(&mut self, position: &G::Position) -> Result<Vec<(String, Score)>, EngineError> {
        self.engine.new_game()?;
        let search = self.engine.search(Some(&position.to_text()), &[], self.nodes, &[])?;
        Ok(search.lines.compared(MULTI_PV))
    }

    /// The move that mates, if no other does; of several mates in one the first.
    fn only_mate<G: Referee>(&mut self, position: &G::Position) -> Result<Option<OnlyMate>, EngineError> {
        let mates = |score: Score| matches!(score, Score::MateIn(moves) if moves > 0);
        Ok(match &self.best_two::<G>(position)?[..] {
            [(mv, Score::MateIn(moves)), others @ ..] if *moves > 0 => {
                let is_only = *moves == 1 || others.iter().all(|(_, score)| !mates(*score));
                is_only.then(|| OnlyMate { mv: mv.clone(), moves: *moves })
            }
            _ => None,
        })
    }

    /// The line from a position to the mate; none if it is not forced move by move.
    fn solution<G: Referee>(&mut self, mut position: G::Position) -> Result<Option<Vec<String>>, EngineError> {
        let mut line: Vec<String> = Vec::new();
        while line.len() < LONGEST {
            let Some(only) = self.only_mate::<G>(&position)? else { return Ok(None) };
            if advance::<G>(&mut position, &only.mv).is_none() {
                return Ok(None);
            }
            line.push(only.mv);
            if position.list_moves().is_empty() {
                return Ok((position.in_check() && line.len() > 1).then_some(line));
            }
            if only.moves == 1 {
                return Ok(None);
            }
            let Some((answer, Score::MateIn(_))) = self.best_two::<G>(&position)?.into_iter().next() else {
                return Ok(None);
            };
            if advance::<G>(&mut position, &answer).is_none() {
                return Ok(None);
            }
            line.push(answer);
        }
        Ok(None)
    }
}

fn advance<G: Referee>(position: &mut G::Position, text: &str) -> Option<()> {
    let mv = position.parse_move(text).ok()?;
    position.play(mv);
    Some(())
}
