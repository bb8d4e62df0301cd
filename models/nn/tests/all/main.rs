//! The tests of parameters and layers, in one binary.

mod arena;
mod batch_norm;
mod differentiable;
mod layers;
