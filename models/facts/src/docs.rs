//! Doc comments of settings, for people who write experiment files.

/// Keys in YAML, each with the lines of its doc comment.
pub type Docs = &'static [(&'static str, &'static [&'static str])];

/// Declares a struct, and keeps the doc comments of its fields in `DOCS`: the JSON Schema and docs/settings.md show them.
#[macro_export]
macro_rules! described {
    (
        $(#[$outer:meta])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $doc:literal])+ $(#[serde($($serde:tt)*)])* $of:vis $field:ident: $type:ty, )*
        }
    ) => {
        $(#[$outer])*
        $vis struct $name {
            $( $(#[doc = $doc])+ $(#[serde($($serde)*)])* $of $field: $type, )*
        }

        impl $name {
            /// Its keys in YAML, each with the lines of its doc comment.
            $vis const DOCS: $crate::Docs = &[$((stringify!($field), &[$($doc),+])),*];
        }
    };
}
