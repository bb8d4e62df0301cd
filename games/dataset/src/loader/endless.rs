//! Training positions that are made when they are needed and never stored.
//!
//! An endless dataset has stored positions for validation and test, and a source of games for training. Block `b` takes the
//! games from number `b · 2³²` on, in order, until it has [`BLOCK_ROWS`] positions. So a position's place follows from the
//! step alone, and a run resumes after making one block again.

use super::replay::{Positions, Reading, UNKNOWN, outcome};
use crate::build::{Built, DatasetDescription, SplitPlan};
use crate::derived::Derived;
use crate::error::DatasetError;
use crate::generated::{Label, MadePosition};
use crate::manifest::{Counts, Manifest, MapInfo, Unit};
use crate::playback::Move;
use crate::split::{PerSplit, Split, SplitBy};
use games::{Game, GameKind, InputName, Position as _};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;
use std::ops::{Add, Range};
use std::sync::{Arc, Mutex, PoisonError};

/// Positions that are shuffled together.
pub(super) const BLOCK_ROWS: usize = 16_384;

/// Bits of the number of a game within its block.
const GAME_BITS: u32 = 32;

/// Games that a thread plays at a time.
const CHUNK_GAMES: u64 = 32;

/// Games per position after which a source is taken to be exhausted.
const GAMES_PER_POSITION: u64 = 1000;

/// A source of labelled positions without end.
pub trait Endless: Debug + Send + Sync {
    /// Passes on the positions of a game. They are a function of its number.
    fn play(&self, number: u64, packer: &mut Packer<'_>);
}

#[derive(Debug, Clone)]
pub struct EndlessOptions {
    pub name: String,
    pub game: GameKind,
    /// The source of the positions, in a sentence.
    pub source: String,
    pub licence: String,
    pub made_by: String,
    /// The map of each position, if that is its label.
    pub map: Option<MapInfo>,
    /// Equal for equal sources.
    pub content_hash: String,
}

/// What training positions took to make, in blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationCounts {
    pub games: u64,
    pub positions: u64,
    /// Positions that occur in the validation or test set.
    pub left_out: u64,
    /// Positions that occurred earlier in their block.
    pub repeated: u64,
}

impl GenerationCounts {
    /// The positions of the blocks that hold this number of training positions.
    pub fn whole_blocks(positions: u64) -> u64 {
        let block = BLOCK_ROWS as u64;
        positions.div_ceil(block).saturating_mul(block)
    }
}

impl Add for GenerationCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            games: self.games.saturating_add(other.games),
            positions: self.positions.saturating_add(other.positions),
            left_out: self.left_out.saturating_add(other.left_out),
            repeated: self.repeated.saturating_add(other.repeated),
        }
    }
}

/// The training positions of an endless dataset.
#[derive(Debug)]
pub(super) struct Training {
    source: Arc<dyn Endless>,
    /// The keys of validation and test positions.
    held_out: HashSet<u64>,
    /// What each block took, by its number.
    made: Mutex<BTreeMap<u64, GenerationCounts>>,
}

impl Training {
    /// The manifest and the rows of these validation and test positions, which differ from each other, and the source of
    /// training positions.
    pub(super) fn beside(
        held_out: PerSplit<Vec<MadePosition>>,
        options: &EndlessOptions,
        source: Arc<dyn Endless>,
    ) -> Result<(Manifest, Derived, Self), DatasetError> {
        let policy_from_ply = u16::from(options.map.is_some());
        let PerSplit { validation, test, .. } = held_out;
        let (mut rows, mut keys) = (Vec::with_capacity(validation.len() + test.len()), HashSet::new());
        for (split, positions) in [(Split::Validation, validation), (Split::Test, test)] {
            for made in positions {
                keys.insert(made.key());
                let mut row = made.draft.row;
                row.id = rows.len() as u32;
                row.split = split;
                row.source_file.clone_from(&options.name);
                row.policy_from_ply = policy_from_ply;
                row.seen_in_train = Some(vec![false]);
                rows.push(row);
            }
        }
        let (rows, manifest) = Derived::of_rows(&options.manifest(policy_from_ply), rows)?;
        let manifest = Manifest { content_hash: options.content_hash.clone(), ..manifest };
        Ok((manifest, rows, Self { source, held_out: keys, made: Mutex::default() }))
    }

    /// What the blocks took that begin at one of these positions, as far as they were made here.
    pub(super) fn made(&self, positions: Range<u64>) -> GenerationCounts {
        let [first, end] = [positions.start, positions.end].map(|position| position.div_ceil(BLOCK_ROWS as u64));
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = made.iter().filter(|(number, _)| (first..end).contains(*number));
        blocks.fold(GenerationCounts::default(), |sum, (_, &block)| sum + block)
    }
}

impl EndlessOptions {
    /// The manifest of no rows yet.
    fn manifest(&self, policy_from_ply: u16) -> Manifest {
        let about = DatasetDescription {
            name: self.name.clone(),
            game: self.game,
            unit: Unit::Position,
            source: self.source.clone(),
            licence: self.licence.clone(),
            made_by: self.made_by.clone(),
        };
        let fractions = PerSplit { train: 1.0, validation: 0.0, test: 0.0 };
        let plan = SplitPlan { by: SplitBy::Position, ..SplitPlan::by_game(0, fractions) };
        let manifest = Built::default().describe(about, &plan, Counts::default());
        Manifest { policy_from_ply, map: self.map.clone(), ..manifest }
    }
}

/// Positions that become rows of batches, and their keys.
#[derive(Debug)]
pub struct Packer<'a> {
    input: InputName,
    reading: Reading,
    held_out: &'a HashSet<u64>,
    game: u64,
    out: Positions,
    keys: Vec<u64>,
    left_out: u64,
}

impl Packer<'_> {
    /// Adds a position, unless it is a validation or test position.
    pub fn push<G: Game>(&mut self, position: &G::Position, label: Label<Move<G>>) {
        let key = position.repetition_key();
        if self.held_out.contains(&key) {
            self.left_out += 1;
            return;
        }
        self.keys.push(key);
        let (input, moves, out) = (self.input, self.reading.moves, &mut self.out);
        let row = out.packed.len();
        out.packed.resize(row + out.row_bytes, 0);
        position.pack(input, 0, &mut out.packed[row..]);
        let index = |mv: Move<G>| position.label(mv, moves, input.frame());
        out.legal.extend(position.list_moves().into_iter().map(index));
        out.legal_end.push(out.legal.len() as u32);
        let (mut result, mut value) = (UNKNOWN, f32::NAN);
        match label {
            Label::Moves { right, decided } => {
                let share = 1.0 / right.len() as f32;
                out.policy.extend(right.into_iter().map(|mv| (index(mv), share)));
                if let Some(decided) = decided {
                    (result, value) = (outcome(decided.result, position.side_to_move()), decided.value);
                }
            }
            Label::Map { labels, .. } => {
                out.map_cells = labels.len();
                out.map.extend(labels);
            }
        }
        out.policy_end.push(out.policy.len() as u32);
        out.outcome.push(result);
        out.value.push(value);
        out.phase.push(position.phase() as u8);
        out.game.push(self.game as u32);
        out.ply.push(0);
        out.novel.push(false);
    }
}

/// The positions of a block in chunks, and the chunk and row of those that count.
type MadePositions = (Vec<Positions>, Vec<(u32, u32)>);

impl Training {
    /// The positions of a block in chunks, and the places of those that count, in the order of their games. In the
    /// current pool of several threads, or in this thread alone.
    pub(super) fn block(
        &self,
        number: u64,
        dataset: &Manifest,
        reading: Reading,
        input: InputName,
        threads: usize,
    ) -> Result<MadePositions, DatasetError> {
        let first = number << GAME_BITS;
        let most = GAMES_PER_POSITION * BLOCK_ROWS as u64;
        let (mut chunks, mut places) = (Vec::new(), Vec::with_capacity(BLOCK_ROWS));
        let mut known = HashSet::with_capacity(BLOCK_ROWS);
        let (mut next, mut took) = (0, GenerationCounts::default());
        while places.len() < BLOCK_ROWS {
            if next >= most {
                let (name, found) = (&dataset.name, places.len());
                let reason = format!("{most} games of \"{name}\" give {found} positions: take another task");
                return Err(DatasetError::Option { option: "generate", reason });
            }
            let starts: Vec<u64> = (0..threads as u64).map(|i| first + next + i * CHUNK_GAMES).collect();
            next += threads as u64 * CHUNK_GAMES;
            let play = |start: u64| self.chunk(start, dataset.game, reading, input);
            let made: Vec<Packer<'_>> = match threads {
                1 => starts.into_iter().map(play).collect(),
                _ => starts.into_par_iter().map(play).collect(),
            };
            for Packer { out, keys, left_out, .. } in made {
                if places.len() == BLOCK_ROWS {
                    break;
                }
                let before = places.len();
                let new =
                    (0..).zip(&keys).filter(|(_, key)| known.insert(**key)).map(|(i, _)| (chunks.len() as u32, i));
                places.extend(new);
                took.games += CHUNK_GAMES;
                took.left_out += left_out;
                took.repeated += (keys.len() + before - places.len()) as u64;
                places.truncate(BLOCK_ROWS);
                chunks.push(out);
            }
        }
        took.positions = places.len() as u64;
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(number, took);
        Ok((chunks, places))
    }

    /// The positions of a chunk of games.
    fn chunk(&self, start: u64, game: GameKind, reading: Reading, input: InputName) -> Packer<'_> {
        let row_bytes = game.input(input).row_bytes();
        let mut packer = Packer {
            input,
            reading,
            held_out: &self.held_out,
            game: start,
            out: Positions { row_bytes, ..Positions::default() },
            keys: Vec::new(),
            left_out: 0,
        };
        for number in start..start + CHUNK_GAMES {
            packer.game = number;
            self.source.play(number, &mut packer);
        }
        packer
    }
}
