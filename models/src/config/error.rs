//! What contradicts itself in a network.

use encodings::EncodingError;
use games::Frame;
use nn::LayoutError;

/// Why a network cannot be declared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A size is zero.
    #[error("model: {name} is 0, it must be at least 1")]
    Zero {
        /// The option.
        name: &'static str,
    },
    /// A size is larger than any network's.
    #[error("model: {name} is {size}, it must be at most {most}")]
    TooLarge {
        /// The option.
        name: &'static str,
        /// Its value.
        size: usize,
        /// The largest possible value.
        most: usize,
    },
    /// The heads do not divide the width.
    #[error(
        "model: heads: {heads} do not divide width: {width}; nearest that fit: heads: {}, or width: {}",
        any_of(nearest_heads),
        any_of(nearest_widths)
    )]
    HeadsDoNotDivide {
        /// The width.
        width: usize,
        /// The heads.
        heads: usize,
        /// Head counts that divide this width.
        nearest_heads: Vec<usize>,
        /// Widths that these heads divide.
        nearest_widths: Vec<usize>,
    },
    /// A factor that is none.
    #[error("model: norm.post_scaled.{name} is {found}, it must be a number above 0")]
    Scale {
        /// Which.
        name: &'static str,
        /// The number.
        found: f64,
    },
    /// An option of the policy that its vocabulary has no use for.
    #[error("model: {option} means nothing for the moves {moves}: leave it out")]
    PolicyOption {
        /// The option.
        option: &'static str,
        /// The vocabulary.
        moves: &'static str,
    },
    /// An option that another makes meaningless.
    #[error("model: {option} means nothing with {with}: leave it out")]
    NoEffect {
        /// The option.
        option: &'static str,
        /// The other.
        with: &'static str,
    },
    /// An input that shows the edge which `edge: hidden` hides.
    #[error(
        "model: edge: hidden does not fit the input {0}, which shows the edge or has no channels; take piece_tokens"
    )]
    EdgeShown(&'static str),
    /// A network without heads.
    #[error("model: outputs names no head; write at least one, e.g. outputs: {{policy: {{}}, result: {{}}}}")]
    NoOutput,
    /// Too few labels to choose from.
    #[error(
        "model: outputs.per_square.classes is {0}, it must be at least 2; the dataset's `dataset.yaml` says how many"
    )]
    Classes(usize),
    /// A temperature that is none.
    #[error("model: outputs.soft_policy.temperature is {0}, it must be a number above 0; the paper's is 4")]
    Temperature(f64),
    /// A number of rights that is not offered.
    #[error("model: outputs.rights.bits is {0}, it must be 13 or 11")]
    Rights(usize),
    /// Too few or too many moves for a refinement pass.
    #[error("model: refinement.moves is {0}, it must be 2 to 5; the text's is 3")]
    RefinedMoves(usize),
    /// A refinement pass without a policy.
    #[error("model: refinement looks at the policy's likeliest moves, but outputs names no policy: add `policy: {{}}`")]
    RefinementWithoutPolicy,
    /// A refinement pass in an embedding that supports only the board's own tokens.
    #[error("model: refinement adds tokens, which embedding: new cannot make summaries for: take old or parts")]
    RefinementInNewEmbedding,
    /// Parts of an input that has none.
    #[error(
        "model: embedding.parts is about the tokens of cls_tokens, and {0} has none of them: take the input cls_tokens \
         or cls_tokens_white, or another embedding"
    )]
    NoParts(&'static str),
    /// A momentum that is none.
    #[error("model: batch_norm.momentum is {0}, it must be above 0 and at most 1; PyTorch's default is 0.1")]
    Momentum(f64),
    /// A head that this architecture does not have.
    #[error("model: a {model} has no head `{name}`; it has {heads}")]
    NoSuchHead {
        /// The architecture.
        model: &'static str,
        /// The head.
        name: &'static str,
        /// Those that there are.
        heads: String,
    },
    /// A position encoding for a network of convolutions.
    #[error(
        "model: a resnet takes no position encoding, and `{0}` is one: write `encoding: none`; where a square lies comes from the convolutions"
    )]
    EncodingOnConvolutions(&'static str),
    /// Tokens that are no squares.
    #[error(
        "model: a resnet reads squares only, and this input has tokens beside them: take one without, such as piece_tokens"
    )]
    TokensOnConvolutions,
    /// Squares of the input that are not the squares of the moves.
    #[error(
        "model: the input {input} shows the board as {} sees it, and the moves {moves} are written as {} sees them: take \
         an input and a vocabulary with the same view, such as piece_tokens with from_to, or tokens_68 with \
         chessdecoder_1924",
        of_input.viewer(),
        of_moves.viewer()
    )]
    Frames {
        /// The input.
        input: &'static str,
        /// How it numbers squares.
        of_input: Frame,
        /// The vocabulary.
        moves: &'static str,
        /// How it numbers squares.
        of_moves: Frame,
    },
    /// Maps of squares that are not the squares of the input.
    #[error(
        "model: outputs.{head} has a label for each square as the side to move sees it, and the input {input} shows the \
         board as White sees it: leave the head out, or take an input such as piece_tokens"
    )]
    MapInFrame {
        /// The head.
        head: &'static str,
        /// The input.
        input: &'static str,
    },
    /// A head that reads a token which the input does not have.
    #[error(
        "model: {what} is read off the token that stands for the whole position, and this input has none: take one that \
         has, such as tokens_68"
    )]
    NoSummaryToken {
        /// What.
        what: &'static str,
    },
    /// A decoder of positions.
    #[error("model: plies is 1, but a decoder reads games: write 2 or more, or take the chessformer for positions")]
    OnePly,
    /// Input or moves without tokens.
    #[error(
        "model: a decoder needs boards and moves as tokens, not {input} with {moves}: take the input tokens_68 with \
         the moves chessdecoder_1924"
    )]
    NoTokens {
        /// The input.
        input: &'static str,
        /// The vocabulary.
        moves: &'static str,
    },
    /// An encoding that would look into the future.
    #[error(
        "model: `{0}` looks at all tokens at once, and a decoder must not see what comes later: take one that looks at places \
         only, such as rope, absolute or relative_bias"
    )]
    SeesAhead(&'static str),
    /// Sizes of layers that are not there.
    #[error("model: {option} means nothing with `value: {{pool: token}}`, which has no hidden layer: leave it out")]
    NoHiddenLayer {
        /// The option.
        option: &'static str,
    },
    /// Groups of queries, keys and values that the width cannot be cut into.
    #[error("model: qkv_groups: {groups} do not divide the width {width}; 1 is no groups, dlshogi's code has 8")]
    Groups {
        /// How many.
        groups: usize,
        /// The width.
        width: usize,
    },
    /// Two options that contradict each other.
    #[error(
        "model: norm: {norm} says how wide weights start, and init: torch says otherwise: write one of norm: post_plain, post_deepnet and pre, or init: glorot"
    )]
    Starts {
        /// The norm.
        norm: &'static str,
    },
    /// A part of the architecture is wrong.
    #[error("{error}")]
    Within {
        /// Its key.
        part: &'static str,
        /// What is wrong.
        error: Box<Self>,
    },
    /// An encoding refuses its options or the sizes.
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// Parameters do not make a layout: two have one name, or they are too many.
    #[error("model: {0}")]
    Layout(#[from] LayoutError),
}

impl ModelError {
    /// The option of the architecture that is to blame, with dots between its keys; `None` if it is no option.
    pub fn option(&self) -> Option<&'static str> {
        match self {
            Self::Zero { name } | Self::TooLarge { name, .. } => Some(name),
            Self::HeadsDoNotDivide { .. } => Some("heads"),
            Self::Scale { .. } | Self::Starts { .. } => Some("norm"),
            Self::PolicyOption { option, .. } | Self::NoEffect { option, .. } => Some(option),
            Self::EdgeShown(_) => Some("edge"),
            Self::NoOutput | Self::NoSuchHead { .. } => Some("outputs"),
            Self::Momentum(_) => Some("batch_norm.momentum"),
            Self::Within { part, .. } => Some(part),
            Self::Groups { .. } => Some("qkv_groups"),
            Self::Classes(_) => Some("outputs.per_square.classes"),
            Self::Temperature(_) => Some("outputs.soft_policy.temperature"),
            Self::Rights(_) => Some("outputs.rights.bits"),
            Self::RefinedMoves(_) | Self::RefinementWithoutPolicy | Self::RefinementInNewEmbedding => {
                Some("refinement")
            }
            Self::NoParts(_) => Some("embedding"),
            Self::NoHiddenLayer { option } => Some(option),
            Self::OnePly => Some("plies"),
            Self::Encoding(_)
            | Self::Frames { .. }
            | Self::MapInFrame { .. }
            | Self::NoSummaryToken { .. }
            | Self::NoTokens { .. }
            | Self::SeesAhead(_)
            | Self::Layout(_)
            | Self::EncodingOnConvolutions(_)
            | Self::TokensOnConvolutions => None,
        }
    }

    pub(crate) fn heads_do_not_divide(width: usize, heads: usize) -> Self {
        let divides = |h: &usize| width.is_multiple_of(*h);
        let below = (1..heads.min(width + 1)).rev().find(divides);
        let above = (heads + 1..=width).find(divides);
        let narrower = width / heads * heads;
        let nearest_widths = [narrower, narrower + heads].into_iter().filter(|&w| w > 0).collect();
        Self::HeadsDoNotDivide { width, heads, nearest_heads: below.into_iter().chain(above).collect(), nearest_widths }
    }
}

/// The most layers that a network may have: each declares its parameters by name.
pub(crate) const MOST_LAYERS: usize = 1 << 12;

/// Refuses sizes that are 0 or above `most`.
pub(crate) fn check_limits(most: usize, sizes: &[(&'static str, usize)]) -> Result<(), ModelError> {
    match sizes.iter().copied().find(|(_, size)| !(1..=most).contains(size)) {
        None => Ok(()),
        Some((name, 0)) => Err(ModelError::Zero { name }),
        Some((name, size)) => Err(ModelError::TooLarge { name, size, most }),
    }
}

fn any_of(choices: &[usize]) -> String {
    choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}
