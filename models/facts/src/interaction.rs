//! An interaction: does the gap between two rows depend on what else they have?

use games::GameKind;
use serde::{Deserialize, Serialize};

/// A gap with one value against the same gap with another: four rows of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interaction {
    pub game: GameKind,
    /// The two values between which the gap lies, in words.
    pub gap: [String; 2],
    /// The two values that it is compared over, in words.
    pub by: [String; 2],
    /// The values that the four rows share, if the experiment has other such fours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The folders of the rows, `[by][gap]`.
    pub rows: [[String; 2]; 2],
}
