//! The command line: every subcommand of `posenc`. Nothing imports this crate.

pub mod commands;
