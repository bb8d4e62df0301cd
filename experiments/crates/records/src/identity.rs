//! The conditions on which the bits of a cell depend: they must stay the same for all of its steps.

use crate::device;
use facts::Numerics;
use serde::{Deserialize, Serialize};

/// What decides a cell's numbers, except the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    pub config: String,
    pub dataset: String,
    pub numerics: Numerics,
    pub libtorch: String,
    /// LibTorch's kernels and the processor's maker; compared on CPUs only.
    pub instruction_set: String,
    /// Threads inside an operation; compared on CPUs only.
    pub threads: usize,
    /// The device of its tensors: `cpu`, or a GPU by kind and model ([`device`]).
    pub device: String,
    pub dtype: String,
    /// Positions that go through the network at once, where the machine decided it; a resumed cell keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<usize>,
    /// The environment variables that choose the arithmetic of libraries, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

/// Variables as a shell takes them.
pub fn assignments(variables: &[(String, String)]) -> String {
    let assigned: Vec<String> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if assigned.is_empty() { "none".to_owned() } else { assigned.join(" ") }
}

impl Identity {
    /// The differences between `self`, under which a cell began, and `now`; empty if the bits stay the same. On a GPU the
    /// results do not depend on the processor, so instruction set and threads are not compared.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let on_cpu = [self, now].iter().all(|identity| identity.device == device::CPU);
        let other_device = !device::is_same(&self.device, &now.device);
        let fields = [
            ("configuration", true, self.config.clone(), now.config.clone()),
            ("dataset", true, self.dataset.clone(), now.dataset.clone()),
            ("numerics version", true, self.numerics.to_string(), now.numerics.to_string()),
            ("LibTorch", true, self.libtorch.clone(), now.libtorch.clone()),
            ("instruction set", on_cpu, self.instruction_set.clone(), now.instruction_set.clone()),
            ("threads", on_cpu, self.threads.to_string(), now.threads.to_string()),
            ("device", other_device, self.device.clone(), now.device.clone()),
            ("dtype", true, self.dtype.clone(), now.dtype.clone()),
            ("environment", true, assignments(&self.environment), assignments(&now.environment)),
        ];
        fields
            .into_iter()
            .filter(|(_, counts, began, now)| *counts && began != now)
            .map(|(name, _, began, now)| format!("{name}: began with {began}, now {now}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of_cell(device: &str) -> Identity {
        serde_json::from_value(json!({
            "config": "c", "dataset": "d", "numerics": 1, "libtorch": "2.11.0", "threads": 1, "device": device,
            "instruction_set": "AVX512 (AuthenticAMD)", "dtype": "f32",
        }))
        .expect("an identity")
    }

    #[test]
    fn variables_are_written_only_where_one_is_set() {
        let began = of_cell("cpu");
        let written = |identity: &Identity| serde_json::to_string(identity).expect("JSON");
        assert!(!written(&began).contains("environment"));
        let set = Identity { environment: vec![("MKL_CBWR".into(), "AVX2".into())], ..began };
        assert_eq!(serde_json::from_str::<Identity>(&written(&set)).expect("an identity"), set);
    }

    #[test]
    fn a_gpu_is_its_model_and_its_processor_does_not_matter() {
        let began = of_cell("cuda, NVIDIA H100 80GB HBM3");
        let elsewhere = Identity { threads: 4, instruction_set: "AVX2 (GenuineIntel)".into(), ..began.clone() };
        assert!(began.differences(&elsewhere).is_empty());
        let other = Identity { device: "cuda, NVIDIA H200".into(), ..elsewhere.clone() };
        let device = "device: began with cuda, NVIDIA H100 80GB HBM3, now cuda, NVIDIA H200";
        assert_eq!(began.differences(&other), [device]);
        let on_cpu = Identity { device: "cpu".into(), ..elsewhere };
        assert_eq!(began.differences(&on_cpu), ["device: began with cuda, NVIDIA H100 80GB HBM3, now cpu"]);
        assert!(of_cell("cuda:1").differences(&began).is_empty(), "an older version's name has no model");
    }
}
