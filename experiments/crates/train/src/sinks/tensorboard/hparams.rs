//! Records for TensorBoard's HParams tab: one session per cell, with its hyperparameters and whether it is done.
//!
//! The tab reads two summaries of its plugin, `session_start_info` and `session_end_info`, and takes its columns from
//! them; the metrics come from the scalars. The first record of a kind counts, so every event file of a cell may begin
//! with the same one.

use protobuf::Message as _;
use protobuf::well_known_types::Value as ProtoValue;
use serde_json::Value;
use std::io;
use tensorboard_proto::api::Status;
use tensorboard_proto::plugin_hparams::{HParamsPluginData, SessionEndInfo, SessionStartInfo};
use tensorboard_proto::summary::{Summary, Summary_Value, SummaryMetadata, SummaryMetadata_PluginData};
use tensorboard_proto::tensor::TensorProto;
use tensorboard_proto::types::DataType;

const PLUGIN: &str = "hparams";
const START_TAG: &str = "_hparams_/session_start_info";
const END_TAG: &str = "_hparams_/session_end_info";

/// Hyperparameters by name: texts, numbers and booleans; other values are shown as JSON.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HParams(pub Vec<(String, Value)>);

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    pub hparams: Option<HParams>,
    pub done: bool,
}

pub(super) fn start(hparams: &HParams, unix_s: f64) -> io::Result<Summary> {
    let mut info = SessionStartInfo::new();
    info.set_hparams(hparams.0.iter().map(|(name, value)| (name.clone(), to_proto(value))).collect());
    info.set_start_time_secs(unix_s);
    let mut data = HParamsPluginData::new();
    data.set_session_start_info(info);
    summary(START_TAG, &data)
}

pub(super) fn end(unix_s: f64) -> io::Result<Summary> {
    let mut info = SessionEndInfo::new();
    info.set_status(Status::STATUS_SUCCESS);
    info.set_end_time_secs(unix_s);
    let mut data = HParamsPluginData::new();
    data.set_session_end_info(info);
    summary(END_TAG, &data)
}

impl Session {
    /// Reads a summary value about the session; false if it belongs to another plugin.
    pub(super) fn take(&mut self, value: &Summary_Value) -> Result<bool, protobuf::ProtobufError> {
        let plugin = value.get_metadata().get_plugin_data();
        if plugin.get_plugin_name() != PLUGIN {
            return Ok(false);
        }
        let data = HParamsPluginData::parse_from_bytes(plugin.get_content())?;
        if data.has_session_start_info() && self.hparams.is_none() {
            let found = data.get_session_start_info().get_hparams();
            let mut found: Vec<_> = found.iter().map(|(name, value)| (name.clone(), from_proto(value))).collect();
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
            self.hparams = Some(HParams(found));
        }
        self.done |= data.has_session_end_info() && data.get_session_end_info().get_status() == Status::STATUS_SUCCESS;
        Ok(true)
    }
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

fn from_proto(proto: &ProtoValue) -> Value {
    if proto.has_bool_value() {
        Value::from(proto.get_bool_value())
    } else if proto.has_number_value() {
        Value::from(proto.get_number_value())
    } else {
        Value::from(proto.get_string_value())
    }
}

/// The plugin reads the metadata only; the scalar value is unused.
fn summary(tag: &str, data: &HParamsPluginData) -> io::Result<Summary> {
    let mut plugin = SummaryMetadata_PluginData::new();
    plugin.set_plugin_name(PLUGIN.to_owned());
    plugin.set_content(data.write_to_bytes().map_err(io::Error::other)?);
    let mut metadata = SummaryMetadata::new();
    metadata.set_plugin_data(plugin);
    let mut tensor = TensorProto::new();
    tensor.set_dtype(DataType::DT_FLOAT);
    tensor.set_tensor_shape(tensorboard_proto::tensor_shape::TensorShapeProto::new());
    tensor.set_float_val(vec![0.0]);
    let mut value = Summary_Value::new();
    value.set_tag(tag.to_owned());
    value.set_metadata(metadata);
    value.set_tensor(tensor);
    let mut summary = Summary::new();
    summary.set_value(vec![value].into());
    Ok(summary)
}
