//! The process as a whole: its CUDA library, its end, and how its allocator treats memory that was freed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

static HAS_CUDA: AtomicBool = AtomicBool::new(false);

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
    HAS_CUDA.store(!handle.is_null(), Ordering::Relaxed);
    (!handle.is_null()).then_some(path)
}

/// Ends the process without the destructors of LibTorch's static objects. They take a third of the time of a command that
/// computes nothing, and free only memory. With CUDA they run, because profilers of GPUs write their files then.
///
/// Call it once, as the program begins. Other C libraries than glibc are left alone.
pub fn skip_destructors() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::{c_int, c_void};
        unsafe extern "C" {
            fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        }
        extern "C" fn end(status: c_int, _: *mut c_void) {
            if !HAS_CUDA.load(Ordering::Relaxed) {
                // SAFETY: both functions of C take these values; Rust has flushed its own output before `exit`.
                unsafe {
                    libc::fflush(std::ptr::null_mut());
                    libc::_exit(status);
                }
            }
        }
        // SAFETY: `end` lives as long as the program. Handlers run in the reverse of their order, so it runs before those of the
        // libraries that were linked.
        unsafe { on_exit(end, std::ptr::null_mut()) };
    }
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
