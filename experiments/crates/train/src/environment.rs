//! LibTorch's threads, and the environment variables that decide how LibTorch and its libraries compute. A library reads them
//! when it is loaded, so they must be set before this process starts.

use records::gpu::{self, Gpu};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::sync::Once;
use tch::Device;

/// The driver's description of a device, if it is a GPU of NVIDIA's.
pub fn gpu_of(device: Device) -> Option<Gpu> {
    let Device::Cuda(index) = device else { return None };
    gpu::usable().into_iter().nth(index)
}

type Variable = (&'static str, &'static str);

/// Makes OpenMP's idle threads sleep instead of spin. (Spinning threads beside one busy process made a step of 0.28 s take
/// 5.2 s.)
const PASSIVE_THREADS: Variable = ("OMP_WAIT_POLICY", "PASSIVE");

/// Gives cuBLAS a workspace of a fixed size, without which its sums may have another order each time.
const FIXED_WORKSPACE: Variable = ("CUBLAS_WORKSPACE_CONFIG", ":4096:8");

/// Prefixes of the variables that choose kernels, element types of products, or the order of sums.
const FAMILIES: &str = "ATEN_ CUBLASLT_ CUBLAS_ CUDA_ CUDNN_ DNNL_ GOMP_ KMP_ MKL_ NVIDIA_TF32_ OMP_ ONEDNN_ OPENBLAS_ \
                        POSENC_KERNELS PYTORCH_ TORCH_";

/// Prefixes of those that decide bits on a CPU, where threads and instruction set are recorded themselves. LibTorch for x86-64
/// multiplies by MKL and oneDNN.
const OF_CPUS: &str = if cfg!(target_arch = "x86_64") { "DNNL_ MKL_ ONEDNN_" } else { "DNNL_ MKL_ ONEDNN_ OPENBLAS_" };

/// Prefixes of those that decide bits on a GPU.
const OF_GPUS: &str = "CUBLASLT_ CUBLAS_ CUDNN_ NVIDIA_TF32_ PYTORCH_TUNABLEOP_ TORCH_ALLOW_TF32_ TORCH_BLAS_ \
                       TORCH_CUDNN_ TORCH_LINALG_";

/// What variables are named that decide no bits: numbers of threads, which posenc sets, and reports.
const INDIFFERENT: [&str; 7] = ["DUMP", "DYNAMIC", "INTERFACE_LAYER", "LOG", "NUM_THREADS", "PROFILE", "VERBOSE"];

/// The variables that a process needs for such a run on a device.
pub fn needed(device: Device, deterministic: bool) -> Vec<Variable> {
    let on_gpu = (device != Device::Cpu && deterministic).then_some(FIXED_WORKSPACE);
    std::iter::once(PASSIVE_THREADS).chain(on_gpu).collect()
}

/// Replaces this process by the same command with these variables, unless it has them all. An existing value is kept.
pub fn ensure(variables: &[Variable]) -> io::Result<()> {
    let missing: Vec<Variable> =
        variables.iter().copied().filter(|(name, _)| std::env::var_os(name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let mut command = std::process::Command::new(std::env::current_exe()?);
    Err(command.arg0(name).args(arguments).envs(missing).exec())
}

/// Gives LibTorch `threads` threads inside an operation and one between operations. Results depend on the number, so
/// the manifest records it.
pub fn use_threads(threads: usize) {
    // LibTorch accepts the second setting once per process.
    static BETWEEN_OPERATIONS: Once = Once::new();
    BETWEEN_OPERATIONS.call_once(|| {
        tch::set_num_interop_threads(1);
        nn::keep_freed_memory();
    });
    tch::set_num_threads(i32::try_from(threads.max(1)).unwrap_or(i32::MAX));
}

/// The variables of this process that decide how it computes, sorted, for manifests.
pub(super) fn result_affecting() -> Vec<(String, String)> {
    filter_affecting(std::env::vars_os())
}

/// The variables of this process that decide bits on a device, sorted: ranks and resumed cells must have the same.
pub fn arithmetic(device: Device) -> Vec<(String, String)> {
    of_arithmetic(result_affecting(), device)
}

fn begins_with_any(name: &str, prefixes: &str) -> bool {
    prefixes.split(' ').any(|prefix| name.starts_with(prefix))
}

/// The workspace that posenc chooses itself is part of `train.deterministic`.
fn of_arithmetic(mut variables: Vec<(String, String)>, device: Device) -> Vec<(String, String)> {
    let families = if device == Device::Cpu { OF_CPUS } else { OF_GPUS };
    variables.retain(|(name, value)| {
        let is_of_family = begins_with_any(name, families);
        let is_indifferent = INDIFFERENT.iter().any(|part| name.contains(part));
        is_of_family && !is_indifferent && (&name[..], &value[..]) != FIXED_WORKSPACE
    });
    variables
}

/// Values with a `/` are paths: they decide no number and are not published.
fn filter_affecting(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    let decides = |(name, value): &(String, String)| begins_with_any(name, FAMILIES) && !value.contains('/');
    let mut found: Vec<_> = variables.filter_map(text).filter(decides).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_gets_every_variable_that_decides_and_no_other() {
        let deciding = [
            ("ATEN_CPU_CAPABILITY", "avx2"),
            ("CUBLAS_WORKSPACE_CONFIG", ":4096:8"),
            ("CUDA_VISIBLE_DEVICES", "1,0"),
            ("MKL_CBWR", "AVX2"),
            ("NVIDIA_TF32_OVERRIDE", "1"),
            ("OMP_NUM_THREADS", "1"),
            ("POSENC_KERNELS", "off"),
            ("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "1"),
        ];
        let others = [("USER", "somebody"), ("CUDA_HOME", "/usr/local/cuda"), ("PATH", "/usr/bin")];
        let all = others.into_iter().chain(deciding.into_iter().rev());
        let found = filter_affecting(all.map(|(name, value)| (OsString::from(name), OsString::from(value))));
        assert_eq!(found, deciding.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn variables_that_decide_bits_are_those_of_the_device_but_threads_reports_and_the_own_choice() {
        let all = [
            ("CUBLAS_WORKSPACE_CONFIG", ":16:8"),
            ("CUDA_VISIBLE_DEVICES", "1"),
            ("CUDNN_LOGINFO_DBG", "1"),
            ("MKL_CBWR", "AVX2"),
            ("MKL_NUM_THREADS", "1"),
            ("OMP_NUM_THREADS", "1"),
            ("ONEDNN_VERBOSE", "1"),
            ("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"),
        ];
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let found = |device: Device| of_arithmetic(Vec::from(all.map(owned)), device);
        assert_eq!(found(Device::Cpu), [owned(("MKL_CBWR", "AVX2"))]);
        assert_eq!(found(Device::Cuda(0)), [owned(("CUBLAS_WORKSPACE_CONFIG", ":16:8"))]);
        assert!(of_arithmetic(vec![owned(FIXED_WORKSPACE)], Device::Cuda(0)).is_empty());
    }

    #[test]
    fn only_deterministic_runs_on_gpus_need_the_workspace() {
        for (device, deterministic) in [(Device::Cpu, true), (Device::Cuda(1), false)] {
            assert_eq!(needed(device, deterministic), [PASSIVE_THREADS]);
        }
        assert_eq!(needed(Device::Cuda(1), true), [PASSIVE_THREADS, FIXED_WORKSPACE]);
    }
}
