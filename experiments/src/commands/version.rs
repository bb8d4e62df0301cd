//! `posenc --version`, and the revision that manifests record: the source of the program, and the versions that results depend on.

use config::identity::SCHEMA_VERSION;
use config::numerics::BASE;
use records::Revision;
use records::machine::LibTorch;
use std::sync::{LazyLock, OnceLock};

const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// What `revision::revision!` found; `main` sets it, because this crate would otherwise be compiled again after every commit.
pub(super) static SOURCE: OnceLock<[&str; 3]> = OnceLock::new();

/// The revision of the source that this program was built from.
pub(crate) fn revision() -> Revision {
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let [commit, described, diff] = *SOURCE.get().unwrap_or(&[concat!("v", env!("CARGO_PKG_VERSION")), "", ""]);
    Revision { commit: commit.to_owned(), described: known(described), dirty: !diff.is_empty(), diff: known(diff) }
}

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
