//! The policy over a vocabulary of planes.

use super::head::Head;
use super::output::{Output, Reading};
use crate::config::{ChessformerConfig, InitKind, PlaneBias};
use crate::layers;
use crate::macs::HeadMacs;
use encodings::Tokens;
use facts::HeadName;
use games::Planes;
use nn::{Constant, Init, LayoutBuilder, Linear, ParamId, Part, Scope, Views};
use tch::Tensor;

/// dlshogi's policy head, a convolution 1×1 to one plane for each class, and an optional soft companion with its own
/// weights.
///
/// Reference: `dlshogi/network` in TadaoYamaoka/DeepLearningShogi; deviation: weights start from Glorot's normal
/// initialiser, as those of the other heads.
#[derive(Debug)]
pub(crate) struct PlanePolicyHeads {
    policies: Vec<(HeadName, PlaneLogits)>,
}

impl PlanePolicyHeads {
    pub(crate) fn plain(policy: PlaneLogits) -> Self {
        Self { policies: vec![(HeadName::Policy, policy)] }
    }

    pub(super) fn declare(
        builder: &mut LayoutBuilder,
        config: &ChessformerConfig,
        tokens: &Tokens,
        moves: &Planes,
    ) -> Self {
        let sizes = [config.width, tokens.geometry().squares()];
        let (bias, cells) = (config.policy.plane_bias, Cells::of(moves));
        let policies = config.outputs.declare_policies(|head| {
            let scope = &mut builder.scope(head.name(), Part::Head);
            PlaneLogits::declare(scope, sizes, bias, InitKind::Glorot, &cells)
        });
        Self { policies }
    }
}

impl Head for PlanePolicyHeads {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        for (head, logits) in &self.policies {
            output.set(*head, Reading::Policy, logits.forward(views, x_bld));
        }
    }

    fn macs(&self) -> Vec<HeadMacs> {
        self.policies.iter().map(|(head, logits)| HeadMacs::of_weights(head.name(), logits.macs())).collect()
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.policies.first().map_or_else(Vec::new, |(_, logits)| logits.position_sources())
    }

    fn paper_macs_per_square(&self) -> u64 {
        let policy = self.policies.iter().find(|(head, _)| *head == HeadName::Policy);
        policy.map_or(0, |(_, logits)| logits.dense.macs())
    }
}

/// The places of a vocabulary's moves in planes.
#[derive(Debug)]
pub(crate) struct Cells {
    pub(crate) classes: usize,
    /// Each move's plane and square.
    pub(crate) cells: Vec<[usize; 2]>,
}

impl Cells {
    /// Those of a vocabulary whose entries are planes already: they are read at the square that is entered.
    pub(crate) fn of(moves: &Planes) -> Self {
        let cells = moves.entries().iter().map(|entry| [usize::from(entry.class), usize::from(entry.to)]).collect();
        Self { classes: moves.classes.len(), cells }
    }
}

/// `logit(class, to) = w_class · x_to + bias`, for the entries of the vocabulary only, in its order.
#[derive(Debug)]
pub(crate) struct PlaneLogits {
    dense: Linear,
    /// A number for each entry `[v]`; `None` where the dense layer has one for each class.
    bias: Option<ParamId>,
    squares: i64,
    has_gaps: bool,
    /// For each entry, its place in the flattened `[n, classes]`.
    places: Constant,
}

impl PlaneLogits {
    /// For `[inputs, squares]`: numbers of a token, and tokens that are squares.
    pub(crate) fn declare(
        scope: &mut Scope<'_>,
        [inputs, squares]: [usize; 2],
        bias: PlaneBias,
        init: InitKind,
        moves: &Cells,
    ) -> Self {
        let (inputs, squares, classes) = (inputs as i64, squares as i64, moves.classes as i64);
        let (of_class, of_move) = (bias == PlaneBias::PerClass, bias == PlaneBias::PerMove);
        let dense = Linear::declare(scope, inputs, classes, init.of(inputs, classes), of_class);
        let places: Vec<i64> =
            moves.cells.iter().map(|&[class, square]| square as i64 * classes + class as i64).collect();
        let entries = places.len() as i64;
        Self {
            dense,
            bias: of_move.then(|| scope.f32_param("moves.bias", &[entries], Init::ZEROS)),
            squares,
            has_gaps: entries < squares * classes,
            places: Constant::indices(&places, &[entries]),
        }
    }

    /// All tokens `[b,l,d]` → logits `[b,v]`, illegal moves included.
    pub(crate) fn forward(&self, views: &Views, x_bld: &Tensor) -> Tensor {
        let planes = self.dense.forward(views, &layers::tokens(x_bld, 0, self.squares)).flatten(1, 2);
        let logits = planes.index_select(1, &self.places.on(planes.device()));
        match self.bias {
            None => logits,
            Some(bias) => &logits + views[bias].to_kind(logits.kind()),
        }
    }

    pub(crate) fn macs(&self) -> u64 {
        self.squares as u64 * self.dense.macs()
    }

    pub(crate) fn position_sources(&self) -> Vec<&'static str> {
        let gaps = self.has_gaps.then_some("policy vocabulary (only structurally possible moves)");
        gaps.into_iter().chain(self.bias.map(|_| "policy bias (a number for each move)")).collect()
    }
}
