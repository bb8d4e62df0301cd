//! The process as a whole: its CUDA library, and how its allocator treats memory that was freed.

use std::path::{Path, PathBuf};

/// Loads PyTorch's CUDA library into the process if it lies beside the CPU one, so that one binary supports both
/// kinds of machine. Returns its path when it was loaded (or had been linked already).
///
/// Call it once, before the first tensor is made.
pub fn load_cuda(library_dir: &Path) -> Option<PathBuf> {
    let path = library_dir.join("libtorch_cuda.so");
    if !path.exists() {
        return None;
    }
    let name = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).ok()?;
    // SAFETY: `name` is a valid C string; loading PyTorch's own library only runs its registration code, which is
    // what its documentation asks for before CUDA can be used. The handle is kept for the life of the process.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    (!handle.is_null()).then_some(path)
}

/// Keeps freed memory for the next step instead of handing it back to the system, in blocks of up to 32 MB. A training
/// step allocates the same large tensors again and again, and to write to a fresh page costs several times as much as
/// to write to one that is there: half a step's page faults, or more, fall away.
///
/// Other allocators than glibc's are left alone.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // The most that glibc accepts on 64 bits.
        const LARGEST_KEPT: libc::c_int = 32 << 20;
        // SAFETY: both calls set a number of the allocator and touch nothing else.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_KEPT);
            libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
        }
    }
}
