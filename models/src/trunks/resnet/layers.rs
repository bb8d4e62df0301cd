//! The layers of the residual network.

use crate::config::{ResnetConfig, Stem};
use crate::layers::dense;
use encodings::Tokens;
use games::InputLayout;
use nn::{Activation, BatchNorm, Convolution, ConvolutionSizes, Linear, Scope, Views};
use tch::{Kind, Tensor};

/// Side of the trunk's kernels.
pub(super) const KERNEL: i64 = 3;

/// Between squares in a row and squares on a board.
#[derive(Debug, Clone, Copy)]
pub(super) struct Board {
    ranks: i64,
    files: i64,
}

impl Board {
    pub(super) fn of(tokens: &Tokens) -> Self {
        let geometry = tokens.geometry();
        Self { ranks: geometry.ranks() as i64, files: geometry.files() as i64 }
    }

    pub(super) fn squares(self) -> i64 {
        self.ranks * self.files
    }

    /// `[b,n,c]` → `[b,c,r,f]`, the channels of a square side by side: GPUs convolve this layout without a copy.
    pub(super) fn planes(self, x_bnc: &Tensor) -> Tensor {
        let channels = x_bnc.size()[2];
        x_bnc.transpose(1, 2).reshape([-1, channels, self.ranks, self.files])
    }

    /// `[b,c,r,f]` → `[b,n,c]`.
    pub(super) fn squares_in_a_row(self, x_bcrf: &Tensor) -> Tensor {
        x_bcrf.flatten(2, 3).transpose(1, 2)
    }
}

/// A convolution without bias, and its normalisation.
#[derive(Debug)]
pub(super) struct Normed {
    convolution: Convolution,
    norm: BatchNorm,
}

impl Normed {
    pub(super) fn declare(scope: &mut Scope<'_>, sizes: ConvolutionSizes, config: &ResnetConfig) -> Self {
        Self {
            convolution: convolution(scope, sizes, config, false),
            norm: BatchNorm::declare(&mut scope.sub("norm"), sizes.outputs, config.batch_norm.momentum),
        }
    }

    pub(super) fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        self.norm.forward(views, &self.convolution.forward(views, x))
    }

    pub(super) fn macs(&self, squares: u64) -> u64 {
        self.convolution.macs(squares)
    }
}

/// A convolution that starts as the network's weights do.
pub(super) fn convolution(
    scope: &mut Scope<'_>,
    sizes: ConvolutionSizes,
    config: &ResnetConfig,
    bias: bool,
) -> Convolution {
    Convolution::declare(scope, sizes, config.init.of(sizes.fan_in(), sizes.fan_out()), bias)
}

#[derive(Debug)]
pub(super) struct ResidualBlock {
    first: Normed,
    second: Normed,
    squeeze: Option<Squeeze>,
    activation: Activation,
}

impl ResidualBlock {
    pub(super) fn declare(scope: &mut Scope<'_>, config: &ResnetConfig) -> Self {
        let channels = config.channels as i64;
        let sizes = ConvolutionSizes { inputs: channels, outputs: channels, kernel: KERNEL };
        Self {
            first: Normed::declare(&mut scope.sub("first"), sizes, config),
            second: Normed::declare(&mut scope.sub("second"), sizes, config),
            squeeze: config.se.map(|se| Squeeze::declare(&mut scope.sub("se"), channels, se.channels as i64, config)),
            activation: config.activation,
        }
    }

    pub(super) fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let inside = self.activation.apply(&self.first.forward(views, x));
        let branch = self.second.forward(views, &inside);
        let branch = self.squeeze.as_ref().map_or_else(|| branch.shallow_clone(), |se| se.forward(views, &branch));
        self.activation.apply(&(branch + x))
    }

    pub(super) fn macs(&self, squares: u64) -> u64 {
        let squeeze = self.squeeze.as_ref().map_or(0, Squeeze::macs);
        self.first.macs(squares) + self.second.macs(squares) + squeeze
    }
}

/// Squeeze-and-excitation with an offset: `σ(s)·x + t`, where `[s, t] = W₂·activation(W₁·mean(x) + b₁) + b₂`.
///
/// Hu et al. 2017 (arXiv 1709.01507) have the scale alone; the offset is Lc0's (its training code, `tf/tfprocess.py`,
/// `squeeze_excitation`).
#[derive(Debug)]
struct Squeeze {
    squeeze: Linear,
    excite: Linear,
    channels: i64,
    activation: Activation,
}

impl Squeeze {
    fn declare(scope: &mut Scope<'_>, channels: i64, hidden: i64, config: &ResnetConfig) -> Self {
        Self {
            squeeze: dense(scope, "squeeze", [channels, hidden], config.init),
            excite: dense(scope, "excite", [hidden, 2 * channels], config.init),
            channels,
            activation: config.activation,
        }
    }

    fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let means = x.mean_dim([2i64, 3].as_slice(), false, Kind::Float);
        let hidden = self.activation.apply(&self.squeeze.forward(views, &means));
        let excited = self.excite.forward(views, &hidden).to_kind(Kind::Float).view([-1, 2 * self.channels, 1, 1]);
        let scale = excited.narrow(1, 0, self.channels).sigmoid();
        x * scale + excited.narrow(1, self.channels, self.channels)
    }

    fn macs(&self) -> u64 {
        self.squeeze.macs() + self.excite.macs()
    }
}

#[derive(Debug)]
pub(super) enum StemLayers {
    Single(Normed),
    Split(Box<SplitStem>),
}

#[derive(Debug)]
pub(super) struct SplitStem {
    /// Of a square's own channels and its neighbours'.
    around: Convolution,
    /// Of a square's own channels.
    own: Convolution,
    /// Of the channels that are the same on all squares.
    everywhere: Convolution,
    norm: BatchNorm,
    own_channels: i64,
    everywhere_channels: i64,
}

impl StemLayers {
    /// For the `channels` of `input`.
    pub(super) fn declare(scope: &mut Scope<'_>, input: &InputLayout, channels: usize, config: &ResnetConfig) -> Self {
        let sizes = ConvolutionSizes { inputs: channels as i64, outputs: config.channels as i64, kernel: KERNEL };
        match config.stem {
            Stem::Single => Self::Single(Normed::declare(scope, sizes, config)),
            Stem::Parted => Self::Split(Box::new(SplitStem::declare(scope, input, sizes, config))),
        }
    }

    pub(super) fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        match self {
            Self::Single(normed) => normed.forward(views, x),
            Self::Split(split) => split.forward(views, x),
        }
    }

    pub(super) fn macs(&self, squares: u64) -> u64 {
        match self {
            Self::Single(normed) => normed.macs(squares),
            Self::Split(split) => {
                [&split.around, &split.own, &split.everywhere].map(|layer| layer.macs(squares)).iter().sum()
            }
        }
    }
}

impl SplitStem {
    fn declare(scope: &mut Scope<'_>, input: &InputLayout, sizes: ConvolutionSizes, config: &ResnetConfig) -> Self {
        let own_channels = (input.board_channels() + input.squares().count()) as i64;
        let everywhere_channels = sizes.inputs - own_channels;
        let mut of = |name: &str, inputs: i64, kernel: i64| {
            let sizes = ConvolutionSizes { inputs, kernel, ..sizes };
            convolution(&mut scope.sub(name), sizes, config, false)
        };
        Self {
            around: of("around", own_channels, KERNEL),
            own: of("own", own_channels, 1),
            everywhere: of("everywhere", everywhere_channels, 1),
            norm: BatchNorm::declare(&mut scope.sub("norm"), sizes.outputs, config.batch_norm.momentum),
            own_channels,
            everywhere_channels,
        }
    }

    fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        let own = x.narrow(1, 0, self.own_channels);
        let everywhere = x.narrow(1, self.own_channels, self.everywhere_channels);
        let sum = self.around.forward(views, &own) + self.own.forward(views, &own);
        self.norm.forward(views, &(sum + self.everywhere.forward(views, &everywhere)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::Device;

    #[test]
    fn planes_and_what_convolutions_make_of_them_keep_channels_side_by_side() {
        let board = Board { ranks: 3, files: 4 };
        let x_bnc = Tensor::ones([2, 12, 8], (Kind::Float, Device::Cpu));
        let planes = board.planes(&x_bnc);
        assert_eq!((planes.size(), planes.stride()), (vec![2, 8, 3, 4], vec![96, 1, 32, 8]));
        assert_eq!(planes.data_ptr(), x_bnc.data_ptr());
        let weight = Tensor::ones([16, 8, KERNEL, KERNEL], (Kind::Float, Device::Cpu));
        let convolved = planes.conv2d(&weight, None::<Tensor>, [1, 1], [1, 1], [1, 1], 1);
        assert_eq!((convolved.stride()[1], convolved.relu().stride()[1]), (1, 1));
    }
}
