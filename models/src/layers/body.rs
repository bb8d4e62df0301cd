//! The body: a row of blocks, passed once or several times, and with `norm: pre` one more norm after them.
//! [`crate::residual`] defines how sublayers, norms and the residual stream go together.

use crate::block::Block;
use crate::feed_forward::FeedForwardKind;
use crate::residual::{NormPlace, Residual};
use crate::start::InitKind;
use encodings::{Dims, LayerContext, Stack};
use nn::{Activation, Norm, NormKind, Scope};
use tch::Tensor;

/// What a body is made of, whichever architecture it is in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyConfig {
    pub(crate) dims: Dims,
    pub(crate) ff: usize,
    pub(crate) ff_kind: FeedForwardKind,
    pub(crate) ff_bias: bool,
    pub(crate) norm: NormPlace,
    pub(crate) normalisation: NormKind,
    pub(crate) activation: Activation,
    pub(crate) ff_activation: Option<Activation>,
    pub(crate) qkv_bias: bool,
    pub(crate) qk_norm: bool,
    pub(crate) qkv_groups: usize,
    pub(crate) out_bias: bool,
    pub(crate) init: InitKind,
    /// How often its blocks are passed, one after the other.
    pub(crate) loops: usize,
}

impl BodyConfig {
    /// How sublayers stand in the residual stream.
    pub(crate) fn residual(&self) -> Residual {
        Residual::of(self.norm, self.loops * self.dims.layers, self.init)
    }

    pub(crate) fn width(&self) -> i64 {
        self.dims.width as i64
    }
}

#[derive(Debug)]
pub(crate) struct Body {
    blocks: Vec<Block>,
    loops: usize,
    final_norm: Option<Norm>,
}

impl Body {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &BodyConfig) -> Self {
        let blocks = (0..config.dims.layers).map(|i| Block::declare(&mut scope.sub(i), config)).collect();
        let final_norm = (config.norm == NormPlace::Pre)
            .then(|| Norm::declare(&mut scope.sub("final_norm"), config.width(), config.normalisation));
        Self { blocks, loops: config.loops, final_norm }
    }

    /// `[b,l,d]` → `[b,l,d]`. `at.layer` is set for each block; `mask` as in [`crate::attention::Attention`].
    pub(crate) fn forward(&self, at: LayerContext<'_>, stack: &Stack, x_bld: Tensor, mask: Option<&Tensor>) -> Tensor {
        stack.passed(&x_bld);
        let passes = (0..self.loops).flat_map(|_| self.blocks.iter().enumerate());
        let x = passes.fold(x_bld, |x, (layer, block)| {
            let x = block.forward(LayerContext { layer, ..at }, stack, &x, mask);
            stack.passed(&x);
            x
        });
        match &self.final_norm {
            Some(norm) => norm.forward(at.views, &x),
            None => x,
        }
    }

    /// None: attention sees a set of tokens, and all else acts on each token alike.
    pub(crate) fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Multiplications by weights for one token.
    pub(crate) fn weight_macs_per_token(&self) -> u64 {
        self.loops as u64 * self.blocks.iter().map(Block::weight_macs_per_token).sum::<u64>()
    }

    /// All multiplications for a sequence.
    pub(crate) fn macs(&self, length: u64) -> u64 {
        self.loops as u64 * self.blocks.iter().map(|block| block.macs(length)).sum::<u64>()
    }
}
