//! The laws that the fuzz targets hold: those of the seeded tests in the folders `tests/all/damage` of the crates.

#[path = "../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../games/tests/all/damage/laws.rs"]
pub mod laws;
#[path = "../../games/dataset/tests/all/damage/laws.rs"]
pub mod shards;

#[cfg(feature = "libtorch")]
#[path = "../../experiments/crates/train/tests/all/damage/laws.rs"]
pub mod cells;
#[cfg(feature = "libtorch")]
#[path = "../../labs/lc0/tests/all/damage/laws.rs"]
pub mod networks;
#[cfg(feature = "libtorch")]
#[path = "../../experiments/crates/bundle/tests/all/damage/laws.rs"]
pub mod run_folders;
#[cfg(feature = "libtorch")]
#[path = "../../experiments/crates/config/tests/all/damage/laws.rs"]
pub mod settings;

/// The target whose bytes go to one of these laws.
#[macro_export]
macro_rules! target {
    ($laws:ident :: $law:ident) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            $crate::$laws::$law(bytes);
        });
    };
}
