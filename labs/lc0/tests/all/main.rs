//! Networks of Lc0: read, mapped, written, and asked the same as Lc0 itself.

mod attention;
mod back;
mod built;
pub mod damage;
mod forward;
pub mod maia;
mod oracle;
pub mod random;
mod refused;
pub mod samples;
mod static_bias;
pub mod wire;
