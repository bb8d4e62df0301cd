//! Networks of Lc0 are read, mapped and written; their outputs are compared with Lc0's.

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
