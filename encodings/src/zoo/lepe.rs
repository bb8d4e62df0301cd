//! A convolution of the values over the board, added to the attention output: z_i = Σ_j α_ij·v_j + Σ_n K[n]·v_(i+n).
//!
//! Per channel and layer a 3×3 kernel K weighs the values of the square itself and its eight neighbours; squares outside the
//! board count as 0. It does not read the attention weights. Auxiliary tokens have no neighbours and stay unchanged.
//!
//! Source: the locally-enhanced positional encoding of CSWin (arXiv 2107.00652; code microsoft/CSWin-Transformer, `get_v`).
//! There the convolution runs within each stripe-shaped window of attention, here attention and convolution see the whole
//! board.
//!
//! Deviations: kernels start at zero, so that the network starts as it is without the encoding; the source starts them, and a
//! bias, as PyTorch does, uniform in ±1/3. There is no bias: the dense layer after attention has one.
//!
//! Parameters per layer: 3·3·d, `kernel [d,3,3]` (channel head·k + i, rank, file: the first entry is the neighbour one rank
//! towards the own back rank and one file to the left). Multiplications: 3·3·d per square and layer.

use crate::prelude::*;

/// Ranks and files of a kernel.
const WINDOW: i64 = 3;

/// It has no options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: "lepe",
        summary: "a 3×3 convolution of the values over the board, one kernel per channel, added to the attention output",
        source: "LePE of CSWin (arXiv 2107.00652; microsoft/CSWin-Transformer)",
        example: "lepe",
    };

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        let shape = [dims.width as i64, WINDOW, WINDOW];
        let kernels = dims.per_layer(scope, |scope| scope.f32_param("kernel", &shape, Init::ZEROS));
        Ok(Box::new(Lepe { kernels, width: dims.width, board: tokens.geometry(), places: Places::of(tokens) }))
    }

    fn examples() -> Vec<Self> {
        vec![Self {}]
    }
}

/// Where the squares are among the tokens; absent where the sequence is the board, square by square.
#[derive(Debug)]
struct Places {
    /// The token of every square.
    tokens: Constant,
    /// The square of every token, and for those without one the place after the last.
    squares: Constant,
}

impl Places {
    fn of(tokens: &Tokens) -> Option<Self> {
        let squares = tokens.geometry().squares();
        let of_tokens: Vec<i64> =
            (0..tokens.len()).map(|token| tokens.square(token).unwrap_or(squares) as i64).collect();
        if (0..squares as i64).eq(of_tokens.iter().copied()) {
            return None;
        }
        let mut of_squares = vec![0; squares];
        tokens.squares().for_each(|(token, square)| of_squares[square] = token as i64);
        Some(Self {
            tokens: Constant::indices(&of_squares, &[squares as i64]),
            squares: Constant::indices(&of_tokens, &[of_tokens.len() as i64]),
        })
    }
}

#[derive(Debug)]
struct Lepe {
    kernels: Vec<ParamId>,
    width: usize,
    board: Geometry,
    places: Option<Places>,
}

impl Encoding for Lepe {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::VALUES
    }

    /// Attention itself is as without it.
    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: true,
            translation_invariant: true,
            auxiliary: Auxiliary::Untouched,
            ..Guarantees::NONE
        }
    }

    fn macs(&self) -> u64 {
        (self.kernels.len() * self.board.squares() * self.width) as u64 * (WINDOW * WINDOW) as u64
    }

    fn reads_weights(&self) -> bool {
        false
    }

    fn values(&self, at: LayerContext<'_>, _weights_bhll: Option<&Tensor>, v_bhlk: &Tensor) -> Option<Tensor> {
        let (batch, heads, _, head_width) = v_bhlk.size4().expect("values are [b,h,l,k]");
        let (ranks, files, width) = (self.board.ranks() as i64, self.board.files() as i64, heads * head_width);
        let device = v_bhlk.device();
        let v_blhk = v_bhlk.transpose(1, 2);
        let of_squares = match &self.places {
            Some(places) => v_blhk.index_select(1, &places.tokens.on(device)),
            None => v_blhk,
        };
        let board_bdrf = of_squares.reshape([batch, ranks, files, width]).permute([0, 3, 1, 2]);
        let kernel = at.views[self.kernels[at.layer]].unsqueeze(1).to_kind(v_bhlk.kind());
        let mixed_bdrf = board_bdrf.conv2d(&kernel, None::<Tensor>, [1, 1], [1, 1], [1, 1], width);
        let mixed_bshk = mixed_bdrf.permute([0, 2, 3, 1]).reshape([batch, ranks * files, heads, head_width]);
        let mixed_blhk = match &self.places {
            Some(places) => mixed_bshk.constant_pad_nd([0, 0, 0, 0, 0, 1]).index_select(1, &places.squares.on(device)),
            None => mixed_bshk,
        };
        Some(mixed_blhk.transpose(1, 2))
    }
}
