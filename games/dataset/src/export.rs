//! Export of datasets to other programs' formats.
//!
//! What is kept and what is lost:
//!
//! | to | keeps | loses |
//! |---|---|---|
//! | PGN | start, moves, result, ending, ratings, time control, values as `[%eval]`, clocks, times | soft policies, draw probabilities, marks of filters, `policy_from_ply`, file and number of the source |
//! | HCPE | position, move, score, result | the ply, the game's boundaries, soft policies; games without a result |
//! | HCPE3 | start, moves, scores, soft policies as visits, result, repetition, declaration and cap on the plies | other endings, ratings, times, who played; games without a result, unless a cap cut them off; starts with missing pieces |
//! | PSV | the same with the ply | the game's boundaries, soft policies; games without a result |
//!
//! Scores are computed from values by the inverse of the dataset's curve, rounded to whole points. If the values came
//! from scores, these are exact up to 6,000 points in shogi or 2,000 in chess; beyond that, a value in f32 is too
//! coarse, and a mate becomes ±30,000, but values read from the export are unchanged. Values that were not scores
//! (Lc0's) are rounded. PGN cannot express a cap on the plies (`unterminated`) or a draw by agreement. Positions that a
//! format cannot express are left out and counted.
//!
//! In HCPE3 the move played has one visit where nothing else is known. Moves that are not policy targets, or that a filter
//! removed, have no candidates: dlshogi does not train on such positions.

use crate::error::DatasetError;
use crate::folder::DatasetFolder;
use crate::manifest::Manifest;
use crate::split::Split;
use crate::store::{GameRow, GameRows};
use games::chess::pgn::{self, PlyNotes};
use games::shogi::{Board, Shogi, hcpe::Hcpe, hcpe3, psv::Psv};
use games::{GameKind, IllegalMove, Position as _};
use std::io::Write;
use std::path::Path;

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ExportFormat {
        Pgn = "pgn",
        Hcpe = "hcpe",
        Hcpe3 = "hcpe3",
        Psv = "psv",
    }
}

impl ExportFormat {
    /// Whether it holds games, not single positions.
    pub const fn holds_games(self) -> bool {
        matches!(self, Self::Pgn | Self::Hcpe3)
    }

    const fn game(self) -> GameKind {
        match self {
            Self::Pgn => GameKind::Chess,
            Self::Hcpe | Self::Hcpe3 | Self::Psv => GameKind::Shogi,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    /// Games, or positions in formats of positions.
    pub written: u64,
    /// Games or positions that the format cannot express: without a result, or from a position that has no code.
    pub left_out: u64,
}

/// The largest exported score; programs treat larger ones as mates.
const MOST: f64 = 30_000.0;

/// Writes the rows of these splits, in the order of their ids.
pub fn export(
    source: &DatasetFolder,
    splits: &[Split],
    format: ExportFormat,
    out: &mut dyn Write,
    path: &Path,
) -> Result<Exported, DatasetError> {
    let manifest = &source.manifest;
    if format.game() != manifest.game {
        let games = (format.game().name(), manifest.game.name());
        let reason = format!("{} holds {}, and {} is of {}", format.name(), games.0, manifest.name, games.1);
        return Err(DatasetError::Option { option: "format", reason });
    }
    manifest.verify_shards(&source.dir)?;
    let mut done = Exported::default();
    for row in RowsById::new(source, splits) {
        let row = row?;
        let bytes = match format {
            ExportFormat::Pgn => {
                done.written += 1;
                game_as_pgn(manifest, &row)?.into_bytes()
            }
            ExportFormat::Hcpe3 => game_as_hcpe3(manifest, &row, &mut done)?,
            ExportFormat::Hcpe | ExportFormat::Psv => positions(manifest, &row, format, &mut done)?,
        };
        out.write_all(&bytes).map_err(DatasetError::io("write", path))?;
    }
    out.flush().map_err(DatasetError::io("write", path))?;
    Ok(done)
}

/// The rows of some splits in the order of their ids, a few in memory at a time: within a split, rows are stored in
/// this order.
struct RowsById<'a> {
    splits: Vec<std::iter::Peekable<GameRows<'a>>>,
}

impl<'a> RowsById<'a> {
    fn new(source: &'a DatasetFolder, splits: &[Split]) -> Self {
        let of = |&split: &Split| {
            let rows = source.manifest.rows(&source.dir);
            let own = rows.filter(move |row| row.as_ref().map_or(true, |row| row.split == split));
            (Box::new(own) as GameRows<'a>).peekable()
        };
        Self { splits: splits.iter().map(of).collect() }
    }
}

impl Iterator for RowsById<'_> {
    type Item = Result<GameRow, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        // An error comes before every row.
        let id = |row: &Result<GameRow, DatasetError>| row.as_ref().map_or(0, |row| u64::from(row.id) + 1);
        let heads = self.splits.iter_mut().enumerate().filter_map(|(i, rows)| Some((id(rows.peek()?), i)));
        let (_, first) = heads.min()?;
        self.splits[first].next()
    }
}

fn game_as_pgn(manifest: &Manifest, row: &GameRow) -> Result<String, DatasetError> {
    let at = |column: &Option<Vec<Option<f32>>>, ply: usize| column.as_ref().and_then(|column| column[ply]);
    let noted: Vec<PlyNotes> = (0..usize::from(row.plies))
        .map(|ply| {
            let eval = row.value[ply].map(|value| score(manifest, value));
            PlyNotes { eval, clock: at(&row.clock, ply), time: at(&row.time, ply) }
        })
        .collect();
    let round = (u64::from(row.id) + 1).to_string();
    let [white, black] = row.ratings.map(|rating| rating.map(|rating| rating.to_string()));
    let tags = [
        ("Event", Some(manifest.name.as_str())),
        ("Round", Some(&round)),
        ("WhiteElo", white.as_deref()),
        ("BlackElo", black.as_deref()),
        ("TimeControl", row.time_control.as_deref()),
        ("Termination", pgn::termination_tag(row.result, row.termination)),
    ];
    let tags: Vec<(&str, &str)> = tags.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    pgn::write(row.start.as_deref(), row.moves.split_ascii_whitespace(), row.result, &tags, &noted)
        .map_err(|(ply, reason)| DatasetError::BadGame { game: row.id, ply, reason })
}

/// The score of a value, from the side to move's view.
fn score(manifest: &Manifest, value: f32) -> f64 {
    let value = f64::from(value);
    let points = (value / (1.0 - value)).ln() / manifest.value_curve.per_point;
    points.clamp(-MOST, MOST).round()
}

/// The score of a ply; 0 if its value is unknown.
fn points(manifest: &Manifest, row: &GameRow, ply: usize) -> i16 {
    row.value[ply].map_or(0.0, |value| score(manifest, value)) as i16
}

/// The game, or nothing if the format cannot express it.
fn game_as_hcpe3(manifest: &Manifest, row: &GameRow, done: &mut Exported) -> Result<Vec<u8>, DatasetError> {
    let (mut start, mut turns, mut wrong) = (None, Vec::new(), None);
    row.play_through::<Shogi>(|line, mv| {
        let (position, ply) = (line.position(), line.plies());
        start.get_or_insert_with(|| Board::of(position));
        let known = row.candidates(ply);
        let searched: Result<Vec<_>, IllegalMove> = if !row.is_policy_target(ply) {
            Ok(Vec::new())
        } else if known.is_empty() {
            Ok(vec![(mv, 1)])
        } else {
            let shares: Vec<f32> = known.iter().map(|&(_, share)| share).collect();
            let moves = known.iter().map(|(text, _)| position.parse_move(text));
            moves.zip(visits_of(&shares)).map(|(mv, visits)| Ok((mv?, visits))).collect()
        };
        match searched {
            Ok(searched) => turns.push(hcpe3::Turn::new(mv, points(manifest, row, ply), searched)),
            Err(error) => wrong = wrong.take().or(Some((ply, error))),
        }
    })?;
    if let Some((ply, error)) = wrong {
        return Err(DatasetError::BadGame { game: row.id, ply, reason: error.to_string() });
    }
    let game = start.and_then(|start| hcpe3::Game::new(&start, row.result, row.termination, turns).ok());
    let bytes = game.and_then(|game| game.write());
    match &bytes {
        Some(_) => done.written += 1,
        None => done.left_out += 1,
    }
    Ok(bytes.unwrap_or_default())
}

fn positions(
    manifest: &Manifest,
    row: &GameRow,
    format: ExportFormat,
    done: &mut Exported,
) -> Result<Vec<u8>, DatasetError> {
    let mut bytes = Vec::new();
    let first_ply = row.start.as_deref().and_then(ply_of).unwrap_or(1);
    row.play_through::<Shogi>(|line, mv| {
        let (position, ply) = (line.position(), line.plies());
        if !row.is_used(ply) {
            return;
        }
        let board = Board::of(position);
        let points = points(manifest, row, ply);
        let number = first_ply.saturating_add(ply as u16);
        let packed = match format {
            ExportFormat::Hcpe => Hcpe::new(&board, mv, points, row.result).map(|record| record.write().to_vec()),
            _ => Psv::new(&board, mv, points, number, row.result).map(|record| record.write().to_vec()),
        };
        match packed {
            Ok(record) => {
                done.written += 1;
                bytes.extend(record);
            }
            Err(_) => done.left_out += 1,
        }
    })?;
    Ok(bytes)
}

/// The move number at the end of an SFEN.
fn ply_of(start: &str) -> Option<u16> {
    start.rsplit_once(' ')?.1.parse().ok()
}

/// The smallest numbers of visits that are read again as these shares: by [`games::shogi::hcpe3::parse`] alone, or by an
/// import, which scales shares to the sum 1. If 65,535 visits or fewer do not have these shares, they are rounded.
fn visits_of(shares: &[f32]) -> Vec<u16> {
    let sum = (1..=u16::MAX).find(|&sum| gives_shares(shares, sum)).unwrap_or(u16::MAX);
    counts(shares, sum).map(|count| count as u16).collect()
}

fn counts(shares: &[f32], sum: u16) -> impl Iterator<Item = f64> {
    shares.iter().map(move |&share| (f64::from(share) * f64::from(sum)).round())
}

fn gives_shares(shares: &[f32], sum: u16) -> bool {
    const ROUNDING: f64 = 1e-4;
    let near = |(&share, count): (&f32, f64)| (f64::from(share) * f64::from(sum) - count).abs() <= ROUNDING * count;
    // Most sums fail at the first move.
    if !shares.iter().zip(counts(shares, sum)).all(near) || counts(shares, sum).sum::<f64>() != f64::from(sum) {
        return false;
    }
    let read: Vec<f32> = counts(shares, sum).map(|count| (count / f64::from(sum)) as f32).collect();
    let total: f32 = read.iter().sum();
    read == shares || read.iter().map(|share| share / total).eq(shares.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::visits_of;

    fn shares(visits: &[u16]) -> Vec<f32> {
        let sum: f64 = visits.iter().copied().map(f64::from).sum();
        visits.iter().map(|&visits| (f64::from(visits) / sum) as f32).collect()
    }

    #[test]
    fn shares_of_visits_come_back_to_the_bit() {
        for visits in [&[1][..], &[3, 1], &[800, 150, 49, 1], &[601, 97, 11, 7, 5, 3], &[1; 593], &[40_000, 25_534, 1]]
        {
            assert_eq!(visits_of(&shares(visits)), visits);
            // As an import stores them.
            let total: f32 = shares(visits).iter().sum();
            let stored: Vec<f32> = shares(visits).iter().map(|share| share / total).collect();
            assert_eq!(visits_of(&stored), visits);
        }
        assert_eq!(visits_of(&shares(&[30, 10])), [3, 1], "the fraction is what is kept");
        let of_engines = [512.0 / 1024.0, 511.0 / 1024.0, 1.0 / 1024.0];
        assert_eq!(visits_of(&of_engines), [512, 511, 1]);
    }

    #[test]
    fn other_shares_are_rounded() {
        let uneven = [0.7, 0.299_999, 0.000_001];
        let visits = visits_of(&uneven);
        let sum: f64 = visits.iter().copied().map(f64::from).sum();
        for (visits, share) in visits.iter().zip(uneven) {
            assert!((f64::from(*visits) / sum - f64::from(share)).abs() < 1.0 / 65_535.0, "{visits} for {share}");
        }
    }
}
