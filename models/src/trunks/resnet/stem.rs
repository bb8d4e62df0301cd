//! The stem: from the input to channels.

use super::layers::{KERNEL, Normed, convolution};
use crate::config::{ResnetConfig, Stem};
use games::InputLayout;
use nn::{BatchNorm, Convolution, ConvolutionSizes, Scope, Views};
use tch::Tensor;

/// [`Stem`] and its normalisation.
#[derive(Debug)]
pub(super) enum StemLayers {
    Single(Normed),
    Parted(Box<Parted>),
}

#[derive(Debug)]
pub(super) struct Parted {
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
            Stem::Parted => Self::Parted(Box::new(Parted::declare(scope, input, sizes, config))),
        }
    }

    pub(super) fn forward(&self, views: &Views, x: &Tensor) -> Tensor {
        match self {
            Self::Single(normed) => normed.forward(views, x),
            Self::Parted(parted) => parted.forward(views, x),
        }
    }

    pub(super) fn macs(&self, squares: u64) -> u64 {
        match self {
            Self::Single(normed) => normed.macs(squares),
            Self::Parted(parted) => {
                [&parted.around, &parted.own, &parted.everywhere].map(|layer| layer.macs(squares)).iter().sum()
            }
        }
    }
}

impl Parted {
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
