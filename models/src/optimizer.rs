//! Optimisers over the flat parameter store: a step is a few operations on one tensor, whatever the network.

mod adamw;
mod nadam;

use nn::{Layout, Part, Range};
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, TchError, Tensor};

/// The optimisers, as experiments write them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OptimizerConfig {
    /// Adam with Nesterov momentum in Keras' form, the Chessformer paper's choice.
    Nadam(NadamConfig),
    /// Adam with decoupled weight decay.
    Adamw(AdamwConfig),
}

/// Options of Nadam (Dozat 2016), in the form of `tf.keras.optimizers.Nadam` since TensorFlow 2.11.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NadamConfig {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub epsilon: f64,
}

impl Default for NadamConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.98, epsilon: 1e-7 }
    }
}

/// Options of AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101), in the form of `torch.optim.AdamW`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdamwConfig {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub epsilon: f64,
    /// Share of a weight that a step of rate 1 takes away. Only weights of matrix products outside the position
    /// encodings decay; norms, biases, gates and tables never do.
    pub weight_decay: f64,
}

impl Default for AdamwConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.01 }
    }
}

/// The numbers of an optimiser that are not tensors, for checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OptimizerProgress {
    /// Steps taken.
    pub steps: u64,
    /// The product of Nadam's momenta up to now; 1 for AdamW.
    pub momentum_product: f64,
}

/// Why an optimiser could not be made, loaded or stepped.
#[derive(Debug, thiserror::Error)]
pub enum OptimizerError {
    /// An option is out of range.
    #[error("optimizer: {name}: {value} is out of range; {range}")]
    Option {
        /// The option.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A checkpoint lacks a tensor of the state.
    #[error("the optimizer's state has no tensor \"{0}\": the checkpoint is of another kind of run")]
    Missing(&'static str),
    /// A tensor of the state has another size than the parameters.
    #[error(
        "the optimizer's \"{name}\" has {found} elements, the parameters have {expected}: the checkpoint is of another network"
    )]
    Size {
        /// The tensor.
        name: &'static str,
        /// Its elements.
        found: usize,
        /// Elements of the flat store.
        expected: usize,
    },
    /// LibTorch failed.
    #[error(transparent)]
    Tensor(#[from] TchError),
}

/// An optimiser with its state on the device of the parameters.
#[derive(Debug)]
pub struct Optimizer {
    config: OptimizerConfig,
    moments: Moments,
    progress: OptimizerProgress,
    decayed: Vec<Span>,
}

impl Optimizer {
    const FIRST_MOMENT: &'static str = "first_moment";
    const SECOND_MOMENT: &'static str = "second_moment";

    /// An optimiser at rest for a network of this layout.
    ///
    /// # Errors
    /// If an option is out of range, or the device has no room for the state.
    pub fn new(config: OptimizerConfig, layout: &Layout, device: Device) -> Result<Self, OptimizerError> {
        config.check()?;
        Ok(Self {
            config,
            moments: Moments::zeros(layout.len(), device)?,
            progress: OptimizerProgress { steps: 0, momentum_product: 1.0 },
            decayed: decayed_spans(layout),
        })
    }

    /// Moves the parameters `flat` in place by one step against `gradient`, both in layout order.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn step(&mut self, flat: &mut Tensor, gradient: &Tensor, learning_rate: f64) -> Result<(), OptimizerError> {
        self.progress.steps += 1;
        match &self.config {
            OptimizerConfig::Nadam(config) => {
                let update = config.next(&mut self.progress, learning_rate);
                self.moments.apply(flat, gradient, &update)?;
            }
            OptimizerConfig::Adamw(config) => {
                decay(flat, &self.decayed, learning_rate * config.weight_decay)?;
                let update = config.next(&self.progress, learning_rate);
                self.moments.apply(flat, gradient, &update)?;
            }
        }
        Ok(())
    }

    /// The tensors of the state, by name.
    #[must_use]
    pub fn state(&self) -> Vec<(&'static str, Tensor)> {
        vec![
            (Self::FIRST_MOMENT, self.moments.first.shallow_clone()),
            (Self::SECOND_MOMENT, self.moments.second.shallow_clone()),
        ]
    }

    /// The numbers of the state.
    #[must_use]
    pub fn progress(&self) -> OptimizerProgress {
        self.progress
    }

    /// Takes over a saved state: tensors by name, from any device, and numbers.
    ///
    /// # Errors
    /// If a tensor is missing or has another size; the optimiser is unchanged then.
    pub fn load_state(
        &mut self,
        state: &[(impl AsRef<str>, Tensor)],
        progress: OptimizerProgress,
    ) -> Result<(), OptimizerError> {
        let expected = self.moments.first.numel();
        let find = |name: &'static str| {
            let found = state.iter().find(|(given, _)| given.as_ref() == name);
            let (_, tensor) = found.ok_or(OptimizerError::Missing(name))?;
            if tensor.numel() != expected {
                return Err(OptimizerError::Size { name, found: tensor.numel(), expected });
            }
            Ok(tensor)
        };
        let (first, second) = (find(Self::FIRST_MOMENT)?, find(Self::SECOND_MOMENT)?);
        self.moments.first.f_copy_(first)?;
        self.moments.second.f_copy_(second)?;
        self.progress = progress;
        Ok(())
    }
}

impl OptimizerConfig {
    /// Its name in YAML.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nadam(_) => "nadam",
            Self::Adamw(_) => "adamw",
        }
    }

    /// Checks the options.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), OptimizerError> {
        let (beta1, beta2, epsilon, weight_decay) = match *self {
            Self::Nadam(NadamConfig { beta1, beta2, epsilon }) => (beta1, beta2, epsilon, 0.0),
            Self::Adamw(AdamwConfig { beta1, beta2, epsilon, weight_decay }) => (beta1, beta2, epsilon, weight_decay),
        };
        let share = |value: f64| (0.0..1.0).contains(&value);
        let options = [
            ("beta1", beta1, share(beta1), "at least 0 and below 1"),
            ("beta2", beta2, share(beta2), "at least 0 and below 1"),
            ("epsilon", epsilon, epsilon > 0.0 && epsilon.is_finite(), "above 0"),
            ("weight_decay", weight_decay, weight_decay >= 0.0 && weight_decay.is_finite(), "at least 0"),
        ];
        match options.into_iter().find(|&(_, _, fits, _)| !fits) {
            Some((name, value, _, range)) => Err(OptimizerError::Option { name, value, range }),
            None => Ok(()),
        }
    }
}

/// One step of Adam's family: `flat += first_weight·m + gradient_weight·g` over `√v + epsilon`, after
/// `m ← beta1·m + (1−beta1)·g` and `v ← beta2·v + (1−beta2)·g²`. Learning rate, sign and bias corrections are in the
/// weights and in ε.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Update {
    beta1: f64,
    beta2: f64,
    first_weight: f64,
    gradient_weight: f64,
    epsilon: f64,
}

/// Running means of the gradient and of its square, and scratch space, so that a step allocates nothing.
#[derive(Debug)]
struct Moments {
    first: Tensor,
    second: Tensor,
    numerator: Tensor,
    denominator: Tensor,
}

/// Elements that a step takes at once on the CPU, so that they stay in its cache. A multiple of every vector width, so
/// that it does not change results.
const CPU_CHUNK: i64 = 1 << 15;

impl Moments {
    fn zeros(len: usize, device: Device) -> Result<Self, TchError> {
        let len = len as i64;
        let scratch = if device == Device::Cpu { CPU_CHUNK.min(len) } else { len };
        let zeros = |len| Tensor::f_zeros([len], (Kind::Float, device));
        Ok(Self { first: zeros(len)?, second: zeros(len)?, numerator: zeros(scratch)?, denominator: zeros(scratch)? })
    }

    fn apply(&mut self, flat: &mut Tensor, gradient: &Tensor, update: &Update) -> Result<(), TchError> {
        let (len, chunk) = (flat.numel() as i64, self.numerator.numel() as i64);
        for start in (0..len).step_by(chunk.max(1) as usize) {
            let size = chunk.min(len - start);
            let part = |tensor: &Tensor| tensor.f_narrow(0, start, size);
            self.apply_chunk(part(flat)?, part(gradient)?, part(&self.first)?, part(&self.second)?, update)?;
        }
        Ok(())
    }

    fn apply_chunk(
        &self,
        mut flat: Tensor,
        gradient: Tensor,
        mut first: Tensor,
        mut second: Tensor,
        update: &Update,
    ) -> Result<(), TchError> {
        let size = flat.numel() as i64;
        let numerator = self.numerator.f_narrow(0, 0, size)?;
        let mut denominator = self.denominator.f_narrow(0, 0, size)?;
        let _m = first.f_lerp_(&gradient, 1.0 - update.beta1)?;
        let square = gradient.f_square_out(&denominator)?;
        let _v = second.f_lerp_(&square, 1.0 - update.beta2)?;
        let weight = update.first_weight + update.gradient_weight;
        let numerator = match update.gradient_weight {
            0.0 => first,
            gradient_weight => first.f_lerp_scalar_out(&numerator, &gradient, gradient_weight / weight)?,
        };
        let _root = second.f_sqrt_out(&denominator)?;
        let _shifted = denominator.f_add_scalar_(update.epsilon)?;
        let _scaled = denominator.f_mul_scalar_(weight.recip())?;
        let _moved = flat.f_addcdiv_(&numerator, &denominator)?;
        Ok(())
    }
}

/// A run of elements of the flat store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: usize,
    end: usize,
}

/// Where weight decay acts: matrix weights outside the encodings, neighbours joined. Padding may be covered; it is 0.
fn decayed_spans(layout: &Layout) -> Vec<Span> {
    let mut params: Vec<_> = layout.params().iter().filter(|p| p.range == Range::Matrix).collect();
    params.sort_by_key(|param| param.offset);
    let mut spans: Vec<Span> = Vec::new();
    let mut joins = false;
    for param in params {
        if param.part == Part::Encoding {
            joins = false;
            continue;
        }
        let end = param.offset + param.len();
        match spans.last_mut().filter(|_| joins) {
            Some(last) => last.end = end,
            None => spans.push(Span { start: param.offset, end }),
        }
        joins = true;
    }
    spans
}

fn decay(flat: &Tensor, spans: &[Span], share: f64) -> Result<(), TchError> {
    if share == 0.0 {
        return Ok(());
    }
    for span in spans {
        let mut weights = flat.f_narrow(0, span.start as i64, (span.end - span.start) as i64)?;
        let _decayed = weights.f_mul_scalar_(1.0 - share)?;
    }
    Ok(())
}
