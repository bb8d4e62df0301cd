//! Positions of a kind that a network is tested on and never trained on: has it learnt relations of squares, or pairs?

use dataset::{Split, SplitPlan};
use games::Position as _;
use games::attacks::Tactics;
use games::placement::Placement;
use streams::{Stream, below};

/// Files by which boards are translated.
const SHIFT: usize = 2;

/// What training and validation positions do not have and every test position has. Castling rights and en passant are taken
/// from all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unseen {
    pub kind: UnseenKind,
    /// Whether this is the control: the same test positions but for a few at the end, and training positions that do have it.
    pub control: bool,
}

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum UnseenKind {
        /// Sliders on the first and last file. In training they are taken from the board; in the control they stay.
        EdgeSliders = "edge-sliders",
        /// Pieces on the two rightmost files of the side to move: the board is translated. All pieces beyond the others are taken
        /// away, then test positions are moved two files to the right, and those of the control's training by 0, 1 or 2 at random.
        TranslatedBoards = "translated-boards",
    }
}

impl Unseen {
    /// What is done to positions, for `dataset.yaml`.
    pub(super) const fn sentence(self) -> &'static str {
        match (self.kind, self.control) {
            (UnseenKind::EdgeSliders, false) => {
                "; no castling rights or en passant; in training and validation sliders on the first and last file are taken \
                 from the board, test positions have at least one there"
            }
            (UnseenKind::EdgeSliders, true) => {
                "; no castling rights or en passant; test positions have at least one slider on the first or last file, and \
                 training and validation positions are as they were played (the control of --unseen edge-sliders)"
            }
            (UnseenKind::TranslatedBoards, false) => {
                "; no castling rights or en passant; pieces beyond the leftmost files of the side to move are taken from the \
                 board, all but two; test positions are moved two files to the right"
            }
            (UnseenKind::TranslatedBoards, true) => {
                "; no castling rights or en passant; pieces beyond the leftmost files of the side to move are taken from the \
                 board, all but two; test positions are moved two files to the right, training and validation positions \
                 by 0, 1 or 2 at random (the control of --unseen translated-boards)"
            }
        }
    }

    /// A played position as test or training position, as the stream chooses. `None` if it cannot be one, or if the plan
    /// assigns the result to the other part. Half of the games are for tests, so shares are about those of the plan, no game
    /// gives positions to both, and the control has the same test positions.
    pub(super) fn version<G: Tactics>(
        self,
        position: &G::Position,
        plan: &SplitPlan,
        stream: &mut Stream,
    ) -> Option<G::Position> {
        let is_test = below(stream, 2) == 0;
        let mut pieces = Placement::of::<G>(position);
        match self.kind {
            UnseenKind::EdgeSliders => {
                let is_edge = |file: usize| file == 0 || file + 1 == G::GEOMETRY.files();
                let edge_slider = |file: usize, piece: &str| is_edge(file) && G::SLIDERS.contains(&piece);
                if is_test && !pieces.any(edge_slider) {
                    return None;
                }
                if !is_test && !self.control {
                    pieces.retain(|file, piece| !edge_slider(file, piece));
                }
            }
            UnseenKind::TranslatedBoards => {
                let files = match (is_test, self.control) {
                    (true, _) => SHIFT,
                    (false, true) => below(stream, SHIFT as u64 + 1) as usize,
                    (false, false) => 0,
                };
                pieces.retain(|file, _| file + SHIFT < G::GEOMETRY.files());
                pieces.shift_right(files);
            }
        }
        let position = pieces.position::<G>()?;
        let split = plan.of_position(G::KIND, &position.to_text());
        ((split == Split::Test) == is_test).then_some(position)
    }
}
