//! Ctrl-C: once to stop with checkpoints, twice to stop at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What the person at the keyboard (or the batch system) has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wish {
    /// Nothing.
    GoOn,
    /// Write checkpoints and stop.
    Stop,
    /// Stop now.
    Kill,
}

/// Counts SIGINT and SIGTERM.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    signals: Arc<AtomicUsize>,
    released: Arc<AtomicBool>,
}

impl Interrupt {
    /// Counts this process's SIGINT and SIGTERM from now on, instead of dying of them.
    ///
    /// # Errors
    /// If the handlers cannot be set.
    pub fn install() -> io::Result<Self> {
        let interrupt = Self::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&interrupt.released))?;
            let signals = Arc::clone(&interrupt.signals);
            // SAFETY: the handler does nothing but add to an atomic number, which is async-signal-safe.
            unsafe {
                signal_hook::low_level::register(signal, move || {
                    signals.fetch_add(1, Ordering::SeqCst);
                })
            }?;
        }
        Ok(interrupt)
    }

    /// From now on signals end this process again: for work that has no children to look after.
    pub fn release(&self) {
        self.released.store(true, Ordering::SeqCst);
    }

    /// Counts one more, as a signal would.
    pub fn raise(&self) {
        self.signals.fetch_add(1, Ordering::SeqCst);
    }

    /// What was asked for so far.
    #[must_use]
    pub fn wish(&self) -> Wish {
        match self.signals.load(Ordering::SeqCst) {
            0 => Wish::GoOn,
            1 => Wish::Stop,
            _ => Wish::Kill,
        }
    }
}
