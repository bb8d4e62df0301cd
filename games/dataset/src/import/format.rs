//! The formats of records: how files are split into records, and how records are parsed.

use crate::manifest::Unit;
use games::chess::bag::{self, BagRecord};
use games::chess::evaluations;
use games::chess::lc0::{self, ValueSource};
use games::shogi::{csa, hcpe, hcpe3, kif, psv};
use games::{GameKind, ParsedGame, ParsedPosition, Referee, Rejected, chess::pgn, usi_lines, with_game};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead};

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Format {
        Pgn = "pgn",
        /// Lc0's training chunks, V3 to V6: one game each, usually gzipped in a tar (chess).
        Lc0 = "lc0",
        /// DeepMind's bags of positions with values (chess).
        BagStateValue = "bag_state_value",
        /// DeepMind's bags of positions with best moves (chess).
        BagBehavioralCloning = "bag_behavioral_cloning",
        /// DeepMind's bags with a value for every legal move (chess).
        BagActionValue = "bag_action_value",
        /// Lichess' evaluations: positions with scores and moves of Stockfish (chess).
        LichessEvals = "lichess_evals",
        /// CSA, one or more games (shogi).
        Csa = "csa",
        Kif = "kif",
        /// USI or SFEN lines, one game each (shogi).
        Usi = "usi",
        /// HCPE and HCPE2: single positions of 38 bytes (shogi).
        Hcpe = "hcpe",
        /// HCPE3: games with visit counts (shogi).
        Hcpe3 = "hcpe3",
        /// PackedSfenValue: single positions of 40 bytes (shogi).
        Psv = "psv",
    }
}

pub(super) enum Parsed {
    Game(ParsedGame),
    /// A position, and whether its move is a policy target.
    Position(ParsedPosition, bool),
}

/// The records of a file, as bytes.
pub(super) type Records<'a> = Box<dyn Iterator<Item = io::Result<Vec<u8>>> + 'a>;

impl Format {
    /// Whether games of this kind can be written in it.
    pub fn supports(self, game: GameKind) -> bool {
        with_game!(game, G => G::FORMATS).contains(&self.name())
    }

    pub const fn unit(self) -> Unit {
        match self {
            Self::Pgn | Self::Lc0 | Self::Csa | Self::Kif | Self::Usi | Self::Hcpe3 => Unit::Game,
            Self::BagStateValue
            | Self::BagBehavioralCloning
            | Self::BagActionValue
            | Self::LichessEvals
            | Self::Hcpe
            | Self::Psv => Unit::Position,
        }
    }

    /// Whether its files are text, which may begin with a byte order mark.
    pub(super) const fn is_text(self) -> bool {
        matches!(self, Self::Pgn | Self::LichessEvals | Self::Csa | Self::Kif | Self::Usi)
    }

    /// Whether its files are bags, which are read from their ends.
    pub(super) const fn bag(self) -> Option<BagRecord> {
        match self {
            Self::BagStateValue => Some(BagRecord::StateValue),
            Self::BagBehavioralCloning => Some(BagRecord::BehavioralCloning),
            Self::BagActionValue => Some(BagRecord::ActionValue),
            _ => None,
        }
    }

    /// The bag format that a file's name indicates; `None` for other files.
    pub(super) fn of_bag(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if !name.ends_with(".bag") && !name.ends_with(".bagz") {
            return None;
        }
        [("behavioral_cloning", Self::BagBehavioralCloning), ("action_value", Self::BagActionValue)]
            .into_iter()
            .find_map(|(part, format)| name.contains(part).then_some(format))
            .or(Some(Self::BagStateValue))
    }

    /// The format of a file: by its extension (before a compression's), else by its first bytes, else the game's text
    /// format.
    pub(super) fn of(game: GameKind, name: &str, head: &[u8]) -> Self {
        let name = name.to_ascii_lowercase();
        let packed = [".zst", ".gz", ".bz2"].iter().find_map(|ending| name.strip_suffix(ending));
        let ending = packed.unwrap_or(&name).rsplit_once('.').map_or("", |(_, ending)| ending);
        let named = Self::ALL.into_iter().find(|format| match format {
            Self::Kif => matches!(ending, "kif" | "kifu"),
            Self::Usi => matches!(ending, "usi" | "sfen"),
            Self::LichessEvals => ending == "jsonl",
            format => format.name() == ending,
        });
        let found = || Self::named(with_game!(game, G => G::detect_format(head))?);
        named.filter(|format| format.supports(game)).or_else(found).unwrap_or_else(|| Self::text(game))
    }

    /// A game's usual text format.
    ///
    /// # Panics
    /// If the game names no format, or one that is not here.
    pub(super) fn text(game: GameKind) -> Self {
        let name = with_game!(game, G => G::FORMATS[0]);
        Self::named(name).unwrap_or_else(|| panic!("{} has an unknown format {name}", game.name()))
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    pub(super) fn records<'a>(self, input: Box<dyn BufRead + 'a>) -> Records<'a> {
        match self {
            Self::Pgn => Box::new(pgn::records(input)),
            Self::Lc0 => Box::new(lc0::records(input)),
            Self::BagStateValue | Self::BagBehavioralCloning | Self::BagActionValue => {
                let reason = "a bag is read from its end: give the .bag file itself, unpacked";
                Box::new(std::iter::once(Err(io::Error::other(reason))))
            }
            Self::LichessEvals => Box::new(evaluations::records(input)),
            Self::Csa => Box::new(csa::records(input)),
            Self::Kif => Box::new(kif::records(input)),
            Self::Usi => Box::new(usi_lines::records(input)),
            Self::Hcpe => Box::new(hcpe::records(input)),
            Self::Hcpe3 => Box::new(hcpe3::records(input)),
            Self::Psv => Box::new(psv::records(input)),
        }
    }

    /// Reads a record of a game that this format supports.
    pub(super) fn parse<G: Referee>(self, record: &[u8], number: u64, value: ValueSource) -> Result<Parsed, Rejected> {
        let game = Parsed::Game;
        let position = |position: ParsedPosition| Parsed::Position(position, true);
        let action = |position: ParsedPosition| Parsed::Position(position, false);
        match self {
            Self::Pgn => pgn::parse(record, number).map(game),
            Self::Lc0 => lc0::parse(record, number, value).map(game),
            Self::BagStateValue => bag::parse(record, BagRecord::StateValue, number).map(position),
            Self::BagBehavioralCloning => bag::parse(record, BagRecord::BehavioralCloning, number).map(position),
            Self::BagActionValue => bag::parse(record, BagRecord::ActionValue, number).map(action),
            Self::LichessEvals => evaluations::parse(record, number).map(position),
            Self::Csa => csa::parse(record, number).map(game),
            Self::Kif => kif::parse(record, number).map(game),
            Self::Usi => usi_lines::parse::<G>(record, number).map(game),
            Self::Hcpe => hcpe::parse(record, number).map(position),
            Self::Hcpe3 => hcpe3::parse(record, number).map(game),
            Self::Psv => psv::parse(record, number).map(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_serves_a_game_and_games_name_no_other() {
        for game in GameKind::ALL {
            for name in with_game!(game, G => G::FORMATS) {
                assert!(Format::named(name).is_some(), "{} has an unknown format {name}", game.name());
            }
        }
        for format in Format::ALL {
            assert!(GameKind::ALL.into_iter().any(|game| format.supports(game)), "{}", format.name());
        }
    }
}
