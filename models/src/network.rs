//! The whole network, from packed rows to the answers of its heads.

use crate::config::{GameSpec, ModelConfig, ModelError};
use crate::heads::head::Head;
use crate::heads::output::Output;
use crate::macs::{HeadMacs, Macs};
use crate::trunks;
use crate::trunks::refine::MoveContext;
use crate::trunks::trunk::{Declared, Trunk, TrunkMacs};
use encodings::{EncodingConfig, InjectionPoints, LayerContext, Stack, Tokens, Watch};
use games::InputLayout;
use nn::{Layout, LayoutBuilder, Views};
use tch::Tensor;

/// A declared network. It holds no parameters: each pass is given [`Views`] of them.
///
/// ```
/// use games::{GameKind::Chess, InputName, MovesName};
///
/// let cf_6m = models::Preset::named("cf-6m").expect("a preset").model;
/// let shaw: encodings::EncodingConfig = serde_json::from_str(r#"{"shaw": {}}"#)?;
/// let spec = models::GameSpec { input: Chess.input(InputName::PieceTokens), moves: Chess.moves(MovesName::FromTo) };
/// let (_network, layout) = models::Network::declare(&cf_6m(), &[shaw], &spec)?;
/// assert_eq!(layout.count(nn::Part::Encoding), 1_382_400);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Network {
    input: &'static InputLayout,
    stack: Stack,
    trunk: Box<dyn Trunk>,
    heads: Vec<Box<dyn Head>>,
    tokens: Tokens,
}

impl Network {
    /// Declares a network: its parameters' names, shapes and first values. No parameter is allocated.
    ///
    /// Names of parameters outside the encodings depend on the model and the game only, so that two networks that
    /// differ in their encodings start from the same shared weights.
    pub fn declare(
        config: &ModelConfig,
        encodings: &[EncodingConfig],
        spec: &GameSpec,
    ) -> Result<(Self, Layout), ModelError> {
        spec.check_frames()?;
        let mut builder = LayoutBuilder::default();
        config.check()?;
        let Declared { trunk, stack, heads, tokens } = trunks::declare(config, &mut builder, encodings, spec)?;
        Ok((Self { input: spec.input, stack, trunk, heads, tokens }, builder.finish()?))
    }

    /// The outputs of the heads for packed rows `[b,row]`, u8, on the device of `views`; f32, whatever the views are in.
    ///
    /// A network with a refinement pass takes its candidates from all moves then: [`Self::answer`] gets the legal ones.
    pub fn forward(&self, views: &Views, packed: &Tensor) -> Output {
        self.answer(views, packed, None)
    }

    /// The same for a step that reads the logits of legal moves (bool `[b,v]`) only: other moves may get any low logit.
    pub fn forward_legal(&self, views: &Views, packed: &Tensor, legal_bv: Tensor) -> Output {
        self.answer_into(Output::of_legal_moves(legal_bv), views, packed, None)
    }

    /// The same with the moves of these positions, which only a network that [refines](Self::refines) uses.
    pub fn answer(&self, views: &Views, packed: &Tensor, context: Option<MoveContext<'_>>) -> Output {
        self.answer_into(Output::default(), views, packed, context)
    }

    fn answer_into(
        &self,
        mut output: Output,
        views: &Views,
        packed: &Tensor,
        context: Option<MoveContext<'_>>,
    ) -> Output {
        let at = LayerContext { views, layer: 0, packed };
        let x_bld = self.trunk.forward(at, &self.stack);
        self.heads.iter().for_each(|head| head.forward(views, &x_bld, &mut output));
        self.trunk.answer_further(at, &self.stack, context, &mut output);
        output.in_f32()
    }

    /// Whether it takes a second pass over the policy's likeliest moves.
    pub fn refines(&self) -> bool {
        self.trunk.refines()
    }

    /// The input of the heads, `[b,l,d]`: one vector per token after the last block, of two passes the first one's, of a
    /// decoder `[b,1,d]`, that of the token before the move.
    pub fn trunk(&self, views: &Views, packed: &Tensor) -> Tensor {
        self.trunk.forward(LayerContext { views, layer: 0, packed }, &self.stack)
    }

    /// The sequence that it sees.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Its position encodings.
    pub fn encodings(&self) -> &Stack {
        &self.stack
    }

    /// The same network, whose forward passes leave maps of what its encodings do.
    pub fn watched(self) -> (Self, Watch) {
        let (stack, watch) = self.stack.watched();
        (Self { stack, ..self }, watch)
    }

    /// The same network with its encodings observed or ablated.
    pub fn with_encodings(self, change: impl FnOnce(Stack) -> Stack) -> Self {
        Self { stack: change(self.stack), ..self }
    }

    /// The injection points that its encodings touch.
    pub fn injection_points(&self) -> InjectionPoints {
        self.stack.injection_points()
    }

    /// The sources that break the permutation symmetry of squares beside the encodings: the input and every
    /// module declare theirs, and relative encodings declare the effect of the finite board. (Legal-move masks are the
    /// trainer's to add.)
    pub fn position_sources(&self) -> Vec<&'static str> {
        let of_heads = self.heads.iter().flat_map(|head| head.position_sources());
        let of_trunk = [self.input.position_sources(), self.stack.position_sources(), self.trunk.position_sources()];
        of_trunk.into_iter().flatten().chain(of_heads).collect()
    }

    /// The cost of a forward pass.
    pub fn macs(&self) -> Macs {
        let TrunkMacs { trunk, embedding, encoding, weights, paper, further } = self.trunk.macs(self.stack.macs());
        let heads: Vec<HeadMacs> = self.heads.iter().flat_map(|head| head.macs()).chain(further).collect();
        let weights = weights + heads.iter().map(|head| head.weights).sum::<u64>();
        let squares = self.tokens.geometry().squares() as u64;
        let paper_heads: u64 = self.heads.iter().map(|head| head.paper_macs_per_square()).sum();
        let paper = paper.map_or(weights, |paper| paper + squares * paper_heads);
        Macs { trunk, embedding, encoding, heads, weights, paper }
    }
}
