//! Position encodings: how attention is told where things are on a board.
//!
//! Each encoding is a file in `zoo/`. It owns all its [`InjectionPoints`] and switches nothing else on or off; every injection
//! point is the identity by default. Encodings stack ([`Stack`]): an experiment names a list. To add one, write a file with a
//! `Config` that is [`Configure`] and its [`Encoding`], name it in `zoo.rs` and in the list of `config.rs`; the laws in `tests/`
//! then run over it.
//!
//! Shape suffixes: `b` batch, `l` tokens, `d` width, `h` heads, `k` head width; `c` classes of token pairs.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests draw from LibTorch"))]

pub mod ablated;
mod act;
pub mod config;
pub mod configure;
mod displacement_bias;
pub mod displacements;
pub mod distance;
pub mod encoding;
pub mod error;
pub mod injection_points;
pub mod observed;
pub mod order;
pub mod pairs;
mod perceptron;
pub mod rows;
mod squares_mean;
pub mod stack;
pub mod tokens;
pub mod watched;
mod zoo;

pub use ablated::{Ablation, Change};
pub use act::Act;
pub use config::EncodingConfig;
pub use configure::{Configure, EncodingInfo};
pub use encoding::{AttendInput, Auxiliary, Dims, Encoding, Guarantees, LayerContext, Queries};
pub use error::EncodingError;
pub use injection_points::InjectionPoints;
pub use nn::Logits;
pub use observed::{HeadMaps, HeadObserver};
pub use stack::{Stack, Streams};
pub use tokens::{Role, Tokens};
pub use watched::{AttentionMap, MapKind, Watch};
pub use zoo::*;
