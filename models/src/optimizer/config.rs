//! The optimisers, as experiments write them.

use super::OptimizerError;
use super::groups::{Group, GroupPart};
use crate::config::is_default;
use serde::{Deserialize, Serialize};

/// An optimiser with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OptimizerConfig {
    /// Adam with Nesterov momentum in Keras' form, the Chessformer paper's choice.
    Nadam(NadamConfig),
    /// The same in PyTorch's form.
    NadamTorch(NadamTorchConfig),
    /// Adam with decoupled weight decay.
    Adamw(AdamwConfig),
}

/// Options of Nadam (Dozat 2016), in the form of `tf.keras.optimizers.Nadam` since TensorFlow 2.11.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NadamConfig {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub epsilon: f64,
    /// Share of a weight that a step of rate 1 takes away; none by default, as in the paper's code. See
    /// [`AdamwConfig::weight_decay`].
    #[serde(skip_serializing_if = "is_default")]
    pub weight_decay: f64,
    /// See [`AdamwConfig::decay_encodings`].
    #[serde(skip_serializing_if = "is_default")]
    pub decay_encodings: bool,
    /// Parameters with a rate or a decay of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

impl Default for NadamConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.98, epsilon: 1e-7, weight_decay: 0.0, decay_encodings: false, groups: Vec::new() }
    }
}

/// Options of Nadam in the form of `torch.optim.NAdam`, whose momentum grows 250 times as slowly as Keras'. Defaults are
/// PyTorch's.
///
/// Weight decay is always decoupled (`decoupled_weight_decay=True`), never added to the gradient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NadamTorchConfig {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub epsilon: f64,
    /// ψ in the momentum β₁·(1 − ½·0.96^(t·ψ)) of step t.
    pub momentum_decay: f64,
    /// See [`AdamwConfig::weight_decay`].
    #[serde(skip_serializing_if = "is_default")]
    pub weight_decay: f64,
    /// See [`AdamwConfig::decay_encodings`].
    #[serde(skip_serializing_if = "is_default")]
    pub decay_encodings: bool,
    /// Parameters with a rate or a decay of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

impl Default for NadamTorchConfig {
    fn default() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            momentum_decay: 0.004,
            weight_decay: 0.0,
            decay_encodings: false,
            groups: Vec::new(),
        }
    }
}

/// Options of AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101), in the form of `torch.optim.AdamW`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdamwConfig {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub epsilon: f64,
    /// Share of a weight that a step of rate 1 takes away. Only weights of matrix products outside the position
    /// encodings decay; norms and biases never do, unless a group names them.
    pub weight_decay: f64,
    /// Whether everything that belongs to the position encodings decays too: tables, gates, frequencies.
    pub decay_encodings: bool,
    /// Parameters with a rate or a decay of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

impl Default for AdamwConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.01, decay_encodings: false, groups: Vec::new() }
    }
}

/// What every optimiser has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) beta1: f64,
    pub(super) beta2: f64,
    pub(super) epsilon: f64,
    pub(super) weight_decay: f64,
    pub(super) decay_encodings: bool,
    pub(super) groups: &'a [Group],
}

macro_rules! common {
    ($config:expr) => {
        Common {
            beta1: $config.beta1,
            beta2: $config.beta2,
            epsilon: $config.epsilon,
            weight_decay: $config.weight_decay,
            decay_encodings: $config.decay_encodings,
            groups: &$config.groups,
        }
    };
}

impl OptimizerConfig {
    pub(super) fn common(&self) -> Common<'_> {
        match self {
            Self::Nadam(config) => common!(config),
            Self::NadamTorch(config) => common!(config),
            Self::Adamw(config) => common!(config),
        }
    }

    /// Parameters with a rate or a decay of their own.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        self.common().groups
    }

    /// The same with a factor on the learning rate of position encodings. It comes before the other groups, which
    /// override it.
    #[must_use]
    pub fn with_encoding_rate(mut self, factor: f64) -> Self {
        if factor != 1.0 {
            let part = Some(GroupPart::Encoding);
            let group = Group { part, learning_rate: Some(factor), ..Group::default() };
            match &mut self {
                Self::Nadam(config) => config.groups.insert(0, group),
                Self::NadamTorch(config) => config.groups.insert(0, group),
                Self::Adamw(config) => config.groups.insert(0, group),
            }
        }
        self
    }

    /// Its name in YAML.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nadam(_) => "nadam",
            Self::NadamTorch(_) => "nadam_torch",
            Self::Adamw(_) => "adamw",
        }
    }

    /// Checks the options, without those that depend on a network.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), OptimizerError> {
        let Common { beta1, beta2, epsilon, weight_decay, groups, .. } = self.common();
        let momentum_decay = if let Self::NadamTorch(config) = self { config.momentum_decay } else { 0.0 };
        let share = |value: f64| (0.0..1.0).contains(&value);
        let positive = |value: f64| value >= 0.0 && value.is_finite();
        let options = [
            ("beta1", beta1, share(beta1), "at least 0 and below 1"),
            ("beta2", beta2, share(beta2), "at least 0 and below 1"),
            ("epsilon", epsilon, epsilon > 0.0 && epsilon.is_finite(), "above 0"),
            ("momentum_decay", momentum_decay, positive(momentum_decay), "at least 0"),
            ("weight_decay", weight_decay, positive(weight_decay), "at least 0"),
        ];
        if let Some((name, value, _, range)) = options.into_iter().find(|&(_, _, fits, _)| !fits) {
            return Err(OptimizerError::Option { name, value, range });
        }
        groups.iter().try_for_each(Group::check)
    }
}
