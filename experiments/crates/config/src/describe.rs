//! Doc comments of settings, for people who write experiment files.

/// Declares a struct, and keeps the doc comments of its fields in `DOCS`: the JSON Schema shows them.
macro_rules! described {
    (
        $(#[$outer:meta])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $doc:literal])+ $(#[serde($($serde:tt)*)])* pub $field:ident: $type:ty, )*
        }
    ) => {
        $(#[$outer])*
        $vis struct $name {
            $( $(#[doc = $doc])+ $(#[serde($($serde)*)])* pub $field: $type, )*
        }

        impl $name {
            /// Its keys in YAML, each with the lines of its doc comment.
            pub(crate) const DOCS: &'static [(&'static str, &'static [&'static str])] =
                &[$((stringify!($field), &[$($doc),+])),*];
        }
    };
}
pub(crate) use described;
