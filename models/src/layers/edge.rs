//! Whether a network sees where the board ends.
//!
//! The softmax of attention runs over the squares that there are, so a relative encoding sees near which edge a square
//! lies. A ring of tokens with a content of their own would show the edge even better. With [`crate::Edge::Hidden`] the board is
//! a part of a torus of (2F−1)×(2R−1) squares instead; the others are empty and pass through all blocks as the empty
//! squares of the board do. Every square then sees each displacement once, and what differs between squares is what
//! stands around them. On this torus no two squares of the board change their displacement, so parameters and classes
//! stay those of the board alone. Tokens become 3.5 times as many (225 for 64, 289 for 81).
//!
//! Limits: other information about squares (pieces near their own side, rights, heads) stays, and after two layers
//! two opposite sides of the board can exchange something through the squares outside. This is not from a paper.

use crate::config::ModelError;
use encodings::Tokens;
use games::{Boards, InputLayout};
use nn::Constant;
use tch::Tensor;

/// Adds the channels of the squares outside.
#[derive(Debug)]
pub(crate) struct OffBoardPadding {
    first_square: i64,
    count: i64,
    /// 1 for channels that are the same on all squares, `[c]`.
    shared: Constant,
    /// The other channels of an empty square, `[c]`.
    empty: Constant,
}

impl OffBoardPadding {
    /// For the tokens of an input, of `channels` each. An error for inputs that show the edge by themselves (a slider's
    /// attacks end there) or whose tokens share no channels.
    pub(crate) fn of(input: &InputLayout, channels: usize, tokens: &Tokens) -> Result<Self, ModelError> {
        if matches!(input.boards, Boards::Attacked { .. }) || input.token_features().next().is_some() {
            return Err(ModelError::EdgeShown(input.name.name()));
        }
        let marks = input.board_channels()..input.board_channels() + input.squares().count();
        // A board has a channel for empty squares, a history none, but per step one that says that it is repeated.
        let is_current = input.boards == Boards::Current;
        let is_empty = |channel: usize| is_current && channel == 0;
        let is_shared = |channel: usize| match channel < marks.start {
            true => !is_current && (channel + 1).is_multiple_of(input.piece_codes),
            false => !marks.contains(&channel),
        };
        let ones = |is_one: &dyn Fn(usize) -> bool| {
            let values: Vec<f32> = (0..channels).map(|channel| f32::from(u8::from(is_one(channel)))).collect();
            Constant::floats(&values, &[channels as i64])
        };
        Ok(Self {
            first_square: tokens.first_square() as i64,
            count: (tokens.surrounded().len() - tokens.len()) as i64,
            shared: ones(&is_shared),
            empty: ones(&is_empty),
        })
    }

    /// `[b,l,c]` → `[b,l + outside,c]`.
    pub(crate) fn append(&self, x_blc: &Tensor) -> Tensor {
        let square = x_blc.narrow(1, self.first_square, 1);
        let empty = square * self.shared.on(x_blc.device()) + self.empty.on(x_blc.device());
        Tensor::cat(&[x_blc, &empty.expand([-1, self.count, -1], false)], 1)
    }
}
