//! Parameters and layers: what every network of posenc is made of, and nothing about boards.
//!
//! A network is first *declared* into a [`Layout`]: names, shapes, initialisers, no tensor made, so that parameters
//! can be counted without memory. An [`Arena`] then holds all of them in one flat tensor, and each forward pass takes
//! [`Views`] of it with a single split, so that clipping, the optimiser, averaging and checkpoints are one operation
//! each instead of hundreds.
//!
//! [`attention()`], [`dense`], [`Norm`], [`Linear`], [`TokenLayers`], [`PairLogits`], [`PairTables`] and [`Rotation`] choose
//! between posenc's kernels ([`fused`]) and LibTorch's operations by the [`Backend`]; all give the same numbers up to rounding.
//!
//! ```
//! use nn::{Arena, Init, LayoutBuilder, Linear, Part};
//! use tch::{Device, Kind, Tensor};
//!
//! let mut builder = LayoutBuilder::default();
//! let layer = Linear::declare(&mut builder.scope("layer", Part::Trunk), 3, 2, Init::torch(3), true);
//! let layout = builder.finish()?;
//! assert_eq!(layout.total(), 3 * 2 + 2);
//! let arena = Arena::initialise(layout.into(), 0, "", Device::Cpu)?;
//! let y = layer.forward(&arena.views(), &Tensor::ones([5, 3], (Kind::Float, Device::Cpu)));
//! assert_eq!(y.size(), [5, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Shape suffixes in names: `b` batch, `l` tokens, `d` width, `h` heads, `k` head width.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests draw from LibTorch"))]

pub mod activation;
pub mod arena;
pub mod arithmetic;
mod attention;
pub mod backend;
pub mod batch_norm;
pub mod constant;
pub mod convolution;
pub mod differentiable;
mod dropout;
pub mod fused;
pub mod group;
pub mod init;
pub mod layout;
pub mod linear;
pub mod norm;
pub mod operators;
mod pair_classes;
pub mod pair_tables;
pub mod pinned;
pub mod process;
pub mod product;
mod rotation;

pub use activation::Activation;
pub use arena::{Arena, Observation, Views};
pub use arithmetic::Arithmetic;
pub use attention::{Logits, Mixture, Projections, attention, attention_with_dropout};
pub use backend::Backend;
pub use batch_norm::BatchNorm;
pub use constant::Constant;
pub use convolution::{Convolution, ConvolutionSizes};
pub use differentiable::Differentiable;
pub use dropout::DropoutKey;
pub use fused::pair_logits::{Pair, PairLogits};
pub use fused::token_layers::TokenLayers;
pub use init::Init;
pub use layout::{Layout, LayoutBuilder, LayoutError, ParamId, ParamSpec, Part, Range, Scope};
pub use linear::Linear;
pub use norm::{Norm, NormKind};
pub use operators::{Operator, OperatorKind, operators_of, peak_bytes};
pub use pair_classes::PairClasses;
pub use pair_tables::PairTables;
pub use pinned::pinned;
pub use process::{keep_freed_memory, load_cuda, skip_destructors};
pub use product::dense;
pub use rotation::Rotation;
