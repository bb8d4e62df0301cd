//! Finding a GPU without being linked to one.

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
