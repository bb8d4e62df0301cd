//! Formats whose meaning is changed.

use super::documents::{self, text};
use super::{events, laws, messages, seeded};
use proptest::prelude::*;
use serde_json::Value;

const USUAL: u32 = 1_000;

/// The cyclic redundancy check of Castagnoli, its bits reversed.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
}

fn records(mut file: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    while let Some((length, rest)) = file.split_first_chunk::<8>() {
        let length = u64::from_le_bytes(*length) as usize;
        records.push(&rest[4..4 + length]);
        file = &rest[length + 8..];
    }
    records
}

/// The event file of the list of these messages: each between its length and checksums.
fn event_file(all: &Value) -> Vec<u8> {
    let checksum = |bytes: &[u8]| crc(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes();
    let framed = |message: &Value| {
        let record = messages::written(message);
        let length = (record.len() as u64).to_le_bytes();
        [&length[..], &checksum(&length), record.as_slice(), &checksum(&record)].concat()
    };
    all.as_array().into_iter().flatten().flat_map(framed).collect()
}

#[test]
fn changed_events_are_refused_or_read() {
    let good = events();
    let document = |record: &[u8]| messages::document(record).expect("a message");
    let all = Value::from(records(&good).into_iter().map(document).collect::<Vec<_>>());
    assert_eq!(event_file(&all), good);
    let files = documents::values(all).prop_map(|all| event_file(&all));
    seeded::hold("events", USUAL, &files, laws::events);
}

#[test]
fn a_changed_header_of_weights_is_refused_or_of_the_networks_shapes() {
    let good = laws::good_weights();
    let (length, rest) = good.split_first_chunk::<8>().expect("a length");
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let (header, data): (Value, Vec<u8>) = (serde_json::from_slice(header).expect("JSON"), data.to_vec());
    let files = documents::values(header).prop_map(move |header| {
        let header = text(&header);
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data.as_slice()].concat()
    });
    seeded::hold("header of safetensors", USUAL, &files, laws::weights);
}
