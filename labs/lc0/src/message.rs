//! The messages of a weights file: field numbers and types of Lc0's `proto/net.proto`, as far as they are used.

use super::format::NetworkFormat;
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
    /// Kept encoded: [`super::tree`] reads the tensors by name.
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
