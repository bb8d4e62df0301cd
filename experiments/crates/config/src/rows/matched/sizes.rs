//! Sizes of a run's network: read, changed, counted.

use super::entry::Size;
use crate::settings::run::RunConfig;
use encodings::EncodingConfig;
use models::ModelConfig;

/// Sizes that GPUs multiply without padding are multiples of this.
const ALIGNED: usize = 8;

impl Size {
    pub(super) fn of(self, run: &RunConfig) -> Result<usize, String> {
        if self == Self::Encoding {
            return sized_encoding(&mut run.encoding.clone()).map(|(_, size)| *size);
        }
        let mut network = run.model.clone();
        let size = self.in_network(&mut network).map(|size| *size);
        size.ok_or_else(|| format!("a {} has no {}", network.name(), self.name()))
    }

    /// The run with another one; unchanged if it has no such size.
    pub(super) fn set(self, run: &RunConfig, to: usize) -> RunConfig {
        let (mut network, mut encoding) = (run.model.clone(), run.encoding.clone());
        let size = match self {
            Self::Encoding => sized_encoding(&mut encoding).ok().map(|(_, size)| size),
            Self::Ffn | Self::Width | Self::Depth => self.in_network(&mut network),
        };
        if let Some(size) = size {
            *size = to;
        }
        RunConfig { model: network, encoding, ..run.clone() }
    }

    fn in_network(self, network: &mut ModelConfig) -> Option<&mut usize> {
        let (ffn, width, depth) = match network {
            ModelConfig::Chessformer(own) => (Some(&mut own.ff), &mut own.width, &mut own.layers),
            ModelConfig::Decoder(own) => (Some(&mut own.ff), &mut own.width, &mut own.layers),
            ModelConfig::Resnet(own) => (None, &mut own.channels, &mut own.blocks),
            ModelConfig::ResnetTransformer(own) => {
                (Some(&mut own.attention.ff), &mut own.resnet.channels, &mut own.attention.layers)
            }
        };
        match self {
            Self::Ffn => ffn,
            Self::Width => Some(width),
            Self::Depth => Some(depth),
            Self::Encoding => None,
        }
    }

    /// Its name in tables: for the size of an encoding, the name of the option.
    pub(super) fn shown(self, run: &RunConfig) -> String {
        let option = || sized_encoding(&mut run.encoding.clone()).ok().map(|(option, _)| option);
        let of_encoding = if self == Self::Encoding { option() } else { None };
        of_encoding.unwrap_or_else(|| self.name()).to_owned()
    }

    /// Steps in which it is searched, the one to be preferred first: multiples that GPUs like, then whatever is valid.
    /// Heads divide the width, and rotations need a head width of a multiple of 2 or 4.
    pub(super) fn steps(self, run: &RunConfig) -> Vec<usize> {
        let heads = match &run.model {
            ModelConfig::Chessformer(network) => Some(network.heads),
            ModelConfig::ResnetTransformer(network) => Some(network.attention.heads),
            ModelConfig::Decoder(network) => Some(network.heads),
            ModelConfig::Resnet(_) => None,
        };
        match (self, heads) {
            (Self::Depth, _) => vec![1],
            (Self::Width, Some(heads)) => widths(heads),
            (Self::Ffn | Self::Width | Self::Encoding, _) => vec![ALIGNED, 1],
        }
    }
}

/// The steps in which a width can grow.
fn widths(heads: usize) -> Vec<usize> {
    let aligned = (1..=ALIGNED).map(|n| n * heads).find(|width| width.is_multiple_of(ALIGNED));
    aligned.into_iter().chain([heads, 2 * heads, 4 * heads]).collect()
}

/// The one encoding of a stack that has a size, as its option's name and value.
fn sized_encoding(stack: &mut [EncodingConfig]) -> Result<(&'static str, &mut usize), String> {
    let names = || stack.iter().map(|one| one.info().name).collect::<Vec<_>>().join(" + ");
    let whole = names();
    let mut sized: Vec<(&'static str, &mut usize)> = stack.iter_mut().filter_map(EncodingConfig::size_mut).collect();
    match (sized.pop(), sized.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => Err(format!("several encodings of {whole} have an option that is a size")),
        (None, _) => Err(format!("{whole} has no option that is a size")),
    }
}
