//! Maps as pictures that need no other file: SVG for light and dark pages, and PNG.

pub mod pieces;
pub mod pixels;
pub mod sheet;
pub mod svg;
pub mod view;
