//! Sample documents for readers.

use super::super::tree::{Node as Tree, Origin};
use serde_json::Value;
use std::sync::Arc;

/// Under this key a part of the schema keeps a value that is read there, until the schema is done.
pub(super) const SAMPLE: &str = "x-sample";

pub(super) fn tree(value: &Value) -> Tree {
    Tree::from_json(value.clone(), &Arc::new(Origin::default()))
}
