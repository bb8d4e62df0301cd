//! Encodes tensors by name as a weights message.

use crate::error::NetError;
use crate::fields::{Field, FieldContent, WEIGHTS};
use crate::layer::to_linear_16;
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};
use std::collections::{BTreeMap, BTreeSet};

const HEADCOUNT: &str = "headcount";

struct Encoder {
    tensors: BTreeMap<String, Vec<f32>>,
    heads: u64,
    rounding: f32,
}

/// The message of these tensors and of the number of attention heads, and the largest rounding error of a number.
pub(super) fn message(tensors: BTreeMap<String, Vec<f32>>, heads: u64) -> Result<(Vec<u8>, f32), NetError> {
    let mut encoder = Encoder { tensors, heads, rounding: 0.0 };
    let bytes = encoder.message("", WEIGHTS);
    match encoder.tensors.keys().next() {
        None => Ok((bytes, encoder.rounding)),
        Some(name) => Err(NetError::no_place(format!("the tensor {name}"), "networks without it")),
    }
}

impl Encoder {
    /// The fields below a name, which ends in a dot; no bytes if there are none.
    fn message(&mut self, prefix: &str, fields: &[Field]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for ((name, content), number) in fields.iter().zip(1..) {
            let path = format!("{prefix}{name}");
            match content {
                FieldContent::Tensor => {
                    if let Some(numbers) = self.tensors.remove(&path) {
                        let (layer, rounding) = to_linear_16(&numbers);
                        self.rounding = self.rounding.max(rounding);
                        put(&mut bytes, number, &layer.encode_to_vec());
                    }
                }
                FieldContent::Number if path == HEADCOUNT => {
                    encode_key(number, WireType::Varint, &mut bytes);
                    encode_varint(self.heads, &mut bytes);
                }
                FieldContent::One(inner) => {
                    let part = self.message(&format!("{path}."), inner);
                    put(&mut bytes, number, &part);
                }
                FieldContent::Many(inner) => {
                    let parts = (0..).map(|i| self.message(&format!("{path}[{i}]."), inner));
                    parts.take_while(|part| !part.is_empty()).for_each(|part| put(&mut bytes, number, &part));
                }
                FieldContent::Map(inner) => {
                    for key in self.keys(prefix) {
                        let value = self.message(&format!("{prefix}{key}."), inner);
                        let mut entry = Vec::new();
                        put(&mut entry, 1, key.as_bytes());
                        put(&mut entry, 2, &value);
                        put(&mut bytes, number, &entry);
                    }
                }
                FieldContent::Number | FieldContent::Nothing => {}
            }
        }
        bytes
    }

    /// The parts below a name that no field before the map has taken.
    fn keys(&self, prefix: &str) -> BTreeSet<String> {
        let inner = self.tensors.keys().filter_map(|name| name.strip_prefix(prefix)?.split_once('.'));
        inner.map(|(part, _)| part.to_owned()).collect()
    }
}

/// A field with bytes, unless they are empty.
fn put(message: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    if !bytes.is_empty() {
        encode_key(number, WireType::LengthDelimited, message);
        encode_varint(bytes.len() as u64, message);
        message.extend_from_slice(bytes);
    }
}
