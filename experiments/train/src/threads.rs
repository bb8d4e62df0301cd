//! LibTorch's threads: their number, and that idle ones sleep.

use std::io;
use std::sync::Once;

/// The variable that OpenMP reads when it is loaded, before `main`.
const WAIT_POLICY: &str = "OMP_WAIT_POLICY";

/// Makes OpenMP's idle threads sleep instead of spin. OpenMP reads its settings when the process starts, so a process
/// without the variable replaces itself once by the same command with it; an existing value is kept. (Spinning threads
/// beside one busy process made a step of 0.28 s take 5.2 s.)
///
/// # Errors
/// If the process cannot be replaced.
pub fn ensure_passive_threads() -> io::Result<()> {
    if std::env::var_os(WAIT_POLICY).is_some() {
        return Ok(());
    }
    replace_process()
}

#[cfg(unix)]
fn replace_process() -> io::Result<()> {
    use std::os::unix::process::CommandExt as _;
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    Err(std::process::Command::new(std::env::current_exe()?)
        .arg0(name)
        .args(arguments)
        .env(WAIT_POLICY, "PASSIVE")
        .exec())
}

#[cfg(not(unix))]
fn replace_process() -> io::Result<()> {
    let status = std::process::Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(WAIT_POLICY, "PASSIVE")
        .status()?;
    std::process::exit(status.code().unwrap_or(1))
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
