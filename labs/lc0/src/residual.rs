//! Lc0's residual networks as [`models::ResnetConfig`].

use super::channels::by_scaled_channels;
use super::error::NetError;
use super::format::NetworkFormat;
use super::layer::{Layer, numbers, rows, sized};
use super::message::{ConvBlock, Residual, Weights};
use super::network::{NamedTensors, Parameters, spec};
use games::{GameKind, Geometry};
use models::input::Expander;
use models::resnet::{MovePlane, move_planes};
use models::{
    ModelConfig, MovesLeft, NoOptions, Outputs, PolicyOptions, ResnetConfig, ResnetPolicy, ResnetValue, SqueezeConfig,
};
use nn::Activation;

/// Side and area of the trunk's kernels.
const KERNEL: usize = 3;
const AREA: usize = KERNEL * KERNEL;

const WDL: usize = 3;

pub(super) fn read(weights: &Weights, format: &NetworkFormat) -> Result<(ModelConfig, Parameters), NetError> {
    check(format)?;
    let spec = spec();
    let mut tensors = NamedTensors::default();
    let input = weights.input.as_ref().ok_or_else(|| NetError::tensor("input", "is missing"))?;
    let first = numbers(input.weights.as_ref(), "input.weights")?;
    let planes = Expander::new(spec.input).channels();
    let channels = rows(&first, planes * AREA, "input.weights")?;
    let scaled = by_scaled_channels(first, spec.input, AREA, planes * AREA);
    tensors.normed("embedding", "input", scaled, input, channels)?;
    let se = weights.residual.iter().enumerate().map(|(i, block)| tensors.block(i, block, channels));
    let se: Vec<Option<SqueezeConfig>> = se.collect::<Result<_, _>>()?;
    if let Some(i) = se.iter().position(|one| *one != se[0]) {
        return Err(NetError::tensor(&format!("residual[{i}].se"), "has another size than the first block's"));
    }
    let squares = spec.input.geometry.squares();
    let config = ResnetConfig {
        blocks: weights.residual.len(),
        channels,
        stem: models::Stem::default(),
        se: se.into_iter().next().flatten(),
        activation: if format.default_activation == Some(NetworkFormat::MISH) {
            Activation::Mish
        } else {
            Activation::Relu
        },
        batch_norm: models::BatchNormConfig::default(),
        init: models::InitKind::default(),
        policy: tensors.policy(weights, format, channels)?,
        value: tensors.value(weights, channels, squares)?,
        outputs: Outputs {
            policy: Some(PolicyOptions::default()),
            result: Some(NoOptions {}),
            moves_left: tensors.moves_left(weights, format, channels, squares)?,
            ..Outputs::none()
        },
    };
    Ok((ModelConfig::Resnet(Box::new(config)), tensors.named))
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

impl NamedTensors {
    /// A convolution with a given kernel, and its normalisation. Files omit gains of 1, offsets of 0, and the bias of
    /// the convolution, which shifts the mean.
    fn normed(
        &mut self,
        name: &str,
        from: &str,
        kernel: Vec<f32>,
        block: &ConvBlock,
        channels: usize,
    ) -> Result<(), NetError> {
        let read = |layer: &Option<Layer>, part: &str| sized(layer.as_ref(), &format!("{from}.{part}"), channels);
        let or = |layer: &Option<Layer>, part: &str, otherwise: f32| match layer {
            None => Ok(vec![otherwise; channels]),
            Some(_) => read(layer, part),
        };
        let bias = or(&block.biases, "biases", 0.0)?;
        let mean = read(&block.bn_means, "bn_means")?;
        self.push(format!("{name}.weight"), kernel);
        self.push(format!("{name}.norm.gain"), or(&block.bn_gammas, "bn_gammas", 1.0)?);
        self.push(format!("{name}.norm.bias"), or(&block.bn_betas, "bn_betas", 0.0)?);
        self.push(format!("{name}.norm.running_mean"), mean.iter().zip(bias).map(|(mean, bias)| mean - bias).collect());
        self.push(format!("{name}.norm.running_variance"), read(&block.bn_stddivs, "bn_stddivs")?);
        Ok(())
    }

    /// A convolution `inputs → outputs` with its normalisation.
    fn convolution(
        &mut self,
        name: &str,
        from: &str,
        block: Option<&ConvBlock>,
        [inputs, outputs, area]: [usize; 3],
    ) -> Result<(), NetError> {
        let block = block.ok_or_else(|| NetError::tensor(from, "is missing"))?;
        let kernel = sized(block.weights.as_ref(), &format!("{from}.weights"), inputs * outputs * area)?;
        self.normed(name, from, kernel, block, outputs)
    }

    fn block(&mut self, i: usize, block: &Residual, channels: usize) -> Result<Option<SqueezeConfig>, NetError> {
        let sizes = [channels, channels, AREA];
        self.convolution(&format!("body.{i}.first"), &format!("residual[{i}].conv1"), block.conv1.as_ref(), sizes)?;
        self.convolution(&format!("body.{i}.second"), &format!("residual[{i}].conv2"), block.conv2.as_ref(), sizes)?;
        let Some(se) = &block.se else { return Ok(None) };
        let from = |part: &str| format!("residual[{i}].se.{part}");
        let hidden = numbers(se.b1.as_ref(), &from("b1"))?.len();
        let name = format!("body.{i}.se");
        self.dense(&format!("{name}.squeeze"), [&from("w1"), &from("b1")], [&se.w1, &se.b1], channels, hidden)?;
        self.dense(&format!("{name}.excite"), [&from("w2"), &from("b2")], [&se.w2, &se.b2], hidden, 2 * channels)?;
        Ok(Some(SqueezeConfig { channels: hidden }))
    }

    fn dense(
        &mut self,
        name: &str,
        [weight, bias]: [&str; 2],
        [w, b]: [&Option<Layer>; 2],
        inputs: usize,
        outputs: usize,
    ) -> Result<(), NetError> {
        self.push(format!("{name}.weight"), sized(w.as_ref(), weight, inputs * outputs)?);
        self.push(format!("{name}.bias"), sized(b.as_ref(), bias, outputs)?);
        Ok(())
    }

    fn policy(&mut self, weights: &Weights, format: &NetworkFormat, channels: usize) -> Result<ResnetPolicy, NetError> {
        let (moves, board) = (GameKind::Chess.from_to(), spec().input.geometry);
        // Older files have no field for it.
        match format.policy.filter(|&policy| policy != 0).unwrap_or(NetworkFormat::POLICY_DENSE) {
            NetworkFormat::POLICY_CONVOLUTION => {
                self.convolution("policy.first", "policy1", weights.policy1.as_ref(), [channels, channels, AREA])?;
                let last = weights.policy.as_ref().ok_or_else(|| NetError::tensor("policy", "is missing"))?;
                let (kernel, bias) = (
                    numbers(last.weights.as_ref(), "policy.weights")?,
                    numbers(last.biases.as_ref(), "policy.biases")?,
                );
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
                self.push("policy.planes.weight", kernels.copied().collect());
                self.push("policy.planes.bias", places.iter().map(|&i| bias[i]).collect());
                Ok(ResnetPolicy::Convolution)
            }
            NetworkFormat::POLICY_DENSE => {
                let reduced = self.reduce("policy", "policy", weights.policy.as_ref(), channels)?;
                let inputs = reduced * board.squares();
                let from = ["ip_pol_w", "ip_pol_b"];
                self.dense("policy.moves", from, [&weights.ip_pol_w, &weights.ip_pol_b], inputs, moves.len())?;
                Ok(ResnetPolicy::Dense { channels: reduced })
            }
            other => {
                let what = format!("the policy {other} of Lc0's list behind convolutions");
                Err(NetError::unknown(what, "the dense (1) and the convolutional (2) policy"))
            }
        }
    }

    /// The 1×1 convolution of a head; returns its channels.
    fn reduce(
        &mut self,
        name: &str,
        from: &str,
        block: Option<&ConvBlock>,
        channels: usize,
    ) -> Result<usize, NetError> {
        let block = block.ok_or_else(|| NetError::tensor(from, "is missing"))?;
        let kernel = numbers(block.weights.as_ref(), &format!("{from}.weights"))?;
        let reduced = rows(&kernel, channels, &format!("{from}.weights"))?;
        self.normed(&format!("{name}.reduce"), from, kernel, block, reduced)?;
        Ok(reduced)
    }

    fn value(&mut self, weights: &Weights, channels: usize, squares: usize) -> Result<ResnetValue, NetError> {
        let reduced = self.reduce("value", "value", weights.value.as_ref(), channels)?;
        let hidden = numbers(weights.ip1_val_b.as_ref(), "ip1_val_b")?.len();
        let inside = [&weights.ip1_val_w, &weights.ip1_val_b];
        self.dense("value.hidden", ["ip1_val_w", "ip1_val_b"], inside, reduced * squares, hidden)?;
        let out = [&weights.ip2_val_w, &weights.ip2_val_b];
        self.dense("value.wdl", ["ip2_val_w", "ip2_val_b"], out, hidden, WDL)?;
        Ok(ResnetValue { channels: reduced, hidden })
    }

    fn moves_left(
        &mut self,
        weights: &Weights,
        format: &NetworkFormat,
        channels: usize,
        squares: usize,
    ) -> Result<Option<MovesLeft>, NetError> {
        if format.moves_left != Some(NetworkFormat::MOVES_LEFT) {
            return Ok(None);
        }
        let reduced = self.reduce("moves_left", "moves_left", weights.moves_left.as_ref(), channels)?;
        let hidden = numbers(weights.ip1_mov_b.as_ref(), "ip1_mov_b")?.len();
        let inside = [&weights.ip1_mov_w, &weights.ip1_mov_b];
        self.dense("moves_left.hidden", ["ip1_mov_w", "ip1_mov_b"], inside, reduced * squares, hidden)?;
        let out = [&weights.ip2_mov_w, &weights.ip2_mov_b];
        self.dense("moves_left.out", ["ip2_mov_w", "ip2_mov_b"], out, hidden, 1)?;
        Ok(Some(MovesLeft { embedding: reduced, hidden }))
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
