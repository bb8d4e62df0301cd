//! The losses by name: which there are, what each weighs where nothing is said, and which metric shows it.

use serde::{Deserialize, Serialize};

macro_rules! losses {
    ($($variant:ident $field:ident = $weight:literal, $metric:literal, $doc:literal;)*) => {
        /// One term of what a step minimises.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Loss {
            $(#[doc = $doc] $variant,)*
        }

        /// Weights of the losses in their sum. A loss whose head the network does not have plays no part.
        ///
        /// The defaults are those of the Chessformer paper's Appendix B; for moves left, which it does not have, that of
        /// the example in its code; for the win rate dlshogi's, 1 − λ and λ = 0.333. A map's and ChessDecoder's shares' are 1.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct LossWeights {
            $(#[doc = $doc] pub $field: f64,)*
        }

        impl Default for LossWeights {
            fn default() -> Self {
                Self { $($field: $weight,)* }
            }
        }

        /// Other weights for some losses, while a phase of training lasts.
        #[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct LossChanges {
            $(
                #[doc = $doc]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<f64>,
            )*
        }

        impl LossChanges {
            /// The weights with these changes.
            #[must_use]
            pub fn over(&self, weights: LossWeights) -> LossWeights {
                LossWeights { $($field: self.$field.unwrap_or(weights.$field),)* }
            }

            /// Those that change something.
            #[must_use]
            pub fn unlike(&self, weights: LossWeights) -> Self {
                Self { $($field: self.$field.filter(|&weight| weight != weights.$field),)* }
            }

            /// The losses that are named, with their weights.
            pub fn iter(&self) -> impl Iterator<Item = (Loss, f64)> {
                let named = [$((Loss::$variant, self.$field)),*];
                named.into_iter().filter_map(|(loss, weight)| Some((loss, weight?)))
            }

            /// Whether none is named.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                *self == Self::default()
            }
        }

        impl Loss {
            /// Every loss, in the order in which they are added up.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in YAML, below `loss`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($field),)*
                }
            }

            /// The metric of lines of training that is the mean times the weight.
            #[must_use]
            pub const fn weighted_metric(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($metric, ".weighted"),)*
                }
            }

            /// The metric that is its mean, before it is weighted.
            #[must_use]
            pub const fn metric(self) -> &'static str {
                match self {
                    $(Self::$variant => $metric,)*
                }
            }
        }

        impl LossWeights {
            /// The weight of one loss.
            #[must_use]
            pub const fn of(&self, loss: Loss) -> f64 {
                match loss {
                    $(Loss::$variant => self.$field,)*
                }
            }
        }
    };
}

losses! {
    Policy policy = 1.0, "policy_loss", "Cross-entropy of the policy.";
    Value value = 1.0, "value_loss", "Cross-entropy of win/draw/loss.";
    ResultShares result_shares = 1.0, "result_shares_loss", "Squared error of win, draw and loss as plain numbers.";
    WinRateResult win_rate_result = 0.667, "win_rate_result_loss",
        "Binary cross-entropy of the win rate with the game's result.";
    WinRateValue win_rate_value = 0.333, "win_rate_value_loss",
        "Binary cross-entropy of the win rate with the value of the position.";
    SoftPolicy soft_policy = 8.0, "soft_policy_loss", "Cross-entropy of the policy at a high temperature.";
    Q q = 1.0, "q_loss", "Squared error of the reward.";
    QError q_error = 1.0, "q_error_loss", "Squared error of the reward's predicted squared error.";
    QBuckets q_buckets = 0.1, "q_buckets_loss", "Cross-entropy of the reward's interval.";
    ShortTerm short_term = 1.0, "short_term_loss", "Squared error of the short-term reward.";
    ShortTermError short_term_error = 1.0, "short_term_error_loss",
        "Squared error of the short-term reward's predicted squared error.";
    ShortTermBuckets short_term_buckets = 0.1, "short_term_buckets_loss",
        "Cross-entropy of the short-term reward's interval.";
    MovesLeft moves_left = 1.0, "moves_left_loss", "Huber's loss of the moves left, in units of 20.";
    Map map = 1.0, "map_loss", "Cross-entropy of the map's labels.";
    Board board = 1.0, "board_loss", "Cross-entropy of the words of boards.";
    Rights rights = 1.0, "rights_loss", "Binary cross-entropy of the rights behind the move played.";
    Refined refined = 1.0, "refined_loss", "Cross-entropy of the choice among the likeliest moves.";
}

impl Loss {
    /// The losses that a network has, in the order of [`Self::ALL`].
    #[must_use]
    pub fn of_network(network: &models::Architecture) -> Vec<Self> {
        let refined = network.refinement().map(|_| Self::Refined);
        Self::of(network.outputs()).into_iter().chain(refined).collect()
    }

    /// The losses of these heads, in the order of [`Self::ALL`].
    #[must_use]
    pub fn of(outputs: &models::Outputs) -> Vec<Self> {
        let error = |options: Option<models::RewardOptions>| options.is_some_and(|options| options.error);
        let buckets = |options: Option<models::RewardOptions>| options.is_some_and(|options| options.buckets > 0);
        let there = |loss: &Self| match loss {
            Self::Policy => outputs.policy.is_some(),
            Self::Value => outputs.result.is_some(),
            Self::ResultShares => outputs.result_shares.is_some(),
            Self::WinRateResult | Self::WinRateValue => outputs.win_rate.is_some(),
            Self::SoftPolicy => outputs.soft_policy.is_some(),
            Self::Q => outputs.q.is_some(),
            Self::QError => error(outputs.q),
            Self::QBuckets => buckets(outputs.q),
            Self::ShortTerm => outputs.short_term.is_some(),
            Self::ShortTermError => error(outputs.short_term),
            Self::ShortTermBuckets => buckets(outputs.short_term),
            Self::MovesLeft => outputs.moves_left.is_some(),
            Self::Map => outputs.per_square.is_some() || outputs.pairs.is_some(),
            Self::Board => outputs.board.is_some(),
            Self::Rights => outputs.rights.is_some(),
            Self::Refined => false,
        };
        Self::ALL.iter().copied().filter(there).collect()
    }
}
