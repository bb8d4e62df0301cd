//! A network of Lc0 as it is read: its architecture, and its parameters by posenc's names.

use super::error::NetError;
use super::tree::Tree;
use encodings::EncodingConfig;
use games::{GameKind, InputName, Vocabulary};
use models::{ModelConfig, Spec};

/// Parameters by posenc's names, each in row-major order.
pub type Parameters = Vec<(String, Vec<f32>)>;

pub(super) struct Architecture {
    pub(super) model: ModelConfig,
    pub(super) encoding: Vec<EncodingConfig>,
    pub(super) parameters: Parameters,
}

/// Input and moves of Lc0's networks.
pub fn spec() -> Spec {
    Spec { input: GameKind::Chess.input(InputName::Lc0_112), moves: Vocabulary::FromTo(GameKind::Chess.from_to()) }
}

#[derive(Debug, Default)]
pub(super) struct NamedTensors {
    pub(super) named: Parameters,
}

impl NamedTensors {
    pub(super) fn push(&mut self, name: impl Into<String>, numbers: Vec<f32>) {
        self.named.push((name.into(), numbers));
    }

    /// Takes the tensor `from` of a file, of `len` values, as it is.
    pub(super) fn take(
        &mut self,
        name: impl Into<String>,
        tree: &mut Tree<'_>,
        from: &str,
        len: usize,
    ) -> Result<(), NetError> {
        self.push(name, tree.sized(from, len)?);
        Ok(())
    }
}
