//! Reads TensorBoard's event files, which nothing that ships does.

use protobuf::{Message as _, well_known_types};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tensorboard_proto::api::Status;
use tensorboard_proto::event::{Event, SessionLog_SessionStatus};
use tensorboard_proto::plugin_hparams::HParamsPluginData;
use tensorboard_proto::summary::Summary_Value;
use train::sinks::tensorboard::PREFIX;

/// What a folder's event file holds.
#[derive(Default)]
pub struct Events {
    pub version: String,
    /// The steps of its START records.
    pub starts: Vec<i64>,
    /// Tag, step and value.
    pub scalars: Vec<(String, i64, f32)>,
    pub times: Vec<f64>,
    /// Pictures, each after its step.
    pub images: Vec<(i64, Summary_Value)>,
    pub hparams: Option<BTreeMap<String, Value>>,
    /// Whether its session has ended.
    pub done: bool,
}

pub fn event_files(dir: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_event_file =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    let mut files: Vec<PathBuf> = paths.filter(is_event_file).collect();
    files.sort();
    files
}

/// The events that TensorBoard shows of a folder: each file withdraws those of the files before it.
pub fn events(dir: &Path) -> Events {
    let bytes = event_files(dir).last().map(|file| fs::read(file).expect("bytes")).unwrap_or_default();
    let (mut events, mut rest) = (Events::default(), &bytes[..]);
    while !rest.is_empty() {
        events.take(&Event::parse_from_bytes(record(&mut rest)).expect("an event"));
    }
    assert!(events.starts.iter().all(|&step| step == 0));
    events
}

/// A record is: length (u64), masked CRC-32C of the length, the bytes, masked CRC-32C of the bytes, little-endian.
fn record<'a>(file: &mut &'a [u8]) -> &'a [u8] {
    let (length, rest) = file.split_first_chunk::<8>().expect("a length");
    let (of_length, rest) = rest.split_first_chunk::<4>().expect("its checksum");
    let (record, rest) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let (of_record, rest) = rest.split_first_chunk::<4>().expect("a checksum");
    assert_eq!((*of_length, *of_record), (checksum(length), checksum(record)));
    *file = rest;
    record
}

/// The cyclic redundancy check of Castagnoli, its bits reversed, and masked.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
    let crc = !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)));
    crc.rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

impl Events {
    fn take(&mut self, event: &Event) {
        if event.has_file_version() {
            event.get_file_version().clone_into(&mut self.version);
        }
        if event.get_session_log().get_status() == SessionLog_SessionStatus::START {
            self.starts.push(event.get_step());
        }
        for value in event.get_summary().get_value() {
            let plugin = value.get_metadata().get_plugin_data();
            if plugin.get_plugin_name() == "hparams" {
                self.session(&HParamsPluginData::parse_from_bytes(plugin.get_content()).expect("a session"));
            } else if value.has_image() {
                self.images.push((event.get_step(), value.clone()));
            } else {
                self.scalars.push((value.get_tag().to_owned(), event.get_step(), value.get_simple_value()));
                self.times.push(event.get_wall_time());
            }
        }
    }

    fn session(&mut self, data: &HParamsPluginData) {
        if data.has_session_start_info() {
            let found = data.get_session_start_info().get_hparams().iter();
            self.hparams = Some(found.map(|(name, value)| (name.clone(), json(value))).collect());
        }
        self.done |= data.get_session_end_info().get_status() == Status::STATUS_SUCCESS;
    }
}

fn json(value: &well_known_types::Value) -> Value {
    if value.has_bool_value() {
        Value::from(value.get_bool_value())
    } else if value.has_number_value() {
        Value::from(value.get_number_value())
    } else {
        Value::from(value.get_string_value())
    }
}
