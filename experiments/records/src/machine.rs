//! The conditions on which the bits of a result depend, in addition to the code: processor, instruction set, LibTorch,
//! threads.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The processor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// Its name, as it calls itself.
    pub model: String,
    /// Its maker: numeric libraries choose code by it.
    pub vendor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// The instruction set for which LibTorch chooses its kernels.
    pub capability: String,
}

impl Cpu {
    /// Looks at this machine.
    #[must_use]
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

    /// What has to agree for two runs to have the same bits.
    #[must_use]
    pub fn instruction_set(&self) -> String {
        format!("{} ({})", self.capability, self.vendor)
    }
}

/// How LibTorch decides (`aten/src/ATen/native/DispatchStub.cpp`, `compute_cpu_capability`): the variable
/// `ATEN_CPU_CAPABILITY` if it names a set, else the best that the processor has.
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

/// Names of the NVIDIA GPUs that the driver lists, in its order; their numbers are LibTorch's where nobody changed them
/// (`CUDA_VISIBLE_DEVICES`).
#[must_use]
pub fn gpus() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir("/proc/driver/nvidia/gpus") else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path().join("information")).collect();
    paths.sort();
    let name = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).ok()?;
        text.lines().find_map(|line| line.strip_prefix("Model:")).map(|name| name.trim().to_owned())
    };
    paths.iter().map(|path| name(path).unwrap_or_else(|| "of unknown name".to_owned())).collect()
}

/// The LibTorch that this process loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibTorch {
    /// Its version, if its folder names it.
    pub version: Option<String>,
    /// Where it lies; not written to manifests, which are published.
    #[serde(skip)]
    pub library: Option<PathBuf>,
}

impl LibTorch {
    /// Looks for it among the libraries of this process.
    #[must_use]
    pub fn detect() -> Self {
        let library = loaded_library();
        let root = library.as_deref().and_then(Path::parent).and_then(Path::parent);
        Self { version: root.and_then(version_below), library }
    }

    /// The folder of its libraries.
    #[must_use]
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

/// The revision of the source that a program was built in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The commit.
    pub commit: String,
    /// Whether files differed from it.
    pub dirty: bool,
    /// BLAKE3 of what differed (`git diff HEAD`), where something did: two dirty builds with the same one are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl Revision {
    /// Asks git about the folder in which the running program lies; `None` outside a work tree or without git.
    #[must_use]
    pub fn detect() -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        let dir = program.parent()?;
        let commit = git(dir, &["rev-parse", "HEAD"])?;
        let dirty = git(dir, &["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.is_empty());
        let diff = if dirty { git(dir, &["diff", "HEAD", "--no-ext-diff", "--no-color"]) } else { None };
        let diff = diff.map(|text| blake3::hash(text.as_bytes()).to_hex().to_string());
        Some(Self { commit, dirty, diff })
    }
}

fn git(dir: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(dir).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_overrules_the_processor() {
        assert_eq!(capability(Some("avx2")), "AVX2");
        assert_eq!(capability(Some("nonsense")), best_capability());
    }

    #[test]
    fn libtorch_is_found_among_the_loaded_libraries() {
        // Touches LibTorch, so that it is loaded.
        assert!(tch::get_num_threads() > 0);
        let found = LibTorch::detect();
        assert!(found.library_dir().is_some_and(Path::is_dir), "{found:?}");
        assert!(found.version.is_some_and(|version| version.starts_with("2.")));
    }
}
