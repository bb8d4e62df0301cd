//! What `posenc --version` prints, and manifests record: the source of the program, and what its numbers depend on.

use config::identity::SCHEMA_VERSION;
use config::numerics::BASE;
use records::Revision;
use records::machine::LibTorch;
use std::sync::LazyLock;

/// The version of a release.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// The source that this program was built from; `build.rs` asked git.
pub(crate) fn revision() -> Revision {
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let diff = known(env!("POSENC_DIFF"));
    Revision {
        commit: env!("POSENC_COMMIT").to_owned(),
        described: known(env!("POSENC_DESCRIBED")),
        dirty: diff.is_some(),
        diff,
    }
}

/// The lines of `posenc --version`.
pub(super) fn long() -> &'static str {
    static LINES: LazyLock<String> = LazyLock::new(|| {
        let libtorch = LibTorch::detect().version;
        format!(
            "{RELEASE}\nrevision {}\nLibTorch {}\nnumerics version {BASE}, schema version {SCHEMA_VERSION}",
            revision(),
            libtorch.as_deref().unwrap_or("of unknown version")
        )
    });
    &LINES
}
