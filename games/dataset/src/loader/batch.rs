//! A batch of packed positions and their targets.

use super::replay::Positions;
use games::{GameKind, InputName};

/// `size` positions, every list in the same order. `V` is the size of the game's `from_to` vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// How many positions.
    pub size: usize,
    /// Bytes of a packed row, see [`games::InputLayout`].
    pub row_bytes: usize,
    /// `[size × row_bytes]`: packed rows.
    pub packed: Vec<u8>,
    /// `[size × ⌈V/8⌉]`: the legal moves as bits, the lowest bit first.
    pub legal: Vec<u8>,
    /// How many policy targets a position has at most; 1 where every target is the move played.
    pub candidates: usize,
    /// `[size × candidates]`: policy indices, −1 for padding and where a position has no policy target.
    pub policy_index: Vec<i64>,
    /// `[size × candidates]`: their probabilities, 0 where the index is −1.
    pub policy_prob: Vec<f32>,
    /// `[size]`: 0 win, 1 draw, 2 loss of the side to move; −1 unknown.
    pub outcome: Vec<i64>,
    /// `[size]`: winning probability of the side to move; NaN where there is none.
    pub value: Vec<f32>,
    /// `[size]`: index in [`games::Phase::ALL`].
    pub phase: Vec<u8>,
    /// `[size]`: the game's id in the dataset: what positions are clustered by.
    pub game: Vec<u32>,
    /// `[size]`: the ply, from 0.
    pub ply: Vec<u16>,
    /// `[size]`: whether the position occurs in no training game. False in training.
    pub novel: Vec<bool>,
}

impl Batch {
    /// An empty batch with room for `capacity` positions.
    pub(super) fn with_capacity(game: GameKind, input: InputName, capacity: usize) -> Self {
        let row_bytes = game.input(input).row_bytes();
        Self {
            size: 0,
            row_bytes,
            packed: Vec::with_capacity(capacity * row_bytes),
            legal: Vec::with_capacity(capacity * legal_bytes(game)),
            candidates: 1,
            policy_index: Vec::with_capacity(capacity),
            policy_prob: Vec::with_capacity(capacity),
            outcome: Vec::with_capacity(capacity),
            value: Vec::with_capacity(capacity),
            phase: Vec::with_capacity(capacity),
            game: Vec::with_capacity(capacity),
            ply: Vec::with_capacity(capacity),
            novel: Vec::with_capacity(capacity),
        }
    }

    /// Adds the `i`-th of these positions; `legal_bytes` as [`legal_bytes`] gives it.
    pub(super) fn push(&mut self, positions: &Positions, i: usize, legal_bytes: usize) {
        self.packed.extend_from_slice(positions.packed_row(i));
        let mask = self.legal.len();
        self.legal.resize(mask + legal_bytes, 0);
        let mask = &mut self.legal[mask..];
        for &index in positions.legal_moves(i) {
            mask[usize::from(index) / 8] |= 1 << (index % 8);
        }
        self.push_targets(positions.targets(i));
        self.outcome.push(positions.outcome[i].into());
        self.value.push(positions.value[i]);
        self.phase.push(positions.phase[i]);
        self.game.push(positions.game[i]);
        self.ply.push(positions.ply[i]);
        self.novel.push(positions.novel[i]);
        self.size += 1;
    }

    fn push_targets(&mut self, targets: &[(u16, f32)]) {
        if targets.len() > self.candidates {
            self.widen(targets.len());
        }
        self.policy_index.extend(targets.iter().map(|&(index, _)| i64::from(index)));
        self.policy_prob.extend(targets.iter().map(|&(_, probability)| probability));
        let filled = (self.size + 1) * self.candidates;
        self.policy_index.resize(filled, -1);
        self.policy_prob.resize(filled, 0.0);
    }

    /// Makes room for more targets in every position.
    fn widen(&mut self, candidates: usize) {
        self.policy_index = widened(&self.policy_index, self.candidates, candidates, -1);
        self.policy_prob = widened(&self.policy_prob, self.candidates, candidates, 0.0);
        self.candidates = candidates;
    }
}

fn widened<T: Copy>(rows: &[T], from: usize, to: usize, padding: T) -> Vec<T> {
    let padded = |row: &[T]| row.iter().copied().chain(std::iter::repeat_n(padding, to - from)).collect::<Vec<_>>();
    rows.chunks(from).flat_map(padded).collect()
}

/// Bytes of a mask over a game's moves.
pub(super) fn legal_bytes(game: GameKind) -> usize {
    game.from_to().len().div_ceil(8)
}
