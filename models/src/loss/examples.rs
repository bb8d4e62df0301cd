//! Examples on a device: packed positions, their moves, and the targets of heads.

use super::{PolicyTargets, Targets, expand_mask, known, value_shares_present};
use crate::layers::input::predicts_board;
use facts::Target;
use tch::{Kind, Tensor};

/// A column of a batch. `b` is the number of positions, `v` the size of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Packed rows `[b,row]`, u8.
    Packed,
    /// Legal moves as bits `[b,⌈v/8⌉]`, u8, the lowest bit first.
    Legal,
    /// Vocabulary indices of the policy's targets `[b,k]`, i64; −1 for none.
    PolicyIndex,
    /// Their probabilities `[b,k]`, f32.
    PolicyProb,
    /// The game's result `[b]`, i64: 0 win, 1 draw, 2 loss of the side to move, −1 unknown.
    Outcome,
    /// Winning probability of the side to move `[b]`, f32; NaN where there is none.
    Value,
    /// The same averaged over the plies to come `[b]`, f32; NaN where there is none.
    ShortTerm,
    /// Moves to the end of the game `[b]`, f32; NaN where it is unknown.
    MovesLeft,
    /// Points of the side to move `[b]`, f32: 0, ½ or 1, or a mean of these; NaN where the result is unknown.
    Points,
    /// Probability of a draw `[b]`, f32; NaN where there is none.
    Draw,
    /// Labels of the dataset's map `[b,cells]`, i8; −1 where there is none. No cells in a dataset without a map.
    Map,
    /// Rights after the move played as bits `[b]`, i64; −1 where they are unknown.
    Rights,
    /// Legal moves that lead to a position that occurred once before, then twice before, as bits `[b,2·⌈v/8⌉]`, u8; no
    /// columns where they were not requested.
    Repeats,
}

impl Column {
    /// Every column, in the order of declaration.
    pub const ALL: [Self; Self::Repeats as usize + 1] = [
        Self::Packed,
        Self::Legal,
        Self::PolicyIndex,
        Self::PolicyProb,
        Self::Outcome,
        Self::Value,
        Self::ShortTerm,
        Self::MovesLeft,
        Self::Points,
        Self::Draw,
        Self::Map,
        Self::Rights,
        Self::Repeats,
    ];
}

pub(crate) const DRAWN: f64 = 0.5;

/// How rows of a batch form sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequence {
    /// Rows of a sequence; 1 for single positions.
    pub plies: i64,
    /// Tokens of a board.
    pub tokens: i64,
}

/// How often a position can have occurred before, as far as [`Column::Repeats`] tells.
const REPEATS: usize = 2;

/// A batch of examples. Rows stay packed and legal moves stay bits until they are needed.
#[derive(Debug)]
pub struct Examples {
    columns: Vec<Tensor>,
}

impl Examples {
    /// From its columns, each as [`Column`] describes it.
    pub fn new<E>(column: impl FnMut(Column) -> Result<Tensor, E>) -> Result<Self, E> {
        Ok(Self { columns: Column::ALL.into_iter().map(column).collect::<Result<_, _>>()? })
    }

    /// A column, of the shape and type that [`Column`] names.
    pub fn get(&self, column: Column) -> &Tensor {
        &self.columns[column as usize]
    }

    /// How many positions there are.
    pub fn rows(&self) -> i64 {
        self.get(Column::Packed).size()[0]
    }

    /// `len` positions from `start` on, as views.
    pub fn narrow(&self, start: i64, len: i64) -> Self {
        Self { columns: self.columns.iter().map(|column| column.narrow(0, start, len)).collect() }
    }

    /// Which of them have a target, bool `[b]` or `[b,cells]`.
    pub fn present(&self, target: Target, sequence: Sequence) -> Tensor {
        let of = |column| self.get(column);
        match target {
            Target::Policy => self.policy().present(),
            Target::Outcome => of(Column::Outcome).ge(0),
            Target::Points => known(of(Column::Points)),
            Target::DecidedPoints => known(of(Column::Points)).logical_and(&of(Column::Points).ne(DRAWN)),
            Target::Value => known(of(Column::Value)),
            Target::ValueShares => value_shares_present(of(Column::Value), of(Column::Draw)),
            Target::ShortTerm => known(of(Column::ShortTerm)),
            Target::MovesLeft => known(of(Column::MovesLeft)),
            Target::MapCells => of(Column::Map).ge(0),
            Target::MapCellsAboveZero => of(Column::Map).gt(0),
            Target::MapCellsOfZero => of(Column::Map).eq(0),
            Target::BoardTokens => {
                let asked_b = predicts_board(of(Column::Packed), sequence.plies);
                asked_b.unsqueeze(1).expand([self.rows(), sequence.tokens], false)
            }
            Target::Rights => of(Column::Rights).ge(0),
        }
    }

    /// Legal moves, bool `[b,v]`.
    pub fn legal(&self, moves: usize) -> Tensor {
        expand_mask(self.get(Column::Legal), moves)
    }

    /// How often the position after each move occurred before, i64 `[b,v]`; zeros where it is unknown.
    pub fn repeated(&self, moves: usize) -> Tensor {
        let repeats = self.get(Column::Repeats);
        let bytes = repeats.size()[1] / REPEATS as i64;
        if bytes == 0 {
            return Tensor::zeros([self.rows(), moves as i64], (Kind::Int64, repeats.device()));
        }
        let plane = |times: usize| expand_mask(&repeats.narrow(1, times as i64 * bytes, bytes), moves);
        (0..REPEATS).map(|times| plane(times).to_kind(Kind::Int64)).reduce(|sum, plane| sum + plane).unwrap_or_default()
    }

    /// The policy's targets: [`Column::PolicyIndex`] and [`Column::PolicyProb`].
    pub fn policy(&self) -> PolicyTargets<'_> {
        PolicyTargets { index_bk: self.get(Column::PolicyIndex), prob_bk: self.get(Column::PolicyProb) }
    }

    /// The labels of maps with this number of cells; no label where the dataset has no map (steps that are only timed).
    pub fn map(&self, cells: i64) -> Targets {
        let map = self.get(Column::Map);
        match map.size()[1] {
            0 => Targets::map(&Tensor::full([self.rows(), cells], -1, (Kind::Int8, map.device()))),
            _ => Targets::map(map),
        }
    }
}
