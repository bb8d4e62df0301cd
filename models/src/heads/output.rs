//! The outputs of a network: tensors by the names of its heads.

use facts::HeadName;
use std::borrow::Cow;
use std::ops::Index;
use tch::{Kind, Tensor};

/// How the numbers of an answer are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Logits `[b,v]` over the vocabulary, illegal moves included.
    Policy,
    /// Logits `[b,3]` of win, draw and loss of the side to move.
    Result,
    /// Plain numbers `[b,3]` for win, draw and loss, 1 for certainty.
    Shares,
    /// A number `[b]`.
    Number,
    /// The logit `[b]` of the side to move's expected points, half a point for a draw: players choose moves by it.
    WinRate,
    /// Logits `[b,n]` of n intervals, ascending.
    Intervals,
    /// Logits `[b,n,classes]` of the label of each square.
    Labels,
    /// Logits `[b,n,n]` of yes for each pair of squares, from rows to columns.
    Pairs,
    /// Logits `[b,n]` of yes for each of n questions; a share of anything but points is one of them.
    Bits,
    /// Indices `[b,k]` of moves in the vocabulary, i64.
    Moves,
    /// Logits `[b,k]` of the choice among these moves.
    Choice,
    /// Nothing to be read by itself.
    Internal,
}

/// One tensor of a head.
#[derive(Debug)]
pub struct Answer {
    /// The head that gives it.
    pub head: HeadName,
    /// Which of its answers; empty for the main one.
    pub part: Cow<'static, str>,
    /// How its numbers are read.
    pub reading: Reading,
    /// The numbers, f32 unless [`Reading`] says otherwise.
    pub tensor: Tensor,
}

impl Answer {
    /// `<head>`, or `<head>.<part>`.
    pub fn name(&self) -> String {
        match self.part.is_empty() {
            true => self.head.name().to_owned(),
            false => format!("{}.{}", self.head.name(), self.part),
        }
    }
}

/// A network's answers to a batch, in the order in which its heads are declared.
#[derive(Debug, Default)]
pub struct Output {
    answers: Vec<Answer>,
    /// Legal moves, bool `[b,v]`, where the logits of others are not read.
    legal: Option<Tensor>,
}

impl Output {
    /// The main answer of a head; `None` if the network does not have it.
    pub fn get(&self, head: HeadName) -> Option<&Tensor> {
        self.part(head, "")
    }

    /// A further answer of a head.
    pub fn part(&self, head: HeadName, part: &str) -> Option<&Tensor> {
        self.answers.iter().find(|answer| answer.head == head && answer.part == part).map(|answer| &answer.tensor)
    }

    /// Every answer of every head.
    pub fn iter(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter()
    }

    /// No answers yet; policies may give any low logit to moves that are not legal (bool `[b,v]`).
    pub(crate) fn of_legal_moves(legal_bv: Tensor) -> Self {
        Self { answers: Vec::new(), legal: Some(legal_bv) }
    }

    /// Legal moves, where the logits of others are not read.
    pub(crate) fn legal(&self) -> Option<&Tensor> {
        self.legal.as_ref()
    }

    /// Adds the main answer of a head.
    pub(crate) fn set(&mut self, head: HeadName, reading: Reading, tensor: Tensor) {
        self.set_part(head, "", reading, tensor);
    }

    pub(crate) fn set_part(
        &mut self,
        head: HeadName,
        part: impl Into<Cow<'static, str>>,
        reading: Reading,
        tensor: Tensor,
    ) {
        self.answers.push(Answer { head, part: part.into(), reading, tensor });
    }

    /// The same answers in f32, in which losses and probabilities are taken; integers and booleans as they are.
    pub(crate) fn in_f32(mut self) -> Self {
        for Answer { tensor, .. } in &mut self.answers {
            if matches!(tensor.kind(), Kind::BFloat16 | Kind::Half | Kind::Double) {
                *tensor = tensor.to_kind(Kind::Float);
            }
        }
        self
    }
}

impl Index<HeadName> for Output {
    type Output = Tensor;

    /// The main answer of a head.
    ///
    /// # Panics
    /// If the network does not have it.
    fn index(&self, head: HeadName) -> &Tensor {
        self.get(head).unwrap_or_else(|| panic!("the network has no head `{}`", head.name()))
    }
}

impl IntoIterator for Output {
    type Item = Answer;
    type IntoIter = std::vec::IntoIter<Answer>;

    fn into_iter(self) -> Self::IntoIter {
        self.answers.into_iter()
    }
}
