//! What networks compute most on CPUs, in vector instructions: attention of short sequences ([`attention`]), residual sums with
//! their norms ([`norm`]), an activation ([`mish`]), dense layers of few weights ([`dense`]), what a block does with each token by
//! itself ([`token_layers`]), logits of pairs of tokens ([`pair_logits`]), RoPE's rotation ([`rotation`]), and
//! products of vectors with tables of pair classes ([`Product`]).
//!
//! A relative encoding has a table with one vector for each class of token pairs (say, each displacement). Three products
//! serve it and its gradients. What LibTorch offers for them is a batch of small products with a table
//! that was expanded for all pairs, and copies into the layouts that these need: MKL computes them at a fifth to two fifths
//! of the processor's speed, and the copies cost as much again (docs/performance.md). Here each head's table stays as it
//! is, in the cache.
//!
//! Every number is summed in the same order whatever the number of threads: a head, a block of positions or a block
//! of rows is computed by one thread, and sums over blocks follow their order. Kernels are written once for all sets of
//! [`Instructions`], the last of which every processor has.
//!
//! Shape suffixes: `b` batch, `h` heads, `l` tokens, `k` width of a vector, `c` classes.

pub mod attention;
mod buffer;
pub mod dense;
mod exponential;
mod instructions;
mod lanes;
mod matrices;
pub mod mish;
pub mod norm;
mod operands;
pub mod pair_logits;
mod product;
pub mod rotation;
mod row_blocks;
pub mod token_layers;

pub use attention::{Attention, AttentionGradients};
pub use instructions::{Instructions, Workers};
pub use operands::{Numbers, Rows, Side};
pub use product::Product;
