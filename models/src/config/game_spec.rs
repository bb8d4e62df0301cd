//! The game of a network.

use super::error::ModelError;
use super::heads::Outputs;
use encodings::{Role, Tokens};
use facts::HeadName;
use games::{Frame, InputLayout, Vocabulary};

/// The facts of a game that a network depends on.
#[derive(Debug, Clone, Copy)]
pub struct GameSpec {
    /// The layout of packed rows.
    pub input: &'static InputLayout,
    /// The moves that the policy names.
    pub moves: Vocabulary,
}

impl GameSpec {
    /// The sequence that a row becomes: the summary token if there is one, squares, auxiliary tokens.
    pub(crate) fn tokens(&self) -> Tokens {
        let summary = self.input.summary_token().map(|_| Role::Cls);
        let squares = (0..self.input.geometry.squares()).map(Role::Square);
        let role = |name| if name == Tokens::CLS { Role::Cls } else { Role::Aux(name) };
        let aux = self.input.aux_tokens().into_iter().map(role);
        Tokens::new(self.input.geometry, summary.into_iter().chain(squares).chain(aux).collect())
    }

    /// Refuses moves that are written in another frame than the squares of the input: heads would mix them up.
    pub(crate) fn check_frames(&self) -> Result<(), ModelError> {
        let (of_input, of_moves) = (self.input.name.frame(), self.moves.frames());
        if of_moves.contains(&of_input) {
            return Ok(());
        }
        let of_moves = of_moves[0];
        let (input, moves) = (self.input.name.name(), self.moves.name());
        Err(ModelError::Frames { input, of_input, moves, of_moves })
    }

    /// Refuses maps of squares, which datasets write as the side to move sees them, for other inputs.
    pub(crate) fn check_maps(&self, outputs: &Outputs) -> Result<(), ModelError> {
        let is_turned = self.input.name.frame() == Frame::SideToMove;
        let map = outputs.heads().into_iter().find(|head| matches!(head, HeadName::PerSquare | HeadName::Pairs));
        match map.filter(|_| !is_turned) {
            Some(head) => Err(ModelError::MapInFrame { head: head.name(), input: self.input.name.name() }),
            None => Ok(()),
        }
    }
}
