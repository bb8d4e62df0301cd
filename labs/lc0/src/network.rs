//! A network of Lc0 as it is read: its architecture, and its parameters by posenc's names.

use super::error::NetError;
use super::tree::Tree;
use encodings::EncodingConfig;
use games::{FeatureKind, GameKind, InputName, Vocabulary};
use models::input::Expander;
use models::{GameSpec, ModelConfig};

/// Parameters by posenc's names, each in row-major order.
pub type Parameters = Vec<(String, Vec<f32>)>;

pub(super) struct Architecture {
    pub(super) model: ModelConfig,
    pub(super) encoding: Vec<EncodingConfig>,
    pub(super) parameters: Parameters,
}

/// Input and moves of Lc0's networks.
pub fn spec() -> GameSpec {
    GameSpec { input: GameKind::Chess.input(InputName::Lc0_112), moves: Vocabulary::FromTo(GameKind::Chess.from_to()) }
}

/// The weights of an embedding for scalar inputs in another unit, each by `change(weight, scale)`: Lc0 feeds its networks the raw
/// count of rule 50, posenc a share of it. There are `row` values per output, which begin with `area` values for each input plane.
pub(super) fn in_other_units(mut rows: Vec<f32>, [area, row]: [usize; 2], change: fn(f32, f32) -> f32) -> Vec<f32> {
    let input = spec().input;
    let first = Expander::new(input).channels() - input.features.len();
    for (i, feature) in input.features.iter().enumerate() {
        let FeatureKind::Scalar { scale } = feature.kind else { continue };
        for outputs in rows.chunks_exact_mut(row) {
            outputs[(first + i) * area..][..area].iter_mut().for_each(|weight| *weight = change(*weight, scale));
        }
    }
    rows
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
