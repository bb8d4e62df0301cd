//! Tests of the live page, in one binary.

#![allow(clippy::print_stdout, reason = "for those who ask with --nocapture")]

mod browser;
mod folder;
mod page;
mod server;
