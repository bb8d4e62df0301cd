//! The command line: every subcommand of `posenc`. Nothing imports this crate.

// Doc comments of arguments are their help texts, where `<row>` stands for a name.
#![allow(rustdoc::invalid_html_tags)]
// Commands of labs have no value without their labs.
#![cfg_attr(not(feature = "labs"), allow(unreachable_patterns))]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the command line prints")]

pub mod commands;
mod labs;
