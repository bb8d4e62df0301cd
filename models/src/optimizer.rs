//! Optimisers over the flat parameter store: a step is a few operations on one tensor, whatever the network.

mod adamw;
mod decay;
mod moments;
mod nadam;

use decay::Span;
use moments::Moments;
use nn::Layout;
use serde::{Deserialize, Serialize};
use tch::{Device, TchError, Tensor};

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
    /// encodings decay; norms and biases never do.
    pub weight_decay: f64,
    /// Whether everything that belongs to the position encodings decays too: tables, gates, frequencies.
    pub decay_encodings: bool,
}

impl Default for AdamwConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.01, decay_encodings: false }
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
            decayed: decay::spans(layout, config.decays_encodings()),
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
                decay::apply(flat, &self.decayed, learning_rate * config.weight_decay)?;
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
    fn decays_encodings(self) -> bool {
        match self {
            Self::Nadam(_) => false,
            Self::Adamw(adamw) => adamw.decay_encodings,
        }
    }

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
            Self::Adamw(AdamwConfig { beta1, beta2, epsilon, weight_decay, .. }) => {
                (beta1, beta2, epsilon, weight_decay)
            }
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
