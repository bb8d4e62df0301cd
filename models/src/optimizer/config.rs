//! The optimisers, as experiments write them.

use super::OptimizerError;
use super::groups::{Group, GroupPart};
use super::muon::MuonScale;
use crate::config::is_default;
use serde::{Deserialize, Serialize};

/// An optimiser with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OptimizerConfig {
    /// Adam with Nesterov momentum in Keras' form, as in the Chessformer paper.
    Nadam(NadamConfig),
    /// The same in PyTorch's form.
    NadamTorch(NadamTorchConfig),
    /// Adam with decoupled weight decay.
    Adamw(AdamwConfig),
    /// Orthogonal steps of the body's matrices, and another optimiser for the rest.
    Muon(MuonConfig),
}

/// Options of Muon (Jordan et al. 2024).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MuonConfig {
    /// Decay of the momentum.
    pub momentum: f64,
    /// Iterations that make a step orthogonal.
    pub iterations: u32,
    /// How long a step is.
    pub scale: MuonScale,
    /// What all other parameters take. Its weight decay and its groups serve the body's matrices too.
    pub others: Others,
}

impl Default for MuonConfig {
    fn default() -> Self {
        let others = Others::Nadam(NadamConfig::default());
        Self { momentum: 0.95, iterations: 5, scale: MuonScale::default(), others }
    }
}

/// The optimiser beside Muon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Others {
    /// Nadam in Keras' form.
    Nadam(NadamConfig),
    /// AdamW.
    Adamw(AdamwConfig),
}

impl Others {
    fn common(&self) -> Common<'_> {
        match self {
            Self::Nadam(config) => config.common(),
            Self::Adamw(config) => config.common(),
        }
    }

    fn groups_mut(&mut self) -> &mut Vec<Group> {
        match self {
            Self::Nadam(config) => &mut config.groups,
            Self::Adamw(config) => &mut config.groups,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) beta1: f64,
    pub(super) beta2: f64,
    pub(super) epsilon: f64,
    pub(super) weight_decay: f64,
    pub(super) decay_encodings: bool,
    pub(super) groups: &'a [Group],
}

/// Declares the options of an optimiser: those that every optimiser has, with its own defaults, and at most one more.
macro_rules! options {
    (
        $(#[$doc:meta])*
        $name:ident {
            beta2: $beta2:literal,
            epsilon: $epsilon:literal,
            $(#[$stored:meta])? weight_decay: $weight_decay:literal,
            $($(#[$own_doc:meta])+ $own:ident: $own_default:literal,)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// Decay of the first moment.
            pub beta1: f64,
            /// Decay of the second moment.
            pub beta2: f64,
            /// Added to the root of the second moment.
            pub epsilon: f64,
            $($(#[$own_doc])+ pub $own: f64,)?
            /// Decoupled weight decay: the share of a weight that a step with learning rate 1 removes. Only weights of
            /// matrix products outside the position encodings decay; norms and biases decay only where a group names them.
            $(#[$stored])?
            pub weight_decay: f64,
            /// Whether all parameters of the position encodings decay too: tables, gates, frequencies.
            $(#[$stored])?
            pub decay_encodings: bool,
            /// Parameters with another learning rate or weight decay.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub groups: Vec<Group>,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    beta1: 0.9,
                    beta2: $beta2,
                    epsilon: $epsilon,
                    $($own: $own_default,)?
                    weight_decay: $weight_decay,
                    decay_encodings: false,
                    groups: Vec::new(),
                }
            }
        }

        impl $name {
            fn common(&self) -> Common<'_> {
                let Self { beta1, beta2, epsilon, weight_decay, decay_encodings, ref groups, .. } = *self;
                Common { beta1, beta2, epsilon, weight_decay, decay_encodings, groups }
            }
        }
    };
}

options! {
    /// Options of Nadam (Dozat 2016), in the form of `tf.keras.optimizers.Nadam` since TensorFlow 2.11. Without weight decay
    /// by default, as in the paper's code.
    NadamConfig {
        beta2: 0.98,
        epsilon: 1e-7,
        #[serde(skip_serializing_if = "is_default")]
        weight_decay: 0.0,
    }
}

options! {
    /// Options of Nadam in the form of `torch.optim.NAdam` with `decoupled_weight_decay=True`. Its momentum grows 250 times
    /// as slowly as in Keras. Defaults are PyTorch's.
    NadamTorchConfig {
        beta2: 0.999,
        epsilon: 1e-8,
        #[serde(skip_serializing_if = "is_default")]
        weight_decay: 0.0,
        /// ψ in the momentum β₁·(1 − ½·0.96^(t·ψ)) of step t.
        momentum_decay: 0.004,
    }
}

options! {
    /// Options of AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101), in the form of `torch.optim.AdamW`.
    AdamwConfig {
        beta2: 0.999,
        epsilon: 1e-8,
        weight_decay: 0.01,
    }
}

impl OptimizerConfig {
    pub(super) fn common(&self) -> Common<'_> {
        match self {
            Self::Nadam(config) => config.common(),
            Self::NadamTorch(config) => config.common(),
            Self::Adamw(config) => config.common(),
            Self::Muon(config) => config.others.common(),
        }
    }

    /// Parameters with another learning rate or weight decay.
    pub fn groups(&self) -> &[Group] {
        self.common().groups
    }

    /// The same with a factor on the learning rate of position encodings. It comes before the other groups, which
    /// override it.
    pub fn with_encoding_rate(mut self, factor: f64) -> Self {
        if factor != 1.0 {
            let part = Some(GroupPart::Encoding);
            let group = Group { part, learning_rate: Some(factor), ..Group::default() };
            match &mut self {
                Self::Nadam(config) => config.groups.insert(0, group),
                Self::NadamTorch(config) => config.groups.insert(0, group),
                Self::Adamw(config) => config.groups.insert(0, group),
                Self::Muon(config) => config.others.groups_mut().insert(0, group),
            }
        }
        self
    }

    /// Its name in YAML.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nadam(_) => "nadam",
            Self::NadamTorch(_) => "nadam_torch",
            Self::Adamw(_) => "adamw",
            Self::Muon(_) => "muon",
        }
    }

    /// Checks the options, without those that depend on a network.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), OptimizerError> {
        let Common { beta1, beta2, epsilon, weight_decay, groups, .. } = self.common();
        let momentum_decay = if let Self::NadamTorch(config) = self { config.momentum_decay } else { 0.0 };
        let momentum = if let Self::Muon(config) = self { config.momentum } else { 0.0 };
        let share = |value: f64| (0.0..1.0).contains(&value);
        let positive = |value: f64| value >= 0.0 && value.is_finite();
        let options = [
            ("beta1", beta1, share(beta1), "at least 0 and below 1"),
            ("beta2", beta2, share(beta2), "at least 0 and below 1"),
            ("momentum", momentum, share(momentum), "at least 0 and below 1"),
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
