//! Position encodings: how attention is told where things are on a board. One encoding per file.
//!
//! An encoding owns all its [`InjectionPoints`] and switches nothing else on or off; every injection point is the identity by default.
//! Encodings stack ([`Stack`]): an experiment names a list. To add one, write a file with a `Config` that is
//! [`Configure`] and its [`Encoding`], name the file below and in the list of `config.rs`; the laws in `tests/` then
//! run over it.
//!
//! Shape suffixes: `b` batch, `l` tokens, `d` width, `h` heads, `k` head width; `c` classes of token pairs.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests draw from LibTorch"))]

pub mod ablated;
pub mod config;
pub mod configure;
mod displacement_bias;
pub mod displacements;
pub mod distance;
pub mod encoding;
pub mod error;
pub mod fused_attention;
pub mod injection_points;
pub mod observed;
pub mod order;
mod pair_products;
mod pair_tables;
pub mod pairs;
mod perceptron;
pub mod rows;
mod squares_mean;
pub mod stack;
mod strided;
pub mod tokens;
pub mod watched;

pub mod absolute;
mod act;
pub mod alibi;
pub mod cls_map;
pub mod continuous_bias;
pub mod cope;
pub mod deberta;
pub mod dynamic_relative;
pub mod fire;
pub mod gab_templates;
pub mod irpe;
pub mod kerple;
pub mod laplacian;
pub mod lepe;
pub mod log_buckets;
pub mod none;
pub mod relations;
pub mod relative_bias;
pub mod rope;
pub mod shaw;
pub mod smolgen;
pub mod string;

pub use ablated::{Ablation, Change};
pub use act::Act;
pub use config::EncodingConfig;
pub use configure::{Configure, EncodingInfo};
pub use encoding::{AttendInput, Auxiliary, Dims, Encoding, Guarantees, LayerContext, Logits, Queries};
pub use error::EncodingError;
pub use injection_points::InjectionPoints;
pub use observed::{HeadMaps, HeadObserver};
pub use stack::{Stack, Streams};
pub use tokens::{Role, Tokens};
pub use watched::{AttentionMap, MapKind, Watch};
