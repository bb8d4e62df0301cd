//! How much memory a position's activations take, from the sizes of its network.

use models::{
    ChessformerConfig, DecoderConfig, EmbeddingConfig, FeedForwardKind, ModelConfig, ResnetConfig,
    ResnetTransformerConfig,
};

/// Bytes that the forward pass of one position leaves for the backward pass, generously: measured networks of posenc take
/// about half of it (docs/performance.md).
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
    // A second look goes through the whole network again.
    if config.refinement.is_some() { 2 * pass } else { pass }
}

/// The attention layers of a network that has convolutions in front of them.
fn attention(config: &ResnetTransformerConfig, tokens: usize) -> usize {
    let (layers, channels) = (&config.attention, config.resnet.channels);
    layers.layers * block([channels, layers.heads], feed_forward(layers.ff_kind, layers.ff), tokens)
}

/// Attention of this width and so many heads, and a feed-forward layer.
fn block([width, heads]: [usize; 2], feed_forward: usize, tokens: usize) -> usize {
    tokens * (24 * width + feed_forward) + 10 * heads * tokens * tokens
}

/// Numbers of a feed-forward layer for one token: four for each that the first product gives. A gated layer's gives two
/// for each of the inside.
fn feed_forward(kind: FeedForwardKind, ff: usize) -> usize {
    let first = if kind == FeedForwardKind::Dense { ff } else { 2 * ff };
    4 * first
}

/// Numbers of the input embedding for one token: its channels, twice. A map of moves adds a channel a square to them. The
/// one that sees all squares adds a summary to them, and has a norm and a feed-forward layer of its own.
fn embedding(config: &ChessformerConfig, tokens: usize, channels: usize) -> usize {
    match config.embedding {
        EmbeddingConfig::Old | EmbeddingConfig::Table => 2 * channels,
        EmbeddingConfig::Parts(_) => 4 * config.width,
        EmbeddingConfig::Reach => 2 * (channels + tokens),
        EmbeddingConfig::New { dense, ff } => {
            let inside = feed_forward(config.ff_kind, ff.unwrap_or(config.ff));
            2 * (channels + dense) + dense + 8 * config.width + inside
        }
    }
}

/// A ply of a sequence of `tokens`, in two passes: blocks as in a Chessformer with a gated layer, one more for heads.
fn decoder(config: &DecoderConfig, tokens: usize) -> usize {
    let own = tokens / config.plies;
    let block = own * (24 * config.width + 4 * 2 * config.ff) + 10 * config.heads * own * tokens;
    2 * (config.layers + 1) * block
}

/// Two convolutions a block, each with a norm and an activation, and the sum; one block more for input and heads.
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
