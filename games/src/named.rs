//! Enums whose variants have names, and names with a common beginning.

/// Declares an enum with a name for each variant: `Variant = "name"`.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        $vis:vis enum $enum:ident { $($(#[$of:meta])* $variant:ident = $name:literal),+ $(,)? }
    ) => {
        $(#[$meta])*
        $vis enum $enum { $($(#[$of])* $variant),+ }

        impl $enum {
            /// All variants, in the order of declaration.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name: in files, on the command line or in a legend.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

/// The names `prefix` + each of the ends.
macro_rules! prefixed {
    ($prefix:literal: $($end:literal)+) => {
        [$(concat!($prefix, $end)),+]
    };
}
pub(crate) use prefixed;
