//! The parameters of a network while it is read.

use super::Parameters;

/// The parameters read so far, by posenc's names.
#[derive(Debug, Default)]
pub(super) struct NamedTensors {
    pub(super) named: Parameters,
}

impl NamedTensors {
    pub(super) fn push(&mut self, name: impl Into<String>, numbers: Vec<f32>) {
        self.named.push((name.into(), numbers));
    }
}
