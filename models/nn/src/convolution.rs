//! Convolutions over a board.

use crate::{Init, ParamId, Scope, Views};
use tch::Tensor;

/// A convolution with an odd square kernel, whose output has the board's size: beyond the edge it reads zeros.
///
/// `weight [out, in, k, k]` (k along ranks, then along files), `bias [out]` starting at zero.
#[derive(Debug)]
pub struct Convolution {
    weight: ParamId,
    bias: Option<ParamId>,
    sizes: ConvolutionSizes,
}

/// The sizes that decide the shape of a [`Convolution`].
#[derive(Debug, Clone, Copy)]
pub struct ConvolutionSizes {
    /// Channels that it reads.
    pub inputs: i64,
    /// Channels that it writes.
    pub outputs: i64,
    /// Side of its kernel.
    pub kernel: i64,
}

impl ConvolutionSizes {
    /// How many inputs an output is computed from.
    pub const fn fan_in(self) -> i64 {
        self.inputs * self.kernel * self.kernel
    }

    /// How many outputs an input contributes to.
    pub const fn fan_out(self) -> i64 {
        self.outputs * self.kernel * self.kernel
    }
}

impl Convolution {
    /// Declares `weight` and, if asked for, `bias` in `scope`.
    pub fn declare(scope: &mut Scope<'_>, sizes: ConvolutionSizes, init: Init, bias: bool) -> Self {
        let ConvolutionSizes { inputs, outputs, kernel } = sizes;
        let weight = scope.matrix("weight", &[outputs, inputs, kernel, kernel], init);
        let bias = bias.then(|| scope.cast_param("bias", &[outputs], Init::ZEROS));
        Self { weight, bias, sizes }
    }

    /// `[b, in, ranks, files]` → `[b, out, ranks, files]`, in the element type of the views' matrices.
    pub fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let bias = self.bias.map(|bias| views.cast(bias));
        let around = self.sizes.kernel / 2;
        x.to_kind(views.kind()).conv2d(&views[self.weight], bias.as_ref(), [1, 1], [around, around], [1, 1], 1)
    }

    /// Multiplications for a board of `squares`, those with the zeros beyond the edge included.
    pub fn macs(&self, squares: u64) -> u64 {
        squares * (self.sizes.fan_in() * self.sizes.outputs) as u64
    }
}
