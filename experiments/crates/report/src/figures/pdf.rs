//! SVG to PDF with the fonts of the program, so that a machine needs none.

use svg2pdf::usvg::{Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions, to_pdf};

/// Units of an SVG in an inch.
const UNITS_PER_INCH: f32 = 96.0;

/// Fonts and options of the conversion.
pub(super) struct Converter(Options<'static>);

impl Converter {
    pub(super) fn new() -> Self {
        let mut options = Options { dpi: UNITS_PER_INCH, ..Options::default() };
        let fonts = options.fontdb_mut();
        fonts.load_font_data(dejavu::sans_condensed::regular().to_vec());
        fonts.load_font_data(dejavu::sans_condensed::bold().to_vec());
        Self(options)
    }

    /// A PDF of one page, as large as the SVG; its fonts are embedded.
    pub(super) fn pdf(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = Tree::from_str(svg, &self.0).map_err(|error| error.to_string())?;
        let page = PageOptions { dpi: UNITS_PER_INCH };
        to_pdf(&tree, ConversionOptions::default(), page).map_err(|error| error.to_string())
    }
}
