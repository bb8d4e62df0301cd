//! Products of vectors with tables of pair classes, in vector instructions.
//!
//! A relative encoding has a table with one vector for each class of token pairs (say, each displacement). Three products
//! serve it and its gradients, see [`Product`]. What LibTorch offers for them is a batch of small products with a table
//! that was expanded for all pairs, and copies into the layouts that these need: MKL computes them at a fifth to two fifths
//! of the processor's speed, and the copies cost as much again (docs/performance.md). Here each head's table stays as it
//! is, in the cache.
//!
//! Every number is summed in the same order whatever the number of threads: each head is computed by one thread. Other
//! processors than x86-64 have no kernels: [`Instructions::available`] is empty there, and callers use tensors instead.
//!
//! Shape suffixes: `b` batch, `h` heads, `l` tokens, `k` width of a vector, `c` classes.

mod instructions;
mod operands;
mod product;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use instructions::Instructions;
pub use operands::{Rows, Side, Table};
pub use product::Product;
