//! What noise the test of a verdict counts.

use super::super::statistics::crossed::Crossed;
use std::fmt;

/// The sources of noise that a test counts.
#[derive(Debug, Clone, PartialEq)]
pub enum Noise {
    /// Seeds and test games, both of which are samples.
    SeedsAndGames(Crossed),
    /// Seeds alone: the test set is taken as it is.
    SeedsOnly(SeedsOnly),
}

impl Noise {
    /// The parts of the variance, if test games are counted.
    pub const fn crossed(&self) -> Option<&Crossed> {
        match self {
            Self::SeedsAndGames(crossed) => Some(crossed),
            Self::SeedsOnly(_) => None,
        }
    }

    /// Why test games are not counted, if they are not.
    pub const fn seeds_only(&self) -> Option<&SeedsOnly> {
        match self {
            Self::SeedsAndGames(_) => None,
            Self::SeedsOnly(why) => Some(why),
        }
    }
}

/// Why test games are not counted.
#[derive(Debug, Clone, PartialEq)]
pub enum SeedsOnly {
    /// The primary metric is read on validation positions, of which nothing is stored.
    OnValidation,
    /// The primary metric is not a mean of what cells store of each position.
    NoMean,
    /// No cell stored positions, or none can be read.
    NothingStored,
    /// A cell of this seed stored nothing that can be read, or other positions.
    NotStored { seed: u64 },
    /// The mean of the stored values is not the metric.
    OtherMean {
        seed: u64,
        /// The mean of the stored values.
        stored: f64,
        measured: f64,
    },
    /// There are fewer than two test games.
    FewGames,
}

impl fmt::Display for SeedsOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnValidation => f.write_str("the primary metric is read on validation positions"),
            Self::NoMean => f.write_str("the primary metric is not stored for each position"),
            Self::NothingStored => f.write_str("cells stored no test positions"),
            Self::NotStored { seed } => write!(f, "a cell of seed {seed} stored no test positions, or other ones"),
            Self::OtherMean { seed, stored, measured } => {
                write!(f, "at seed {seed} the stored positions have the mean {stored:.6}, the metric is {measured:.6}")
            }
            Self::FewGames => f.write_str("there are fewer than two test games"),
        }
    }
}
