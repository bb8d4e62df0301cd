//! Pictures in event files, for TensorBoard's Images tab.

use crate::pictures;
use crate::pictures::Picture;
use std::io;
use tensorboard_proto::summary::{Summary, Summary_Image, Summary_Value, SummaryMetadata};

/// What the tags of all pictures begin with, so that they stand together.
const GROUP: &str = "encoding";

/// PNG's colours as TensorBoard counts them: red, green, blue, whatever the file has them written in.
const COLORSPACE: i32 = 3;

/// A picture of an event file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `encoding/<map>`.
    pub tag: String,
    /// The step.
    pub step: i64,
    /// Width and height, as the summary says.
    pub size: [i32; 2],
    /// The PNG file.
    pub png: Vec<u8>,
    /// What TensorBoard shows beside it.
    pub description: String,
}

/// The tag of a map.
pub(super) fn tag(map: &str) -> String {
    format!("{GROUP}/{map}")
}

/// A picture as a summary.
pub(super) fn summary(picture: &Picture) -> io::Result<Summary> {
    let [width, height] = pictures::size(&picture.png).map_err(io::Error::other)?;
    let mut image = Summary_Image::new();
    image.set_width(width as i32);
    image.set_height(height as i32);
    image.set_colorspace(COLORSPACE);
    image.set_encoded_image_string(picture.png.clone());
    let mut metadata = SummaryMetadata::new();
    metadata.set_summary_description(picture.description().to_owned());
    let mut value = Summary_Value::new();
    value.set_tag(tag(&picture.map));
    value.set_metadata(metadata);
    value.set_image(image);
    let mut summary = Summary::new();
    summary.set_value(vec![value].into());
    Ok(summary)
}

/// The picture of a summary's value; `None` if it is of something else.
pub(super) fn of_value(value: &Summary_Value, step: i64) -> Option<Image> {
    value.has_image().then(|| {
        let image = value.get_image();
        Image {
            tag: value.get_tag().to_owned(),
            step,
            size: [image.get_width(), image.get_height()],
            png: image.get_encoded_image_string().to_vec(),
            description: value.get_metadata().get_summary_description().to_owned(),
        }
    })
}
