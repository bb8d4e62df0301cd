//! Datasets of games that a program of ours made, instead of records that were found.
//!
//! Such games come with more than records tell: how many of their plies were not chosen, and the moves that were
//! weighed at each ply. They are split, sharded and described as imported ones are. Single positions that were made
//! become rows of one ply ([`write_positions`]), also where a
//! map of the board is their label ([`write_maps`]).

mod positions;

pub use positions::{MappedPosition, write_maps, write_positions};

use crate::build::{About, Added, Builder, Draft, Output, SplitPlan, fingerprint};
use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest, MapInfo, Unit};
use crate::playback::{Stuck, play_through};
use crate::store::GameRow;
use crate::value::ValueCurve;
use games::{Game, GameKind, ParsedGame, Position as _, RejectKind, with_game};
use std::path::PathBuf;

/// A game, its number among those that were made, and the first ply whose move is a policy target.
#[derive(Debug, Clone)]
pub struct MadeGame {
    /// The game; its candidates are legal and their probabilities sum to 1.
    pub game: ParsedGame,
    /// Its number.
    pub number: u64,
    /// Earlier moves came from a book or were played at random.
    pub policy_from_ply: u16,
}

/// What is to be written and how it is described.
#[derive(Debug, Clone)]
pub struct MadeOptions {
    /// The dataset's folder, which must not exist yet.
    pub output: PathBuf,
    /// The dataset's name.
    pub name: String,
    /// The game.
    pub game: GameKind,
    /// Who made the games, in the column `source_file`.
    pub maker: String,
    /// Where the games come from, in a sentence.
    pub source: String,
    /// Under which licence they may be used.
    pub licence: String,
    /// The command that makes them again.
    pub made_by: String,
    /// The shares of the splits.
    pub split: SplitPlan,
}

/// Writes games as a new dataset. Games with the start and moves of an earlier one are counted and left out, and so are
/// games without moves. The manifest's `policy_from_ply` is the least of the games'.
///
/// # Errors
/// If `games` gives one, an option makes no sense, the target exists, a game has an illegal move, no game is left, or
/// the disk is full.
pub fn write_made<E: From<DatasetError>>(
    options: &MadeOptions,
    games: impl IntoIterator<Item = Result<MadeGame, E>>,
) -> Result<Manifest, E> {
    options.split.check(Unit::Game)?;
    let output = Output::create(&options.output)?;
    let mut builder = Builder::new(output.dir(), &options.split)?;
    let mut counts = Counts::default();
    let mut policy_from_ply = u16::MAX;
    for game in games {
        let game = game?;
        counts.read += 1;
        if game.game.moves.is_empty() {
            counts.rejected += 1;
            *counts.rejected_by_kind.entry(RejectKind::NoMoves.name().to_owned()).or_default() += 1;
            continue;
        }
        policy_from_ply = policy_from_ply.min(game.policy_from_ply);
        let draft = with_game!(options.game, G => draft::<G>(game, &options.maker))?;
        if let Added::Duplicate(_) = builder.add(draft)? {
            counts.duplicates += 1;
        }
    }
    let manifest = describe(options, Unit::Game, builder, counts, policy_from_ply, None)?;
    output.publish(&manifest)?;
    Ok(manifest)
}

/// Plays a game through, from the text that will be stored.
fn draft<G: Game>(made: MadeGame, maker: &str) -> Result<Draft, DatasetError> {
    let MadeGame { game, number, policy_from_ply } = made;
    let too_long = |plies: usize| DatasetError::Option {
        option: "games",
        reason: format!("game {number} has {plies} plies, and a dataset holds at most {}", u16::MAX),
    };
    let plies = u16::try_from(game.moves.len()).map_err(|_| too_long(game.moves.len()))?;
    let (moves, curve) = (game.moves.join(" "), ValueCurve::of(G::KIND));
    let (mut value, mut keys) = (Vec::with_capacity(game.moves.len()), Vec::with_capacity(game.moves.len()));
    play_through::<G>(game.start.as_deref(), &moves, |line, _| {
        let score = game.scores.get(line.plies()).copied().flatten();
        value.push(score.map(|score| curve.win_probability(score, line.position().side_to_move())));
        keys.push(line.position().repetition_key());
    })
    .map_err(|Stuck { ply, reason }| DatasetError::BadGame { game: number as u32, ply, reason })?;
    let weighed = game.candidates.iter().any(|candidates| !candidates.is_empty());
    let row = GameRow {
        plies,
        result: game.result,
        termination: game.termination,
        policy_from_ply,
        value,
        ratings: game.ratings,
        policy: weighed.then_some(game.candidates),
        draw: game.draws.iter().any(Option::is_some).then_some(game.draws),
        start: game.start,
        moves,
        ..GameRow::from_source(maker, number)
    };
    let fingerprint = Some(fingerprint(row.start.as_deref(), &row.moves));
    Ok(Draft { row, keys, fingerprint, together: None })
}

fn describe(
    options: &MadeOptions,
    unit: Unit,
    builder: Builder<'_>,
    counts: Counts,
    policy_from_ply: u16,
    map: Option<MapInfo>,
) -> Result<Manifest, DatasetError> {
    if builder.kept() == 0 {
        let format = options.game.name().to_owned();
        return Err(DatasetError::NothingKept { read: counts.read, format, first: None, filtered: 0 });
    }
    let about = About {
        name: options.name.clone(),
        game: options.game,
        unit,
        source: options.source.clone(),
        licence: options.licence.clone(),
        made_by: options.made_by.clone(),
    };
    Ok(Manifest { policy_from_ply, map, ..builder.finish()?.describe(about, counts) })
}
