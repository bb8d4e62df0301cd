//! The body: embedding, gate, encoders and smolgen, under the names that [`crate::attention`] reads.

use super::parameters::Parameters;
use super::static_bias;
use crate::error::NetError;
use crate::format::NetworkFormat;
use crate::network::in_other_units;
use crate::spec;
use encodings::{EncodingConfig, absolute, smolgen};
use models::input::Expander;
use models::{ChessformerConfig, Edge, EmbeddingConfig, FeedForwardKind, NormPlace};
use nn::{Activation, NormKind};

/// Writes the body; returns the numbers of smolgen's activation and of the embedding.
pub(super) fn write(
    network: &ChessformerConfig,
    encodings: &[EncodingConfig],
    parameters: &mut Parameters<'_>,
) -> Result<(i32, i32), NetError> {
    check(network)?;
    let embedding = embedding(network, parameters)?;
    for layer in 0..network.layers {
        encoder(network, layer, parameters)?;
    }
    let mut smolgen_activation = activation(Activation::Swish)?;
    let (mut has_smolgen, mut others) = (false, Vec::new());
    for encoding in encodings {
        match encoding {
            EncodingConfig::None(_) => {}
            EncodingConfig::Absolute(config) if config.at == absolute::InjectAt::Gate => {
                gate(network.width, parameters)?
            }
            EncodingConfig::Smolgen(config) => {
                smolgen(network, config, parameters)?;
                smolgen_activation = activation(config.activation)?;
                has_smolgen = true;
            }
            other => others.push(other.clone()),
        }
    }
    if !others.is_empty() {
        static_bias::write(network, &others, parameters)?;
        if has_smolgen {
            return Err(NetError::no_place(format!("smolgen beside {}", others[0].label()), "one of them"));
        }
    }
    Ok((smolgen_activation, embedding))
}

/// Refuses what changes the outputs and has no field. Every setting is named, so that a new one is decided here.
fn check(network: &ChessformerConfig) -> Result<(), NetError> {
    let ChessformerConfig {
        edge,
        ff_kind,
        norm,
        qk_norm,
        registers,
        loops,
        refinement,
        // Training only.
        dropout: _,
        // Written, or refused where they are written.
        layers: _,
        width: _,
        heads: _,
        ff: _,
        embedding: _,
        normalisation: _,
        activation: _,
        ff_activation: _,
        ff_bias: _,
        qkv_bias: _,
        out_bias: _,
        policy: _,
        value: _,
        outputs: _,
    } = network;
    let differs = [
        (*edge != Edge::Shown, "edge: hidden", "edge: shown"),
        (*ff_kind != FeedForwardKind::Dense, "this ff_kind", "ff_kind: dense"),
        (*norm != NormPlace::Post, "this norm", "norm: post"),
        (*qk_norm, "qk_norm: true", "networks without qk_norm"),
        (*registers > 0, "registers", "networks without registers"),
        (*loops > 1, "loops", "networks without loops"),
        (refinement.is_some(), "refinement", "networks without refinement"),
    ];
    match differs.into_iter().find(|(differs, ..)| *differs) {
        Some((_, what, wanted)) => Err(NetError::no_place(what, wanted)),
        None => Ok(()),
    }
}

pub(super) fn activation(activation: Activation) -> Result<i32, NetError> {
    NetworkFormat::number_of(activation).ok_or_else(|| {
        let what = format!("the activation {activation:?}");
        NetError::no_place(what, "mish, relu, relu2, swish, selu, tanh, sigmoid and identity")
    })
}

/// The number of the activation of the embedding and the heads.
pub(super) fn default_activation(activation: Activation) -> Result<i32, NetError> {
    match activation {
        Activation::Relu => Ok(0),
        Activation::Mish => Ok(NetworkFormat::MISH),
        other => {
            let what = format!("activation: {other:?} in the embedding and the heads");
            Err(NetError::no_place(what, "activation: relu and mish"))
        }
    }
}

/// The embedding; returns its number.
fn embedding(network: &ChessformerConfig, parameters: &mut Parameters<'_>) -> Result<i32, NetError> {
    let input = spec().input;
    let (squares, planes, width) = (input.geometry.squares(), Expander::new(input).channels(), network.width);
    let weight = parameters.take("embedding.weight")?.to_vec();
    let bias = parameters.bias("embedding", width);
    parameters.put("ip_emb_b", bias);
    let raw = |row: usize| in_other_units(weight, [1, row], |weight, scale| weight / scale);
    match (network.embedding, network.normalisation) {
        (EmbeddingConfig::Old, NormKind::LayerFine) => {
            // Lc0 has no embedding of the planes alone: its map of squares gets weights of zero.
            let rows = raw(planes);
            let padded = rows.chunks_exact(planes).flat_map(|row| [row, &vec![0.0; squares]].concat()).collect();
            parameters.put("ip_emb_w", padded);
            Ok(NetworkFormat::PE_MAP)
        }
        (EmbeddingConfig::Reach, NormKind::LayerFine) => {
            parameters.put("ip_emb_w", raw(planes + squares));
            Ok(NetworkFormat::PE_MAP)
        }
        (EmbeddingConfig::New { dense, ff }, NormKind::Layer) => {
            parameters.put("ip_emb_w", raw(planes + dense));
            parameters.dense("embedding.pieces", "ip_emb_preproc", squares * dense)?;
            parameters.norm("embedding.norm", "ip_emb_ln")?;
            let inside = ff.unwrap_or(network.ff);
            feed_forward(parameters, "embedding.feed_forward", "ip_emb_ffn", [inside, width])?;
            parameters.norm("embedding.feed_forward_norm", "ip_emb_ffn_ln")?;
            Ok(NetworkFormat::PE_DENSE)
        }
        _ => Err(NetError::no_place(
            "this pair of embedding and normalisation",
            "embedding: old or reach with normalisation: layer_1e-6, and embedding: {new: …} with normalisation: layer",
        )),
    }
}

/// A feed-forward layer with this inside and output.
fn feed_forward(
    parameters: &mut Parameters<'_>,
    from: &str,
    to: &str,
    [inside, outputs]: [usize; 2],
) -> Result<(), NetError> {
    parameters.dense(&format!("{from}.hidden"), &format!("{to}.dense1"), inside)?;
    parameters.dense(&format!("{from}.out"), &format!("{to}.dense2"), outputs)
}

fn encoder(network: &ChessformerConfig, layer: usize, parameters: &mut Parameters<'_>) -> Result<(), NetError> {
    let (from, to, width) = (format!("body.{layer}"), format!("encoder[{layer}]"), network.width);
    let weight = parameters.take(&format!("{from}.attention.qkv.weight"))?;
    let bias = parameters.bias(&format!("{from}.attention.qkv"), 3 * width);
    let parts = weight.chunks_exact(width * width).zip(bias.chunks_exact(width));
    for (name, (weight, bias)) in ["q", "k", "v"].into_iter().zip(parts) {
        parameters.put(format!("{to}.mha.{name}_w"), weight.to_vec());
        parameters.put(format!("{to}.mha.{name}_b"), bias.to_vec());
    }
    parameters.dense(&format!("{from}.attention.out"), &format!("{to}.mha.dense"), width)?;
    parameters.norm(&format!("{from}.attention_norm"), &format!("{to}.ln1"))?;
    feed_forward(parameters, &format!("{from}.feed_forward"), &format!("{to}.ffn"), [network.ff, width])?;
    parameters.norm(&format!("{from}.feed_forward_norm"), &format!("{to}.ln2"))
}

/// The gate: `[channel, square]` there, and factors that are not negative.
fn gate(width: usize, parameters: &mut Parameters<'_>) -> Result<(), NetError> {
    let by_channel = |numbers: &[f32]| -> Vec<f32> {
        (0..width).flat_map(|channel| numbers.iter().skip(channel).step_by(width)).copied().collect()
    };
    let factor = by_channel(parameters.take("encoding.absolute.gate.factor")?);
    parameters.put("ip_mult_gate", factor.into_iter().map(|factor| factor.max(0.0)).collect());
    let summand = by_channel(parameters.take("encoding.absolute.gate.summand")?);
    parameters.put("ip_add_gate", summand);
    Ok(())
}

fn smolgen(
    network: &ChessformerConfig,
    config: &smolgen::Config,
    parameters: &mut Parameters<'_>,
) -> Result<(), NetError> {
    if config.compress == 0 || config.compress_bias || config.pool != smolgen::Pool::Flatten {
        let wanted = "smolgen with compress above 0, without compress_bias, and with pool: flatten";
        return Err(NetError::no_place("this kind of smolgen", wanted));
    }
    for layer in 0..network.layers {
        let (from, to) = (format!("encoding.smolgen.layer.{layer}"), format!("encoder[{layer}].mha.smolgen"));
        parameters.matrix(&format!("{from}.compress"), format!("{to}.compress"))?;
        parameters.dense(&format!("{from}.hidden"), &format!("{to}.dense1"), config.hidden)?;
        parameters.norm(&format!("{from}.hidden_norm"), &format!("{to}.ln1"))?;
        let outputs = network.heads * config.gen_width;
        parameters.dense(&format!("{from}.to_heads"), &format!("{to}.dense2"), outputs)?;
        parameters.norm(&format!("{from}.heads_norm"), &format!("{to}.ln2"))?;
    }
    parameters.matrix("encoding.smolgen.generator", "smolgen_w")
}
