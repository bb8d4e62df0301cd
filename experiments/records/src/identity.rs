//! The conditions on which the bits of a cell depend: they must be the same for all of its steps.

use serde::{Deserialize, Serialize};
use spec::Numerics;

/// Everything except the step that decides a cell's numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// BLAKE3 of the resolved configuration.
    pub config: String,
    /// The dataset's content hash.
    pub dataset: String,
    /// The versions of the code's arithmetic.
    pub numerics: Numerics,
    /// LibTorch's version.
    pub libtorch: String,
    /// LibTorch's kernels and the processor's maker.
    pub instruction_set: String,
    /// Threads inside an operation.
    pub threads: usize,
    /// The device of its tensors.
    pub device: String,
    /// Their element type.
    pub dtype: String,
    /// Positions that go through the network at once, where the machine decided it; a resumed cell keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<usize>,
}

impl Identity {
    /// How `self`, under which a cell began, differs from `now`; empty if the bits stay the same.
    #[must_use]
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let fields = [
            ("configuration", self.config.clone(), now.config.clone()),
            ("dataset", self.dataset.clone(), now.dataset.clone()),
            ("numerics version", self.numerics.to_string(), now.numerics.to_string()),
            ("LibTorch", self.libtorch.clone(), now.libtorch.clone()),
            ("instruction set", self.instruction_set.clone(), now.instruction_set.clone()),
            ("threads", self.threads.to_string(), now.threads.to_string()),
            ("device", self.device.clone(), now.device.clone()),
            ("dtype", self.dtype.clone(), now.dtype.clone()),
        ];
        fields
            .into_iter()
            .filter(|(_, began, now)| began != now)
            .map(|(name, began, now)| format!("{name}: began with {began}, now {now}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_named() {
        let began = Identity {
            config: "c".into(),
            dataset: "d".into(),
            numerics: serde_json::from_str("1").expect("a version"),
            libtorch: "2.11.0".into(),
            instruction_set: "AVX512 (AuthenticAMD)".into(),
            threads: 1,
            device: "cpu".into(),
            dtype: "f32".into(),
            micro_batch: None,
        };
        assert!(began.differences(&began).is_empty());
        let now = Identity { threads: 2, ..began.clone() };
        assert_eq!(began.differences(&now), ["threads: began with 1, now 2"]);
    }
}
