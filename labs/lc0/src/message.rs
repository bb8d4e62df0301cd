//! The messages of a weights file: field numbers and types of Lc0's `proto/net.proto`, as far as they are used.

use super::format::NetworkFormat;
use super::layer::Layer;
use prost::Message;
use prost::bytes::Bytes;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Net {
    #[prost(fixed32, optional, tag = "1")]
    pub(super) magic: Option<u32>,
    #[prost(string, optional, tag = "2")]
    pub(super) license: Option<String>,
    #[prost(message, optional, tag = "4")]
    pub(super) format: Option<Format>,
    /// A message [`Weights`], kept encoded: its content depends on the format.
    #[prost(bytes = "bytes", optional, tag = "10")]
    pub(super) weights: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Format {
    /// `Encoding`: 1 for 16 bits. Lc0 refuses files that do not state it.
    #[prost(int32, optional, tag = "1")]
    pub(super) weights_encoding: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub(super) network_format: Option<NetworkFormat>,
}

/// The tensors of a convolutional network. Those of attention bodies are read by name: see [`super::tree`].
#[derive(Clone, PartialEq, Message)]
pub(super) struct Weights {
    #[prost(message, optional, tag = "1")]
    pub(super) input: Option<ConvBlock>,
    #[prost(message, repeated, tag = "2")]
    pub(super) residual: Vec<Residual>,
    #[prost(message, optional, tag = "3")]
    pub(super) policy: Option<ConvBlock>,
    #[prost(message, optional, tag = "4")]
    pub(super) ip_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(super) ip_pol_b: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(super) value: Option<ConvBlock>,
    #[prost(message, optional, tag = "7")]
    pub(super) ip1_val_w: Option<Layer>,
    #[prost(message, optional, tag = "8")]
    pub(super) ip1_val_b: Option<Layer>,
    #[prost(message, optional, tag = "9")]
    pub(super) ip2_val_w: Option<Layer>,
    #[prost(message, optional, tag = "10")]
    pub(super) ip2_val_b: Option<Layer>,
    #[prost(message, optional, tag = "11")]
    pub(super) policy1: Option<ConvBlock>,
    #[prost(message, optional, tag = "12")]
    pub(super) moves_left: Option<ConvBlock>,
    #[prost(message, optional, tag = "13")]
    pub(super) ip1_mov_w: Option<Layer>,
    #[prost(message, optional, tag = "14")]
    pub(super) ip1_mov_b: Option<Layer>,
    #[prost(message, optional, tag = "15")]
    pub(super) ip2_mov_w: Option<Layer>,
    #[prost(message, optional, tag = "16")]
    pub(super) ip2_mov_b: Option<Layer>,
}

/// A convolution and its normalisation. The format's standard deviation is a variance.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ConvBlock {
    #[prost(message, optional, tag = "1")]
    pub(super) weights: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(super) biases: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(super) bn_means: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(super) bn_stddivs: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(super) bn_gammas: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(super) bn_betas: Option<Layer>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Residual {
    #[prost(message, optional, tag = "1")]
    pub(super) conv1: Option<ConvBlock>,
    #[prost(message, optional, tag = "2")]
    pub(super) conv2: Option<ConvBlock>,
    #[prost(message, optional, tag = "3")]
    pub(super) se: Option<SeUnit>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SeUnit {
    #[prost(message, optional, tag = "1")]
    pub(super) w1: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(super) b1: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(super) w2: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(super) b2: Option<Layer>,
}
