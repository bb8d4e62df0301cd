//! Figures: plots of a report and maps on boards as SVG, and SVG as PNG and PDF.
//!
//! Functions from plain data to text. They draw values that were computed elsewhere.

pub mod board;
mod canvas;
pub mod convert;
mod escape;
mod numbers;
pub mod plot;

pub use canvas::{Anchor, Canvas};
pub use escape::escape;
pub use numbers::{Interval, fixed};
