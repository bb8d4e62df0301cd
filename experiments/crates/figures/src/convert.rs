//! SVG to PNG and PDF with the fonts of the program, so that a machine needs none.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::fmt::Display;
use std::sync::LazyLock;
use svg2pdf::{ConversionOptions, PageOptions, to_pdf};

const UNITS_PER_INCH: f32 = 96.0;

static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut options = Options { dpi: UNITS_PER_INCH, ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans_condensed::regular().to_vec());
    fonts.load_font_data(dejavu::sans_condensed::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans Condensed");
    options
});

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConversionError(String);

/// A PNG file of an SVG, with `zoom` pixels for each of its units.
pub fn png(svg: &str, zoom: f32) -> Result<Vec<u8>, ConversionError> {
    let tree = tree(svg)?;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|side| (side * zoom).ceil() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or_else(|| failed("the picture is too large"))?;
    resvg::render(&tree, Transform::from_scale(zoom, zoom), &mut pixels.as_mut());
    pixels.encode_png().map_err(failed)
}

/// A PDF of one page, as large as the SVG; its fonts are embedded.
pub fn pdf(svg: &str) -> Result<Vec<u8>, ConversionError> {
    to_pdf(&tree(svg)?, ConversionOptions::default(), PageOptions { dpi: UNITS_PER_INCH }).map_err(failed)
}

fn tree(svg: &str) -> Result<Tree, ConversionError> {
    Tree::from_str(svg, &OPTIONS).map_err(failed)
}

fn failed(error: impl Display) -> ConversionError {
    ConversionError(error.to_string())
}
