//! Pictures as PNG files: one byte per pixel, an index into the palette.

use super::board::Canvas;
use super::colours::palette;

/// Why a picture cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    #[error("the picture cannot be encoded: {0}")]
    Encode(#[from] png::EncodingError),
    /// The bytes are not a PNG file.
    #[error("this is not a PNG file: {0}")]
    Decode(#[from] png::DecodingError),
}

/// The bytes of a PNG file.
pub(super) fn encode(canvas: &Canvas) -> Result<Vec<u8>, PngError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette());
    // Most rows equal the row above.
    encoder.set_filter(png::FilterType::Up);
    encoder.write_header()?.write_image_data(&canvas.points)?;
    Ok(bytes)
}

/// Width and height of a PNG file.
pub fn size(bytes: &[u8]) -> Result<[u32; 2], PngError> {
    let (info, _) = png::Decoder::new(bytes).read_info()?;
    Ok([info.width, info.height])
}
