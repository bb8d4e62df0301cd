//! LibTorch's threads: their number, and that idle ones sleep.

use super::environment::{PASSIVE_THREADS, ensure};
use std::io;
use std::sync::Once;

/// Makes OpenMP's idle threads sleep instead of spin: a process without the setting replaces itself once by the same command
/// with it.
pub fn ensure_passive_threads() -> io::Result<()> {
    ensure(&[PASSIVE_THREADS])
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
