//! The trunk of a Chessformer: an embedding and blocks of attention, once or, with refinement, twice.

use super::refine::{MoveContext, Refine};
use super::trunk::{Declared, Trunk, TrunkMacs};
use crate::config::{ChessformerConfig, Edge, EmbeddingConfig, GameSpec, ModelError};
use crate::heads;
use crate::heads::head::HeadContext;
use crate::heads::output::Output;
use crate::layers;
use crate::layers::body::Body;
use crate::layers::cls_parts::Parts;
use crate::layers::embedding::{Embedding, Embeds};
use crate::layers::registers::Registers;
use encodings::{EncodingConfig, LayerContext, Stack};
use facts::HeadName;
use nn::{LayoutBuilder, Part};
use tch::Tensor;

#[derive(Debug)]
struct Encoder {
    embedding: Box<dyn Embeds>,
    body: Body,
    refine: Option<Box<Refine>>,
    registers: Option<Registers>,
    loops: u64,
    /// Tokens of the input, squares outside the board included.
    embedded: u64,
    /// Tokens that heads read.
    read: i64,
}

pub(super) fn declare(
    builder: &mut LayoutBuilder,
    encodings: &[EncodingConfig],
    spec: &GameSpec,
    config: &ChessformerConfig,
) -> Result<Declared, ModelError> {
    config.check_policy(spec.moves)?;
    spec.check_maps(&config.outputs)?;
    let mut tokens = spec.tokens();
    let scope = &mut builder.scope("embedding", Part::Trunk);
    let mut repetitions = None;
    let embedding: Box<dyn Embeds> = if let EmbeddingConfig::Parts(parts) = &config.embedding {
        tokens = parts.tokens(spec.input)?;
        let parts = Parts::declare(scope, parts, spec.input, config.width);
        repetitions = parts.repetitions();
        Box::new(parts)
    } else {
        Box::new(Embedding::declare(scope, spec, &tokens, config)?)
    };
    let mut embedded = tokens.len() as u64;
    if let Some(refinement) = config.refinement {
        tokens = refinement.extend(&tokens);
    }
    let of_heads = tokens.clone();
    let registers = Registers::declare(builder, config.registers, config.width);
    tokens = registers.as_ref().map_or_else(|| tokens.clone(), |registers| registers.extend(&tokens));
    if config.edge == Edge::Hidden {
        tokens = tokens.surrounded();
        embedded = tokens.len() as u64;
    }
    let stack = Stack::declare(encodings, &mut builder.scope("encoding", Part::Encoding), config.dims(), &tokens)?;
    let body = Body::declare(&mut builder.scope("body", Part::Trunk), &config.body());
    let heads = heads::declare(HeadName::ALL, HeadContext { builder, config, tokens: &of_heads, moves: spec.moves })?;
    let refine = config.refinement.map(|refinement| {
        let sizes = [config.width, spec.moves.len()];
        Box::new(Refine::declare(builder, refinement, &tokens, sizes, repetitions))
    });
    let (read, loops) = (of_heads.len() as i64, config.loops as u64);
    let encoder = Encoder { embedding, body, refine, registers, loops, embedded, read };
    Ok(Declared { trunk: Box::new(encoder), stack, heads, tokens })
}

impl Encoder {
    /// A pass with these tokens after the input's.
    fn pass(&self, at: LayerContext<'_>, stack: &Stack, added: Option<Tensor>) -> Tensor {
        let registers = self.registers.as_ref().map(|registers| registers.tokens(at.views, at.packed.size()[0]));
        let further: Vec<Tensor> = added.into_iter().chain(registers).collect();
        let further = (!further.is_empty()).then(|| Tensor::cat(&further, 1));
        let x_bld = self.body.forward(at, stack, self.embedding.embed(at, stack, further), None);
        layers::tokens(&x_bld, 0, self.read)
    }
}

impl Trunk for Encoder {
    fn forward(&self, at: LayerContext<'_>, stack: &Stack) -> Tensor {
        let no_moves = self.refine.as_ref().map(|refine| refine.no_moves(at.views, at.packed.size()[0]));
        self.pass(at, stack, no_moves)
    }

    fn answer_further(
        &self,
        at: LayerContext<'_>,
        stack: &Stack,
        context: Option<MoveContext<'_>>,
        output: &mut Output,
    ) {
        let (Some(refine), Some(logits)) = (&self.refine, output.get(HeadName::Policy)) else { return };
        let (tokens, candidates) = refine.candidates(at.views, logits, context);
        let x_bld = self.pass(at, stack, Some(tokens));
        refine.choose(at.views, &x_bld, candidates).set(output);
    }

    fn refines(&self) -> bool {
        self.refine.is_some()
    }

    fn position_sources(&self) -> Vec<&'static str> {
        let of_refinement = self.refine.iter().map(|_| "refinement (an embedding for each move)").collect();
        [self.embedding.position_sources(), of_refinement].concat()
    }

    fn macs(&self, encoding: u64) -> TrunkMacs {
        // A second pass goes through the whole trunk again.
        let passes = if self.refines() { 2 } else { 1 };
        let registers = self.registers.as_ref().map_or(0, Registers::count);
        let length = self.embedded + registers + self.refine.as_ref().map_or(0, |refine| refine.tokens());
        let embedding = passes * self.embedding.macs(self.embedded);
        let of_blocks = passes * length * self.body.weight_macs_per_token();
        TrunkMacs {
            trunk: embedding + passes * self.body.macs(length),
            embedding,
            encoding: passes * self.loops * encoding,
            weights: embedding + of_blocks,
            paper: Some(passes * self.embedding.paper_macs(self.embedded) + of_blocks),
            further: self.refine.as_ref().map(|refine| refine.macs()),
        }
    }
}
