//! What TensorBoard's plugins show: pictures in the Images tab, and in the HParams tab one session per cell, with its
//! hyperparameters and whether it is done. The HParams tab takes the metrics from the scalars.

use crate::pictures::Picture;
use protobuf::Message;
use protobuf::well_known_types::Value as ProtoValue;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use tensorboard_proto::api::Status;
use tensorboard_proto::plugin_hparams::{HParamsPluginData, SessionEndInfo, SessionStartInfo};
use tensorboard_proto::summary::{Summary, Summary_Image, Summary_Value, SummaryMetadata, SummaryMetadata_PluginData};
use tensorboard_proto::tensor::TensorProto;
use tensorboard_proto::tensor_shape::TensorShapeProto;
use tensorboard_proto::types::DataType;

/// The common prefix of all picture tags, so that TensorBoard groups them.
const GROUP: &str = "encoding";

/// `DATA_CLASS_BLOB_SEQUENCE` of TensorBoard's `summary.proto`: the data class of pictures.
const BLOB_SEQUENCE: u64 = 3;

/// The field number of `SummaryMetadata.data_class`, which is newer than the message crate.
const DATA_CLASS_FIELD: u32 = 4;

/// TensorBoard's number for RGB; it does not depend on how the PNG stores colours.
const COLORSPACE: i32 = 3;

/// The field number of `HParamsPluginData.session_start_info`.
const START_FIELD: u32 = 3;

/// Hyperparameters by name: texts, numbers and booleans; other values are shown as JSON.
pub type HParams = BTreeMap<String, Value>;

/// TensorBoard's readers warn about pictures without a plugin.
pub(super) fn picture(picture: &Picture) -> io::Result<Summary> {
    let [width, height] = size(&picture.png).ok_or_else(|| io::Error::other("this is not a PNG file"))?;
    let mut image = Summary_Image::new();
    image.set_width(width);
    image.set_height(height);
    image.set_colorspace(COLORSPACE);
    image.set_encoded_image_string(picture.png.clone());
    let mut metadata = of_plugin("images", Vec::new());
    metadata.mut_unknown_fields().add_varint(DATA_CLASS_FIELD, BLOB_SEQUENCE);
    metadata.set_summary_description(picture.description());
    let mut value = Summary_Value::new();
    value.set_tag(format!("{GROUP}/{}", picture.map));
    value.set_metadata(metadata);
    value.set_image(image);
    Ok(summary(value))
}

/// Width and height, from the header of a PNG file.
fn size(png: &[u8]) -> Option<[i32; 2]> {
    let (words, _) = png.strip_prefix(b"\x89PNG\r\n\x1a\n")?.as_chunks::<4>();
    match words {
        [_, [b'I', b'H', b'D', b'R'], width, height, ..] => Some([*width, *height].map(i32::from_be_bytes)),
        _ => None,
    }
}

pub(super) fn start(hparams: &HParams, unix_s: f64) -> io::Result<Summary> {
    let mut time = SessionStartInfo::new();
    time.set_start_time_secs(unix_s);
    let mut info = bytes(&time)?;
    // One by one, because protobuf writes a map in a random order.
    for (name, value) in hparams {
        let mut one = SessionStartInfo::new();
        one.mut_hparams().insert(name.clone(), to_proto(value));
        info.extend(bytes(&one)?);
    }
    let mut data = HParamsPluginData::new();
    data.mut_unknown_fields().add_length_delimited(START_FIELD, info);
    session("_hparams_/session_start_info", &data)
}

pub(super) fn end(unix_s: f64) -> io::Result<Summary> {
    let mut info = SessionEndInfo::new();
    info.set_status(Status::STATUS_SUCCESS);
    info.set_end_time_secs(unix_s);
    let mut data = HParamsPluginData::new();
    data.set_session_end_info(info);
    session("_hparams_/session_end_info", &data)
}

fn to_proto(value: &Value) -> ProtoValue {
    let mut proto = ProtoValue::new();
    match value {
        Value::Bool(flag) => proto.set_bool_value(*flag),
        Value::Number(number) => proto.set_number_value(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => proto.set_string_value(text.clone()),
        other => proto.set_string_value(other.to_string()),
    }
    proto
}

/// The plugin reads the metadata only; the scalar value is unused.
fn session(tag: &str, data: &HParamsPluginData) -> io::Result<Summary> {
    let mut tensor = TensorProto::new();
    tensor.set_dtype(DataType::DT_FLOAT);
    tensor.set_tensor_shape(TensorShapeProto::new());
    tensor.set_float_val(vec![0.0]);
    let mut value = Summary_Value::new();
    value.set_tag(tag.to_owned());
    value.set_metadata(of_plugin("hparams", bytes(data)?));
    value.set_tensor(tensor);
    Ok(summary(value))
}

fn bytes(message: &impl Message) -> io::Result<Vec<u8>> {
    message.write_to_bytes().map_err(io::Error::other)
}

fn of_plugin(name: &str, content: Vec<u8>) -> SummaryMetadata {
    let mut plugin = SummaryMetadata_PluginData::new();
    plugin.set_plugin_name(name.to_owned());
    plugin.set_content(content);
    let mut metadata = SummaryMetadata::new();
    metadata.set_plugin_data(plugin);
    metadata
}

fn summary(value: Summary_Value) -> Summary {
    let mut summary = Summary::new();
    summary.set_value(vec![value].into());
    summary
}
