//! Tests of the live page, in one binary.

#![allow(clippy::print_stdout, reason = "for those who ask with --nocapture")]

mod browser;
#[path = "../../../../experiments/crates/report/tests/all/by_hand.rs"]
pub mod by_hand;
#[path = "../../../../experiments/crates/report/tests/all/chromium.rs"]
mod chromium;
mod folder;
mod page;
mod server;
