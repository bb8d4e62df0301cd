//! Memory of a position's activations, estimated from the sizes of its network.

use models::{
    ChessformerConfig, DecoderConfig, EmbeddingConfig, FeedForwardKind, ModelConfig, ResnetConfig,
    ResnetTransformerConfig,
};

/// An upper estimate of the bytes that the forward pass of one position keeps for the backward pass; measured networks
/// of posenc take about half of it (docs/performance.md).
pub(super) fn bytes(architecture: &ModelConfig, tokens: usize, channels: usize) -> u64 {
    let numbers = match architecture {
        ModelConfig::Chessformer(config) => chessformer(config, tokens, channels),
        ModelConfig::Resnet(config) => resnet(config, tokens, channels),
        ModelConfig::ResnetTransformer(config) => resnet(&config.resnet, tokens, channels) + attention(config, tokens),
        ModelConfig::Decoder(config) => decoder(config, tokens),
    };
    (size_of::<f32>() * numbers) as u64
}

/// The body's blocks, one more for heads, and the embedding.
fn chessformer(config: &ChessformerConfig, tokens: usize, channels: usize) -> usize {
    let block = block([config.width, config.heads], feed_forward(config.ff_kind, config.ff), tokens);
    let pass = (config.layers + 1) * block + tokens * embedding(config, tokens, channels);
    // A refinement pass runs the whole network again.
    if config.refinement.is_some() { 2 * pass } else { pass }
}

/// The attention layers of a network that starts with convolutions.
fn attention(config: &ResnetTransformerConfig, tokens: usize) -> usize {
    let (layers, channels) = (&config.attention, config.resnet.channels);
    layers.layers * block([channels, layers.heads], feed_forward(layers.ff_kind, layers.ff), tokens)
}

/// Attention of this width and number of heads, and a feed-forward layer.
fn block([width, heads]: [usize; 2], feed_forward: usize, tokens: usize) -> usize {
    tokens * (24 * width + feed_forward) + 10 * heads * tokens * tokens
}

/// Values of a feed-forward layer for one token: four per output of the first product. A gated layer has two outputs
/// per inner channel.
fn feed_forward(kind: FeedForwardKind, ff: usize) -> usize {
    let first = if kind == FeedForwardKind::Dense { ff } else { 2 * ff };
    4 * first
}

/// Values of the input embedding for one token: its channels, twice. A `moves` map adds one channel per square. The
/// embedding over all squares adds a summary, a norm and a feed-forward layer.
fn embedding(config: &ChessformerConfig, tokens: usize, channels: usize) -> usize {
    match config.embedding {
        EmbeddingConfig::Old | EmbeddingConfig::Linear | EmbeddingConfig::Table => 2 * channels,
        EmbeddingConfig::Parts(_) => 4 * config.width,
        EmbeddingConfig::Reach => 2 * (channels + tokens),
        EmbeddingConfig::New { dense, ff } => {
            let inside = feed_forward(config.ff_kind, ff.unwrap_or(config.ff));
            2 * (channels + dense) + dense + 8 * config.width + inside
        }
    }
}

/// A ply of a sequence of `tokens`, in two passes: blocks as in a Chessformer with a gated layer, and one more block
/// for heads.
fn decoder(config: &DecoderConfig, tokens: usize) -> usize {
    let own = tokens / config.plies;
    let block = own * (24 * config.width + 4 * 2 * config.ff) + 10 * config.heads * own * tokens;
    2 * (config.layers + 1) * block
}

/// Per block two convolutions, each with a norm and an activation, and the sum; one more block for input and heads.
fn resnet(config: &ResnetConfig, tokens: usize, channels: usize) -> usize {
    (config.blocks + 1) * tokens * 12 * config.channels + 2 * tokens * channels
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::{ModelConfig, Preset};

    fn cf_6m() -> ChessformerConfig {
        match (Preset::named("cf-6m").expect("a preset").model)() {
            ModelConfig::Chessformer(config) => *config,
            other => panic!("{other:?}"),
        }
    }

    fn numbers(config: ChessformerConfig) -> u64 {
        bytes(&ModelConfig::Chessformer(Box::new(config)), 10, 3) / 4
    }

    #[test]
    fn a_gated_layer_takes_twice_the_room_of_a_dense_one() {
        let dense = ChessformerConfig { layers: 1, width: 100, heads: 2, ff: 50, ..cf_6m() };
        let gated = ChessformerConfig { ff_kind: FeedForwardKind::Swiglu, ..dense.clone() };
        // Two blocks of 10 tokens: 24·100 + 4·50 a token, 10·2·10² for attention; and 2·3 channels a token.
        assert_eq!(numbers(dense), 2 * (10 * 2600 + 2000) + 60);
        assert_eq!(numbers(gated), 2 * (10 * 2800 + 2000) + 60);
    }

    #[test]
    fn the_embedding_that_sees_all_squares_takes_room_of_its_own() {
        let old = ChessformerConfig { layers: 1, width: 100, heads: 2, ff: 50, ..cf_6m() };
        let new = ChessformerConfig { embedding: EmbeddingConfig::New { dense: 7, ff: None }, ..old.clone() };
        // A token more: 3·7 of the summary, 8·100 of norms and sums, 4·50 of the feed-forward layer.
        assert_eq!(numbers(new) - numbers(old), 10 * (21 + 800 + 200));
    }
}
