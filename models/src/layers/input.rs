//! Expands packed rows to tokens, on the device.

mod token_vocabulary;

use games::{Boards, FeatureKind, InputLayout};
use nn::Constant;
use tch::{Kind, Tensor};

pub(crate) use token_vocabulary::TokenVocabulary;

/// Expands packed rows `[b,row]`, u8, to channels `[b,l,c]`, f32.
///
/// The channels of a square are, in this order: those of the boards ([`Boards`]), one for each square
/// feature (1 on the square that the byte names), those of the thermometers (on all squares), and one for each scalar
/// feature (byte / scale), which
///
/// * `piece_tokens`, `piece_tokens_rated`, `lc0_112`, `lc0_112_en_passant` and `dlshogi_62_57` broadcast to all squares;
/// * `piece_tokens_aux`, `cls_tokens` and `cls_tokens_white` put on the feature's own token after the squares, where a
///   further channel per feature identifies the token. Squares have zeros there, and such tokens have zeros in the
///   channels of squares.
///
/// In `tokens_68` every place holds one token of a vocabulary and has a channel for each of them, of which one is 1:
/// first those of the squares (the piece codes), then `start_pos`, `end_pos`, the sets of castling rights and the sides
/// to move.
#[derive(Debug)]
pub struct Expander {
    squares: i64,
    boards: Boards,
    /// The piece codes that have a channel, to be compared with the boards' bytes.
    codes: Constant,
    attacks: Option<Attacks>,
    /// The byte of a square feature for each square: `square + 1`.
    marks: Constant,
    /// The places in the row of the bytes of the square features, then of the scalars.
    mark_bytes: Constant,
    scalar_bytes: Constant,
    inverse_scales: Constant,
    thermometers: Option<Thermometers>,
    board_channels: i64,
    marked: i64,
    scalars: i64,
    /// The identity over scalar features, where they have tokens of their own.
    token_ids: Option<Constant>,
    /// The vocabulary, if every token is one of a vocabulary.
    vocabulary: Option<TokenVocabulary>,
}

impl Expander {
    /// The expansion of an input.
    pub fn new(layout: &InputLayout) -> Self {
        let squares = layout.geometry.squares() as i64;
        let mark_bytes: Vec<i64> = layout.squares().map(|(offset, _)| offset as i64).collect();
        let scalar_bytes: Vec<i64> = layout.scalars().map(|(offset, _)| offset as i64).collect();
        let inverse_scale = |kind: &FeatureKind| match kind {
            FeatureKind::Scalar { scale } => scale.recip(),
            FeatureKind::Square | FeatureKind::Thermometer { .. } | FeatureKind::Token { .. } => 1.0,
        };
        let inverse_scales: Vec<f32> = layout.scalars().map(|(_, feature)| inverse_scale(&feature.kind)).collect();
        let (marked, scalars) = (mark_bytes.len() as i64, scalar_bytes.len() as i64);
        let token_ids = layout.name.has_aux_tokens().then(|| identity(scalars));
        let codes: Vec<i64> = match layout.boards {
            Boards::Current => (0..layout.piece_codes as i64).collect(),
            Boards::History { .. } => (1..layout.piece_codes as i64).collect(),
            Boards::Attacked { kinds } => {
                let opponent = (layout.piece_codes as i64 - 1) / 2;
                [0, opponent]
                    .iter()
                    .flat_map(|side| kinds.iter().map(move |&kind| 1 + side + i64::from(kind)))
                    .collect()
            }
        };
        let marks: Vec<i64> = (1..=squares).collect();
        Self {
            squares,
            boards: layout.boards,
            codes: Constant::indices(&codes, &[codes.len() as i64]),
            attacks: Attacks::of(layout),
            marks: Constant::indices(&marks, &[squares, 1]),
            mark_bytes: Constant::indices(&mark_bytes, &[marked]),
            scalar_bytes: Constant::indices(&scalar_bytes, &[scalars]),
            inverse_scales: Constant::floats(&inverse_scales, &[scalars]),
            thermometers: Thermometers::of(layout),
            board_channels: layout.board_channels() as i64,
            marked,
            scalars,
            token_ids,
            vocabulary: TokenVocabulary::of(layout),
        }
    }

    /// Channels `c` of every token.
    pub fn channels(&self) -> usize {
        if let Some(vocabulary) = &self.vocabulary {
            return vocabulary.len() as usize;
        }
        let scalars = if self.token_ids.is_some() { 2 * self.scalars } else { self.scalars };
        (self.own_channels() + scalars) as usize
    }

    /// Each token's channels: packed rows `[b,row]` → `[b,l,c]`.
    pub fn expand(&self, packed: &Tensor) -> Tensor {
        match (&self.vocabulary, &self.token_ids) {
            (Some(vocabulary), _) => vocabulary.one_hot(packed),
            (None, Some(ids)) => self.with_aux_tokens(packed, ids),
            (None, None) => self.broadcast(packed),
        }
    }

    fn broadcast(&self, packed: &Tensor) -> Tensor {
        let batch = packed.size()[0];
        let scalars = self.scalars(packed).unsqueeze(1).expand([batch, self.squares, self.scalars], false);
        Tensor::cat(&[self.squares(packed), scalars], -1)
    }

    fn with_aux_tokens(&self, packed: &Tensor, ids: &Constant) -> Tensor {
        let batch = packed.size()[0];
        let ids = ids.on(packed.device());
        let own = self.own_channels();
        let board = self.squares(packed).constant_pad_nd([0, 2 * self.scalars]);
        let values = self.scalars(packed).unsqueeze(-1) * &ids;
        let aux = Tensor::cat(&[values, ids.unsqueeze(0).expand([batch, -1, -1], false)], -1);
        Tensor::cat(&[board, aux.constant_pad_nd([own, 0])], 1)
    }

    /// Channels of a square that are not those of scalars.
    fn own_channels(&self) -> i64 {
        let thermometers = self.thermometers.as_ref().map_or(0, |thermometers| thermometers.channels);
        self.board_channels + self.marked + thermometers
    }

    /// The same channels of every square `[b,n,c]`.
    fn squares(&self, packed: &Tensor) -> Tensor {
        let mut channels = vec![self.boards(packed), self.marks(packed)];
        if let Some(thermometers) = &self.thermometers {
            let everywhere = [packed.size()[0], self.squares, thermometers.channels];
            channels.push(thermometers.read(packed).unsqueeze(1).expand(everywhere, false));
        }
        Tensor::cat(&channels, -1)
    }

    /// The channels of the boards `[b,n,c]`.
    fn boards(&self, packed: &Tensor) -> Tensor {
        let current = || self.pieces(&packed.narrow(1, 0, self.squares));
        match (self.boards, &self.attacks) {
            (Boards::History { steps }, _) => self.history(packed, steps as i64),
            (_, None) => current().to_kind(Kind::Float),
            (_, Some(attacks)) => attacks.beside(&current(), packed).to_kind(Kind::Float),
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

/// Reads who attacks each square from the bits of [`Boards::Attacked`].
#[derive(Debug)]
struct Attacks {
    squares: i64,
    kinds: i64,
    bytes: i64,
    /// The value of each bit of a byte, the lowest first.
    bits: Constant,
}

impl Attacks {
    fn of(layout: &InputLayout) -> Option<Self> {
        let Boards::Attacked { kinds } = layout.boards else { return None };
        let bits: Vec<i64> = (0..u8::BITS).map(|bit| 1 << bit).collect();
        Some(Self {
            squares: layout.geometry.squares() as i64,
            kinds: kinds.len() as i64,
            bytes: layout.attack_bytes() as i64,
            bits: Constant::indices(&bits, &[bits.len() as i64]),
        })
    }

    /// Per side the pieces, given as `[b,n,2·kinds]`, those that attack, and how many do: `[b,n,c]`, bool.
    fn beside(&self, pieces: &Tensor, packed: &Tensor) -> Tensor {
        let batch = packed.size()[0];
        let bytes = packed.narrow(1, self.squares, self.squares * self.bytes);
        let values = self.bits.on(packed.device()).to_kind(Kind::Uint8);
        let bits = bytes.reshape([batch, self.squares, self.bytes, 1]).bitwise_and_tensor(&values).ne(0).flatten(2, 3);
        let more = Boards::ATTACKERS as i64 - 1;
        let of_side = |side: i64| {
            let attackers = bits.narrow(2, side * self.kinds, self.kinds);
            let any = attackers.any_dim(2, true);
            [
                pieces.narrow(2, side * self.kinds, self.kinds),
                attackers,
                any,
                bits.narrow(2, 2 * self.kinds + side * more, more),
            ]
        };
        let sides: Vec<Tensor> = (0..2).flat_map(of_side).collect();
        Tensor::cat(&sides, -1)
    }
}

/// Reads bytes as rows of channels.
#[derive(Debug)]
struct Thermometers {
    /// For each channel, the place of its byte in the row, and the least value for which it is 1.
    bytes: Constant,
    from: Constant,
    channels: i64,
}

impl Thermometers {
    fn of(layout: &InputLayout) -> Option<Self> {
        let (bytes, from): (Vec<i64>, Vec<i64>) = layout
            .thermometers()
            .flat_map(|(offset, feature)| {
                let FeatureKind::Thermometer { steps } = feature.kind else { return Vec::new() };
                (1..=i64::from(steps)).map(|from| (offset as i64, from)).collect()
            })
            .unzip();
        let channels = bytes.len() as i64;
        let constant = |values: &[i64]| Constant::indices(values, &[channels]);
        (channels > 0).then(|| Self { bytes: constant(&bytes), from: constant(&from), channels })
    }

    /// `[b,channels]`.
    fn read(&self, packed: &Tensor) -> Tensor {
        let bytes = packed.index_select(1, &self.bytes.on(packed.device()));
        bytes.ge_tensor(&self.from.on(packed.device())).to_kind(Kind::Float)
    }
}

/// The index of the move that was played in each packed row `[b,row]`: `[b]`, i64.
pub(crate) fn played_moves(packed: &Tensor) -> Tensor {
    let at = packed.size()[1] - InputLayout::MOVE_BYTES as i64;
    let byte = |i: i64| packed.select(1, at + i).to_kind(Kind::Int64);
    byte(0) + byte(1) * (i64::from(u8::MAX) + 1)
}

/// The packed rows `[b,row]` whose board tokens are predicted, bool `[b]`: positions that are not the first of their
/// sequence of `plies` plies.
pub fn predicts_board(packed: &Tensor, plies: i64) -> Tensor {
    let first = Tensor::arange(packed.size()[0], (Kind::Int64, packed.device())).remainder(plies).eq(0);
    played_moves(packed).ne(i64::from(InputLayout::NO_MOVE)).logical_and(&first.logical_not())
}

fn identity(size: i64) -> Constant {
    let ones: Vec<f32> = (0..size * size).map(|i| if i / size == i % size { 1.0 } else { 0.0 }).collect();
    Constant::floats(&ones, &[size, size])
}
