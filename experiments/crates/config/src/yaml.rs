//! Text to trees, trees to types, and errors that point into the text.

pub(crate) mod config_yaml;
pub(crate) mod find_problems;
pub(crate) mod parse;
pub(crate) mod reader;
pub mod source;
pub(crate) mod suggest;
pub(crate) mod tree;
pub(crate) mod values;
pub(crate) mod visitors;
