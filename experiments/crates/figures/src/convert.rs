//! SVG to PNG with the fonts of the program, so that a machine needs none.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels of a PNG for one of the SVG.
const ZOOM: f32 = 1.5;

/// Fonts and options of the conversion.
pub struct Rasteriser(Options<'static>);

impl std::fmt::Debug for Rasteriser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rasteriser").finish_non_exhaustive()
    }
}

impl Default for Rasteriser {
    fn default() -> Self {
        let mut options = Options::default();
        let fonts = options.fontdb_mut();
        fonts.load_font_data(dejavu::sans_condensed::regular().to_vec());
        fonts.load_font_data(dejavu::sans_condensed::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans Condensed");
        Self(options)
    }
}

impl Rasteriser {
    /// A PNG file of an SVG.
    pub fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = Tree::from_str(svg, &self.0).map_err(|error| error.to_string())?;
        let [width, height] = [tree.size().width(), tree.size().height()].map(|side| (side * ZOOM).ceil() as u32);
        let mut pixels = Pixmap::new(width, height).ok_or("the picture is too large")?;
        resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| error.to_string())
    }
}
