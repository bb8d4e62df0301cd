//! Pictures in event files, for TensorBoard's Images tab.

use crate::pictures::Picture;
use protobuf::Message as _;
use std::io;
use tensorboard_proto::summary::{Summary, Summary_Image, Summary_Value, SummaryMetadata, SummaryMetadata_PluginData};

/// The common prefix of all picture tags, so that TensorBoard groups them.
const GROUP: &str = "encoding";

/// The plugin of the Images tab. TensorBoard's readers warn about pictures without a plugin.
pub const PLUGIN: &str = "images";

/// `DATA_CLASS_BLOB_SEQUENCE` of TensorBoard's `summary.proto`: the data class of pictures.
pub const BLOB_SEQUENCE: u64 = 3;

/// The field number of `SummaryMetadata.data_class`, which is newer than the message crate.
const DATA_CLASS_FIELD: u32 = 4;

/// TensorBoard's number for RGB; it does not depend on how the PNG stores colours.
const COLORSPACE: i32 = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub tag: String,
    pub step: i64,
    pub size: [i32; 2],
    pub png: Vec<u8>,
    pub description: String,
    /// The plugin that shows it: [`PLUGIN`].
    pub plugin: String,
    pub data_class: u64,
}

pub(super) fn tag(map: &str) -> String {
    format!("{GROUP}/{map}")
}

pub(super) fn summary(picture: &Picture) -> io::Result<Summary> {
    let [width, height] = size(&picture.png).ok_or_else(|| io::Error::other("this is not a PNG file"))?;
    let mut image = Summary_Image::new();
    image.set_width(width);
    image.set_height(height);
    image.set_colorspace(COLORSPACE);
    image.set_encoded_image_string(picture.png.clone());
    let mut plugin = SummaryMetadata_PluginData::new();
    plugin.set_plugin_name(PLUGIN.to_owned());
    let mut metadata = SummaryMetadata::new();
    metadata.set_plugin_data(plugin);
    metadata.mut_unknown_fields().add_varint(DATA_CLASS_FIELD, BLOB_SEQUENCE);
    metadata.set_summary_description(picture.description());
    let mut value = Summary_Value::new();
    value.set_tag(tag(&picture.map));
    value.set_metadata(metadata);
    value.set_image(image);
    let mut summary = Summary::new();
    summary.set_value(vec![value].into());
    Ok(summary)
}

/// Width and height, from the header of a PNG file.
fn size(png: &[u8]) -> Option<[i32; 2]> {
    let (words, _) = png.strip_prefix(b"\x89PNG\r\n\x1a\n")?.as_chunks::<4>();
    match words {
        [_, [b'I', b'H', b'D', b'R'], width, height, ..] => Some([*width, *height].map(i32::from_be_bytes)),
        _ => None,
    }
}

/// The picture of a summary value; `None` for another plugin's value.
pub(super) fn of_value(value: &Summary_Value, step: i64) -> Option<Image> {
    value.has_image().then(|| {
        let (image, metadata) = (value.get_image(), value.get_metadata());
        let data_class = metadata.get_unknown_fields().get(DATA_CLASS_FIELD);
        Image {
            tag: value.get_tag().to_owned(),
            step,
            size: [image.get_width(), image.get_height()],
            png: image.get_encoded_image_string().to_vec(),
            description: metadata.get_summary_description().to_owned(),
            plugin: metadata.get_plugin_data().get_plugin_name().to_owned(),
            data_class: data_class.and_then(|values| values.varint.first()).copied().unwrap_or_default(),
        }
    })
}
