//! Parameters and layers: what every network of posenc is made of, and nothing about boards.
//!
//! A network is first *declared* into a [`Layout`]: names, shapes, initialisers, no tensor made, so that parameters
//! can be counted without memory. An [`Arena`] then holds all of them in one flat tensor, and each forward pass takes
//! [`Views`] of it with a single split, so that clipping, the optimiser, averaging and checkpoints are one operation
//! each instead of hundreds.
//!
//! Shape suffixes in names: `b` batch, `l` tokens, `d` width, `h` heads, `k` head width.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests draw from LibTorch"))]

pub mod activation;
pub mod arena;
pub mod arithmetic;
pub mod batch_norm;
mod bias_mish;
pub mod constant;
pub mod convolution;
pub mod device;
pub mod differentiable;
pub mod fused;
pub mod init;
mod kernel_dense;
pub mod layout;
pub mod linear;
pub mod memory;
mod mish;
pub mod norm;
mod numbers;
pub mod pair_logits;
pub mod product;
mod residual_norm;
mod token_layers;

pub use activation::Activation;
pub use arena::{Arena, Views};
pub use arithmetic::Arithmetic;
pub use batch_norm::{BatchNorm, Observation};
pub use constant::Constant;
pub use convolution::{Convolution, ConvolutionSizes};
pub use differentiable::Differentiable;
pub use init::Init;
pub use layout::{Layout, LayoutBuilder, LayoutError, ParamId, ParamSpec, Part, Range, Scope};
pub use linear::Linear;
pub use memory::keep_freed_memory;
pub use norm::{Norm, NormKind};
pub use pair_logits::PairLogits;
pub use product::dense;
pub use token_layers::TokenLayers;
