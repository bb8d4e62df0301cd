//! The input embedding: channels become tokens.
//!
//! In both forms the encodings' injection point `embed` lies where Lc0's training code (`tf/tfprocess.py`, `construct_net`) gates
//! its tokens: the gate is the encoding `absolute: {at: gate}`, and nothing here has a number of its own per square
//! except in [`ExtraChannels`].

use super::edge::OffBoardPadding;
use super::feed_forward::FeedForward;
use super::input::Expander;
use super::residual::{Residual, Stream, Sublayer};
use crate::config::{BodyConfig, ChessformerConfig, Edge, EmbeddingConfig, GameSpec, ModelError};
use encodings::{LayerContext, Stack, Tokens};
use games::{Entry, InputLayout, Vocabulary};
use nn::{Activation, Constant, Init, Linear, Norm, Scope, Views};
use tch::Tensor;

/// From the input to the first tokens.
pub(crate) trait Embeds: std::fmt::Debug + Send {
    /// `[b,l,d]`, the encodings' injection point `embed` included; `added [b,k,d]` are further tokens.
    fn embed(&self, at: LayerContext<'_>, stack: &Stack, added: Option<Tensor>) -> Tensor;

    /// Its sources of positional information.
    fn position_sources(&self) -> Vec<&'static str>;

    /// Multiplications for a sequence, all of them by weights.
    fn macs(&self, length: u64) -> u64;

    /// Those that the Chessformer paper counts, see [`crate::Macs::paper`].
    fn paper_macs(&self, _length: u64) -> u64 {
        0
    }
}

/// The embedding of [`EmbeddingConfig`] by one layer for all tokens, from channels. W starts from Glorot's normal
/// initialiser, P from his uniform one.
///
/// Deviations: with the body's `norm: pre` the feed-forward layer is still followed by its norm, with α = 1. Auxiliary
/// tokens, which Lc0 does not have, get summaries of their own, but none is made of them.
#[derive(Debug)]
pub(crate) struct Embedding {
    expander: Expander,
    outside: Option<OffBoardPadding>,
    extra: ExtraChannels,
    dense: Linear,
    /// `None` after a table and a linear projection.
    activation: Option<Activation>,
    refinement: Option<Refinement>,
    stream: Stream,
}

impl Embedding {
    /// For the tokens of a game's input, which says where the pieces stand.
    pub(crate) fn declare(
        scope: &mut Scope<'_>,
        spec: &GameSpec,
        tokens: &Tokens,
        config: &ChessformerConfig,
    ) -> Result<Self, ModelError> {
        let expander = Expander::new(spec.input);
        let channels = expander.channels();
        let outside = match config.edge {
            Edge::Shown => None,
            Edge::Hidden => Some(OffBoardPadding::of(spec.input, channels, tokens)?),
        };
        let (extra, more) = match config.embedding {
            EmbeddingConfig::Old | EmbeddingConfig::Linear | EmbeddingConfig::Table | EmbeddingConfig::Parts(_) => {
                (ExtraChannels::Nothing, 0)
            }
            EmbeddingConfig::Reach => (ExtraChannels::Reach(reach(spec.moves, tokens)), tokens.geometry().squares()),
            EmbeddingConfig::New { dense, .. } => {
                (ExtraChannels::Pieces(AllPieces::declare(&mut scope.sub("pieces"), spec.input, tokens, dense)), dense)
            }
        };
        let (inputs, outputs) = ((channels + more) as i64, config.width as i64);
        let table = config.embedding == EmbeddingConfig::Table;
        let init = if table { Init::Normal { std: 1.0 } } else { Init::glorot_normal(inputs, outputs, 1.0) };
        let dense = Linear::declare(scope, inputs, outputs, init, !table);
        let body = config.body();
        let refinement = if let EmbeddingConfig::New { ff, .. } = config.embedding {
            Some(Refinement::declare(scope, &BodyConfig { ff: ff.unwrap_or(body.ff), ..body }))
        } else {
            None
        };
        let is_activated = !(table || config.embedding == EmbeddingConfig::Linear);
        let (activation, stream) = (is_activated.then_some(config.activation), Stream::of(&body));
        Ok(Self { expander, outside, extra, dense, activation, refinement, stream })
    }
}

impl Embeds for Embedding {
    /// The form `new` has no further tokens.
    fn embed(&self, at: LayerContext<'_>, stack: &Stack, added: Option<Tensor>) -> Tensor {
        let x_blc = self.expander.expand(at.packed);
        let x_blc = self.outside.as_ref().map_or(x_blc.shallow_clone(), |outside| outside.append(&x_blc));
        // In bf16 training the stream is mostly f32 from here on: gates, sums and norms need it, and products cast what they read.
        let kind = self.stream.kind(at.views);
        let dense = |x: &Tensor| {
            let y = self.dense.forward(at.views, x);
            self.activation.map_or(y.shallow_clone(), |activation| activation.apply(&y)).to_kind(kind)
        };
        let x_bld = match &self.extra {
            ExtraChannels::Nothing => dense(&x_blc),
            ExtraChannels::Reach(map) => dense(&append_map(map, &x_blc)),
            ExtraChannels::Pieces(all_pieces) => dense(&all_pieces.append(at.views, &x_blc)),
        };
        match &self.refinement {
            None => stack.embed(at, with_tokens(x_bld, added)),
            Some(refinement) => refinement.forward(at, stack, &x_bld),
        }
    }

    /// A map of moves is one; weights that see all squares at once have rows and columns for each square.
    fn position_sources(&self) -> Vec<&'static str> {
        match self.extra {
            ExtraChannels::Nothing => Vec::new(),
            ExtraChannels::Reach(_) => vec!["input embedding (a fixed map of the squares that moves reach)"],
            ExtraChannels::Pieces(_) => vec!["input embedding (a dense layer from the pieces of all squares)"],
        }
    }

    fn macs(&self, length: u64) -> u64 {
        let all_pieces = if let ExtraChannels::Pieces(all_pieces) = &self.extra { all_pieces.dense.macs() } else { 0 };
        all_pieces + length * self.dense.macs() + self.paper_macs(length)
    }

    fn paper_macs(&self, length: u64) -> u64 {
        self.refinement.as_ref().map_or(0, |refinement| length * refinement.feed_forward.macs_per_token())
    }
}

/// The channels after a token's own.
#[derive(Debug)]
enum ExtraChannels {
    Nothing,
    /// The map `[l,n]` of [`EmbeddingConfig::Reach`].
    Reach(Constant),
    /// The summary of [`EmbeddingConfig::New`].
    Pieces(AllPieces),
}

/// The map `[l,n]` of [`EmbeddingConfig::Reach`].
fn reach(moves: Vocabulary, tokens: &Tokens) -> Constant {
    let squares = tokens.geometry().squares();
    let mut map = vec![0.0; tokens.len() * squares];
    let entries = match moves {
        Vocabulary::FromTo(moves) => moves.entries(),
        // Refused before: `ChessformerConfig::check_policy`.
        Vocabulary::Planes(_) | Vocabulary::List(_) => &[],
    };
    for entry in entries {
        if let Entry::Plain { from, to } = *entry {
            map[usize::from(from) * squares + usize::from(to)] = 1.0;
        }
    }
    (0..squares).for_each(|square| map[square * squares + square] = -1.0);
    Constant::floats(&map, &[tokens.len() as i64, squares as i64])
}

/// `[b,l,c]` → `[b,l,c + n]`.
fn append_map(map: &Constant, x_blc: &Tensor) -> Tensor {
    let (batch, tokens, _) = x_blc.size3().expect("channels are [b,l,c]");
    let map_ln = map.on(x_blc.device()).to_kind(x_blc.kind());
    Tensor::cat(&[x_blc, &map_ln.unsqueeze(0).expand([batch, tokens, -1], false)], -1)
}

/// `[b,l,d]`, followed by further tokens.
pub(super) fn with_tokens(x_bld: Tensor, added: Option<Tensor>) -> Tensor {
    match added {
        None => x_bld,
        Some(added) => Tensor::cat(&[x_bld, added], 1),
    }
}

/// A summary of the whole board for each token: one dense layer with bias from the pieces of all squares.
#[derive(Debug)]
struct AllPieces {
    dense: Linear,
    first: i64,
    squares: i64,
    /// The channels of the current position's pieces.
    pieces: Constant,
    codes: i64,
    tokens: i64,
}

impl AllPieces {
    fn declare(scope: &mut Scope<'_>, input: &InputLayout, tokens: &Tokens, size: usize) -> Self {
        let pieces = input.current_pieces();
        let pieces: Vec<i64> = pieces.into_iter().map(|channel| channel as i64).collect();
        let (squares, codes) = (input.geometry.squares() as i64, pieces.len() as i64);
        let (inputs, outputs) = (squares * codes, (tokens.len() * size) as i64);
        let dense = Linear::declare(scope, inputs, outputs, Init::glorot_uniform(inputs, outputs), true);
        let (first, pieces) = (tokens.first_square() as i64, Constant::indices(&pieces, &[codes]));
        Self { dense, first, squares, pieces, codes, tokens: tokens.len() as i64 }
    }

    /// `[b,l,c]` → `[b,l,c + size]`.
    fn append(&self, views: &Views, x_blc: &Tensor) -> Tensor {
        let batch = x_blc.size()[0];
        let pieces = x_blc.narrow(1, self.first, self.squares).index_select(2, &self.pieces.on(x_blc.device()));
        let summaries = self.dense.forward(views, &pieces.reshape([batch, self.squares * self.codes]));
        let summaries = summaries.view([batch, self.tokens, -1]);
        Tensor::cat(&[x_blc.to_kind(summaries.kind()), summaries], -1)
    }
}

/// The layers after the dense layer of the `new` embedding: norm, the injection point, and a feed-forward layer with its norm.
#[derive(Debug)]
struct Refinement {
    norm: Norm,
    feed_forward: FeedForward,
    feed_forward_norm: Norm,
    residual: Residual,
}

impl Refinement {
    fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let (width, kind) = (config.width(), config.normalisation);
        Self {
            norm: Norm::declare(&mut scope.sub("norm"), width, kind),
            feed_forward: FeedForward::declare(&mut scope.sub("feed_forward"), config),
            feed_forward_norm: Norm::declare(&mut scope.sub("feed_forward_norm"), width, kind),
            residual: Residual::of(config, Sublayer::FeedForward),
        }
    }

    fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bld: &Tensor) -> Tensor {
        let y = stack.embed(at, self.norm.forward(at.views, x_bld));
        let (residual, factor) = self.residual.in_weights(at.views.device());
        let refined = self.feed_forward.forward(at.views, &y, factor);
        residual.normed_sum(at.views, &self.feed_forward_norm, &y, &refined)
    }
}
