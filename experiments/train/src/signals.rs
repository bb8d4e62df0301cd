//! Signals that ask a cell to stop at a checkpoint.

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that SIGTERM, SIGINT and SIGUSR1 (a batch system's word that time runs out) set from now on, instead of ending the process. A second SIGINT ends it at once, since
/// a person who presses Ctrl-C twice means it; SIGTERM may come twice for one wish (a scheduler signals the runner and
/// its cells, and the runner its cells again), and must not cost the checkpoint.
///
/// # Errors
/// If the handlers cannot be set.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let interrupted = Arc::new(AtomicBool::new(false));
    // Checked before it is set, so it acts on the second signal.
    signal_hook::flag::register_conditional_shutdown(SIGINT, 1, Arc::clone(&interrupted))?;
    signal_hook::flag::register(SIGINT, interrupted)?;
    for signal in [SIGINT, SIGTERM, SIGUSR1] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// Lets a write beyond a limit on file size fail with an error, which is reported, instead of a signal, which kills.
#[cfg(unix)]
pub fn report_size_limits() {
    // SAFETY: ignoring a signal installs no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Other systems send no signal for it.
#[cfg(not(unix))]
pub fn report_size_limits() {}
