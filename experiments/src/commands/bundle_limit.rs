//! `--max-bytes`: the limit of every command that opens a bundle.

use bundle::Limits;

/// The limit on what a bundle unpacks to.
#[derive(Debug, clap::Args)]
pub(super) struct BundleLimit {
    /// Maximum unpacked size of a bundle, in bytes.
    #[arg(long, default_value_t = Limits::default().bytes)]
    max_bytes: u64,
}

impl BundleLimit {
    pub(super) fn limits(&self) -> Limits {
        Limits::of(self.max_bytes)
    }
}
