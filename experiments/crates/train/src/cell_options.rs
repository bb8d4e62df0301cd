//! How a cell is trained, beside its configuration.

use records::Revision;
use tch::Device;

/// How a cell is trained, beside its configuration.
#[derive(Debug, Clone)]
pub struct CellOptions {
    /// Threads inside an operation; results depend on it.
    pub threads: usize,
    /// The device; results depend on it.
    pub device: Device,
    /// Take a few steps and a small evaluation only.
    pub smoke: bool,
    /// Resume even if the result will differ from an uninterrupted run; the manifest records it.
    pub force: bool,
    /// The source that the program was built from, for the manifest. It decides nothing.
    pub revision: Option<Revision>,
}
