//! The messages of a weights file around its tensors: field numbers, types and enumerations of Lc0's `proto/net.proto`, as far as
//! they are used.

use super::error::NetError;
use super::tree::Tree;
use nn::Activation;
use prost::Message;
use prost::bytes::Bytes;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Net {
    #[prost(fixed32, optional, tag = "1")]
    pub(super) magic: Option<u32>,
    #[prost(string, optional, tag = "2")]
    pub(super) license: Option<String>,
    #[prost(message, optional, tag = "4")]
    pub(super) format: Option<Format>,
    /// Kept encoded: [`super::tree`] reads the tensors by name.
    #[prost(bytes = "bytes", optional, tag = "10")]
    pub(super) weights: Option<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Format {
    /// `Encoding`: 1 for 16 bits. Lc0 refuses files that do not state it.
    #[prost(int32, optional, tag = "1")]
    pub(super) weights_encoding: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub(super) network_format: Option<NetworkFormat>,
}

/// The format's numbers as stored; the constants below name their meanings.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct NetworkFormat {
    #[prost(int32, optional, tag = "1")]
    pub(super) input: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub(super) output: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(super) network: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(super) policy: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(super) value: Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub(super) moves_left: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub(super) default_activation: Option<i32>,
    #[prost(int32, optional, tag = "8")]
    pub(super) smolgen_activation: Option<i32>,
    #[prost(int32, optional, tag = "9")]
    pub(super) ffn_activation: Option<i32>,
    #[prost(int32, optional, tag = "10")]
    pub(super) input_embedding: Option<i32>,
}

impl NetworkFormat {
    pub(super) const INPUT_CLASSICAL: i32 = 1;
    /// `NETWORK_CLASSICAL` and `NETWORK_SE`, with and without `_WITH_HEADFORMAT`: convolutional networks.
    pub(super) const CONVOLUTIONS: [i32; 4] = [1, 2, 3, Self::SE_WITH_HEADS];
    const SE_WITH_HEADS: i32 = 4;
    /// `NETWORK_ATTENTIONBODY_WITH_HEADFORMAT`, `_WITH_MULTIHEADFORMAT`, and the former number of the latter.
    pub(super) const ATTENTION: i32 = 6;
    pub(super) const ATTENTION_MULTI: i32 = 7;
    const ATTENTION_MULTI_AT_FIRST: i32 = 134;
    pub(super) const POLICY_DENSE: i32 = 1;
    pub(super) const POLICY_CONVOLUTION: i32 = 2;
    pub(super) const POLICY_ATTENTION: i32 = 3;
    pub(super) const OUTPUT_WDL: i32 = 2;
    pub(super) const VALUE_WDL: i32 = 2;
    pub(super) const MOVES_LEFT: i32 = 1;
    pub(super) const MISH: i32 = 1;
    const ACTIVATION_DEFAULT: i32 = 0;
    const ACTIVATION_SWISH: i32 = 7;
    const ACTIVATION_RELU_2: i32 = Self::ACTIVATION_SWISH + 1;
    /// `ActivationFunction`, as far as its functions act on each number by itself.
    const ACTIVATIONS: &[(i32, Activation)] = &[
        (1, Activation::Mish),
        (2, Activation::Relu),
        (3, Activation::Identity),
        (4, Activation::Tanh),
        (5, Activation::Sigmoid),
        (6, Activation::Selu),
        (Self::ACTIVATION_SWISH, Activation::Swish),
        (Self::ACTIVATION_RELU_2, Activation::Relu2),
    ];
    pub(super) const PE_MAP: i32 = 1;
    pub(super) const PE_DENSE: i32 = 2;

    /// The format of a file that states none.
    pub(super) fn default_of_old_files() -> Self {
        Self { input: Some(Self::INPUT_CLASSICAL), network: Some(1), ..Self::default() }
    }

    /// The format in current terms, with Lc0's fixes for older files (`src/neural/loader.cc`): attention bodies without
    /// a number of their own, and multiple heads without structure or embedding.
    pub(super) fn normalised(mut self, tensors: &Tree) -> Self {
        if self.network == Some(Self::ATTENTION_MULTI_AT_FIRST) {
            self.network = Some(Self::ATTENTION_MULTI);
        }
        if self.network == Some(Self::SE_WITH_HEADS) && tensors.has_below("encoder[0]") {
            self.network = Some(Self::ATTENTION);
            if tensors.has("smolgen_w") {
                self.ffn_activation = Some(Self::ACTIVATION_RELU_2);
                self.smolgen_activation = Some(Self::ACTIVATION_SWISH);
            }
        }
        if self.network == Some(Self::ATTENTION) {
            if tensors.has_below("policy_heads") && tensors.has_below("value_heads") {
                self.network = Some(Self::ATTENTION_MULTI);
                self.input_embedding = Some(Self::PE_DENSE);
            }
            self.input_embedding = self.input_embedding.or(Some(Self::PE_MAP));
        }
        self
    }

    pub(super) fn is_attention(&self) -> bool {
        matches!(self.network, Some(Self::ATTENTION | Self::ATTENTION_MULTI))
    }

    pub(super) fn has_many_heads(&self) -> bool {
        self.network == Some(Self::ATTENTION_MULTI)
    }

    /// Whether the embedding covers all squares; with every other number it is a map added to the planes, as in Lc0.
    pub(super) fn sees_all_squares(&self) -> bool {
        self.input_embedding == Some(Self::PE_DENSE)
    }

    /// Refuses inputs other than the classical one, and value heads with one output.
    pub(super) fn check_ends(&self) -> Result<(), NetError> {
        let input = self.input.unwrap_or_default();
        if input != Self::INPUT_CLASSICAL {
            let what = format!("the input {input} of Lc0's list");
            return Err(NetError::unknown(what, "the classical 112 planes (1), which is the input lc0_112"));
        }
        if self.value != Some(Self::VALUE_WDL) {
            return Err(NetError::unknown("a value that is one number", "networks that say win, draw and loss (WDL)"));
        }
        Ok(())
    }

    /// Refuses formats that no attention body of Lc0 has.
    pub(super) fn check_attention(&self) -> Result<(), NetError> {
        self.check_ends()?;
        if self.policy != Some(Self::POLICY_ATTENTION) {
            let what = format!("the policy {} of Lc0's list on an attention body", self.policy.unwrap_or_default());
            return Err(NetError::unknown(what, "the attention policy (3) there"));
        }
        match self.input_embedding {
            None | Some(0..=Self::PE_DENSE) => Ok(()),
            Some(other) => {
                let what = format!("the input embedding {other} of Lc0's list");
                Err(NetError::unknown(what, "a map (1) and a dense layer (2)"))
            }
        }
    }

    pub(super) fn activation(&self) -> Result<Activation, NetError> {
        match self.default_activation.unwrap_or_default() {
            0 => Ok(Activation::Relu),
            Self::MISH => Ok(Activation::Mish),
            other => {
                let what = format!("the default activation {other} of Lc0's list");
                Err(NetError::unknown(what, "ReLU (0) and Mish (1)"))
            }
        }
    }

    /// An activation of `ActivationFunction`; `place` is for errors.
    pub(super) fn activation_of(&self, number: Option<i32>, place: &str) -> Result<Activation, NetError> {
        let number = number.unwrap_or(Self::ACTIVATION_DEFAULT);
        if number == Self::ACTIVATION_DEFAULT {
            return self.activation();
        }
        let known = Self::ACTIVATIONS.iter().find(|(other, _)| *other == number);
        known.map(|(_, activation)| *activation).ok_or_else(|| {
            let what = format!("the activation {number} of Lc0's list as its {place}");
            NetError::unknown(what, "activations that act on each number by itself (0 to 8)")
        })
    }

    /// The number of an activation in `ActivationFunction`; none if Lc0 lacks it.
    pub(super) fn number_of(activation: Activation) -> Option<i32> {
        Self::ACTIVATIONS.iter().find(|(_, other)| *other == activation).map(|(number, _)| *number)
    }
}
