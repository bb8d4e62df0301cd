//! Errors of contradictory networks.

use encodings::EncodingError;
use games::Frame;
use nn::LayoutError;

/// Why a network cannot be declared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages document the variants")]
pub enum ModelError {
    #[error("model: {name} is {found}, it must be {wanted}")]
    OutOfRange { name: &'static str, found: String, wanted: String },
    #[error(
        "model: heads: {heads} do not divide width: {width}; nearest that fit: heads: {}, or width: {}",
        any_of(nearest_heads),
        any_of(nearest_widths)
    )]
    HeadsDoNotDivide { width: usize, heads: usize, nearest_heads: Vec<usize>, nearest_widths: Vec<usize> },
    #[error("model: {option} has no effect with the moves {moves}: leave it out")]
    PolicyOption { option: &'static str, moves: &'static str },
    #[error("model: {option} has no effect with {with}: leave it out")]
    NoEffect { option: &'static str, with: &'static str },
    #[error(
        "model: edge: hidden does not fit the input {0}, which shows the edge or has no channels; take piece_tokens"
    )]
    EdgeShown(&'static str),
    #[error("model: outputs names no head; write at least one, e.g. outputs: {{policy: {{}}, result: {{}}}}")]
    NoOutput,
    #[error("model: refinement looks at the policy's likeliest moves, but outputs names no policy: add `policy: {{}}`")]
    RefinementWithoutPolicy,
    #[error("model: refinement adds tokens, which embedding: new cannot make summaries for: take old or parts")]
    RefinementInNewEmbedding,
    #[error(
        "model: embedding.parts is about the tokens of cls_tokens, and {0} has none of them: take the input cls_tokens \
         or cls_tokens_white, or another embedding"
    )]
    NoParts(&'static str),
    #[error("model: a {model} has no head `{name}`; it has {heads}")]
    NoSuchHead { model: &'static str, name: &'static str, heads: String },
    #[error(
        "model: a resnet takes no position encoding, and `{0}` is one: write `encoding: none`; where a square lies comes from the convolutions"
    )]
    EncodingOnConvolutions(&'static str),
    #[error(
        "model: a resnet reads squares only, and this input has tokens beside them: take one without, such as piece_tokens"
    )]
    TokensOnConvolutions,
    #[error(
        "model: the input {input} shows the board as {} sees it, and the moves {moves} are written as {} sees them: take \
         an input and a vocabulary with the same view, such as piece_tokens with from_to, or tokens_68 with \
         chessdecoder_1924",
        of_input.viewer(),
        of_moves.viewer()
    )]
    Frames { input: &'static str, of_input: Frame, moves: &'static str, of_moves: Frame },
    #[error(
        "model: outputs.{head} has a label for each square as the side to move sees it, and the input {input} shows the \
         board as White sees it: leave the head out, or take an input such as piece_tokens"
    )]
    MapInFrame { head: &'static str, input: &'static str },
    #[error(
        "model: the value is read off the token that stands for the whole position, and this input has none: take one that \
         has, such as tokens_68"
    )]
    NoSummaryToken,
    #[error("model: plies is 1, but a decoder reads games: write 2 or more, or take the chessformer for positions")]
    OnePly,
    #[error(
        "model: a decoder needs boards and moves as tokens, not {input} with {moves}: take the input tokens_68 with \
         the moves chessdecoder_1924"
    )]
    NoTokens { input: &'static str, moves: &'static str },
    #[error(
        "model: `{0}` looks at all tokens at once, and a decoder must not see what comes later: take one that looks at places \
         only, such as rope, absolute or relative_bias"
    )]
    SeesAhead(&'static str),
    #[error("model: {option} has no effect with `value: {{pool: token}}`, which has no hidden layer: leave it out")]
    NoHiddenLayer { option: &'static str },
    #[error("model: qkv_groups: {groups} do not divide the width {width}; 1 means ungrouped, dlshogi's code has 8")]
    Groups { groups: usize, width: usize },
    #[error(
        "model: norm: {norm} says how wide weights start, and init: torch says otherwise: write one of norm: post_plain, post_deepnet, post_deepnet_attention and pre, or init: glorot"
    )]
    Starts { norm: &'static str },
    #[error("{error}")]
    Within { part: &'static str, error: Box<Self> },
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    #[error("model: {0}")]
    Layout(#[from] LayoutError),
}

impl ModelError {
    /// The invalid option of the architecture, with dots between its keys; `None` if the error is not about one.
    pub fn option(&self) -> Option<&'static str> {
        match self {
            &Self::OutOfRange { name, .. } => match name.split_once('.') {
                Some((whole @ ("norm" | "refinement"), _)) => Some(whole),
                _ => Some(name),
            },
            Self::HeadsDoNotDivide { .. } => Some("heads"),
            Self::Starts { .. } => Some("norm"),
            Self::PolicyOption { option, .. } | Self::NoEffect { option, .. } | Self::NoHiddenLayer { option } => {
                Some(option)
            }
            Self::EdgeShown(_) => Some("edge"),
            Self::NoOutput | Self::NoSuchHead { .. } => Some("outputs"),
            Self::Within { part, .. } => Some(part),
            Self::Groups { .. } => Some("qkv_groups"),
            Self::RefinementWithoutPolicy | Self::RefinementInNewEmbedding => Some("refinement"),
            Self::NoParts(_) => Some("embedding"),
            Self::OnePly => Some("plies"),
            Self::Encoding(_)
            | Self::Frames { .. }
            | Self::MapInFrame { .. }
            | Self::NoSummaryToken
            | Self::NoTokens { .. }
            | Self::SeesAhead(_)
            | Self::Layout(_)
            | Self::EncodingOnConvolutions(_)
            | Self::TokensOnConvolutions => None,
        }
    }

    /// A number that is not what it must be.
    pub(crate) fn out_of_range(name: &'static str, found: impl ToString, wanted: impl Into<String>) -> Self {
        Self::OutOfRange { name, found: found.to_string(), wanted: wanted.into() }
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
        Some((name, 0)) => Err(ModelError::out_of_range(name, 0, "at least 1")),
        Some((name, size)) => Err(ModelError::out_of_range(name, size, format!("at most {most}"))),
    }
}

/// Refuses a share of dropped numbers that leaves none.
pub(crate) fn check_dropout(share: f64) -> Result<(), ModelError> {
    match share {
        0.0..1.0 => Ok(()),
        _ => Err(ModelError::out_of_range("dropout", share, "at least 0 and below 1; dlshogi's code has 0.1")),
    }
}

fn any_of(choices: &[usize]) -> String {
    choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}
