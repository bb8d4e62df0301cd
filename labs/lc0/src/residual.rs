//! Lc0's residual networks as [`models::ResnetConfig`].

use super::attention_heads::WDL;
use super::error::NetError;
use super::format::NetworkFormat;
use super::layer::rows;
use super::network::{Architecture, NamedTensors, in_other_units, spec};
use super::tree::Tree;
use encodings::{EncodingConfig, none};
use games::{GameKind, Geometry};
use models::input::Expander;
use models::resnet::{MovePlane, move_planes};
use models::{
    ModelConfig, MovesLeft, NoOptions, Outputs, PolicyOptions, ResnetConfig, ResnetPolicy, ResnetValue, SqueezeConfig,
};

/// Side and area of the trunk's kernels.
const KERNEL: usize = 3;
const AREA: usize = KERNEL * KERNEL;

/// A file's tensors, and the network's that were read from them.
struct Trunk<'a, 'b> {
    tree: &'a mut Tree<'b>,
    tensors: NamedTensors,
    channels: usize,
}

pub(super) fn read(tree: &mut Tree<'_>, format: &NetworkFormat) -> Result<Architecture, NetError> {
    check(format)?;
    let first = tree.tensor("input.weights")?;
    let planes = Expander::new(spec().input).channels();
    let channels = rows(&first, planes * AREA, "input.weights")?;
    let scaled = in_other_units(first, [AREA, planes * AREA], |weight, scale| weight * scale);
    let mut trunk = Trunk { tree, tensors: NamedTensors::default(), channels };
    trunk.normed("embedding", "input", scaled, channels)?;
    let blocks = trunk.tree.len("residual");
    let se: Vec<Option<SqueezeConfig>> = (0..blocks).map(|i| trunk.block(i)).collect::<Result<_, _>>()?;
    if let Some(i) = se.iter().position(|one| *one != se[0]) {
        return Err(NetError::tensor(&format!("residual[{i}].se"), "has another size than the first block's"));
    }
    let config = ResnetConfig {
        blocks,
        channels,
        stem: models::Stem::default(),
        se: se.into_iter().next().flatten(),
        activation: format.activation()?,
        batch_norm: models::BatchNormConfig::default(),
        init: models::InitKind::default(),
        policy: trunk.policy(format)?,
        value: trunk.value()?,
        outputs: Outputs {
            policy: Some(PolicyOptions::default()),
            result: Some(NoOptions {}),
            moves_left: trunk.moves_left(format)?,
            ..Outputs::none()
        },
    };
    Ok(Architecture {
        model: ModelConfig::Resnet(Box::new(config)),
        encoding: vec![EncodingConfig::None(none::Config {})],
        parameters: trunk.tensors.named,
    })
}

/// Refuses anything but a residual network, and what [`NetworkFormat::check_ends`] refuses.
fn check(format: &NetworkFormat) -> Result<(), NetError> {
    let network = format.network.unwrap_or_default();
    if !NetworkFormat::CONVOLUTIONS.contains(&network) {
        let what = format!("the structure {network} of Lc0's list");
        return Err(NetError::unknown(what, "networks of convolutions (1 to 4) and attention bodies (6, 7)"));
    }
    format.check_ends()
}

impl Trunk<'_, '_> {
    /// A convolution with a given kernel, and its normalisation. Files omit gains of 1, offsets of 0, and the bias of
    /// the convolution, which shifts the mean. The format's standard deviation is a variance.
    fn normed(&mut self, name: &str, from: &str, kernel: Vec<f32>, channels: usize) -> Result<(), NetError> {
        let part = |part: &str| format!("{from}.{part}");
        let mut or = |tensor: &str, otherwise: f32| {
            let tensor = part(tensor);
            if self.tree.has(&tensor) { self.tree.sized(&tensor, channels) } else { Ok(vec![otherwise; channels]) }
        };
        let (bias, gain, offset) = (or("biases", 0.0)?, or("bn_gammas", 1.0)?, or("bn_betas", 0.0)?);
        let mean = self.tree.sized(&part("bn_means"), channels)?;
        let running_mean = mean.iter().zip(bias).map(|(mean, bias)| mean - bias).collect();
        self.tensors.push(format!("{name}.weight"), kernel);
        self.tensors.push(format!("{name}.norm.gain"), gain);
        self.tensors.push(format!("{name}.norm.bias"), offset);
        self.tensors.push(format!("{name}.norm.running_mean"), running_mean);
        self.tensors.take(format!("{name}.norm.running_variance"), self.tree, &part("bn_stddivs"), channels)
    }

    /// A convolution `channels → channels` with its normalisation.
    fn convolution(&mut self, name: &str, from: &str) -> Result<(), NetError> {
        let kernel = self.tree.sized(&format!("{from}.weights"), self.channels * self.channels * AREA)?;
        self.normed(name, from, kernel, self.channels)
    }

    fn block(&mut self, i: usize) -> Result<Option<SqueezeConfig>, NetError> {
        let (name, from) = (format!("body.{i}"), format!("residual[{i}]"));
        self.convolution(&format!("{name}.first"), &format!("{from}.conv1"))?;
        self.convolution(&format!("{name}.second"), &format!("{from}.conv2"))?;
        if !self.tree.has_below(&format!("{from}.se")) {
            return Ok(None);
        }
        let [w1, b1, w2, b2] = ["w1", "b1", "w2", "b2"].map(|part| format!("{from}.se.{part}"));
        let hidden = self.tree.peek(&b1)?.len();
        self.dense(&format!("{name}.se.squeeze"), [&w1, &b1], self.channels, hidden)?;
        self.dense(&format!("{name}.se.excite"), [&w2, &b2], hidden, 2 * self.channels)?;
        Ok(Some(SqueezeConfig { channels: hidden }))
    }

    fn dense(&mut self, name: &str, [w, b]: [&str; 2], inputs: usize, outputs: usize) -> Result<(), NetError> {
        self.tensors.take(format!("{name}.weight"), self.tree, w, inputs * outputs)?;
        self.tensors.take(format!("{name}.bias"), self.tree, b, outputs)
    }

    fn policy(&mut self, format: &NetworkFormat) -> Result<ResnetPolicy, NetError> {
        let (moves, board, channels) = (GameKind::Chess.from_to(), spec().input.geometry, self.channels);
        // Older files have no field for it.
        match format.policy.filter(|&policy| policy != 0).unwrap_or(NetworkFormat::POLICY_DENSE) {
            NetworkFormat::POLICY_CONVOLUTION => {
                self.convolution("policy.first", "policy1")?;
                let (kernel, bias) = (self.tree.tensor("policy.weights")?, self.tree.tensor("policy.biases")?);
                let order = lc0_planes(board);
                if rows(&kernel, channels * AREA, "policy.weights")? < order.len() || bias.len() < order.len() {
                    let what = format!("has fewer than the {} planes of moves", order.len());
                    return Err(NetError::tensor("policy", what));
                }
                let places = move_planes(moves, board).into_iter().map(|plane| {
                    let place = order.iter().position(|other| *other == plane);
                    place.ok_or_else(|| NetError::tensor("policy", format!("has no plane for {plane:?}")))
                });
                let places: Vec<usize> = places.collect::<Result<_, _>>()?;
                let kernels = places.iter().flat_map(|&i| &kernel[i * channels * AREA..][..channels * AREA]);
                self.tensors.push("policy.planes.weight", kernels.copied().collect());
                self.tensors.push("policy.planes.bias", places.iter().map(|&i| bias[i]).collect());
                Ok(ResnetPolicy::Convolution)
            }
            NetworkFormat::POLICY_DENSE => {
                let reduced = self.reduce("policy")?;
                self.dense("policy.moves", ["ip_pol_w", "ip_pol_b"], reduced * board.squares(), moves.len())?;
                Ok(ResnetPolicy::Dense { channels: reduced })
            }
            other => {
                let what = format!("the policy {other} of Lc0's list on a convolutional body");
                Err(NetError::unknown(what, "the dense (1) and the convolutional (2) policy"))
            }
        }
    }

    /// The 1×1 convolution of a head; returns its channels.
    fn reduce(&mut self, head: &str) -> Result<usize, NetError> {
        let from = format!("{head}.weights");
        let kernel = self.tree.tensor(&from)?;
        let reduced = rows(&kernel, self.channels, &from)?;
        self.normed(&format!("{head}.reduce"), head, kernel, reduced)?;
        Ok(reduced)
    }

    fn value(&mut self) -> Result<ResnetValue, NetError> {
        let (channels, squares) = (self.reduce("value")?, spec().input.geometry.squares());
        let hidden = self.tree.peek("ip1_val_b")?.len();
        self.dense("value.hidden", ["ip1_val_w", "ip1_val_b"], channels * squares, hidden)?;
        self.dense("value.wdl", ["ip2_val_w", "ip2_val_b"], hidden, WDL)?;
        Ok(ResnetValue { channels, hidden })
    }

    fn moves_left(&mut self, format: &NetworkFormat) -> Result<Option<MovesLeft>, NetError> {
        if format.moves_left != Some(NetworkFormat::MOVES_LEFT) {
            return Ok(None);
        }
        let (embedding, squares) = (self.reduce("moves_left")?, spec().input.geometry.squares());
        let hidden = self.tree.peek("ip1_mov_b")?.len();
        self.dense("moves_left.hidden", ["ip1_mov_w", "ip1_mov_b"], embedding * squares, hidden)?;
        self.dense("moves_left.out", ["ip2_mov_w", "ip2_mov_b"], hidden, 1)?;
        Ok(Some(MovesLeft { embedding, hidden }))
    }
}

/// Lc0's move planes in order (its training code, `tf/lc0_az_policy_map.py`): queen moves, by direction clockwise from
/// straight ahead and 1 to 7 squares far; eight knight moves, clockwise from ahead and right; promotions to the left,
/// ahead and right, each to rook, bishop and queen. The rest of the file's 80 planes is unused.
fn lc0_planes(board: Geometry) -> Vec<MovePlane> {
    const QUEEN: &[(i64, i64)] = &[(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    const KNIGHT: &[(i64, i64)] = &[(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)];
    const PROMOTED: [&str; 3] = ["rook", "bishop", "queen"];
    let far = board.ranks().max(board.files()) as i64 - 1;
    let queen = QUEEN.iter().flat_map(|&(ranks, files)| {
        (1..=far).map(move |steps| MovePlane::Plain { ranks: ranks * steps, files: files * steps })
    });
    let knight = KNIGHT.iter().map(|&(ranks, files)| MovePlane::Plain { ranks, files });
    let promotions = GameKind::Chess.from_to().promotions;
    let kinds = PROMOTED.into_iter().filter_map(|name| promotions.iter().position(|&kind| kind == name));
    let kinds: Vec<u8> = kinds.map(|kind| kind as u8).collect();
    let promoted = [-1, 0, 1].into_iter().flat_map(|files| {
        kinds.iter().map(move |&kind| MovePlane::Promotion { kind, ranks: 1, files }).collect::<Vec<_>>()
    });
    queen.chain(knight).chain(promoted).collect()
}
