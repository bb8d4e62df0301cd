//! Networks of Lc0: read, mapped, and asked the same as Lc0 itself.

mod attention;
mod attention_refused;
mod back;
mod built;
mod command;
mod forward;
#[cfg(feature = "play")]
mod oracle;
pub(crate) mod random;
mod refused;
mod wire;
