//! Networks between Lc0 and posenc: reads Lc0's weights files as cells, and writes cells as such files.
//!
//! ```text
//! file.pb.gz ─┬─ format (its messages) ────┬─ residual ──┬─▶ Imported ─ cell ─▶ a cell's folder
//!             └─ tree (tensors by name) ───┴─ attention ─┘                              │
//! file.pb.gz ◀── export (encode, body, heads: attention bodies only) ◀──────────────────┘
//! ```
//!
//! The format is Lc0's `proto/net.proto`; what it leaves open (layout of kernels, scale of the rule-50 count) was
//! checked against probabilities computed by Lc0 (`labs/lc0/tests/all`).

mod attention;
mod attention_heads;
pub mod cell;
pub mod check;
mod error;
pub mod export;
mod fields;
mod format;
mod layer;
mod network;
mod residual;
mod tree;

pub use error::NetError;
pub use network::{Parameters, spec};

use config::bounded;
use encodings::EncodingConfig;
use flate2::read::GzDecoder;
use format::{Net, NetworkFormat};
use models::ModelConfig;
use network::Architecture;
use prost::Message as _;
use prost::bytes::Bytes;
use std::io::Read;
use std::path::Path;
use tree::Tree;

/// The magic number of weights files.
const MAGIC: u32 = 0x1c0;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The size limit of a file, packed and unpacked: 1.5 GiB. Lc0's largest published networks (BT4, about 190 million
/// parameters in 16 bits) have 0.4 GB.
const MAX_BYTES: u64 = 3 << 29;

/// Gzip packs no byte into less than a 1032nd part.
const MOST_DENSE: u64 = 1032;

#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    pub model: ModelConfig,
    pub encoding: Vec<EncodingConfig>,
    pub parameters: Parameters,
    pub blake3: String,
}

/// Reads a weights file, gzipped or not. `without` names parts of an attention body's file to leave out, as the errors
/// name them: heads (`policy_heads.opponent`) and tensors (`value_heads.winner.ip_val_err`).
pub fn read(path: &Path, without: &[String]) -> Result<Imported, NetError> {
    let bytes = bounded::read(path, MAX_BYTES).map_err(|cause| NetError::Io {
        action: "read",
        path: path.to_owned(),
        cause,
    })?;
    of_bytes(&bytes, without)
}

/// Like [`read`], from the file's bytes.
pub fn of_bytes(bytes: &[u8], without: &[String]) -> Result<Imported, NetError> {
    let unpacked = match bytes.starts_with(&GZIP) {
        true => Bytes::from(unpack(bytes, MAX_BYTES)?),
        false => Bytes::copy_from_slice(bytes),
    };
    let net = Net::decode(unpacked).map_err(|error| NetError::NoNetwork(error.to_string()))?;
    if net.magic != Some(MAGIC) {
        return Err(NetError::NoNetwork("it does not begin with Lc0's number 0x1c0".to_owned()));
    }
    let weights = net.weights.ok_or(NetError::Onnx)?;
    let format =
        net.format.and_then(|format| format.network_format).unwrap_or_else(NetworkFormat::default_of_old_files);
    let Architecture { model, encoding, parameters } = architecture(&weights, format, without)?;
    check_finite(&parameters)?;
    Ok(Imported { model, encoding, parameters, blake3: blake3::hash(bytes).to_hex().to_string() })
}

/// Refuses numbers of the file that are finite, but not in posenc's units and sums.
fn check_finite(parameters: &[(String, Vec<f32>)]) -> Result<(), NetError> {
    let is_finite = |(_, numbers): &&(String, Vec<f32>)| numbers.iter().all(|number| number.is_finite());
    match parameters.iter().find(|parameter| !is_finite(parameter)) {
        None => Ok(()),
        Some((name, _)) => Err(NetError::tensor(name, "has numbers that are too large for 32 bits")),
    }
}

fn architecture(weights: &[u8], format: NetworkFormat, without: &[String]) -> Result<Architecture, NetError> {
    let mut tree = Tree::of(weights)?;
    let format = format.normalised(&tree);
    if !format.is_attention() {
        if let Some(part) = without.first() {
            return Err(NetError::NoPart(part.clone()));
        }
        return residual::read(&mut tree, &format);
    }
    without.iter().try_for_each(|part| tree.remove(part))?;
    let read = attention::read(&mut tree, &format)?;
    match tree.first_unread() {
        None => Ok(read),
        Some(name) => {
            let what = format!("{name}, which no part of posenc's networks has a place for");
            let wanted =
                format!("the rest of it with --without {name}, or --without and what stands before its last dot");
            Err(NetError::unknown(what, wanted))
        }
    }
}

fn unpack(bytes: &[u8], limit: u64) -> Result<Vec<u8>, NetError> {
    // Gzip ends with the length, so that the buffer need not grow; a wrong length does no harm.
    let stated = bytes.last_chunk().map_or(0, |end| u64::from(u32::from_le_bytes(*end)));
    let expected = stated.min(limit).min(MOST_DENSE * bytes.len() as u64);
    let mut unpacked = Vec::with_capacity(expected as usize);
    let damaged = |error: std::io::Error| NetError::NoNetwork(format!("its gzip is damaged: {error}"));
    GzDecoder::new(bytes).take(limit + 1).read_to_end(&mut unpacked).map_err(damaged)?;
    if unpacked.len() as u64 > limit {
        return Err(NetError::NoNetwork(format!("it unpacks to more than {limit} bytes")));
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    #[test]
    fn a_small_file_that_unpacks_to_a_large_one_is_refused() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&vec![0u8; 1 << 20]).expect("packed");
        let packed = packed.finish().expect("packed");
        assert!(packed.len() < 2000, "{}", packed.len());
        assert_eq!(unpack(&packed, 1 << 20).expect("within the limit").len(), 1 << 20);
        let error = unpack(&packed, (1 << 20) - 1).expect_err("too long").to_string();
        assert!(error.contains("it unpacks to more than 1048575 bytes"), "{error}");
    }
}
