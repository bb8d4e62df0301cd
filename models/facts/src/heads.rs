//! The heads of networks by name, with their losses and metrics.
//!
//! How a head computes them is in `models`, under the same name; the list of `heads!` below joins a head to its name.

pub mod board;
pub mod map;
pub mod moves_left;
pub mod policy;
pub mod refined;
mod result;
mod reward;
pub mod rights;
pub mod win_rate;

use super::distinct;
use super::metric::{Loss, Measures};
use std::sync::LazyLock;

macro_rules! heads {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal: $measures:path;)+) => {
        /// A head by its name. The order is that in which losses are added up and metrics are listed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum HeadName {
            $($(#[doc = $doc])* $variant,)+
        }

        impl HeadName {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its name in `outputs`, and in the outputs of a network.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            pub const fn measures(self) -> &'static Measures {
                match self {
                    $(Self::$variant => &$measures,)+
                }
            }
        }
    };
}

heads! {
    Policy "policy": policy::MEASURES;
    /// Win, draw and loss as the game ended.
    Result "result": result::LOGITS;
    /// The same as three plain numbers that are learnt by their squared error: ChessDecoder's.
    ResultShares "result_shares": result::SHARES;
    /// Win, draw and loss by the position's value and probability of a draw.
    ValueResult "value_result": result::VALUE_LOGITS;
    /// The same as three plain numbers that are learnt by their squared error.
    ValueShares "value_shares": result::VALUE_SHARES;
    /// The share of points that the side to move gets, as one number: dlshogi's.
    WinRate "win_rate": win_rate::MEASURES;
    /// The policy at a high temperature.
    SoftPolicy "soft_policy": policy::SOFT;
    /// More policies, those of imported networks, which no dataset can teach.
    FurtherPolicies "further_policies": Measures::NONE;
    /// The reward that the data's search or score expects.
    Q "q": reward::Q;
    /// The reward averaged over the plies to come.
    ShortTerm "short_term": reward::SHORT_TERM;
    /// Moves to the end of the game.
    MovesLeft "moves_left": moves_left::MEASURES;
    /// A label for each square.
    PerSquare "per_square": map::MEASURES;
    /// Yes or no for each pair of squares.
    Pairs "pairs": map::MEASURES;
    /// The tokens of the next board.
    Board "board": board::MEASURES;
    /// The rights of castling and en passant after the move that is played.
    Rights "rights": rights::MEASURES;
    /// The choice of a second pass among the policy's likeliest moves, which `refinement` of a model adds.
    Refined "refined": refined::MEASURES;
}

impl Loss {
    /// Every loss of every head, in the order in which they are added up.
    pub fn all() -> &'static [&'static Self] {
        static ALL: LazyLock<Vec<&'static Loss>> = LazyLock::new(|| {
            // The heads of maps share theirs.
            distinct(HeadName::ALL.iter().flat_map(|head| head.measures().losses))
        });
        &ALL
    }
}
