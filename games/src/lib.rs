//! Games as data: rules, square order, move vocabularies, input representations and record formats.
//!
//! No tensors, YAML, clocks or networks. The rules of chess and shogi come from libraries (shakmaty; rsshogi, with
//! shogi_core's types), those of minishogi and of the boards are here. This crate defines how a position becomes small
//! integers and a move becomes an index.

#![warn(missing_docs)]

pub mod attacks;
pub mod chess;
pub mod conventions;
mod fields;
pub mod geometry;
pub mod input;
pub mod kind;
pub mod line;
pub mod map_labels;
pub mod minishogi;
mod move_code;
pub mod move_text;
pub mod movement;
mod named;
pub mod placement;
pub mod position;
pub mod probe_boards;
mod ratings;
pub mod record;
mod records;
pub mod referee;
mod registry;
pub mod shogi;
#[cfg(feature = "skirmish")]
pub mod skirmish;
pub mod usi_lines;
pub mod vocabulary;

pub use conventions::{Glyph, Notation, Orientation, Record};
pub use geometry::{Frame, Geometry, Relation};
pub use input::{Boards, Feature, FeatureKind, InputLayout, InputName};
pub use kind::GameKind;
pub use line::Line;
pub use move_text::MoveText;
pub use position::{Earlier, Game, IllegalMove, ParsePosition, Phase, Position, Side};
pub use probe_boards::{board5, board6, board8, board9, board11};
pub use record::{
    Candidate, GameResult, ParsedGame, ParsedPosition, PositionFacts, RejectKind, Rejected, Score, Termination,
};
pub use referee::{Played, Referee};
pub use registry::{NoVocabulary, NotOffered};
pub use vocabulary::{Entry, FromTo, MoveList, MovesName, PlaneEntry, Planes, Vocabulary, WrongFrame};
