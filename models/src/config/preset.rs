//! Published networks by name.

use super::body::InitKind;
use super::chessformer::{ChessformerConfig, EmbeddingConfig, Pool, ValueConfig};
use super::defaults::with_defaults;
use super::heads::{MovesLeft, NoOptions, Outputs, PolicyConfig, PolicyOptions, RewardOptions, SoftPolicy};
use super::model::ModelConfig;
use super::resnet::{BatchNormConfig, ResnetConfig, ResnetPolicy, ResnetValue, Stem};
use super::resnet_transformer::{EmbedAt, ResnetTransformerConfig};
use nn::Activation;

/// A published network: a name for a [`ModelConfig`].
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Its name in YAML.
    pub name: &'static str,
    /// A description in one line.
    pub description: &'static str,
    /// Makes its configuration.
    pub model: fn() -> ModelConfig,
}

impl Preset {
    /// The preset of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        presets().iter().find(|preset| preset.name == name)
    }
}

/// Every preset.
///
/// With Shaw's relative positions (`shaw`) and the input gate (`absolute: {at: gate}`), which are encodings here, on
/// `lc0_112`, CF-6M has 5.74 million parameters, with the repository's heads 6.02 million, and CF-240M 242.7 million.
/// Promotions cost one column less than in the paper's code (`heads/from_to.rs`).
pub fn presets() -> &'static [Preset] {
    const ALL: &[Preset] = &[
        Preset {
            name: "cf-6m",
            description: "Chessformer's CF-6M: 8 layers, width 256, 8 heads, feed-forward 256, policy, soft policy, \
                          result, q and short-term heads (arXiv 2409.12272)",
            model: || chessformer(cf_6m(without_buckets())),
        },
        Preset {
            name: "cf-6m-repo",
            description: "the same with moves-left and categorical heads, as its code's example has them",
            model: || chessformer(cf_6m(with_buckets())),
        },
        Preset {
            name: "cf-240m",
            description: "Chessformer's CF-240M: 15 layers, width 1024, 32 heads, feed-forward 4096, the new \
                          embedding, all heads (arXiv 2409.12272)",
            model: || chessformer(cf_240m()),
        },
        Preset {
            name: "chess-encoder",
            description: "ChessDecoder's encoder: 12 layers, width 768, 12 heads, SwiGLU 3072, a policy off start_pos; \
                          with tokens_68, chessdecoder_1924 and rope flat_1d (maxlegrec1/ChessDecoder@405b565)",
            model: || chessformer(ChessformerConfig::llama_style(768, 12, 3072)),
        },
        Preset {
            name: "chess-encoder-v2",
            description: "the same with width 1024, 16 heads, SwiGLU 1536 (maxlegrec1/ChessDecoder@57e2a42)",
            model: || chessformer(ChessformerConfig::llama_style(1024, 16, 1536)),
        },
        Preset {
            name: "chess-decoder",
            description: "ChessDecoder: the blocks of chess-encoder over boards and moves of a game; policy, result \
                          and next board (maxlegrec1/ChessDecoder@405b565)",
            model: || {
                let sizes = [("layers", 12), ("width", 768), ("heads", 12), ("ff", 3072)];
                ModelConfig::Decoder(Box::new(with_defaults(&sizes)))
            },
        },
        Preset {
            name: "dlshogi-10x192",
            description: "dlshogi's resnet10: 10 blocks of 192 channels, swish, one win rate",
            model: || ModelConfig::Resnet(Box::new(dlshogi(10, 192, Activation::Swish))),
        },
        Preset {
            name: "dlshogi-15x224",
            description: "dlshogi's resnet15: 15 blocks of 224 channels, swish, one win rate",
            model: || ModelConfig::Resnet(Box::new(dlshogi(15, 224, Activation::Swish))),
        },
        Preset {
            name: "dlshogi-20x256",
            description: "dlshogi's resnet20: 20 blocks of 256 channels, swish, one win rate",
            model: || ModelConfig::Resnet(Box::new(dlshogi(20, 256, Activation::Swish))),
        },
        Preset {
            name: "dlshogi-transformer",
            description: "dlshogi's resnet with attention, of its article of 5 June 2024: 12 blocks of 256 channels \
                          (relu), 8 layers of 8 heads, feed-forward 256; encodings absolute (input) and \
                          dynamic_relative",
            model: || ModelConfig::ResnetTransformer(Box::new(dlshogi_transformer())),
        },
    ];
    ALL
}

/// Intervals of the categorical rewards.
const BUCKETS: usize = 32;

fn chessformer(config: ChessformerConfig) -> ModelConfig {
    ModelConfig::Chessformer(Box::new(config))
}

fn cf_240m() -> ChessformerConfig {
    ChessformerConfig {
        layers: 15,
        width: 1024,
        heads: 32,
        ff: 4096,
        embedding: EmbeddingConfig::New { dense: 512, ff: None },
        policy: PolicyConfig { embedding: Some(1024), depth: Some(1024), ..PolicyConfig::default() },
        // The one size at which the paper's 243 million come out; neither text nor code states it.
        value: ValueConfig { embedding: 128, hidden: 128, pool: Pool::Flatten },
        ..cf_6m(with_buckets())
    }
}

/// A residual network of dlshogi's (`dlshogi/network` in TadaoYamaoka/DeepLearningShogi): on `dlshogi_62_57` and
/// `dlshogi_2187` with its 27 planes of moves, for which the value head has as many channels.
fn dlshogi(blocks: usize, channels: usize, activation: Activation) -> ResnetConfig {
    ResnetConfig {
        blocks,
        channels,
        stem: Stem::Parted,
        se: None,
        activation,
        batch_norm: BatchNormConfig::default(),
        init: InitKind::Torch,
        policy: ResnetPolicy::Planes,
        value: ResnetValue { channels: 27, hidden: 256 },
        outputs: Outputs { policy: Some(PolicyOptions::default()), win_rate: Some(NoOptions {}), ..Outputs::none() },
    }
}

fn dlshogi_transformer() -> ResnetTransformerConfig {
    ResnetTransformerConfig {
        resnet: dlshogi(12, 256, Activation::Relu),
        attention: with_defaults(&[("layers", 8), ("heads", 8), ("ff", 256)]),
        embed: EmbedAt::Attention,
    }
}

fn cf_6m(outputs: Outputs) -> ChessformerConfig {
    ChessformerConfig {
        policy: PolicyConfig { embedding: Some(256), depth: Some(256), ..PolicyConfig::default() },
        outputs,
        ..ChessformerConfig::of_sizes(8, 256, 8, 256)
    }
}

/// The heads that the paper's text names for CF-6M.
fn without_buckets() -> Outputs {
    let reward = Some(RewardOptions::default());
    Outputs {
        policy: Some(PolicyOptions::default()),
        soft_policy: Some(SoftPolicy::default()),
        result: Some(NoOptions {}),
        q: reward,
        short_term: reward,
        ..Outputs::none()
    }
}

/// The heads of the example in the paper's code.
fn with_buckets() -> Outputs {
    let reward = Some(RewardOptions { buckets: BUCKETS, ..RewardOptions::default() });
    Outputs { q: reward, short_term: reward, moves_left: Some(MovesLeft::default()), ..without_buckets() }
}
