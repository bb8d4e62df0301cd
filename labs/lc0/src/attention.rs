//! Lc0's attention bodies as [`models::ChessformerConfig`] with the encodings `absolute: {at: gate}`, `shaw` and `smolgen`.
//!
//! ```text
//! planes ─ embedding (map or all squares) ─ gate ─ encoder × N ─┬─ policies
//!                                      smolgen, shaw ┘           ├─ values
//!                                                                 └─ moves left
//! ```
//!
//! The meaning of the fields follows Lc0's code (`src/neural/backends/blas/network_blas.cc`): matrices are `[out, in]`;
//! the branches of encoders are scaled by (2N)^(-1/4), which is `norm: post`; ε is 1e-3 after the embedding over all
//! squares, 1e-6 after the map, and always 1e-3 in smolgen; gates are `[channel, square]`.

use super::attention_heads;
use super::error::NetError;
use super::format::NetworkFormat;
use super::layer::rows;
use super::network::{Architecture, NamedTensors, in_other_units, spec};
use super::tree::Tree;
use encodings::{EncodingConfig, absolute, none, shaw, smolgen};
use models::input::Expander;
use models::{ChessformerConfig, Edge, EmbeddingConfig, FeedForwardKind, ModelConfig, NormPlace};
use nn::{Activation, NormKind};

#[derive(Debug, Clone, Copy)]
struct Biases {
    qkv: bool,
    out: bool,
    ff: bool,
}

struct Body<'a, 'b> {
    tree: &'a mut Tree<'b>,
    tensors: NamedTensors,
    width: usize,
    biases: Biases,
}

/// The architecture and its parameters. Unread tensors stay in the tree.
pub(super) fn read(tree: &mut Tree<'_>, format: &NetworkFormat) -> Result<Architecture, NetError> {
    format.check_attention()?;
    let layers = tree.len("encoder");
    if layers == 0 {
        return Err(NetError::tensor("encoder", "is missing"));
    }
    if tree.len("residual") > 0 {
        return Err(NetError::unknown("residual blocks below its attention", "attention bodies without such blocks"));
    }
    let bias = tree.tensor("ip_emb_b")?;
    let width = bias.len();
    let heads = heads(tree, width)?;
    let biases = Biases {
        qkv: tree.has_any(&["mha.q_b", "mha.k_b", "mha.v_b"]),
        out: tree.has_any(&["mha.dense_b"]),
        ff: tree.has_any(&["ffn.dense1_b", "ffn.dense2_b"]),
    };
    let mut body = Body { tree, tensors: NamedTensors::default(), width, biases };
    body.tensors.push("embedding.bias", bias);
    let ff = rows(&body.tree.peek("encoder[0].ffn.dense1_w")?, width, "encoder[0].ffn.dense1_w")?;
    let embedding = body.embedding(format, ff)?;
    let mut encodings = body.gate()?;
    (0..layers).try_for_each(|layer| body.encoder(layer, ff))?;
    encodings.extend(body.relative(layers, heads)?);
    encodings.extend(body.smolgen(format, layers, heads)?);
    if encodings.is_empty() {
        encodings.push(EncodingConfig::None(none::Config {}));
    }
    let Body { tree, mut tensors, .. } = body;
    let (policy, value, outputs) = attention_heads::read(tree, &mut tensors, format, width)?;
    let activation = format.activation()?;
    let inside = format.activation_of(format.ffn_activation, "feed-forward layers' activation")?;
    let config = ChessformerConfig {
        layers,
        width,
        heads,
        ff,
        embedding,
        edge: Edge::Shown,
        ff_kind: FeedForwardKind::Dense,
        ff_bias: biases.ff,
        norm: NormPlace::Post,
        normalisation: if format.sees_all_squares() { NormKind::Layer } else { NormKind::LayerFine },
        activation,
        ff_activation: (inside != activation).then_some(inside),
        qkv_bias: biases.qkv,
        qk_norm: false,
        registers: 0,
        loops: 1,
        dropout: 0.0,
        out_bias: biases.out,
        policy,
        value,
        outputs,
        refinement: None,
    };
    Ok(Architecture {
        model: ModelConfig::Chessformer(Box::new(config)),
        encoding: encodings,
        parameters: tensors.named,
    })
}

/// The number of attention heads, which divides the width.
fn heads(tree: &Tree<'_>, width: usize) -> Result<usize, NetError> {
    let found = tree.number("headcount").ok_or_else(|| NetError::tensor("headcount", "is missing"))?;
    match usize::try_from(found) {
        Ok(heads) if heads > 0 && width.is_multiple_of(heads) => Ok(heads),
        _ => Err(NetError::tensor("headcount", format!("is {found}, which does not divide the width {width}"))),
    }
}

impl Body<'_, '_> {
    /// A matrix `[outputs, inputs]`, with its bias if `bias`; the names of its tensors end in `_w` and `_b`.
    fn dense(&mut self, name: &str, from: &str, [inputs, outputs]: [usize; 2], bias: bool) -> Result<(), NetError> {
        self.tensors.take(format!("{name}.weight"), self.tree, &format!("{from}_w"), inputs * outputs)?;
        if !bias {
            return Ok(());
        }
        self.tensors.take(format!("{name}.bias"), self.tree, &format!("{from}_b"), outputs)
    }

    /// A normalisation; the names of its tensors end in `_gammas` and `_betas`.
    fn norm(&mut self, name: &str, from: &str, width: usize) -> Result<(), NetError> {
        self.tensors.take(format!("{name}.gain"), self.tree, &format!("{from}_gammas"), width)?;
        self.tensors.take(format!("{name}.bias"), self.tree, &format!("{from}_betas"), width)
    }

    fn feed_forward(&mut self, name: &str, from: &str, ff: usize) -> Result<(), NetError> {
        let bias = self.biases.ff;
        self.dense(&format!("{name}.hidden"), &format!("{from}.dense1"), [self.width, ff], bias)?;
        self.dense(&format!("{name}.out"), &format!("{from}.dense2"), [ff, self.width], bias)
    }

    /// The embedding except its bias; `body_ff` is the width of the encoders' feed-forward layers.
    fn embedding(&mut self, format: &NetworkFormat, body_ff: usize) -> Result<EmbeddingConfig, NetError> {
        let input = spec().input;
        let (squares, planes) = (input.geometry.squares(), Expander::new(input).channels());
        if !format.sees_all_squares() {
            self.embed(planes + squares)?;
            return Ok(EmbeddingConfig::Reach);
        }
        let pieces = self.tree.tensor("ip_emb_preproc_b")?;
        let dense = rows(&pieces, squares, "ip_emb_preproc_b")?;
        let shown = squares * input.current_pieces().len();
        self.tensors.take("embedding.pieces.weight", self.tree, "ip_emb_preproc_w", shown * pieces.len())?;
        self.tensors.push("embedding.pieces.bias", pieces);
        self.embed(planes + dense)?;
        self.norm("embedding.norm", "ip_emb_ln", self.width)?;
        let ff = rows(&self.tree.peek("ip_emb_ffn.dense1_w")?, self.width, "ip_emb_ffn.dense1_w")?;
        self.feed_forward("embedding.feed_forward", "ip_emb_ffn", ff)?;
        self.norm("embedding.feed_forward_norm", "ip_emb_ffn_ln", self.width)?;
        Ok(EmbeddingConfig::New { dense, ff: (ff != body_ff).then_some(ff) })
    }

    /// The dense layer from `inputs` channels.
    fn embed(&mut self, inputs: usize) -> Result<(), NetError> {
        let weight = self.tree.sized("ip_emb_w", inputs * self.width)?;
        self.tensors.push("embedding.weight", in_other_units(weight, [1, inputs], |weight, scale| weight * scale));
        Ok(())
    }

    /// The gate; Lc0 requires both of its parts.
    fn gate(&mut self) -> Result<Vec<EncodingConfig>, NetError> {
        const NAMES: [&str; 2] = ["ip_mult_gate", "ip_add_gate"];
        if NAMES.iter().all(|name| !self.tree.has(name)) {
            return Ok(Vec::new());
        }
        let (factor, summand) = (self.by_square(NAMES[0])?, self.by_square(NAMES[1])?);
        if let Some(below) = factor.iter().find(|factor| **factor < 0.0) {
            let what = format!("a gate that multiplies by {below}");
            return Err(NetError::unknown(what, "gates (ip_mult_gate) of 0 and more, as Lc0's training keeps them"));
        }
        self.tensors.push("encoding.absolute.gate.factor", factor);
        self.tensors.push("encoding.absolute.gate.summand", summand);
        Ok(vec![EncodingConfig::Absolute(absolute::Config::new(absolute::InjectAt::Gate))])
    }

    /// A tensor `[channel, square]` as `[square, channel]`.
    fn by_square(&mut self, name: &str) -> Result<Vec<f32>, NetError> {
        let squares = spec().input.geometry.squares();
        let numbers = self.tree.sized(name, self.width * squares)?;
        Ok((0..squares).flat_map(|square| numbers.iter().skip(square).step_by(squares)).copied().collect())
    }

    /// One encoder with a feed-forward layer of width `ff`.
    fn encoder(&mut self, layer: usize, ff: usize) -> Result<(), NetError> {
        let (from, to, width) = (format!("encoder[{layer}]"), format!("body.{layer}"), self.width);
        let part = |part: &str| format!("{from}.mha.{part}");
        let (mut weight, mut bias) = (Vec::new(), Vec::new());
        for name in ["q", "k", "v"] {
            let (w, b) = (part(&format!("{name}_w")), part(&format!("{name}_b")));
            let matrix = self.tree.tensor(&w)?;
            let inside = rows(&matrix, width, &w)?;
            if inside != width {
                let what = format!("attention {inside} wide in a network {width} wide ({w})");
                return Err(NetError::unknown(what, "attention as wide as the network"));
            }
            weight.extend(matrix);
            if self.biases.qkv {
                bias.extend(self.tree.sized(&b, width)?);
            }
        }
        self.tensors.push(format!("{to}.attention.qkv.weight"), weight);
        if self.biases.qkv {
            self.tensors.push(format!("{to}.attention.qkv.bias"), bias);
        }
        self.dense(&format!("{to}.attention.out"), &part("dense"), [width, width], self.biases.out)?;
        self.norm(&format!("{to}.attention_norm"), &format!("{from}.ln1"), width)?;
        self.feed_forward(&format!("{to}.feed_forward"), &format!("{from}.ffn"), ff)?;
        self.norm(&format!("{to}.feed_forward_norm"), &format!("{from}.ln2"), width)
    }

    /// Shaw's tables; either every encoder has the same ones or none. A tensor is `[displacement, channel·heads + head]`:
    /// `RPELogits` and `RPEValue` of Ergodice/lczero-training have the transpose, and its `fill_net_v2` transposes matrices.
    fn relative(&mut self, layers: usize, heads: usize) -> Result<Option<EncodingConfig>, NetError> {
        let all = [("rpe_q", shaw::Term::Q, "q"), ("rpe_k", shaw::Term::K, "k"), ("rpe_v", shaw::Term::V, "v")];
        let is_there = |from: &str| self.tree.has(&format!("encoder[0].mha.{from}"));
        let there: Vec<_> = all.into_iter().filter(|(from, ..)| is_there(from)).collect();
        if there.is_empty() {
            return Ok(None);
        }
        let (classes, width) = (spec().input.geometry.displacement_classes(), self.width);
        for layer in 0..layers {
            for (from, _, to) in &there {
                let numbers = self.tree.sized(&format!("encoder[{layer}].mha.{from}"), classes * width)?;
                let mut table = Vec::with_capacity(numbers.len());
                for head in 0..heads {
                    for class in numbers.chunks_exact(width) {
                        table.extend(class.iter().skip(head).step_by(heads));
                    }
                }
                self.tensors.push(format!("encoding.shaw.layer.{layer}.{to}"), table);
            }
        }
        let terms = there.into_iter().map(|(_, term, _)| term).collect();
        Ok(Some(EncodingConfig::Shaw(shaw::Config { terms, ..shaw::Config::default() })))
    }

    /// Smolgen; either every encoder has it or none.
    fn smolgen(
        &mut self,
        format: &NetworkFormat,
        layers: usize,
        heads: usize,
    ) -> Result<Option<EncodingConfig>, NetError> {
        if !self.tree.has_below("encoder[0].mha.smolgen") {
            return Ok(None);
        }
        let squares = spec().input.geometry.squares();
        let name = |part: &str| format!("encoder[0].mha.smolgen.{part}");
        let compress = rows(&self.tree.peek(&name("compress"))?, self.width, &name("compress"))?;
        let hidden = self.tree.peek(&name("dense1_b"))?.len();
        let to_heads = self.tree.peek(&name("dense2_b"))?.len();
        if !to_heads.is_multiple_of(heads) {
            let what = format!("holds {to_heads} numbers, which {heads} heads do not divide");
            return Err(NetError::tensor(&name("dense2_b"), what));
        }
        let gen_width = to_heads / heads;
        for layer in 0..layers {
            let (from, to) = (format!("encoder[{layer}].mha.smolgen"), format!("encoding.smolgen.layer.{layer}"));
            let part = |part: &str| format!("{from}.{part}");
            self.tensors.take(format!("{to}.compress.weight"), self.tree, &part("compress"), self.width * compress)?;
            self.dense(&format!("{to}.hidden"), &part("dense1"), [squares * compress, hidden], true)?;
            self.norm(&format!("{to}.hidden_norm"), &part("ln1"), hidden)?;
            self.dense(&format!("{to}.to_heads"), &part("dense2"), [hidden, to_heads], true)?;
            self.norm(&format!("{to}.heads_norm"), &part("ln2"), to_heads)?;
        }
        let generator = "encoding.smolgen.generator.weight";
        self.tensors.take(generator, self.tree, "smolgen_w", gen_width * squares * squares)?;
        let activation: Activation = format.activation_of(format.smolgen_activation, "smolgen's activation")?;
        let config = smolgen::Config { compress, hidden, gen_width, activation, ..smolgen::Config::default() };
        Ok(Some(EncodingConfig::Smolgen(config)))
    }
}
