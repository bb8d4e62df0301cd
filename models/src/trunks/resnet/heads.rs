//! The heads of the residual network. All convolutions read planes, all dense layers read them channel by channel.

use super::layers::{Board, KERNEL, Normed, convolution};
use super::planes::cells;
use crate::config::{InitKind, PlaneBias, ResnetConfig, ResnetPolicy};
use crate::heads::head::Head;
use crate::heads::output::{Output, Reading};
use crate::heads::plane_policy::{PlaneLogits, PlanePolicyHeads};
use crate::heads::pooled::{BoardVector, VectorForm, VectorHead};
use crate::heads::{number, result};
use crate::layers::dense;
use crate::macs::HeadMacs;
use encodings::Tokens;
use facts::HeadName;
use games::Vocabulary;
use nn::{Activation, Constant, Convolution, ConvolutionSizes, LayoutBuilder, Linear, Part, Scope, Views};
use tch::Tensor;

/// Declares the heads in the scopes that other networks' have: `policy`, `value`, `win_rate` and `moves_left`.
pub(crate) fn declare(
    builder: &mut LayoutBuilder,
    config: &ResnetConfig,
    tokens: &Tokens,
    moves: Vocabulary,
) -> Vec<Box<dyn Head>> {
    let outputs = &config.outputs;
    let mut heads: Vec<Box<dyn Head>> = Vec::new();
    if outputs.policy.is_some() {
        let scope = &mut builder.scope("policy", Part::Head);
        heads.push(match config.policy {
            ResnetPolicy::Convolution => Box::new(PlanesPolicy::declare(scope, config, tokens, moves)),
            ResnetPolicy::Planes => {
                let (board, bias) = (tokens.geometry(), PlaneBias::PerMove);
                let sizes = [config.channels, board.squares()];
                let logits = PlaneLogits::declare(scope, sizes, bias, config.init, &cells(moves, board));
                Box::new(PlanePolicyHeads::plain(logits))
            }
            ResnetPolicy::Dense { channels } => {
                let reduced = Reduced::declare(scope, channels, config, tokens);
                let form = VectorForm {
                    head: HeadName::Policy,
                    scope: "policy",
                    layer: ("moves", moves.len() as i64),
                    answer: std::convert::identity,
                    reading: Reading::Policy,
                    source: "policy (a dense layer from all squares to all moves)",
                };
                Box::new(VectorHead::declare(scope, reduced, form))
            }
        });
    }
    let value = [config.value.channels, config.value.hidden];
    let on_vectors = [
        outputs.result.map(|_| (value, result::LOGITS_FORM)),
        outputs.win_rate.map(|_| (value, number::WIN_RATE_FORM)),
        outputs.moves_left.map(|options| ([options.embedding, options.hidden], number::MOVES_LEFT_FORM)),
    ];
    for (sizes, form) in on_vectors.into_iter().flatten() {
        let scope = &mut builder.scope(form.scope, Part::Head);
        let pooled = PooledPlanes::declare(scope, sizes, config, tokens);
        heads.push(Box::new(VectorHead::declare(scope, pooled, form)));
    }
    heads
}

/// Squares reduced to a few channels and laid side by side, all squares of a channel together.
#[derive(Debug)]
struct Reduced {
    reduce: Normed,
    activation: Activation,
    board: Board,
    channels: i64,
    init: InitKind,
}

impl Reduced {
    fn declare(scope: &mut Scope<'_>, channels: usize, config: &ResnetConfig, tokens: &Tokens) -> Self {
        let (inputs, channels) = (config.channels as i64, channels as i64);
        let sizes = ConvolutionSizes { inputs, outputs: channels, kernel: 1 };
        let reduce = Normed::declare(&mut scope.sub("reduce"), sizes, config);
        Self { reduce, activation: config.activation, board: Board::of(tokens), channels, init: config.init }
    }

    fn len(&self) -> i64 {
        self.channels * self.board.squares()
    }
}

impl BoardVector for Reduced {
    fn output(&self, scope: &mut Scope<'_>, name: &str, outputs: i64) -> Linear {
        dense(scope, name, [self.len(), outputs], self.init)
    }

    fn position_sources(&self, source: &'static str) -> Vec<&'static str> {
        vec![source]
    }

    fn forward(&self, views: &Views, x_bnc: &Tensor) -> Tensor {
        self.activation.apply(&self.reduce.forward(views, &self.board.planes(x_bnc))).flatten(1, 3)
    }

    fn macs(&self) -> u64 {
        self.reduce.macs(self.board.squares() as u64)
    }
}

/// The board as one vector: [`Reduced`] and a hidden layer.
#[derive(Debug)]
struct PooledPlanes {
    reduced: Reduced,
    hidden: Linear,
    width: i64,
}

impl PooledPlanes {
    fn declare(scope: &mut Scope<'_>, [channels, hidden]: [usize; 2], config: &ResnetConfig, tokens: &Tokens) -> Self {
        let reduced = Reduced::declare(scope, channels, config, tokens);
        let width = hidden as i64;
        Self { hidden: reduced.output(scope, "hidden", width), reduced, width }
    }
}

impl BoardVector for PooledPlanes {
    fn output(&self, scope: &mut Scope<'_>, name: &str, outputs: i64) -> Linear {
        dense(scope, name, [self.width, outputs], self.reduced.init)
    }

    fn position_sources(&self, source: &'static str) -> Vec<&'static str> {
        vec![source]
    }

    fn forward(&self, views: &Views, x_bnc: &Tensor) -> Tensor {
        self.reduced.activation.apply(&self.hidden.forward(views, &self.reduced.forward(views, x_bnc)))
    }

    fn macs(&self) -> u64 {
        self.reduced.macs() + self.hidden.macs()
    }
}

/// [`ResnetPolicy::Convolution`]; only moves of the vocabulary are kept.
#[derive(Debug)]
struct PlanesPolicy {
    first: Normed,
    planes: Convolution,
    activation: Activation,
    board: Board,
    places: Constant,
}

impl PlanesPolicy {
    fn declare(scope: &mut Scope<'_>, config: &ResnetConfig, tokens: &Tokens, moves: Vocabulary) -> Self {
        let (channels, geometry) = (config.channels as i64, tokens.geometry());
        let first = ConvolutionSizes { inputs: channels, outputs: channels, kernel: KERNEL };
        let moves = cells(moves, geometry);
        let planes = ConvolutionSizes { outputs: moves.classes as i64, ..first };
        let place = |&[plane, square]: &[usize; 2]| (plane * geometry.squares() + square) as i64;
        let places: Vec<i64> = moves.cells.iter().map(place).collect();
        Self {
            first: Normed::declare(&mut scope.sub("first"), first, config),
            planes: convolution(&mut scope.sub("planes"), planes, config, true),
            activation: config.activation,
            board: Board::of(tokens),
            places: Constant::indices(&places, &[places.len() as i64]),
        }
    }
}

impl Head for PlanesPolicy {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let inside = self.activation.apply(&self.first.forward(views, &self.board.planes(x_bld)));
        let planes = self.planes.forward(views, &inside).flatten(1, 3);
        output.set(HeadName::Policy, Reading::Policy, planes.index_select(1, &self.places.on(planes.device())));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let squares = self.board.squares() as u64;
        vec![HeadMacs::of_weights("policy", self.first.macs(squares) + self.planes.macs(squares))]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        vec!["policy (a plane for each displacement)", "policy vocabulary (only structurally possible moves)"]
    }
}
