//! Signals that ask a cell to stop at a checkpoint.

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that SIGTERM, SIGINT and SIGUSR1 (sent by batch systems before the time limit) set instead of ending the
/// process. A second SIGINT ends it at once, for a second Ctrl-C. SIGTERM may come twice for one request (a scheduler
/// signals the runner and its cells, and the runner its cells again), so a second one is ignored.
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

/// Makes a write beyond a file-size limit fail with an error instead of a fatal signal.
pub fn report_size_limits() {
    // SAFETY: ignoring a signal installs no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
