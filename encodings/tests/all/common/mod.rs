//! A minimal transformer trunk that calls a stack of encodings at every injection point, as a model does.

pub(crate) mod single;

use encodings::{Dims, EncodingConfig, EncodingError, LayerContext, Queries, Role, Stack, Tokens, Watch};
use games::{GameKind, Geometry};
use nn::{Arena, Init, Layout, LayoutBuilder, Linear, Part, Views};
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

/// Small sizes that every encoding accepts.
pub(crate) const DIMS: Dims = Dims { width: 16, heads: 2, layers: 2 };

pub(crate) fn parsed(yaml: &str) -> EncodingConfig {
    serde_yaml::with::singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(yaml)).expect("options")
}

/// The squares of a game's board alone.
pub(crate) fn board(game: GameKind) -> Tokens {
    Tokens::squares_then(game.geometry(), &[])
}

/// A stack and a sequence, for messages.
pub(crate) fn place(configs: &[EncodingConfig], tokens: &Tokens) -> String {
    let labels: Vec<_> = configs.iter().map(EncodingConfig::label).collect();
    format!("{labels:?} on {:?} with {} tokens", tokens.geometry(), tokens.len())
}

/// Runs a check over all stacks and sequences, and lists where it failed.
pub(crate) fn for_all(check: impl Fn(&[EncodingConfig], &Tokens) -> Result<(), String>) {
    let stacks = EncodingConfig::example_stacks();
    let cases = stacks.iter().flat_map(|configs| sequences().into_iter().map(move |tokens| (configs, tokens)));
    let failures: Vec<_> = cases
        .filter_map(|(configs, tokens)| {
            check(configs, &tokens).err().map(|failure| format!("{}: {failure}", place(configs, &tokens)))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

pub(crate) fn ensure(holds: bool, failure: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(failure()) }
}

/// Every board with auxiliary tokens, and the smallest one with every layout of [`sequences_on`].
pub(crate) fn sequences() -> Vec<Tokens> {
    let on = |game: GameKind| match game {
        GameKind::Minishogi => sequences_on(game.geometry()),
        _ => vec![Tokens::squares_then(game.geometry(), &AUX)],
    };
    GameKind::ALL.into_iter().flat_map(on).collect()
}

const AUX: [&str; 2] = ["hand", "castling"];

/// Squares alone, squares before auxiliary tokens, a summary token before the squares.
pub(crate) fn sequences_on(geometry: Geometry) -> Vec<Tokens> {
    let cls_first =
        [Role::Cls].into_iter().chain((0..geometry.squares()).map(Role::Square)).chain([Role::Aux("clock")]);
    vec![
        Tokens::squares_then(geometry, &[]),
        Tokens::squares_then(geometry, &AUX),
        Tokens::new(geometry, cls_first.collect()),
    ]
}

/// Attention layers with a residual around each: no norms, no feed-forward, so that nothing else touches position.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) layout: Arc<Layout>,
    pub(crate) stack: Stack,
    pub(crate) dims: Dims,
    tokens: Tokens,
    layers: Vec<Projections>,
}

#[derive(Debug)]
struct Projections {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
}

impl Projections {
    fn declare(scope: &mut nn::Scope<'_>, width: i64) -> Self {
        let mut square = |name| {
            let init = Init::glorot_normal(width, width, 1.0);
            Linear::declare(&mut scope.sub(name), width, width, init, false)
        };
        Self { query: square("query"), key: square("key"), value: square("value"), output: square("output") }
    }
}

/// What a forward pass shows.
#[derive(Debug)]
pub(crate) struct Trace {
    /// Each layer's logits before the softmax, `[b,h,l,l]`.
    pub(crate) logits: Vec<Tensor>,
    pub(crate) output: Tensor,
}

impl Network {
    pub(crate) fn declare(configs: &[EncodingConfig], dims: Dims, tokens: &Tokens) -> Result<Self, EncodingError> {
        let mut builder = LayoutBuilder::default();
        let stack = Stack::declare(configs, &mut builder.scope("encoding", Part::Encoding), dims, tokens)?;
        let mut body = builder.scope("body", Part::Trunk);
        let layers =
            (0..dims.layers).map(|layer| Projections::declare(&mut body.sub(layer), dims.width as i64)).collect();
        let layout = Arc::new(builder.finish().expect("names are unique"));
        Ok(Self { layout, stack, dims, tokens: tokens.clone(), layers })
    }

    pub(crate) fn small(configs: &[EncodingConfig], tokens: &Tokens) -> Self {
        Self::declare(configs, DIMS, tokens).expect("an example fits the test's sizes")
    }

    /// The same, whose stack is watched.
    pub(crate) fn watched(self) -> (Self, Watch) {
        let (stack, watch) = self.stack.watched();
        (Self { stack, ..self }, watch)
    }

    /// The parameters as a run starts with them.
    pub(crate) fn initial(&self, seed: u64) -> Arena {
        Arena::initialise(Arc::clone(&self.layout), seed, "", Device::Cpu).expect("memory")
    }

    /// Every parameter normal with this standard deviation: away from the zeros that many encodings start from.
    pub(crate) fn random(&self, seed: u64, std: f64) -> Arena {
        let values = normals(seed, "parameters", self.layout.len(), std);
        Arena::from_values(Arc::clone(&self.layout), &values, Device::Cpu).expect("memory")
    }

    /// As a run starts, with a little noise on every parameter.
    pub(crate) fn random_around_start(&self, seed: u64, std: f64) -> Arena {
        let start = self.initial(seed).values().expect("numbers");
        let noise = normals(seed, "parameters", self.layout.len(), std);
        let values: Vec<_> = start.iter().zip(noise).map(|(value, noise)| value + noise).collect();
        Arena::from_values(Arc::clone(&self.layout), &values, Device::Cpu).expect("memory")
    }

    /// The same, each parameter drawn by its name: equal numbers in every network that has it.
    pub(crate) fn random_by_name(&self, seed: u64, std: f64) -> Arena {
        let mut values = vec![0.0; self.layout.len()];
        for param in self.layout.params() {
            let own = normals(seed, &param.name, param.len(), std);
            values[param.offset..param.offset + param.len()].copy_from_slice(&own);
        }
        Arena::from_values(Arc::clone(&self.layout), &values, Device::Cpu).expect("memory")
    }

    pub(crate) fn forward(&self, views: &Views, x_bld: &Tensor) -> Trace {
        let packed = self.packed(x_bld);
        let at = |layer| LayerContext { views, layer, packed: &packed };
        let mut x = self.stack.embed(at(0), x_bld.shallow_clone());
        let mut logits = Vec::new();
        for layer in 0..self.dims.layers {
            let (mixed, layer_logits) = self.attention(at(layer), &x);
            x = plus(x, Some(mixed));
            logits.push(layer_logits);
        }
        Trace { logits, output: x }
    }

    pub(crate) fn packed(&self, x_bld: &Tensor) -> Tensor {
        packed(x_bld, &self.tokens)
    }

    fn attention(&self, at: LayerContext<'_>, x_bld: &Tensor) -> (Tensor, Tensor) {
        let weights = &self.layers[at.layer];
        let input = self.stack.attend(at, x_bld);
        let q = self.heads(&weights.query.forward(at.views, &input.qk_bld));
        let k = self.heads(&weights.key.forward(at.views, &input.qk_bld));
        let v = self.heads(&weights.value.forward(at.views, input.v_bld.as_ref().unwrap_or(&input.qk_bld)));
        let added = self.stack.logits(at, Queries { x_bld: &input.qk_bld, q_bhlk: &q, k_bhlk: &k });
        let (turned_q, turned_k) = self.stack.rotate(at, &q, &k);
        let unscaled = plus(turned_q.matmul(&turned_k.transpose(2, 3)), added.before_scale);
        let logits = plus(unscaled / (self.dims.head_width() as f64).sqrt(), added.after_scale);
        let attention = logits.softmax(-1, Kind::Float);
        let mixed = plus(attention.matmul(&v), self.stack.values(at, Some(&attention), &v));
        (weights.output.forward(at.views, &mixed.transpose(1, 2).flatten(2, 3)), logits)
    }

    fn heads(&self, x_bld: &Tensor) -> Tensor {
        let size = x_bld.size();
        x_bld.view([size[0], size[1], self.dims.heads as i64, -1]).transpose(1, 2).contiguous()
    }
}

fn plus(sum: Tensor, term: Option<Tensor>) -> Tensor {
    match term {
        Some(term) => sum + term,
        None => sum,
    }
}

/// Normal numbers from a named stream.
pub(crate) fn normals(seed: u64, purpose: &str, len: usize, std: f64) -> Vec<f32> {
    let mut stream = streams::stream(seed, &["test", purpose]);
    (0..len).map(|_| (std * streams::normal(&mut stream)) as f32).collect()
}

pub(crate) fn normal_tensor(seed: u64, purpose: &str, shape: &[i64]) -> Tensor {
    Tensor::from_slice(&normals(seed, purpose, shape.iter().product::<i64>() as usize, 1.0)).view(shape)
}

/// A batch of inputs `[b,l,d]` for a network on these tokens.
pub(crate) fn input(seed: u64, batch: i64, tokens: &Tokens, dims: Dims) -> Tensor {
    normal_tensor(seed, "input", &[batch, tokens.len() as i64, dims.width as i64])
}

/// The packed rows `[b,row]` of an input: a piece stands where the first channel of the square's token is positive, so that
/// pieces move with the contents of squares. Rows have some bytes after the board, as those of games have.
pub(crate) fn packed(x_bld: &Tensor, tokens: &Tokens) -> Tensor {
    let token_of = |square| tokens.squares().find(|&(_, s)| s == square).map(|(token, _)| token as i64);
    let of_squares: Vec<_> = (0..tokens.geometry().squares()).map(|s| token_of(s).expect("every square")).collect();
    let contents = x_bld.select(2, 0).index_select(1, &Tensor::from_slice(&of_squares));
    let codes =
        (contents.gt(0.0).to_kind(Kind::Float) * 3.0 + contents.gt(1.0).to_kind(Kind::Float)).to_kind(Kind::Uint8);
    let rest = Tensor::from_slice(&[1u8, 0, 7]).expand([x_bld.size()[0], 3], false);
    Tensor::cat(&[codes, rest], 1)
}

pub(crate) fn largest_difference(a: &Tensor, b: &Tensor) -> f64 {
    assert_eq!(a.size(), b.size());
    if a.numel() == 0 { 0.0 } else { (a - b).abs().max().double_value(&[]) }
}
