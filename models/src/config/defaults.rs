//! Defaults of options, and how serde leaves them out.

use super::body::NormPlace;
use nn::{Activation, NormKind};

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
