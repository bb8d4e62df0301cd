//! What a training step asks of a device, counted operator by operator, and how fast a GPU would at best take it.
//!
//! On a CPU the step is that of a GPU, by LibTorch's fused operations. Where LibTorch has no such operation for a CPU (attention
//! with a bias that has a gradient, the root-mean-square norm) its elementary ones are counted: the exact numbers are those of a
//! CUDA device, of which `scripts/test-fake-gpu` has a stand-in.

use super::{BenchOptions, BenchRun, Runner};
use crate::environment::use_threads;
use crate::error::TrainError;
use nn::{Backend, Operator, OperatorKind, operators_of, peak_bytes};
use serde::Serialize;
use tch::Device;

/// A GPU's memory bandwidth in bytes/s, and its products in operations/s, each without sparsity.
#[derive(Debug, Clone, Copy)]
pub struct GpuPeaks {
    pub name: &'static str,
    bytes: f64,
    bf16: f64,
    tf32: f64,
    f32: f64,
}

/// The SXM modules, from NVIDIA's data sheets (A100 80GB, H100, H200).
pub const GPUS: [GpuPeaks; 3] = [
    GpuPeaks { name: "A100", bytes: 2.039e12, bf16: 312e12, tf32: 156e12, f32: 19.5e12 },
    GpuPeaks { name: "H100", bytes: 3.35e12, bf16: 989e12, tf32: 494e12, f32: 67e12 },
    GpuPeaks { name: "H200", bytes: 4.8e12, bf16: 989e12, tf32: 494e12, f32: 67e12 },
];

impl GpuPeaks {
    /// The roofline of a step: each operator takes as long as its bytes or its operations, whichever takes longer, and starts
    /// when the one before has ended.
    fn seconds(&self, operators: &[Operator], tf32: bool) -> f64 {
        let of = |operator: &Operator| {
            let products = match (operator.bf16, tf32) {
                (true, _) => self.bf16,
                (false, true) => self.tf32,
                (false, false) => self.f32,
            };
            (operator.bytes / self.bytes).max(operator.operations / products)
        };
        operators.iter().filter(|operator| is_on_device(operator)).map(of).sum()
    }
}

fn is_on_device(operator: &Operator) -> bool {
    matches!(operator.kind, OperatorKind::Other | OperatorKind::Product)
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepCount {
    pub name: String,
    pub parameters: usize,
    pub batch: usize,
    /// Operators that read or write tensors on the device, products among them. A kernel is part of one, or the whole.
    pub operators: usize,
    pub products: usize,
    /// The bytes of all their inputs and outputs.
    pub bytes: f64,
    /// Multiplications and additions of the products.
    pub operations: f64,
    /// Copies to the device: those that the host waits for, and the others; and copies back. None on a CPU.
    pub uploads_waiting: usize,
    pub uploads: usize,
    pub reads: usize,
    /// The most memory of a GPU that was in use during the step.
    pub peak_bytes: Option<f64>,
    /// By GPU, in the order of [`GPUS`].
    pub best_positions_per_s: Vec<(&'static str, f64)>,
}

impl StepCount {
    fn of(operators: &[Operator], runner: &Runner, peak_bytes: Option<f64>) -> Self {
        let count = |is: &dyn Fn(&Operator) -> bool| operators.iter().filter(|operator| is(operator)).count();
        let on_device = || operators.iter().filter(|operator| is_on_device(operator));
        let (batch, tf32) = (runner.time.batch, runner.run.train.arithmetic().tf32);
        Self {
            name: runner.time.name.clone(),
            parameters: runner.time.parameters,
            batch,
            operators: on_device().count(),
            products: count(&|operator| operator.kind == OperatorKind::Product),
            bytes: on_device().map(|operator| operator.bytes).sum(),
            operations: on_device().map(|operator| operator.operations).sum(),
            uploads_waiting: count(&|operator| operator.kind == OperatorKind::Upload && operator.waits),
            uploads: count(&|operator| operator.kind == OperatorKind::Upload && !operator.waits),
            reads: count(&|operator| operator.kind == OperatorKind::Read),
            peak_bytes,
            best_positions_per_s: GPUS.map(|gpu| (gpu.name, batch as f64 / gpu.seconds(operators, tf32))).to_vec(),
        }
    }

    /// How often the host waits for the device.
    pub fn waits(&self) -> usize {
        self.uploads_waiting + self.reads
    }
}

/// Counts a training step of every run, the one after `warm_up` others. What reads the metrics is not part of it.
pub fn step_counts(contenders: &[BenchRun], options: &BenchOptions) -> Result<Vec<StepCount>, TrainError> {
    use_threads(options.threads);
    let (backend, gpu) = match options.device {
        Device::Cuda(index) => (Backend::of_process(), Some(index)),
        _ => (Backend::Fused, None),
    };
    let count = |contender: &BenchRun| -> Result<StepCount, TrainError> {
        let mut runner = Runner::new(contender, options.device)?;
        for step in 1..=options.warm_up as u64 {
            runner.step(step)?;
        }
        let _earlier_peak = gpu.map(peak_bytes);
        let (step, operators) = operators_of(|| runner.step(options.warm_up as u64 + 1));
        step?;
        Ok(StepCount::of(&operators, &runner, gpu.and_then(peak_bytes)))
    };
    backend.run(|| contenders.iter().map(count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_takes_as_long_as_its_bytes_or_its_operations() {
        let gpu = GpuPeaks { name: "x", bytes: 10.0, bf16: 100.0, tf32: 50.0, f32: 5.0 };
        let operator = |bytes, operations, kind, bf16| Operator {
            name: "aten::x".to_owned(),
            bytes,
            operations,
            kind,
            waits: false,
            bf16,
        };
        let operators = [
            operator(20.0, 0.0, OperatorKind::Other, true),
            operator(10.0, 300.0, OperatorKind::Product, true),
            operator(10.0, 300.0, OperatorKind::Product, false),
            operator(1e9, 0.0, OperatorKind::Upload, false),
        ];
        assert_eq!(gpu.seconds(&operators, true), 2.0 + 3.0 + 6.0);
        assert_eq!(gpu.seconds(&operators, false), 2.0 + 3.0 + 60.0);
    }
}
