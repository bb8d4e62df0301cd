//! The architectures in words.

use serde::Serialize;

/// An architecture that [`super::ModelConfig`] can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ModelDescription {
    /// Its name in YAML.
    pub name: &'static str,
    /// A description in one line.
    pub description: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The choices it has beside sizes and heads, each with its values, the default first.
    pub options: &'static [&'static str],
}

/// Every architecture, for `posenc list models`.
pub fn models() -> &'static [ModelDescription] {
    &[
        ModelDescription {
            name: "chessformer",
            description: "encoder with one token per square; attention policy, value, moves-left and map heads (`outputs`)",
            source: "Monroe & Chalmers 2024, arXiv 2409.12272",
            options: &[
                "embedding=old|linear|reach|new{dense,ff}|table",
                "edge=shown|hidden",
                "norm=post|post_deepnet|post_deepnet_attention|post_plain|post_scaled{alpha,beta}|pre",
                "normalisation=rms|rms_1e-6|layer|layer_1e-6|batch",
                "activation=mish|gelu|gelu_tanh|swish|relu|relu2|selu|tanh|sigmoid|identity",
                "ff_activation=(activation)",
                "ff_kind=dense|glu|swiglu|geglu",
                "qkv_bias=false|true",
                "qk_norm=false|true",
                "registers=0",
                "loops=1",
                "out_bias=true|false",
                "ff_bias=true|false",
            ],
        },
        ModelDescription {
            name: "resnet",
            description: "convolutions with residual connections and batch normalisation; policy, result, win-rate and moves-left heads",
            source: "AlphaZero (doi 10.1126/science.aar6404) with Lc0's squeeze-and-excitation; Maia is 6 x 64, se 8",
            options: &[
                "stem=single|parted",
                "se=(none)|{channels}",
                "policy=convolution|planes|dense{channels}",
                "activation=relu|mish|gelu|gelu_tanh|swish|relu2|selu|tanh|sigmoid|identity",
                "batch_norm={momentum: 0.1}",
                "init=glorot|torch",
            ],
        },
        ModelDescription {
            name: "resnet_transformer",
            description: "a resnet (`resnet`) and attention layers after its blocks (`attention`), with the resnet's heads",
            source: "Yamaoka, dlshogi feature/resnet-transformer; dlshogi's article of 5 June 2024",
            options: &[
                "embed=attention|stem",
                "attention.norm=post_plain|post_deepnet|post_deepnet_attention|pre|post|post_scaled{alpha,beta}",
                "attention.normalisation=batch|rms|layer",
                "attention.activation=gelu|gelu_tanh|relu|mish|swish",
                "attention.ff_kind=dense|glu|swiglu|geglu",
                "attention.qkv_groups=1",
                "attention.qkv_bias=false|true",
                "attention.out_bias=false|true",
                "attention.ff_bias=false|true",
            ],
        },
        ModelDescription {
            name: "decoder",
            description: "boards and moves of a game in a sequence; policy, result and next-board heads",
            source: "maxlegrec1/ChessDecoder@405b565",
            options: &["plies=3", "mask=prefix|causal", "normalisation=rms|rms_1e-6"],
        },
    ]
}
