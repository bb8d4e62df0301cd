//! A batch of packed positions and their targets.

use super::dataset::Dataset;
use super::replay::{NO_PLY, Positions};
use super::targets::TargetLists;
use games::{InputLayout, InputName};

/// `size` positions, in the same order in every list. `V` is the size of the [vocabulary](super::Dataset::set_moves) of
/// the dataset's moves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    pub size: usize,
    /// Bytes of a packed row, see [`games::InputLayout`], with the played move if rows form sequences.
    pub row_bytes: usize,
    /// `[size × row_bytes]`: packed rows.
    pub packed: Vec<u8>,
    /// `[size × ⌈V/8⌉]`: the legal moves as bits, the lowest bit first.
    pub legal: Vec<u8>,
    /// The largest number of policy targets of a position; 1 if every target is the played move.
    pub candidates: usize,
    /// `[size × candidates]`: policy indices, −1 for padding and for positions without a policy target.
    pub policy_index: Vec<i64>,
    /// `[size × candidates]`: their probabilities, 0 where the index is −1.
    pub policy_prob: Vec<f32>,
    /// `[size]`: 0 win, 1 draw, 2 loss of the side to move; −1 unknown.
    pub outcome: Vec<i64>,
    /// `[size]`: winning probability of the side to move (a draw is half a win); NaN if unknown. The stored value,
    /// unless another [target](super::Targets::value) was requested.
    pub value: Vec<f32>,
    /// `[size]`, or empty unless [requested](super::Targets), like the next three: draw probability; NaN if unknown.
    pub draw: Vec<f32>,
    /// `[size]`: winning probability of the side to move, averaged over the following plies
    /// ([`short_term`](crate::value::short_term)); NaN if unknown.
    pub short_term: Vec<f32>,
    /// `[size]`: draw probability, averaged likewise; NaN if unknown.
    pub short_term_draw: Vec<f32>,
    /// `[size]`: moves to the end of the game, including this position's; NaN if the end is unknown (single positions,
    /// games that were cut off).
    pub plies_left: Vec<f32>,
    /// `[size]`, or empty unless requested: the points of the side to move, 1, ½ or 0, the mean if games were merged;
    /// NaN if the result is unknown.
    pub points: Vec<f32>,
    /// `[size]`, or empty unless requested: the rights of castling and en passant after the played move, as bits in the
    /// order of [`games::chess::rights`]; −1 if that move is not a policy target.
    pub rights: Vec<i64>,
    /// `[size × 2·⌈V/8⌉]`, or empty unless requested, as bits: the legal moves after which the position occurred
    /// before, then those after which it occurred twice before.
    pub repeats: Vec<u8>,
    /// `[size]`: the place of the phase in [`games::Phase::ALL`].
    pub phase: Vec<u8>,
    /// `[size]`: the id of the game, by which positions are clustered; of several positions of one game the id of the first row.
    pub game: Vec<u32>,
    /// `[size]`: the ply, from 0; [`Self::NO_PLY`] in padding.
    pub ply: Vec<u16>,
    /// `[size]`: whether the position occurs in no training game. False in training.
    pub novel: Vec<bool>,
    /// Cells of the dataset's map, see [`crate::MapInfo`]; 0 without a map.
    pub map_cells: usize,
    /// `[size × map_cells]`: labels, −1 for cells without a label. Cells are squares or pairs of squares (`from ·
    /// squares + to`) in the frame of the side to move, like the input's tokens.
    pub map: Vec<i8>,
}

impl Batch {
    pub const NO_PLY: u16 = NO_PLY;

    /// Whether a row is padding: it has no target and is not counted.
    pub fn is_padding(&self, row: usize) -> bool {
        self.ply[row] == Self::NO_PLY
    }

    /// An empty batch with capacity for `capacity` positions.
    pub(super) fn with_capacity(dataset: &Dataset, input: InputName, capacity: usize) -> Self {
        let played = if dataset.sequence() > 1 { InputLayout::MOVE_BYTES } else { 0 };
        let row_bytes = dataset.game().input(input).row_bytes() + played;
        Self {
            row_bytes,
            packed: Vec::with_capacity(capacity * row_bytes),
            legal: Vec::with_capacity(capacity * dataset.legal_bytes()),
            candidates: 1,
            policy_index: Vec::with_capacity(capacity),
            policy_prob: Vec::with_capacity(capacity),
            outcome: Vec::with_capacity(capacity),
            value: Vec::with_capacity(capacity),
            phase: Vec::with_capacity(capacity),
            game: Vec::with_capacity(capacity),
            ply: Vec::with_capacity(capacity),
            novel: Vec::with_capacity(capacity),
            ..Self::default()
        }
    }

    /// Adds the `i`-th of these positions; `legal_bytes` is [`Dataset::legal_bytes`].
    pub(super) fn push(&mut self, positions: &Positions, i: usize, legal_bytes: usize) {
        self.packed.extend_from_slice(positions.packed_row(i));
        let mask = self.legal.len();
        self.legal.resize(mask + legal_bytes, 0);
        let mask = &mut self.legal[mask..];
        for &index in positions.legal_moves(i) {
            set_bit(mask, index);
        }
        self.push_of_moves(positions, i, legal_bytes);
        self.push_targets(positions.targets(i));
        self.outcome.push(positions.outcome[i].into());
        self.value.push(positions.value[i]);
        self.push_further(&positions.further, i);
        self.phase.push(positions.phase[i]);
        self.game.push(positions.game[i]);
        self.ply.push(positions.ply[i]);
        self.novel.push(positions.novel[i]);
        self.map_cells = positions.map_cells;
        self.map.extend_from_slice(positions.map_row(i));
        self.size += 1;
    }

    /// Adds the requested targets about the position's moves.
    fn push_of_moves(&mut self, positions: &Positions, i: usize, legal_bytes: usize) {
        self.rights.extend(positions.rights.get(i));
        if positions.repeats.is_empty() {
            return;
        }
        let start = self.repeats.len();
        self.repeats.resize(start + 2 * legal_bytes, 0);
        for (index, times) in positions.repeated_moves(i) {
            for plane in 0..usize::from(times.min(2)) {
                set_bit(&mut self.repeats[start + plane * legal_bytes..], index);
            }
        }
    }

    /// Adds the requested further targets; other lists are empty.
    fn push_further(&mut self, from: &TargetLists, i: usize) {
        let own =
            [&mut self.draw, &mut self.short_term, &mut self.short_term_draw, &mut self.plies_left, &mut self.points];
        own.into_iter().zip(from).for_each(|(own, from)| own.extend(from.get(i)));
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

    /// Increases the number of targets per position.
    fn widen(&mut self, candidates: usize) {
        self.policy_index = widened(&self.policy_index, self.candidates, candidates, -1);
        self.policy_prob = widened(&self.policy_prob, self.candidates, candidates, 0.0);
        self.candidates = candidates;
    }
}

fn set_bit(mask: &mut [u8], index: u16) {
    mask[usize::from(index) / 8] |= 1 << (index % 8);
}

fn widened<T: Copy>(rows: &[T], from: usize, to: usize, padding: T) -> Vec<T> {
    let padded = |row: &[T]| row.iter().copied().chain(std::iter::repeat_n(padding, to - from)).collect::<Vec<_>>();
    rows.chunks(from).flat_map(padded).collect()
}
