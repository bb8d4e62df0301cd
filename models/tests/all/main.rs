//! What networks, losses and optimisers do, in one binary: LibTorch is linked once.
//!
//! Under `cargo test` all tests share a process and with it LibTorch's state. The number of threads is set to one wherever a
//! test gets a tensor or weights (`common`), because a sum over other threads has other bits. Gradient mode belongs to a
//! thread, and random numbers come from keyed streams, so nothing else is shared.

mod common;

mod average;
mod backends;
mod bf16;
mod chess_encoder;
mod cls_network;
mod config;
mod counts;
mod decoder;
mod dlshogi;
mod dlshogi_planes;
mod edge;
mod groups;
mod head_losses;
mod heads;
mod input_sources;
mod loss;
mod measure;
mod muon;
mod network;
mod optimizer;
mod options;
mod overfit;
mod plane_policy;
mod reference;
mod refinement;
mod refusals;
mod resnet;
mod training;
mod trunk;
