//! The machine on which the bits of a result depend: processor, instruction set, LibTorch.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    pub model: String,
    /// Its maker, by which numeric libraries choose code.
    pub vendor: String,
    pub cores: usize,
    /// The instruction set for which LibTorch chooses its kernels.
    pub capability: String,
}

impl Cpu {
    pub fn detect() -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
            line.and_then(|line| line.split_once(':')).map_or("unknown", |(_, value)| value.trim()).to_owned()
        };
        Self {
            model: field("model name"),
            vendor: field("vendor_id"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            capability: capability(std::env::var("ATEN_CPU_CAPABILITY").ok().as_deref()),
        }
    }

    /// Must be equal for two runs to be bit-identical.
    pub fn instruction_set(&self) -> String {
        format!("{} ({})", self.capability, self.vendor)
    }
}

/// As in LibTorch (`aten/src/ATen/native/DispatchStub.cpp`, `compute_cpu_capability`): the variable `ATEN_CPU_CAPABILITY`
/// if it names a set, otherwise the best one of the processor.
fn capability(asked: Option<&str>) -> String {
    match asked {
        Some("avx512") => "AVX512".to_owned(),
        Some("avx2") => "AVX2".to_owned(),
        Some("default") => "DEFAULT".to_owned(),
        _ => best_capability().to_owned(),
    }
}

#[cfg(target_arch = "x86_64")]
fn best_capability() -> &'static str {
    let fma = is_x86_feature_detected!("fma");
    let avx512 = is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq");
    match (fma && avx512, fma && is_x86_feature_detected!("avx2")) {
        (true, _) => "AVX512",
        (false, true) => "AVX2",
        (false, false) => "DEFAULT",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn best_capability() -> &'static str {
    "DEFAULT"
}

/// The LibTorch that this process loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibTorch {
    pub version: Option<String>,
    /// Its path; not written to manifests, which are published.
    #[serde(skip)]
    pub library: Option<PathBuf>,
}

impl LibTorch {
    pub fn detect() -> Self {
        let library = loaded_library();
        let root = library.as_deref().and_then(Path::parent).and_then(Path::parent);
        Self { version: root.and_then(version_below), library }
    }

    pub fn library_dir(&self) -> Option<&Path> {
        self.library.as_deref().and_then(Path::parent)
    }
}

fn loaded_library() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path =
        maps.lines().find_map(|line| line.find('/').map(|at| &line[at..]).filter(|p| p.contains("/libtorch_cpu")))?;
    Some(PathBuf::from(path))
}

/// The version that LibTorch's own headers state.
fn version_below(root: &Path) -> Option<String> {
    let headers = ["include/torch/headeronly/version.h", "include/torch/csrc/api/include/torch/version.h"];
    let text = headers.iter().find_map(|header| std::fs::read_to_string(root.join(header)).ok())?;
    let number = |name: &str| {
        let prefix = format!("#define TORCH_VERSION_{name} ");
        text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::trim)
    };
    Some(format!("{}.{}.{}", number("MAJOR")?, number("MINOR")?, number("PATCH")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_overrules_the_processor() {
        assert_eq!(capability(Some("avx2")), "AVX2");
        assert_eq!(capability(Some("nonsense")), best_capability());
    }
}
