//! Packed rows become tokens, on the device.

use games::{FeatureKind, InputLayout, InputName};
use nn::Constant;
use tch::{Kind, Tensor};

/// Turns packed rows `[b,row]`, u8, into channels `[b,l,c]`, f32.
///
/// The channels of a square are, in this order: one for each piece code (the empty square is code 0), one for each
/// square feature (1 on the square that the byte names), and one for each scalar feature (byte / scale), which
///
/// * `piece_tokens` broadcasts to all squares;
/// * `piece_tokens_aux` puts on the feature's own token behind the squares, where a further channel per feature says
///   which token it is. Squares have zeros there, and such tokens have zeros in the channels of squares.
#[derive(Debug)]
pub struct Expander {
    squares: i64,
    /// Piece codes, as `u8` to be compared with the board's bytes.
    codes: Constant,
    /// What a square feature's byte is where it names each square: `square + 1`.
    marks: Constant,
    /// Where in the row the bytes of the square features stand, then those of the scalars.
    mark_bytes: Constant,
    scalar_bytes: Constant,
    inverse_scales: Constant,
    piece_codes: i64,
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
        let codes: Vec<i64> = (0..layout.piece_codes as i64).collect();
        let marks: Vec<i64> = (1..=squares).collect();
        Self {
            squares,
            codes: Constant::indices(&codes, &[codes.len() as i64]),
            marks: Constant::indices(&marks, &[squares, 1]),
            mark_bytes: Constant::indices(&mark_bytes, &[marked]),
            scalar_bytes: Constant::indices(&scalar_bytes, &[scalars]),
            inverse_scales: Constant::floats(&inverse_scales, &[scalars]),
            piece_codes: layout.piece_codes as i64,
            marked,
            scalars,
            token_ids,
        }
    }

    /// Channels `c` of every token.
    #[must_use]
    pub fn channels(&self) -> usize {
        let scalars = if self.token_ids.is_some() { 2 * self.scalars } else { self.scalars };
        (self.piece_codes + self.marked + scalars) as usize
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
        Tensor::cat(&[self.pieces(packed), self.marks(packed), scalars], -1)
    }

    fn with_aux_tokens(&self, packed: &Tensor, ids: &Constant) -> Tensor {
        let batch = packed.size()[0];
        let ids = ids.on(packed.device());
        let own = self.piece_codes + self.marked;
        let board = Tensor::cat(&[self.pieces(packed), self.marks(packed)], -1);
        let board = board.constant_pad_nd([0, 2 * self.scalars]);
        let values = self.scalars(packed).unsqueeze(-1) * &ids;
        let aux = Tensor::cat(&[values, ids.unsqueeze(0).expand([batch, -1, -1], false)], -1);
        Tensor::cat(&[board, aux.constant_pad_nd([own, 0])], 1)
    }

    /// One-hot piece codes `[b,n,codes]`.
    fn pieces(&self, packed: &Tensor) -> Tensor {
        let codes = self.codes.on(packed.device());
        packed.narrow(1, 0, self.squares).unsqueeze(-1).eq_tensor(&codes).to_kind(Kind::Float)
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
