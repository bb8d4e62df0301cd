//! The whole network, from packed rows to the answers of its heads.

use crate::body::Body;
use crate::config::{Architecture, ModelConfig, ModelError, Outputs};
use crate::decoder::{Declared, Decoder};
use crate::embedding::parts::Parts;
use crate::embedding::{Embedding, EmbeddingConfig, with_tokens};
use crate::heads::{self, Head, Output};
use crate::input::Expander;
use crate::macs::{HeadMacs, Macs};
use crate::refine::{Choices, Refine};
use crate::resnet::{self, Resnet};
use crate::resnet_transformer::ResnetTransformer;
use encodings::{Dims, EncodingConfig, InjectionPoints, LayerContext, Role, Stack, Tokens, Watch};
use games::{Frame, InputLayout, Vocabulary};
use nn::{Layout, LayoutBuilder, Part, Views};
use tch::Tensor;

/// What a network must know of its game.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// What the packed rows hold.
    pub input: &'static InputLayout,
    /// The moves that the policy names.
    pub moves: Vocabulary,
}

impl Spec {
    /// The sequence that a row becomes: the summary token if there is one, squares, auxiliary tokens.
    pub(crate) fn tokens(&self) -> Tokens {
        let summary = self.input.summary_token().map(|_| Role::Cls);
        let squares = (0..self.input.geometry.squares()).map(Role::Square);
        let role = |name| if name == Tokens::CLS { Role::Cls } else { Role::Aux(name) };
        let aux = self.input.aux_tokens().into_iter().map(role);
        Tokens::new(self.input.geometry, summary.into_iter().chain(squares).chain(aux).collect())
    }

    /// Refuses moves that are written in another frame than the squares of the input: heads would mix them up.
    fn check_frames(&self) -> Result<(), ModelError> {
        let (of_input, of_moves) = (self.input.name.frame(), self.moves.frames());
        if of_moves.contains(&of_input) {
            return Ok(());
        }
        let of_moves = of_moves[0];
        let (input, moves) = (self.input.name.name(), self.moves.name());
        Err(ModelError::Frames { input, of_input, moves, of_moves })
    }

    /// Refuses maps of squares, which datasets write as the side to move sees them, for other inputs.
    fn check_maps(&self, outputs: &Outputs) -> Result<(), ModelError> {
        let maps = [("per_square", outputs.per_square.is_some()), ("pairs", outputs.pairs.is_some())];
        match maps.into_iter().find(|&(_, there)| there && self.input.name.frame() != Frame::SideToMove) {
            Some((head, _)) => Err(ModelError::MapInFrame { head, input: self.input.name.name() }),
            None => Ok(()),
        }
    }
}

/// A declared network. It holds no parameters: each pass is given [`Views`] of them.
#[derive(Debug)]
pub struct Network {
    expander: Expander,
    stack: Stack,
    trunk: Trunk,
    heads: Vec<Box<dyn Head>>,
    tokens: Tokens,
}

/// What makes tokens of channels.
#[derive(Debug)]
enum Trunk {
    Attention { embedding: Embeds, refine: Option<Box<Refine>>, body: Body },
    Convolutions(Resnet),
    Sequence(Box<Decoder>),
    Both(ResnetTransformer),
}

/// What makes the first tokens.
#[derive(Debug)]
enum Embeds {
    /// One layer for all tokens, from channels.
    Channels(Box<Embedding>),
    /// Tables for each part, from the packed bytes.
    Parts(Box<Parts>),
}

impl Embeds {
    fn macs(&self, length: u64) -> u64 {
        match self {
            Self::Channels(embedding) => embedding.macs(length),
            Self::Parts(parts) => parts.macs(),
        }
    }

    fn paper_macs(&self, length: u64) -> u64 {
        match self {
            Self::Channels(embedding) => embedding.paper_macs(length),
            Self::Parts(_) => 0,
        }
    }

    fn position_sources(&self) -> Vec<&'static str> {
        match self {
            Self::Channels(embedding) => embedding.position_sources(),
            Self::Parts(_) => Vec::new(),
        }
    }
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
        spec.check_frames()?;
        let mut tokens = spec.tokens();
        let expander = Expander::new(spec.input);
        let mut builder = LayoutBuilder::default();
        let (stack, trunk, heads, tokens) = match config.resolve()? {
            Architecture::Chessformer(config) => {
                config.check_policy(spec.moves)?;
                spec.check_maps(&config.outputs)?;
                let scope = &mut builder.scope("embedding", Part::Trunk);
                let embedding = if let EmbeddingConfig::Parts(parts) = &config.embedding {
                    tokens = parts.tokens(spec.input)?;
                    Embeds::Parts(Box::new(Parts::declare(scope, parts, spec.input, config.width)))
                } else {
                    let embedding = Embedding::declare(scope, expander.channels(), spec, &tokens, &config);
                    Embeds::Channels(Box::new(embedding))
                };
                if let Some(refinement) = config.refinement {
                    tokens = refinement.extend(&tokens);
                }
                let scope = &mut builder.scope("encoding", Part::Encoding);
                let stack = Stack::declare(encodings, scope, config.dims(), &tokens)?;
                let body = Body::declare(&mut builder.scope("body", Part::Trunk), &config.body());
                let heads = heads::declare(&mut builder, &config, &tokens, spec.moves)?;
                let known = if let Embeds::Parts(parts) = &embedding { parts.repetitions() } else { None };
                let refine = config.refinement.map(|refinement| {
                    let sizes = [config.width, spec.moves.len()];
                    Box::new(Refine::declare(&mut builder, refinement, &tokens, sizes, known))
                });
                (stack, Trunk::Attention { embedding, refine, body }, heads, tokens)
            }
            Architecture::Resnet(config) => {
                resnet::check_encodings(encodings)?;
                let scope = &mut builder.scope("embedding", Part::Trunk);
                let trunk = Resnet::declare(scope, spec.input, expander.channels(), &tokens, &config)?;
                let trunk = trunk.with_blocks(&mut builder.scope("body", Part::Trunk), &config);
                let nowhere = Dims { width: config.channels, heads: 1, layers: 0 };
                let scope = &mut builder.scope("encoding", Part::Encoding);
                let stack = Stack::declare(encodings, scope, nowhere, &tokens)?;
                let heads = resnet::declare_heads(&mut builder, &config, &tokens, spec.moves);
                (stack, Trunk::Convolutions(trunk), heads, tokens)
            }
            Architecture::Decoder(config) => {
                let declared = Decoder::declare(&mut builder, encodings, spec, &config)?;
                let Declared { decoder, stack, heads, tokens } = declared;
                (stack, Trunk::Sequence(Box::new(decoder)), heads, tokens)
            }
            Architecture::ResnetTransformer(config) => {
                let channels = expander.channels();
                let trunk = ResnetTransformer::declare(&mut builder, spec.input, channels, &tokens, &config)?;
                let scope = &mut builder.scope("encoding", Part::Encoding);
                let stack = Stack::declare(encodings, scope, config.dims(), &tokens)?;
                let heads = resnet::declare_heads(&mut builder, &config.resnet, &tokens, spec.moves);
                (stack, Trunk::Both(trunk), heads, tokens)
            }
        };
        let layout = builder.finish()?;
        Ok((Self { expander, stack, trunk, heads, tokens }, layout))
    }

    /// What the heads say about packed rows `[b,row]`, u8, on the device of `views`; f32, whatever the views are in.
    ///
    /// A network with a second look takes its candidates from all moves then: [`Self::answer`] is told which are legal.
    #[must_use]
    pub fn forward(&self, views: &Views, packed: &Tensor) -> Output {
        self.answer(views, packed, None)
    }

    /// The same, told about the moves of these positions, which only a network that [refines](Self::refines) uses.
    #[must_use]
    pub fn answer(&self, views: &Views, packed: &Tensor, choices: Option<Choices<'_>>) -> Output {
        let x_bld = self.trunk(views, packed);
        let mut output = Output::default();
        self.heads.iter().for_each(|head| head.answer(views, &x_bld, &mut output));
        if let (Some(refine), Some(logits)) = (self.refine(), &output.policy_bv) {
            let (tokens, candidates) = refine.candidates(views, logits, choices);
            let x_bld = self.pass(views, packed, Some(tokens));
            output.refined = Some(refine.choose(views, &x_bld, candidates));
        }
        if let Trunk::Sequence(decoder) = &self.trunk {
            output.board = decoder.board(LayerContext { views, layer: 0, packed }, &self.stack);
        }
        output.in_f32()
    }

    /// Whether it takes a second look at the policy's likeliest moves.
    #[must_use]
    pub fn refines(&self) -> bool {
        self.refine().is_some()
    }

    fn refine(&self) -> Option<&Refine> {
        match &self.trunk {
            Trunk::Attention { refine, .. } => refine.as_deref(),
            Trunk::Convolutions(_) | Trunk::Both(_) | Trunk::Sequence(_) => None,
        }
    }

    /// What the heads read, `[b,l,d]`: one vector per token after the last block, of two passes the first one's, of a
    /// decoder `[b,1,d]`, that of the token before the move.
    pub fn trunk(&self, views: &Views, packed: &Tensor) -> Tensor {
        let added = self.refine().map(|refine| refine.no_moves(views, packed.size()[0]));
        self.pass(views, packed, added)
    }

    /// A pass with these tokens behind the input's.
    fn pass(&self, views: &Views, packed: &Tensor, added: Option<Tensor>) -> Tensor {
        let at = LayerContext { views, layer: 0, packed };
        let channels = || self.expander.expand(packed);
        match &self.trunk {
            Trunk::Attention { embedding, body, .. } => {
                let x_bld = match embedding {
                    Embeds::Channels(embedding) => embedding.forward(at, &self.stack, &channels(), added),
                    Embeds::Parts(parts) => self.stack.embed(at, with_tokens(parts.forward(views, packed), added)),
                };
                body.forward(at, &self.stack, x_bld, None)
            }
            Trunk::Convolutions(resnet) => resnet.forward(views, &channels()),
            Trunk::Both(trunk) => trunk.forward(at, &self.stack, &channels()),
            Trunk::Sequence(decoder) => decoder.trunk(at, &self.stack),
        }
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

    /// The same network, whose forward passes leave maps of what its encodings do.
    #[must_use]
    pub fn watched(self) -> (Self, Watch) {
        let (stack, watch) = self.stack.watched();
        (Self { stack, ..self }, watch)
    }

    /// The injection points that its encodings touch.
    #[must_use]
    pub fn injection_points(&self) -> InjectionPoints {
        self.stack.injection_points()
    }

    /// What breaks the permutation symmetry of squares beside the encodings: every module declares itself. (The
    /// legal-move mask of training is the trainer's to add.)
    #[must_use]
    pub fn position_sources(&self) -> Vec<&'static str> {
        let of_heads = self.heads.iter().flat_map(|head| head.position_sources());
        let of_trunk = match &self.trunk {
            Trunk::Attention { embedding, body, refine } => {
                let of_refinement = refine.iter().map(|_| Refine::position_source()).collect();
                [embedding.position_sources(), body.position_sources(), of_refinement].concat()
            }
            Trunk::Convolutions(_) => Resnet::position_sources(),
            Trunk::Both(trunk) => trunk.position_sources(),
            Trunk::Sequence(decoder) => decoder.position_sources(),
        };
        of_trunk.into_iter().chain(of_heads).collect()
    }

    /// What a forward pass costs.
    #[must_use]
    pub fn macs(&self) -> Macs {
        let mut heads: Vec<HeadMacs> = self.heads.iter().flat_map(|head| head.macs()).collect();
        if let Trunk::Sequence(decoder) = &self.trunk {
            heads.extend(decoder.board_macs());
        }
        heads.extend(self.refine().map(Refine::macs));
        // A second look goes through the whole trunk again.
        let passes = if self.refines() { 2 } else { 1 };
        let of_heads: u64 = heads.iter().map(|head| head.weights).sum();
        let encoding = passes * self.stack.macs();
        match &self.trunk {
            Trunk::Attention { embedding, body, .. } => {
                let length = self.tokens.len() as u64;
                let squares = self.tokens.geometry().squares() as u64;
                let embedded = length - self.refine().map_or(0, Refine::tokens);
                let own = passes * embedding.macs(embedded);
                let weights = passes * length * body.weight_macs_per_token();
                let paper_heads: u64 = self.heads.iter().map(|head| head.paper_macs_per_square()).sum();
                Macs {
                    trunk: own + passes * body.macs(length),
                    embedding: own,
                    encoding,
                    weights: own + weights + of_heads,
                    heads,
                    paper: passes * embedding.paper_macs(embedded) + weights + squares * paper_heads,
                }
            }
            Trunk::Convolutions(resnet) => {
                let (embedding, trunk) = (resnet.input_macs(), resnet.input_macs() + resnet.body_macs());
                let weights = trunk + of_heads;
                Macs { trunk, embedding, encoding, weights, heads, paper: weights }
            }
            Trunk::Both(trunk) => {
                let embedding = trunk.input_macs();
                let [by_weights, all] = trunk.body_macs(self.tokens.len() as u64);
                let weights = embedding + by_weights + of_heads;
                Macs { trunk: embedding + all, embedding, encoding, weights, heads, paper: weights }
            }
            Trunk::Sequence(decoder) => {
                let [by_weights, trunk, encoding] = decoder.macs(encoding);
                let weights = by_weights + of_heads;
                Macs { trunk, embedding: 0, encoding, weights, heads, paper: weights }
            }
        }
    }
}
