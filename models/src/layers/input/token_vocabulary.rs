//! Rows as sequences of tokens from one vocabulary, with one channel for each token.

use games::{FeatureKind, InputLayout};
use nn::Constant;
use tch::{Kind, Tensor};

/// The vocabulary in the order of its channels: the tokens of a square (its piece codes), the summary token, the token
/// after the squares, and the tokens of each feature.
#[derive(Debug)]
pub(crate) struct TokenVocabulary {
    /// For each place of the sequence: the offset of its byte, whether it has one (1) or a constant token (0), and the
    /// id of its first token.
    bytes: Constant,
    counts: Constant,
    first: Constant,
    /// 0, 1, …
    all_ids: Constant,
    len: i64,
}

impl TokenVocabulary {
    /// `None` for inputs without such tokens.
    pub(crate) fn of(layout: &InputLayout) -> Option<Self> {
        layout.token_features().next()?;
        let (squares, codes) = (layout.geometry.squares(), layout.piece_codes as i64);
        let (summary, end) = ([(0, 0, codes)], [(0, 0, codes + 1)]);
        let on_squares = (0..squares).map(|square| (square as i64, 1, 0));
        let mut len = codes + 2;
        let count = |kind: &FeatureKind| match kind {
            FeatureKind::Token { values } => values.len() as i64,
            FeatureKind::Scalar { .. } | FeatureKind::Square | FeatureKind::Thermometer { .. } => 0,
        };
        let features: Vec<(i64, i64, i64)> = layout
            .token_features()
            .map(|(at, feature)| {
                let first = len;
                len += count(&feature.kind);
                (at as i64, 1, first)
            })
            .collect();
        let tokens: Vec<(i64, i64, i64)> = summary.into_iter().chain(on_squares).chain(end).chain(features).collect();
        let column = |part: fn(&(i64, i64, i64)) -> i64| {
            Constant::indices(&tokens.iter().map(part).collect::<Vec<_>>(), &[tokens.len() as i64])
        };
        Some(Self {
            bytes: column(|token| token.0),
            counts: column(|token| token.1),
            first: column(|token| token.2),
            all_ids: Constant::indices(&(0..len).collect::<Vec<_>>(), &[len]),
            len,
        })
    }

    pub(crate) fn len(&self) -> i64 {
        self.len
    }

    /// Token ids: `[b,row]` → `[b,l]`, i64.
    pub(crate) fn ids(&self, packed: &Tensor) -> Tensor {
        let device = packed.device();
        let bytes = packed.index_select(1, &self.bytes.on(device)).to_kind(Kind::Int64);
        bytes * self.counts.on(device) + self.first.on(device)
    }

    /// One channel for each token: `[b,row]` → `[b,l,tokens]`.
    pub(crate) fn one_hot(&self, packed: &Tensor) -> Tensor {
        let ids = self.ids(packed).unsqueeze(-1);
        ids.eq_tensor(&self.all_ids.on(packed.device())).to_kind(Kind::Float)
    }
}
