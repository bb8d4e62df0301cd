//! Defaults of options, and how serde leaves them out.

use super::body::NormPlace;
use nn::{Activation, NormKind};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, MapDeserializer};

pub(super) use facts::numbers::is_default;

/// Declares functions for serde: one that gives a default, and with a second name one that tells whether a value is it.
macro_rules! defaults {
    ($($name:ident $($is:ident)?: $type:ty = $value:expr;)+) => {
        $(
            pub(super) fn $name() -> $type {
                $value
            }

            $(pub(super) fn $is(value: &$type) -> bool {
                *value == $name()
            })?
        )+
    };
}

defaults! {
    yes: bool = true;
    one is_one: usize = 1;
    unit is_unit: f64 = 1.0;
    plies: usize = 3;
    dense_channels: usize = 32;
    rms is_rms: NormKind = NormKind::Rms;
    batch is_batch: NormKind = NormKind::Batch;
    post_plain is_post_plain: NormPlace = NormPlace::PostPlain;
    relu: Activation = Activation::Relu;
    mish: Activation = Activation::Mish;
    gelu is_gelu: Activation = Activation::Gelu;
}

/// Options of which these sizes alone are written.
///
/// # Panics
/// If another one has no default.
pub(super) fn with_defaults<T: DeserializeOwned>(sizes: &[(&'static str, usize)]) -> T {
    let read = T::deserialize(MapDeserializer::<_, Error>::new(sizes.iter().copied()));
    read.unwrap_or_else(|error| panic!("{error}"))
}
