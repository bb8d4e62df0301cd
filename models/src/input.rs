//! Packed rows become tokens, on the device.

use games::{Boards, FeatureKind, InputLayout, InputName};
use nn::Constant;
use tch::{Kind, Tensor};

/// Turns packed rows `[b,row]`, u8, into channels `[b,l,c]`, f32.
///
/// The channels of a square are, in this order: those of the boards ([`Boards`] says which), one for each square
/// feature (1 on the square that the byte names), and one for each scalar feature (byte / scale), which
///
/// * `piece_tokens` and `lc0_112` broadcast to all squares;
/// * `piece_tokens_aux` puts on the feature's own token behind the squares, where a further channel per feature says
///   which token it is. Squares have zeros there, and such tokens have zeros in the channels of squares.
#[derive(Debug)]
pub struct Expander {
    squares: i64,
    boards: Boards,
    /// The piece codes that have a channel, to be compared with the boards' bytes.
    codes: Constant,
    /// What a square feature's byte is where it names each square: `square + 1`.
    marks: Constant,
    /// Where in the row the bytes of the square features stand, then those of the scalars.
    mark_bytes: Constant,
    scalar_bytes: Constant,
    inverse_scales: Constant,
    board_channels: i64,
    marked: i64,
    scalars: i64,
    /// The identity over scalar features, where they have tokens of their own.
    token_ids: Option<Constant>,
}

impl Expander {
    /// The expansion of an input.
    #[must_use]
    pub fn new(layout: &InputLayout) -> Self {
        let squares = layout.geometry.squares() as i64;
        let mark_bytes: Vec<i64> = layout.squares().map(|(offset, _)| offset as i64).collect();
        let scalar_bytes: Vec<i64> = layout.scalars().map(|(offset, _)| offset as i64).collect();
        let inverse_scales: Vec<f32> = layout.scalars().map(|(_, feature)| inverse_scale(&feature.kind)).collect();
        let (marked, scalars) = (mark_bytes.len() as i64, scalar_bytes.len() as i64);
        let token_ids = (layout.name == InputName::PieceTokensAux).then(|| identity(scalars));
        let (codes, board_channels) = match layout.boards {
            Boards::Current => (Vec::from_iter(0..layout.piece_codes as i64), layout.piece_codes),
            // Behind the pieces of each step stands the channel of repetition.
            Boards::History { steps } => (Vec::from_iter(1..layout.piece_codes as i64), steps * layout.piece_codes),
        };
        let marks: Vec<i64> = (1..=squares).collect();
        Self {
            squares,
            boards: layout.boards,
            codes: Constant::indices(&codes, &[codes.len() as i64]),
            marks: Constant::indices(&marks, &[squares, 1]),
            mark_bytes: Constant::indices(&mark_bytes, &[marked]),
            scalar_bytes: Constant::indices(&scalar_bytes, &[scalars]),
            inverse_scales: Constant::floats(&inverse_scales, &[scalars]),
            board_channels: board_channels as i64,
            marked,
            scalars,
            token_ids,
        }
    }

    /// Channels `c` of every token.
    #[must_use]
    pub fn channels(&self) -> usize {
        let scalars = if self.token_ids.is_some() { 2 * self.scalars } else { self.scalars };
        (self.board_channels + self.marked + scalars) as usize
    }

    /// `[b,row]` → `[b,l,c]`.
    pub fn expand(&self, packed: &Tensor) -> Tensor {
        match &self.token_ids {
            None => self.broadcast(packed),
            Some(ids) => self.with_aux_tokens(packed, ids),
        }
    }

    fn broadcast(&self, packed: &Tensor) -> Tensor {
        let batch = packed.size()[0];
        let scalars = self.scalars(packed).unsqueeze(1).expand([batch, self.squares, self.scalars], false);
        Tensor::cat(&[self.boards(packed), self.marks(packed), scalars], -1)
    }

    fn with_aux_tokens(&self, packed: &Tensor, ids: &Constant) -> Tensor {
        let batch = packed.size()[0];
        let ids = ids.on(packed.device());
        let own = self.board_channels + self.marked;
        let board = Tensor::cat(&[self.boards(packed), self.marks(packed)], -1);
        let board = board.constant_pad_nd([0, 2 * self.scalars]);
        let values = self.scalars(packed).unsqueeze(-1) * &ids;
        let aux = Tensor::cat(&[values, ids.unsqueeze(0).expand([batch, -1, -1], false)], -1);
        Tensor::cat(&[board, aux.constant_pad_nd([own, 0])], 1)
    }

    /// The channels of the boards `[b,n,c]`.
    fn boards(&self, packed: &Tensor) -> Tensor {
        match self.boards {
            Boards::Current => self.pieces(&packed.narrow(1, 0, self.squares)).to_kind(Kind::Float),
            Boards::History { steps } => self.history(packed, steps as i64),
        }
    }

    /// Per step the pieces, then the repetition flag on every square: `[b,n,steps·(codes + 1)]`.
    fn history(&self, packed: &Tensor, steps: i64) -> Tensor {
        let batch = packed.size()[0];
        let boards = packed.narrow(1, 0, steps * self.squares).reshape([batch, steps, self.squares]);
        let repeated = packed.narrow(1, steps * self.squares, steps).ne(0).reshape([batch, steps, 1, 1]);
        let repeated = repeated.expand([batch, steps, self.squares, 1], false);
        let channels = Tensor::cat(&[self.pieces(&boards), repeated], -1).transpose(1, 2);
        channels.reshape([batch, self.squares, self.board_channels]).to_kind(Kind::Float)
    }

    /// Which piece codes bytes are: `[…]` → `[…,codes]`, bool.
    fn pieces(&self, board: &Tensor) -> Tensor {
        board.unsqueeze(-1).eq_tensor(&self.codes.on(board.device()))
    }

    /// Marked squares `[b,n,features]`.
    fn marks(&self, packed: &Tensor) -> Tensor {
        let bytes = packed.index_select(1, &self.mark_bytes.on(packed.device())).unsqueeze(1);
        bytes.eq_tensor(&self.marks.on(packed.device())).to_kind(Kind::Float)
    }

    /// Scaled scalars `[b,features]`.
    fn scalars(&self, packed: &Tensor) -> Tensor {
        let bytes = packed.index_select(1, &self.scalar_bytes.on(packed.device()));
        bytes.to_kind(Kind::Float) * self.inverse_scales.on(packed.device())
    }
}

fn inverse_scale(kind: &FeatureKind) -> f32 {
    match kind {
        FeatureKind::Scalar { scale } => scale.recip(),
        FeatureKind::Square => 1.0,
    }
}

fn identity(size: i64) -> Constant {
    let ones: Vec<f32> = (0..size * size).map(|i| if i / size == i % size { 1.0 } else { 0.0 }).collect();
    Constant::floats(&ones, &[size, size])
}
