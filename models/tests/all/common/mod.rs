//! Small networks, fixed batches and plain loops that the tests share.

pub(crate) mod learning;
pub(crate) mod sums;

use encodings::EncodingConfig;
use games::{FeatureKind, Frame, FromTo, GameKind, InputName, MovesName, Vocabulary};
use models::{ChessformerConfig, GameSpec, HeadName, ModelConfig, ModelError, Network, NormPlace, Output, Preset};
use nn::{Arena, Layout, Views};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tch::{Device, Tensor};

pub(crate) type Object = serde_json::Map<String, serde_json::Value>;

/// A setting, parsed from JSON.
pub(crate) fn read<T: DeserializeOwned>(written: &str) -> T {
    serde_json::from_str(written).unwrap_or_else(|error| panic!("{written}: {error}"))
}

/// Every game with every input that shows the board as the side to move sees it.
pub(crate) fn specs() -> Vec<GameSpec> {
    let of = |game: GameKind| {
        let turned = game.inputs().iter().filter(|input| input.name.frame() == Frame::SideToMove);
        turned.map(move |input| GameSpec { input, moves: Vocabulary::FromTo(game.from_to()) })
    };
    GameKind::ALL.into_iter().flat_map(of).collect()
}

/// Whether an input is tried with the stack at this place of all. Encodings see tokens, the board and its pieces: all stacks
/// are tried with every board, and on an even and an odd one with tokens without squares. The other inputs share them.
pub(crate) fn is_tried(spec: &GameSpec, place: usize) -> bool {
    let has_all = |spec: &GameSpec| match spec.input.name {
        InputName::PieceTokens | InputName::ClsTokens => true,
        name => name == InputName::PieceTokensAux && spec.input.geometry == GameKind::Minishogi.geometry(),
    };
    let others: Vec<GameSpec> = specs().into_iter().filter(|spec| !has_all(spec)).collect();
    // Each round begins one further, so that what also takes turns, such as the norm's place, meets every input.
    let turn = (place + place / others.len()) % others.len();
    has_all(spec) || others[turn].input == spec.input
}

/// The stacks to try with an input, each with its place among all.
pub(crate) fn stacks_of(spec: &GameSpec) -> impl Iterator<Item = (usize, Vec<EncodingConfig>)> {
    EncodingConfig::example_stacks().into_iter().enumerate().filter(move |&(place, _)| is_tried(spec, place))
}

pub(crate) fn spec(game: GameKind, name: InputName) -> GameSpec {
    spec_of(game, name, MovesName::FromTo)
}

pub(crate) fn spec_of(game: GameKind, input: InputName, moves: MovesName) -> GameSpec {
    GameSpec { input: game.input(input), moves: game.moves(moves) }
}

/// The tokens and the list of moves of ChessEncoder and of the decoder.
pub(crate) fn tokens_68() -> GameSpec {
    spec_of(GameKind::Chess, InputName::Tokens68, MovesName::Chessdecoder1924)
}

pub(crate) const TINY_ENCODER: &str = r#"{"layers": 2, "width": 16, "heads": 2, "ff": 24, "embedding": "table",
    "ff_kind": "swiglu", "ff_bias": false, "out_bias": false, "norm": "pre", "value": {"pool": "token"}}"#;

/// A small network of ChessEncoder's kind.
pub(crate) fn tiny_encoder() -> ChessformerConfig {
    read(TINY_ENCODER)
}

/// The encoding of their networks.
pub(crate) fn flat() -> Vec<EncodingConfig> {
    vec![encoding(r#"{"rope": {"layout": "flat_1d", "theta": 10000}}"#)]
}

/// Checks that every parameter of a network with these encodings gets a finite gradient.
pub(crate) fn assert_gradients(layout: &Layout, arena: &Arena, loss: &Tensor, stack: &[EncodingConfig]) {
    let gradient = numbers(&arena.gradient(loss).expect("the loss depends on the parameters"));
    for param in layout.params() {
        let own = &gradient[param.elements()];
        assert!(own.iter().any(|g| *g != 0.0), "{} of {stack:?} gets no gradient", param.name);
        assert!(own.iter().all(|g| g.is_finite()), "{} of {stack:?}", param.name);
    }
}

/// The vocabulary of the attention policy.
pub(crate) fn from_to(spec: &GameSpec) -> &'static FromTo {
    match spec.moves {
        Vocabulary::FromTo(moves) => moves,
        other => panic!("{} has no pairs of squares", other.name()),
    }
}

/// A network that runs in milliseconds. Head width 8 lets every rotation fit.
pub(crate) fn tiny(norm: NormPlace) -> ChessformerConfig {
    ChessformerConfig { norm, ..read(TINY) }
}

pub(crate) fn preset(name: &str) -> ChessformerConfig {
    match (Preset::named(name).expect("a preset").model)() {
        ModelConfig::Chessformer(config) => *config,
        other => panic!("{name} is a {}", other.name()),
    }
}

const TINY: &str = r#"{"layers": 2, "width": 16, "heads": 2, "ff": 24, "policy": {"embedding": 12, "depth": 10},
    "value": {"embedding": 3, "hidden": 5}}"#;

pub(crate) fn cf_6m() -> ChessformerConfig {
    preset("cf-6m")
}

/// The tiny network with further options, written as an experiment writes them.
pub(crate) fn tiny_with(options: &str) -> ChessformerConfig {
    let mut written: Object = read(TINY);
    written.extend(read::<Object>(options));
    serde_json::from_value(serde_json::Value::Object(written)).expect("a valid configuration")
}

/// Every choice that a body has, in few networks, none of which tells squares apart.
pub(crate) const BODIES: [&str; 14] = [
    r#"{}"#,
    r#"{"norm": "pre", "normalisation": "layer", "qkv_bias": true}"#,
    r#"{"norm": "post_deepnet", "ff_kind": "swiglu", "ff_bias": false, "activation": "gelu"}"#,
    r#"{"norm": "post_deepnet_attention", "normalisation": "rms_1e-6"}"#,
    r#"{"embedding": "linear", "out_bias": false}"#,
    r#"{"norm": "post_plain", "ff_kind": "glu", "out_bias": false, "activation": "relu"}"#,
    r#"{"norm": {"post_scaled": {"alpha": 0.7, "beta": 0.4}}, "ff_kind": "geglu", "activation": "gelu_tanh"}"#,
    r#"{"activation": "silu", "normalisation": "layer"}"#,
    r#"{"norm": "post_plain", "normalisation": "batch"}"#,
    r#"{"activation": "tanh", "ff_activation": "relu2", "normalisation": "layer_1e-6"}"#,
    r#"{"qk_norm": true, "qkv_bias": true}"#,
    r#"{"registers": 3, "norm": "pre"}"#,
    r#"{"loops": 2, "norm": "post_deepnet"}"#,
    r#"{"activation": "selu", "ff_activation": "sigmoid", "norm": "pre", "normalisation": "layer_1e-6"}"#,
];

/// Networks with embeddings that tell squares apart: that which sees all of them at once, and the map of moves.
pub(crate) const ALL_PIECES: [&str; 5] = [
    r#"{"embedding": {"new": {"dense": 3}}}"#,
    r#"{"embedding": {"new": {"dense": 1}}, "norm": "pre", "normalisation": "layer"}"#,
    r#"{"embedding": {"new": {"dense": 5}}, "norm": "post_deepnet", "ff_kind": "swiglu", "ff_bias": false}"#,
    r#"{"embedding": {"new": {"dense": 2, "ff": 9}}, "ff_activation": "identity"}"#,
    r#"{"embedding": "reach", "normalisation": "layer_1e-6"}"#,
];

pub(crate) fn encoding(written: &str) -> EncodingConfig {
    read(written)
}

pub(crate) fn none() -> Vec<EncodingConfig> {
    vec![encoding(r#"{"none": {}}"#)]
}

pub(crate) fn declare(config: &ChessformerConfig, stack: &[EncodingConfig], spec: &GameSpec) -> (Network, Arc<Layout>) {
    declare_model(&chessformer(config.clone()), stack, spec)
}

pub(crate) fn declare_model(model: &ModelConfig, stack: &[EncodingConfig], spec: &GameSpec) -> (Network, Arc<Layout>) {
    let (network, layout) = Network::declare(model, stack, spec).expect("the network can be declared");
    (network, Arc::new(layout))
}

pub(crate) fn declare_preset(name: &str, stack: &[EncodingConfig], spec: &GameSpec) -> (Network, Arc<Layout>) {
    declare_model(&(Preset::named(name).expect("a preset").model)(), stack, spec)
}

pub(crate) fn refused(model: &ModelConfig, stack: &[EncodingConfig], spec: &GameSpec) -> ModelError {
    Network::declare(model, stack, spec).expect_err("it cannot be declared")
}

pub(crate) fn chessformer(config: ChessformerConfig) -> ModelConfig {
    ModelConfig::Chessformer(Box::new(config))
}

pub(crate) fn policy_of(output: &Output) -> &Tensor {
    &output[HeadName::Policy]
}

pub(crate) fn wdl_of(output: &Output) -> &Tensor {
    &output[HeadName::Result]
}

pub(crate) fn initialise(layout: &Arc<Layout>, seed: u64) -> Arena {
    tch::set_num_threads(1);
    Arena::initialise(layout.clone(), seed, "", Device::Cpu).expect("small networks fit into memory")
}

/// Parameters moved away from their start, so that nothing is zero by initialisation.
pub(crate) fn stirred(layout: &Arc<Layout>) -> Arena {
    let mut values = initialise(layout, 3).values().expect("the CPU's values can be read");
    for (i, value) in values.iter_mut().enumerate() {
        *value += 0.1 * fraction(i as u64 + 77) - 0.05;
    }
    Arena::from_values(layout.clone(), &values, Device::Cpu).expect("small networks fit into memory")
}

pub(crate) struct Run {
    pub(crate) arena: Arena,
    pub(crate) output: Output,
    /// What heads read: `[position][token][channel]`.
    pub(crate) tokens: Vec<Vec<Vec<f64>>>,
}

/// Two positions through a network with stirred parameters, and what its heads read.
pub(crate) fn run(config: &ChessformerConfig, spec: &GameSpec) -> Run {
    let (network, layout) = declare(config, &none(), spec);
    let arena = stirred(&layout);
    let packed = packed(spec, 2);
    let views = arena.frozen_views();
    let trunk = numbers(&network.trunk(&views, &packed));
    let tokens = trunk.chunks(config.width * spec.input.tokens());
    let tokens = tokens.map(|position| position.chunks(config.width).map(<[f64]>::to_vec).collect()).collect();
    Run { output: network.forward(&views, &packed), tokens, arena }
}

/// The parameters of one network for another, some replaced by what `change` says.
pub(crate) fn copied(to: &Arc<Layout>, from: &Arena, change: impl Fn(&str) -> Option<Tensor>) -> Arena {
    let mut values = initialise(to, 0).values().expect("the CPU's values can be read");
    for param in to.params() {
        let value = change(&param.name).unwrap_or_else(|| {
            let id = from.layout().find(&param.name).unwrap_or_else(|| panic!("no {}", param.name));
            from.frozen_views()[id].shallow_clone()
        });
        let numbers: Vec<f32> = Vec::try_from(value.detach().flatten(0, -1)).expect("numbers");
        values[param.elements()].copy_from_slice(&numbers);
    }
    Arena::from_values(to.clone(), &values, Device::Cpu).expect("memory")
}

/// A fixed, well mixed function of `i` in 0…1.
pub(crate) fn fraction(i: u64) -> f32 {
    mixed(i) as f32 / u32::MAX as f32
}

/// A fixed, well mixed function of `i`.
pub(crate) fn mixed(i: u64) -> u32 {
    let x = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x >> 32) as u32
}

/// Packed rows with valid codes: no real positions, since networks take any.
pub(crate) fn rows(spec: &GameSpec, batch: usize) -> Vec<Vec<u8>> {
    let squares = spec.input.geometry.squares();
    (0..batch).map(|row| (0..spec.input.row_bytes()).map(|i| byte(spec, squares, row, i)).collect()).collect()
}

fn byte(spec: &GameSpec, squares: usize, row: usize, i: usize) -> u8 {
    let draw = mixed((row * 1009 + i) as u64) as usize;
    let features_at = spec.input.features_at();
    if i < spec.input.steps() * squares {
        return (draw % spec.input.piece_codes) as u8;
    } else if i < features_at {
        return if spec.input.attack_bytes() > 0 { draw as u8 } else { (draw % 2) as u8 };
    }
    match spec.input.features[i - features_at].kind {
        FeatureKind::Scalar { .. } => (draw % 3) as u8,
        FeatureKind::Square => (draw % (squares + 1)) as u8,
        FeatureKind::Thermometer { steps } => (draw % (usize::from(steps) + 2)) as u8,
        FeatureKind::Token { values } => (draw % values.len()) as u8,
    }
}

/// Rows with their squares exchanged, features that name squares included, and where each square goes.
pub(crate) fn exchanged(spec: &GameSpec, rows: &[Vec<u8>]) -> (Vec<Vec<u8>>, Vec<usize>) {
    let (squares, attacks) = (spec.input.geometry.squares(), spec.input.attack_bytes());
    // 17 has no divisor in common with either board's number of squares.
    let moved: Vec<usize> = (0..squares).map(|square| (17 * square + 5) % squares).collect();
    let exchange = |row: &Vec<u8>| {
        let mut out = row.clone();
        for board in (0..spec.input.steps()).map(|step| step * squares) {
            moved.iter().enumerate().for_each(|(from, &to)| out[board + to] = row[board + from]);
        }
        // Who attacks a square moves along with it.
        let at = |square: usize| squares + square * attacks;
        for (from, &to) in moved.iter().enumerate().filter(|_| attacks > 0) {
            out[at(to)..at(to + 1)].copy_from_slice(&row[at(from)..at(from + 1)]);
        }
        for (at, _) in spec.input.squares().filter(|&(at, _)| row[at] > 0) {
            out[at] = moved[usize::from(row[at]) - 1] as u8 + 1;
        }
        out
    };
    (rows.iter().map(exchange).collect(), moved)
}

pub(crate) fn tensor(rows: &[Vec<u8>]) -> Tensor {
    tch::set_num_threads(1);
    Tensor::from_slice(&rows.concat()).view([rows.len() as i64, -1])
}

pub(crate) fn packed(spec: &GameSpec, batch: usize) -> Tensor {
    tensor(&rows(spec, batch))
}

pub(crate) fn numbers(tensor: &Tensor) -> Vec<f64> {
    Vec::try_from(tensor.detach().flatten(0, -1).to_kind(tch::Kind::Double)).expect("a tensor of numbers")
}

pub(crate) fn largest_difference(a: &Tensor, b: &Tensor) -> f64 {
    assert_eq!(a.size(), b.size());
    numbers(&(a - b).abs()).into_iter().fold(0.0, f64::max)
}

pub(crate) fn assert_same_bits(a: &Tensor, b: &Tensor, what: &str) {
    assert_eq!(a.size(), b.size(), "{what}");
    let bits = |tensor: &Tensor| numbers(tensor).into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(a), bits(b), "{what}");
}

/// Parameters by name as rows of numbers, for references in plain loops.
pub(crate) struct Weights<'a> {
    layout: &'a Layout,
    views: Views,
}

impl<'a> Weights<'a> {
    pub(crate) fn of(arena: &'a Arena) -> Self {
        Self { layout: arena.layout(), views: arena.frozen_views() }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.layout.find(name).is_some()
    }

    /// A parameter's rows; a vector has one.
    pub(crate) fn rows(&self, name: &str) -> Vec<Vec<f64>> {
        let id = self.layout.find(name).unwrap_or_else(|| panic!("no parameter is called {name}"));
        let width = self.layout.param(id).shape.last().copied().expect("parameters have dimensions") as usize;
        numbers(&self.views[id]).chunks(width).map(<[f64]>::to_vec).collect()
    }

    pub(crate) fn vector(&self, name: &str) -> Vec<f64> {
        self.rows(name).remove(0)
    }

    pub(crate) fn dense(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let mut y: Vec<f64> = self.rows(&format!("{name}.weight")).iter().map(|row| dot(row, x)).collect();
        if self.has(&format!("{name}.bias")) {
            let bias = self.vector(&format!("{name}.bias"));
            y.iter_mut().zip(bias).for_each(|(y, b)| *y += b);
        }
        y
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn mish(x: Vec<f64>) -> Vec<f64> {
    x.into_iter().map(|x| x * x.exp().ln_1p().tanh()).collect()
}

pub(crate) fn mean(rows: &[Vec<f64>]) -> Vec<f64> {
    (0..rows[0].len()).map(|i| rows.iter().map(|row| row[i]).sum::<f64>() / rows.len() as f64).collect()
}

pub(crate) fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * (1.0 + e.abs()), "{what}, element {i}: {f} instead of {e}");
    }
}

pub(crate) fn floats(values: &[f32], columns: i64) -> Tensor {
    Tensor::from_slice(values).view([-1, columns])
}

pub(crate) fn squares() -> usize {
    GameKind::Chess.geometry().squares()
}
