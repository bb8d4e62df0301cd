//! What the file of an encoding imports: the trait with its hooks, options, parameters and tensors.

pub(crate) use crate::configure::{changed, is_default, is_set, sorted, word};
pub(crate) use crate::displacements::{ByDisplacement, Displacement, PairSharing};
pub(crate) use crate::error::HEAD_WIDTH;
pub(crate) use crate::{
    Act, AttendInput, Auxiliary, Configure, Dims, Encoding, EncodingError, EncodingInfo, Guarantees, InjectionPoints,
    LayerContext, Logits, Queries, Tokens,
};
pub(crate) use games::Geometry;
pub(crate) use nn::{Constant, Init, Linear, ParamId, Scope, Views};
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use tch::{Kind, Tensor};
