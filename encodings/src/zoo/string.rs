//! Queries and keys multiplied with a learned orthogonal matrix, then rotated by their token's position.
//!
//! With the rotation R(p) of [`rope`] at place p and a matrix P per head and layer, q_i becomes R(p_i)·P·q_i and
//! k_j likewise, so that their product q_iᵀ·Pᵀ·R(p_j − p_i)·P·k_j depends on the displacement. The rotations Pᵀ·R(p)·P
//! commute; with learned frequencies this is their general form, but for matrices P with an eigenvalue of −1.
//! P = (I + S)⁻¹(I − S) is the Cayley transform of a learned antisymmetric S, of which the k(k−1)/2 numbers below the diagonal
//! are stored, row by row; a linear system of k equations per head and layer is solved in each forward pass.
//!
//! Source: Cayley-STRING (arXiv 2502.02562). As there, the factor P that the product of queries and keys cancels is left out.
//! S starts at zero, so P is the identity and the encoding starts as `rope` with the same options.
//!
//! The frequencies are the options of [`rope`]: fixed with `layout: axial_2d`, learned with `layout: mixed_2d`.
//! P multiplies all tokens, auxiliary ones included: for a token without a square R is the identity, and P cancels between
//! two such tokens only.
//!
//! P is f32 whatever the training precision. Parameters per layer: h·k(k−1)/2, and those of `rope`.

use super::rope::{self, Rope};
use crate::prelude::*;

const NAME: &str = "string";

/// The options: those of [`rope`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config {
    /// The rotation that follows the matrix.
    pub rotation: rope::Config,
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "queries and keys multiplied with a learned orthogonal matrix per head, then rotated as by rope",
        source: "Cayley-STRING (arXiv 2502.02562)",
        example: "string: {layout: mixed_2d, theta: 10}",
    };

    fn options(&self) -> Vec<String> {
        self.rotation.options()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let rotation = Rope::declare(&self.rotation, NAME, scope, dims, tokens)?;
        let (heads, head_width) = (dims.heads, dims.head_width());
        let shape = [heads as i64, (head_width * (head_width - 1) / 2) as i64];
        Ok(Box::new(StringRotation {
            lower: dims.per_layer(scope, |scope| scope.f32_param("lower", &shape, Init::ZEROS)),
            antisymmetric: antisymmetric(head_width),
            identity: identity(head_width),
            layer_macs: (2 * tokens.len() * dims.width * head_width) as u64,
            rotation,
        }))
    }

    fn examples() -> Vec<Self> {
        let all = [rope::Config::new(rope::Layout::Axial2d, 100.0), rope::Config::new(rope::Layout::Mixed2d, 10.0)];
        all.into_iter().map(|rotation| Self { rotation }).collect()
    }
}

/// The linear map `[k(k−1)/2, k·k]` from the numbers below the diagonal, row by row, to an antisymmetric matrix.
pub(super) fn antisymmetric(head_width: usize) -> Constant {
    let entries = head_width * (head_width - 1) / 2;
    let size = head_width * head_width;
    Constant::floats_from(&[entries as i64, size as i64], move || {
        let mut map = vec![0f32; entries * size];
        let below = (0..head_width).flat_map(|row| (0..row).map(move |column| (row, column)));
        for (entry, (row, column)) in below.enumerate() {
            map[entry * size + row * head_width + column] = 1.0;
            map[entry * size + column * head_width + row] = -1.0;
        }
        map
    })
}

fn identity(head_width: usize) -> Constant {
    let entry = move |place: usize| if place.is_multiple_of(head_width + 1) { 1.0 } else { 0.0 };
    Constant::floats_from(&[head_width as i64; 2], move || (0..head_width * head_width).map(entry).collect())
}

#[derive(Debug)]
struct StringRotation {
    rotation: Rope,
    /// The numbers of S below the diagonal, `[h, k(k−1)/2]` of each layer.
    lower: Vec<ParamId>,
    antisymmetric: Constant,
    identity: Constant,
    /// Multiplications by P in one layer.
    layer_macs: u64,
}

impl StringRotation {
    /// Pᵀ `[h,k,k]`, which rows are multiplied with from the right.
    fn transposed_matrix(&self, views: &Views, layer: usize) -> Tensor {
        let identity = self.identity.on(views.device());
        let width = identity.size()[0];
        let s_hkk = views[self.lower[layer]].matmul(&self.antisymmetric.on(views.device())).view([-1, width, width]);
        // Pᵀ = (I + S)·(I − S)⁻¹, and the two factors commute.
        Tensor::linalg_solve(&(&identity - &s_hkk), &(&identity + &s_hkk), true)
    }
}

impl Encoding for StringRotation {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ROTATE
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { auxiliary: Auxiliary::AsSquares, ..self.rotation.guarantees() }
    }

    fn macs(&self) -> u64 {
        self.lower.len() as u64 * self.layer_macs + self.rotation.macs()
    }

    fn rotate(&self, at: LayerContext<'_>, q_bhlk: &Tensor, k_bhlk: &Tensor) -> Option<(Tensor, Tensor)> {
        let matrix = self.transposed_matrix(at.views, at.layer);
        let mix = |x: &Tensor| x.to_kind(Kind::Float).matmul(&matrix).to_kind(x.kind());
        self.rotation.rotate(at, &mix(q_bhlk), &mix(k_bhlk))
    }
}
