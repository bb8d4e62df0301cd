//! The optimisers, as experiments write them.

use facts::numbers::is_default;
use serde::{Deserialize, Serialize};
use tch::TchError;

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
    /// Stochastic gradient descent with momentum.
    Sgd(SgdConfig),
}

/// Options of stochastic gradient descent, in the form of `torch.optim.SGD`. Momentum and Nesterov's form are those of
/// dlshogi's trainer, which also decays all weights by 1e-4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SgdConfig {
    /// Decay of the sum of gradients.
    pub momentum: f64,
    /// Whether a step looks ahead by Nesterov's form of the momentum.
    pub nesterov: bool,
    /// The share of a weight that is added to its gradient. Only weights of matrix products outside the position encodings
    /// decay; norms and biases decay only where a group names them.
    #[serde(skip_serializing_if = "is_default")]
    pub weight_decay: f64,
    /// Whether all parameters of the position encodings decay too.
    #[serde(skip_serializing_if = "is_default")]
    pub decay_encodings: bool,
    /// Parameters with another learning rate or weight decay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

impl Default for SgdConfig {
    fn default() -> Self {
        Self { momentum: 0.9, nesterov: true, weight_decay: 0.0, decay_encodings: false, groups: Vec::new() }
    }
}

impl SgdConfig {
    fn common(&self) -> Common<'_> {
        let Self { weight_decay, decay_encodings, ref groups, .. } = *self;
        Common { moments: None, weight_decay, decay_encodings, groups }
    }
}

/// More iterations change no digit.
const MOST_ITERATIONS: u32 = 100;

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
    /// The optimiser of all other parameters. Its weight decay and its groups apply to the body's matrices too.
    pub others: FallbackOptimizer,
}

impl Default for MuonConfig {
    fn default() -> Self {
        let others = FallbackOptimizer::Nadam(NadamConfig::default());
        Self { momentum: 0.95, iterations: 5, scale: MuonScale::default(), others }
    }
}

/// How long a step is: a factor for a matrix of r rows and c columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MuonScale {
    /// 0.2·√max(r, c).
    #[default]
    MatchAdamw,
    /// √max(1, r/c).
    Original,
}

/// The optimiser of the parameters that Muon does not take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FallbackOptimizer {
    /// Nadam in Keras' form.
    Nadam(NadamConfig),
    /// Adam with decoupled weight decay.
    Adamw(AdamwConfig),
}

impl FallbackOptimizer {
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

/// Parameters that share a learning rate or a weight decay of their own: those whose name fits `match`, those of a
/// `part`, or with both those of the part whose name fits. Where two groups hold a parameter, the later one decides.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Group {
    /// A name, in which `*` matches any characters, dots included: `policy.*`, `body.0.*.bias`.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The part of the network that the parameters belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<GroupPart>,
    /// A factor on the learning rate; 0 freezes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_rate: Option<f64>,
    /// The weight decay of every parameter of the group, including tables, norms and biases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
}

/// The part of the network that a parameter belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupPart {
    /// Input embedding and body.
    Trunk,
    /// Position encodings.
    Encoding,
    /// Policy and value heads.
    Head,
}

impl Group {
    fn of_encodings(factor: f64) -> Self {
        Self { part: Some(GroupPart::Encoding), learning_rate: Some(factor), ..Self::default() }
    }

    fn check(&self) -> Result<(), OptimizerError> {
        let wrong = |why| Err(OptimizerError::Group { group: self.to_string(), why });
        if self.pattern.is_none() && self.part.is_none() {
            return wrong("names no parameters; give it `match` (a pattern of names) or `part`");
        }
        if self.learning_rate.is_none() && self.weight_decay.is_none() {
            return wrong("changes nothing; give it `learning_rate` (a factor) or `weight_decay`");
        }
        if [self.learning_rate, self.weight_decay].into_iter().flatten().any(|v| !(v.is_finite() && v >= 0.0)) {
            return wrong("has a number that is negative or not finite");
        }
        Ok(())
    }
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.pattern, self.part.map(|part| format!("{part:?}").to_lowercase())) {
            (Some(pattern), Some(part)) => write!(f, "match: \"{pattern}\", part: {part}"),
            (Some(pattern), None) => write!(f, "match: \"{pattern}\""),
            (None, Some(part)) => write!(f, "part: {part}"),
            (None, None) => f.write_str("without a name"),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Common<'a> {
    /// β₁, β₂ and ε of Adam's family.
    moments: Option<[f64; 3]>,
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
                let moments = Some([beta1, beta2, epsilon]);
                Common { moments, weight_decay, decay_encodings, groups }
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
            Self::Sgd(config) => config.common(),
        }
    }

    /// Parameters with another learning rate or weight decay.
    pub fn groups(&self) -> &[Group] {
        self.common().groups
    }

    fn groups_mut(&mut self) -> &mut Vec<Group> {
        match self {
            Self::Nadam(config) => &mut config.groups,
            Self::NadamTorch(config) => &mut config.groups,
            Self::Adamw(config) => &mut config.groups,
            Self::Muon(config) => config.others.groups_mut(),
            Self::Sgd(config) => &mut config.groups,
        }
    }

    /// The same with a factor on the learning rate of position encodings. It comes before the other groups, which
    /// override it.
    pub fn with_encoding_rate(mut self, factor: f64) -> Self {
        if factor != 1.0 {
            self.groups_mut().insert(0, Group::of_encodings(factor));
        }
        self
    }

    /// The same with position encodings that are not trained, whatever the other groups say.
    pub fn with_frozen_encodings(mut self) -> Self {
        self.groups_mut().push(Group::of_encodings(0.0));
        self
    }

    /// Its name in YAML.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nadam(_) => "nadam",
            Self::NadamTorch(_) => "nadam_torch",
            Self::Adamw(_) => "adamw",
            Self::Muon(_) => "muon",
            Self::Sgd(_) => "sgd",
        }
    }

    /// Checks the options, without those that depend on a network.
    pub fn check(&self) -> Result<(), OptimizerError> {
        let Common { moments, weight_decay, groups, .. } = self.common();
        let [beta1, beta2, epsilon] = moments.unwrap_or([0.0, 0.0, 1.0]);
        let momentum_decay = if let Self::NadamTorch(config) = self { config.momentum_decay } else { 0.0 };
        let momentum = match self {
            Self::Muon(config) => config.momentum,
            Self::Sgd(config) => config.momentum,
            _ => 0.0,
        };
        let iterations = if let Self::Muon(config) = self { config.iterations } else { 1 };
        let share = |value: f64| (0.0..1.0).contains(&value);
        let positive = |value: f64| value >= 0.0 && value.is_finite();
        let options = [
            ("beta1", beta1, share(beta1), "at least 0 and below 1"),
            ("beta2", beta2, share(beta2), "at least 0 and below 1"),
            ("momentum", momentum, share(momentum), "at least 0 and below 1"),
            ("iterations", iterations.into(), (1..=MOST_ITERATIONS).contains(&iterations), "1 to 100"),
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

/// Why an optimiser could not be made, loaded or stepped.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages document the variants")]
pub enum OptimizerError {
    #[error("optimizer: {name}: {value} is out of range; {range}")]
    Option { name: &'static str, value: f64, range: &'static str },
    #[error("optimizer: the group {group} {why}")]
    Group { group: String, why: &'static str },
    #[error("optimizer: the group {group} fits no parameter of this network; the nearest are {}. (`part: encoding` holds whatever a row's encodings have)", near.join(", "))]
    NoSuchParameter { group: String, near: Vec<String> },
    #[error("the optimizer's state has no tensor \"{0}\": the checkpoint is of another kind of run")]
    Missing(&'static str),
    #[error(
        "the optimizer's \"{name}\" has {found} elements, the parameters have {expected}: the checkpoint is of another network"
    )]
    Size { name: &'static str, found: usize, expected: usize },
    #[error(transparent)]
    Tensor(#[from] TchError),
}
