//! Networks of Lc0: read, mapped, and asked the same as Lc0 itself.

mod built;
mod command;
mod oracle;
mod refused;
mod wire;
