//! What the sections of a game are computed from.

use crate::noise::Positions;
use crate::primary::PrimaryMetric;
use crate::run_folder::RunFolder;
use games::GameKind;

#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) game: GameKind,
    pub(crate) primary: &'a PrimaryMetric,
    pub(crate) positions: Option<&'a Positions>,
}
