//! The conditions that determine the games of a match.

use super::contestant::{Contestant, Kind};
use super::game::Limits;
use games::GameKind;
use serde::{Deserialize, Serialize};

/// The conditions: the same conditions and number give the same game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    pub game: GameKind,
    /// The players, at least two with different names.
    pub contestants: Vec<Contestant>,
    /// The version of each, in their order: the hash of a network's weights, the name and version that an engine states.
    /// [`play_match`](super::play_match) writes it, so that a match is not resumed with a network that was trained again.
    pub identities: Vec<String>,
    /// Openings for every two players, each with both colours.
    pub pairs: u64,
    /// The hash of the book of openings.
    pub book: Option<String>,
    /// Random plies after the opening: from, to.
    pub random_plies: Option<(u16, u16)>,
    /// When games end although the rules do not end them.
    pub limits: Limits,
    /// Of the order of the openings, random plies and draws of moves.
    pub seed: u64,
}

impl Conditions {
    /// Whether both have the same games. A network that lies elsewhere is the same network: its weights decide.
    pub(super) fn are_those_of(&self, other: &Self) -> bool {
        self.without_folders() == other.without_folders()
    }

    fn without_folders(&self) -> Self {
        let mut conditions = self.clone();
        for contestant in &mut conditions.contestants {
            if let Kind::Network { cell, .. } = &mut contestant.kind {
                cell.clear();
            }
        }
        conditions
    }
}
