//! Position encodings: how attention learns where a token stands on the board.
//!
//! Each encoding is a file in `zoo/`. It owns all its [`InjectionPoints`] and switches nothing else on or off; every injection
//! point is the identity by default. Encodings stack ([`Stack`]): an experiment names a list. To add one, write a file with a
//! `Config` that is [`Configure`] and its [`Encoding`], name it in `zoo.rs` and in the list of `config.rs`; the laws in `tests/`
//! then run over it.
//!
//! Shape suffixes: `b` batch, `l` tokens, `d` width, `h` heads, `k` head width; `c` classes of token pairs.

#![warn(missing_docs)]

pub mod config;
pub mod configure;
mod displacement_bias;
pub mod displacements;
pub mod encoding;
pub mod error;
pub mod observed;
pub mod order;
mod perceptron;
mod prelude;
pub mod stack;
pub mod tokens;
mod zoo;

pub use config::EncodingConfig;
pub use configure::{Act, Configure, EncodingInfo};
pub use encoding::{AttendInput, Auxiliary, Dims, Encoding, Guarantees, InjectionPoints, LayerContext, Queries};
pub use error::EncodingError;
pub use nn::Logits;
pub use observed::{AttentionMap, HeadMaps, HeadObserver, MapKind, Watch};
pub use stack::{Stack, Streams};
pub use tokens::{Role, Tokens};
pub use zoo::*;
