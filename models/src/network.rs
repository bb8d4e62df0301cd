//! The whole network, from packed rows to policy and value logits.

use crate::body::Body;
use crate::config::{ModelConfig, ModelError};
use crate::embedding::Embedding;
use crate::input::Expander;
use crate::macs::Macs;
use crate::policy::PolicyHead;
use crate::value::ValueHead;
use encodings::{At, EncodingConfig, Seams, Stack, Tokens};
use games::{FromTo, InputLayout};
use nn::{Layout, LayoutBuilder, Part, Views};
use tch::Tensor;

/// What a network must know of its game.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// What the packed rows hold.
    pub input: &'static InputLayout,
    /// The moves that the policy names.
    pub moves: &'static FromTo,
}

/// A network's answer to a batch.
#[derive(Debug)]
pub struct Output {
    /// Policy logits `[b,v]` over the vocabulary, illegal moves included.
    pub policy_bv: Tensor,
    /// Logits `[b,3]` of win, draw and loss for the side to move.
    pub wdl_b3: Tensor,
}

/// A declared network. It holds no parameters: each pass is given [`Views`] of them.
#[derive(Debug)]
pub struct Network {
    expander: Expander,
    embedding: Embedding,
    stack: Stack,
    body: Body,
    policy: PolicyHead,
    value: ValueHead,
    tokens: Tokens,
}

impl Network {
    /// Declares a network: its parameters' names, shapes and first values. No parameter is allocated.
    ///
    /// Names of parameters outside the encodings depend on the model and the game only, so that two networks that
    /// differ in their encodings start from the same shared weights.
    ///
    /// # Errors
    /// If sizes contradict each other, or an encoding refuses its options.
    pub fn declare(
        config: &ModelConfig,
        encodings: &[EncodingConfig],
        spec: &Spec,
    ) -> Result<(Self, Layout), ModelError> {
        let config = config.resolve()?;
        let tokens = Tokens::squares_then(spec.input.geometry, &spec.input.aux_tokens());
        let expander = Expander::new(spec.input);
        let mut builder = LayoutBuilder::default();
        let embedding = Embedding::declare(&mut builder.scope("embedding", Part::Trunk), expander.channels(), &config);
        let stack = Stack::declare(encodings, &mut builder.scope("encoding", Part::Encoding), config.dims(), &tokens)?;
        let body = Body::declare(&mut builder.scope("body", Part::Trunk), &config);
        let policy = PolicyHead::declare(&mut builder.scope("policy", Part::Head), &config, &tokens, spec.moves);
        let value = ValueHead::declare(&mut builder.scope("value", Part::Head), &config, &tokens);
        let layout = builder.finish()?;
        Ok((Self { expander, embedding, stack, body, policy, value, tokens }, layout))
    }

    /// Policy and value logits of packed rows `[b,row]`, u8, on the device of `views`.
    #[must_use]
    pub fn forward(&self, views: &Views, packed: &Tensor) -> Output {
        let x_bld = self.trunk(views, packed);
        Output { policy_bv: self.policy.forward(views, &x_bld), wdl_b3: self.value.forward(views, &x_bld) }
    }

    /// What the heads read, `[b,l,d]`: one vector per token after the last block.
    pub fn trunk(&self, views: &Views, packed: &Tensor) -> Tensor {
        let at = At { views, layer: 0, packed };
        let x_bld = self.embedding.forward(views, &self.expander.expand(packed));
        self.body.forward(at, &self.stack, self.stack.embed(at, x_bld))
    }

    /// The sequence that it sees.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Its position encodings.
    #[must_use]
    pub fn encodings(&self) -> &Stack {
        &self.stack
    }

    /// The seams that its encodings touch.
    #[must_use]
    pub fn seams(&self) -> Seams {
        self.stack.seams()
    }

    /// What breaks the permutation symmetry of squares beside the encodings: every module declares itself. (The
    /// legal-move mask of training is the trainer's to add.)
    #[must_use]
    pub fn position_sources(&self) -> Vec<&'static str> {
        [
            self.embedding.position_sources(),
            self.body.position_sources(),
            self.policy.position_sources(),
            self.value.position_sources(),
        ]
        .concat()
    }

    /// What a forward pass costs.
    #[must_use]
    pub fn macs(&self) -> Macs {
        let length = self.tokens.len() as u64;
        let squares = self.tokens.geometry().squares() as u64;
        Macs {
            trunk: length * self.embedding.macs_per_token() + self.body.macs(length),
            encoding: self.stack.macs(),
            policy: self.policy.macs(),
            value: self.value.macs(),
            paper: length * self.body.weight_macs_per_token() + squares * self.policy.weight_macs_per_square(),
        }
    }
}
