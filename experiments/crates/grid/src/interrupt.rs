//! Ctrl-C: the first stops with checkpoints, the second at once. A batch system's SIGTERM and SIGUSR1 always stop with
//! checkpoints, because one request can reach a runner and its cells several times.

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A stop request of a person or a batch system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopRequest {
    Continue,
    Stop,
    Kill,
}

#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    signals: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    running_out: Arc<AtomicBool>,
    released: Arc<AtomicBool>,
}

impl Interrupt {
    /// Handles this process's SIGINT, SIGTERM and SIGUSR1 from now on; they no longer end it.
    pub fn install() -> io::Result<Self> {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGUSR1] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&interrupt.released))?;
        }
        let signals = Arc::clone(&interrupt.signals);
        // SAFETY: the handler only adds to an atomic number, which is async-signal-safe.
        unsafe {
            signal_hook::low_level::register(SIGINT, move || {
                signals.fetch_add(1, Ordering::SeqCst);
            })
        }?;
        signal_hook::flag::register(SIGTERM, Arc::clone(&interrupt.stop))?;
        signal_hook::flag::register(SIGUSR1, Arc::clone(&interrupt.stop))?;
        signal_hook::flag::register(SIGUSR1, Arc::clone(&interrupt.running_out))?;
        Ok(interrupt)
    }

    /// Restores the default effect of signals, for work without child processes.
    pub fn release(&self) {
        self.released.store(true, Ordering::SeqCst);
    }

    pub fn raise(&self) {
        self.signals.fetch_add(1, Ordering::SeqCst);
    }

    pub fn request(&self) -> StopRequest {
        match self.signals.load(Ordering::SeqCst) {
            0 if self.stop.load(Ordering::SeqCst) => StopRequest::Stop,
            0 => StopRequest::Continue,
            1 => StopRequest::Stop,
            _ => StopRequest::Kill,
        }
    }

    pub fn is_requested(&self) -> bool {
        self.request() > StopRequest::Continue
    }

    /// Whether SIGUSR1 arrived, which a batch system sends before the job's time limit.
    pub fn time_runs_out(&self) -> bool {
        self.running_out.load(Ordering::SeqCst)
    }
}
