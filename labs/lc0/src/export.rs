//! Writes a cell's network as a weights file of Lc0: the inverse of the import of attention bodies.
//!
//! Tensors are stored in 16 bits between their smallest and their largest value (`LINEAR16`), the only encoding that every
//! version of Lc0 reads. The outputs are those of the cell up to this rounding. Biases that a network lacks are written as
//! zeros.

mod body;
mod encode;
mod heads;
mod parameters;
mod static_bias;

use super::error::NetError;
use super::format::{Format, Net, NetworkFormat};
use super::{MAGIC, layer};
use config::RunConfig;
use flate2::Compression;
use flate2::write::GzEncoder;
use games::{GameKind, InputName, MovesName};
use models::{ChessformerConfig, ModelConfig};
use nn::Layout;
use parameters::Parameters;
use prost::Message as _;
use std::io::Write as _;

#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    pub bytes: Vec<u8>,
    /// The scopes of heads that Lc0 lacks and that the file therefore lacks.
    pub left_out: Vec<String>,
    /// The largest rounding error of a number.
    pub rounding: f32,
}

/// Writes the network of a run with these weights, flat in the layout's order.
pub fn file(run: &RunConfig, layout: &Layout, weights: &[f32]) -> Result<Exported, NetError> {
    let network = network(run)?;
    let mut parameters = Parameters::of(layout, weights);
    let many = heads::are_many(network);
    let (smolgen, input_embedding) = body::write(network, &run.encoding, &mut parameters)?;
    heads::write(network, many, &mut parameters)?;
    let format = NetworkFormat {
        input: Some(NetworkFormat::INPUT_CLASSICAL),
        output: Some(NetworkFormat::OUTPUT_WDL),
        network: Some(if many { NetworkFormat::ATTENTION_MULTI } else { NetworkFormat::ATTENTION }),
        policy: Some(NetworkFormat::POLICY_ATTENTION),
        value: Some(NetworkFormat::VALUE_WDL),
        moves_left: Some(network.outputs.moves_left.map_or(0, |_| NetworkFormat::MOVES_LEFT)),
        default_activation: Some(body::default_activation(network.activation)?),
        smolgen_activation: Some(smolgen),
        ffn_activation: Some(body::activation(network.ff_activation.unwrap_or(network.activation))?),
        input_embedding: Some(input_embedding),
    };
    let left_out = heads::left_out(&parameters.unused())?;
    let (message, rounding) = encode::message(parameters.renamed, network.heads as u64)?;
    let net = Net {
        magic: Some(MAGIC),
        license: None,
        format: Some(Format { weights_encoding: Some(layer::LINEAR_16), network_format: Some(format) }),
        weights: Some(message.into()),
    };
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&net.encode_to_vec()).map_err(NetError::Pack)?;
    Ok(Exported { bytes: packed.finish().map_err(NetError::Pack)?, left_out, rounding })
}

/// The network, if Lc0 has its input, moves and architecture.
fn network(run: &RunConfig) -> Result<&ChessformerConfig, NetError> {
    if run.game != GameKind::Chess {
        return Err(NetError::no_place(format!("game: {}", run.game.name()), "chess"));
    }
    if run.input != InputName::Lc0_112 {
        return Err(NetError::no_place(format!("input: {}", run.input.name()), "input: lc0_112"));
    }
    if run.moves != MovesName::FromTo {
        return Err(NetError::no_place("this vocabulary of moves", "moves: from_to"));
    }
    match &run.model {
        ModelConfig::Chessformer(network) => Ok(network),
        _ => Err(NetError::no_place("this architecture", "model: chessformer (posenc exports no other to Lc0)")),
    }
}
