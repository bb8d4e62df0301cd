//! What visitors of types that a file may write in several ways have in common.

/// Reads a type by a visitor from whatever stands in the file.
macro_rules! read_by {
    ($visitor:ident => $read:ty) => {
        struct $visitor;

        impl<'de> serde::Deserialize<'de> for $read {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor)
            }
        }
    };
}
pub(crate) use read_by;

/// What a visitor reads, and the expectation in words.
macro_rules! reads {
    ($read:ty, $expected:literal) => {
        type Value = $read;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str($expected)
        }
    };
}
pub(crate) use reads;
