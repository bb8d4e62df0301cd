//! A residual network of convolutions with its own heads: Lc0's networks before the Transformer, Maia's among them.
//!
//! ```text
//! planes [b,c,r,f] ─ stem, norm, activation ─ block × N ──────┬─ policy: conv 3×3 ─ conv 3×3 to planes of moves
//!                                                             ├─ result: conv 1×1 ─ dense ─ dense 3
//!                                                             ├─ win rate: conv 1×1 ─ dense ─ dense 1
//!                                                             └─ moves left: conv 1×1 ─ dense ─ dense 1
//! ```
//!
//! Every convolution but a policy's last is followed by batch normalisation ([`nn::BatchNorm`]). Reference: the training
//! code of Lc0 (`tf/tfprocess.py`, `construct_net`). Deviation: its normalisations have a gain in a few places only, ours
//! everywhere; a network of Lc0's is one of ours with gains of 1. dlshogi's (`dlshogi/network` in
//! TadaoYamaoka/DeepLearningShogi) is one with another stem ([`crate::Stem::Parted`]), another policy
//! ([`crate::ResnetPolicy::Planes`]) and the win rate.

pub(super) mod heads;
mod layers;
mod planes;

use super::trunk::{Declared, Trunk, TrunkMacs};
use crate::config::{GameSpec, ModelError, ResnetConfig};
use crate::layers::input::Expander;
use encodings::{Dims, EncodingConfig, LayerContext, Stack, Tokens};
use games::InputLayout;
use layers::{Board, ResidualBlock, StemLayers};
use nn::{Activation, LayoutBuilder, Part, Scope};
use tch::Tensor;

pub use planes::{MovePlane, move_planes};

#[derive(Debug)]
pub(crate) struct Resnet {
    stem: StemLayers,
    blocks: Vec<ResidualBlock>,
    activation: Activation,
    board: Board,
    expander: Expander,
}

impl Resnet {
    /// Declares the stem in `embedding` and the blocks in `body`. Refuses tokens that are no squares.
    pub(crate) fn declare(
        embedding: &mut Scope<'_>,
        input: &InputLayout,
        tokens: &Tokens,
        config: &ResnetConfig,
    ) -> Result<Self, ModelError> {
        let board = Board::of(tokens);
        if tokens.len() as i64 != board.squares() {
            return Err(ModelError::TokensOnConvolutions);
        }
        let expander = Expander::new(input);
        let stem = StemLayers::declare(embedding, input, expander.channels(), config);
        Ok(Self { stem, blocks: Vec::new(), activation: config.activation, board, expander })
    }

    /// The same with its blocks, declared in `body`.
    pub(crate) fn with_blocks(self, body: &mut Scope<'_>, config: &ResnetConfig) -> Self {
        let blocks = (0..config.blocks).map(|i| ResidualBlock::declare(&mut body.sub(i), config)).collect();
        Self { blocks, ..self }
    }

    /// Packed rows as tokens `[b,n,channels]`, with `after_stem` on the tokens between stem and blocks.
    pub(crate) fn forward_with(&self, at: LayerContext<'_>, after_stem: impl FnOnce(Tensor) -> Tensor) -> Tensor {
        let x_bnc = self.expander.expand(at.packed);
        let planes = self.activation.apply(&self.stem.forward(at.views, &self.board.planes(&x_bnc)));
        let planes = self.board.planes(&after_stem(self.board.squares_in_a_row(&planes)));
        let planes = self.blocks.iter().fold(planes, |x, block| block.forward(at.views, &x));
        self.board.squares_in_a_row(&planes)
    }

    /// A convolution distinguishes displacements and the board's edge.
    pub(crate) fn sources() -> Vec<&'static str> {
        vec!["convolutions (a weight for each displacement within the kernel; zeros beyond the edge)"]
    }

    pub(crate) fn input_macs(&self) -> u64 {
        self.stem.macs(self.board.squares() as u64)
    }

    pub(crate) fn body_macs(&self) -> u64 {
        self.blocks.iter().map(|block| block.macs(self.board.squares() as u64)).sum()
    }
}

pub(super) fn declare(
    builder: &mut LayoutBuilder,
    encodings: &[EncodingConfig],
    spec: &GameSpec,
    config: &ResnetConfig,
) -> Result<Declared, ModelError> {
    if let Some(refused) = encodings.iter().find(|one| !matches!(one, EncodingConfig::None(_))) {
        return Err(ModelError::EncodingOnConvolutions(refused.info().name));
    }
    let tokens = spec.tokens();
    let trunk = Resnet::declare(&mut builder.scope("embedding", Part::Trunk), spec.input, &tokens, config)?;
    let trunk = trunk.with_blocks(&mut builder.scope("body", Part::Trunk), config);
    let nowhere = Dims { width: config.channels, heads: 1, layers: 0 };
    let stack = Stack::declare(encodings, &mut builder.scope("encoding", Part::Encoding), nowhere, &tokens)?;
    let heads = heads::declare(builder, config, &tokens, spec.moves);
    Ok(Declared { trunk: Box::new(trunk), stack, heads, tokens })
}

impl Trunk for Resnet {
    fn forward(&self, at: LayerContext<'_>, _stack: &Stack) -> Tensor {
        self.forward_with(at, |x| x)
    }

    fn position_sources(&self) -> Vec<&'static str> {
        Self::sources()
    }

    fn macs(&self, encoding: u64) -> TrunkMacs {
        let (embedding, trunk) = (self.input_macs(), self.input_macs() + self.body_macs());
        TrunkMacs { trunk, embedding, encoding, weights: trunk, ..TrunkMacs::default() }
    }
}
