//! Figures: plots of a report and maps on boards as SVG, and SVG as PNG and PDF.
//!
//! Functions from plain data to text. They draw values that were computed elsewhere.

pub mod board;
mod canvas;
pub mod convert;
pub mod plot;
mod text;

pub use canvas::{Anchor, Canvas};
pub use strength::Interval;
pub use text::{escape, fixed};
