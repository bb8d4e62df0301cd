//! Documents that readers are asked about.

use super::super::source::Source;
use super::super::tree::{Node as Tree, Origin};
use serde_json::Value;
use std::path::Path;

/// Under this key a part of the schema keeps a value that is read there, until the schema is done.
pub(super) const SAMPLE: &str = "x-sample";

/// A value as a tree.
pub(super) fn tree(value: &Value) -> Tree {
    let source = Source::new(Path::new(""), value.to_string());
    Tree::parse(&source).unwrap_or_else(|_| {
        let origin = Origin { source, path: Vec::new() };
        Tree::empty_map(origin)
    })
}
