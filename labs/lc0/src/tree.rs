//! The tensors of a weights file by name: `encoder[3].mha.smolgen.dense1_w`.
//!
//! Every field has a name here, also fields that the format got later, so that unread parts can be reported at the end.

use super::error::NetError;
use super::fields::FieldContent::{Many, Map, Number, One, Tensor};
use super::fields::{Field, WEIGHTS};
use super::layer::{self, Layer};
use prost::Message as _;
use prost::encoding::{WireType, decode_key, decode_varint};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The most fields that are read. A network of 15 encoders with all heads (BT4) has fewer than 1,000.
const MOST_FIELDS: usize = 1 << 16;

#[derive(Debug)]
enum NamedValue<'a> {
    Tensor(&'a [u8]),
    Number(u64),
    /// A field of a newer version of the format.
    Unknown,
}

/// The content of a weights message, by name.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    found: BTreeMap<String, NamedValue<'a>>,
    /// Fields read, also those without a name or with the name of another.
    fields: usize,
}

impl<'a> Tree<'a> {
    /// Reads the names; tensors are decoded when they are taken.
    pub(super) fn of(weights: &'a [u8]) -> Result<Self, NetError> {
        let mut tree = Self::default();
        tree.walk(weights, "", WEIGHTS)?;
        Ok(tree)
    }

    fn walk(&mut self, mut rest: &'a [u8], prefix: &str, fields: &[Field]) -> Result<(), NetError> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        while !rest.is_empty() {
            let (number, value) = next(&mut rest, prefix)?;
            self.fields += 1;
            if self.fields > MOST_FIELDS {
                return Err(NetError::NoNetwork(format!("its weights have more than {MOST_FIELDS} fields")));
            }
            let name = |name: &str| format!("{prefix}{name}");
            match ((number as usize).checked_sub(1).and_then(|place| fields.get(place)), value) {
                (Some((field, Tensor)), Value::Bytes(bytes)) => self.put_tensor(name(field), bytes)?,
                (Some((field, Number)), Value::Number(number)) => {
                    self.found.insert(name(field), NamedValue::Number(number));
                }
                (Some((field, One(inner))), Value::Bytes(bytes)) => {
                    self.walk(bytes, &format!("{}.", name(field)), inner)?;
                }
                (Some((field, Many(inner))), Value::Bytes(bytes)) => {
                    let count = counts.entry(number).or_default();
                    self.walk(bytes, &format!("{}[{count}].", name(field)), inner)?;
                    *count += 1;
                }
                (Some((_, Map(inner))), Value::Bytes(bytes)) => {
                    let (key, value) = entry(bytes, prefix)?;
                    self.walk(value, &format!("{}.", name(&key)), inner)?;
                }
                _ => {
                    self.found.insert(name(&format!("field {number}")), NamedValue::Unknown);
                }
            }
        }
        Ok(())
    }

    /// Adds a tensor; empty ones count as missing, as in Lc0.
    fn put_tensor(&mut self, name: String, bytes: &'a [u8]) -> Result<(), NetError> {
        let layer = decode(bytes, &name)?;
        if layer.params.is_some_and(|params| !params.is_empty()) {
            self.found.insert(name, NamedValue::Tensor(bytes));
        }
        Ok(())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        matches!(self.found.get(name), Some(NamedValue::Tensor(_)))
    }

    /// Whether any tensor's name ends with one of these.
    pub(super) fn has_any(&self, endings: &[&str]) -> bool {
        self.found.keys().any(|name| endings.iter().any(|ending| name.ends_with(ending)))
    }

    /// Whether the part of this name has any content.
    pub(super) fn has_below(&self, part: &str) -> bool {
        self.below(&format!("{part}.")).next().is_some()
    }

    /// The names that begin with a prefix.
    fn below<'n>(&'n self, prefix: &'n str) -> impl Iterator<Item = &'n str> {
        let from = self.found.range::<str, _>((Bound::Included(prefix), Bound::<&str>::Unbounded));
        from.map(|(name, _)| name.as_str()).take_while(move |name| name.starts_with(prefix))
    }

    /// The named parts of a part: `vanilla` and `soft` of `policy_heads`, without its own tensors.
    pub(super) fn parts(&self, part: &str) -> BTreeSet<String> {
        let prefix = format!("{part}.");
        let inner = self.below(&prefix).filter_map(|name| name.strip_prefix(&prefix)?.split_once('.'));
        inner.map(|(part, _)| part.to_owned()).collect()
    }

    /// The number of messages in a list, as far as they have any content.
    pub(super) fn len(&self, list: &str) -> usize {
        let prefix = format!("{list}[");
        let places = self.below(&prefix).filter_map(|name| name.strip_prefix(&prefix)?.split(']').next());
        places.collect::<BTreeSet<_>>().len()
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match self.found.get(name) {
            Some(&NamedValue::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// Takes a tensor of any size.
    pub(super) fn tensor(&mut self, name: &str) -> Result<Vec<f32>, NetError> {
        let numbers = self.peek(name)?;
        self.found.remove(name);
        Ok(numbers)
    }

    /// Takes a tensor, with a check of its number of values.
    pub(super) fn sized(&mut self, name: &str, len: usize) -> Result<Vec<f32>, NetError> {
        let numbers = self.tensor(name)?;
        if numbers.len() != len {
            return Err(NetError::tensor(name, format!("holds {} numbers instead of {len}", numbers.len())));
        }
        Ok(numbers)
    }

    pub(super) fn peek(&self, name: &str) -> Result<Vec<f32>, NetError> {
        match self.found.get(name) {
            Some(&NamedValue::Tensor(bytes)) => layer::numbers(&decode(bytes, name)?, name),
            _ => Err(NetError::tensor(name, "is missing")),
        }
    }

    /// Removes a part by the name of a tensor, of a tensor without its suffix `_w` or `_b`, or of everything below a
    /// name.
    pub(super) fn remove(&mut self, part: &str) -> Result<(), NetError> {
        let before = self.found.len();
        self.found.retain(|name, _| {
            let rest = name.strip_prefix(part);
            !rest.is_some_and(|rest| matches!(rest, "" | "_w" | "_b") || rest.starts_with(['.', '[']))
        });
        if self.found.len() < before { Ok(()) } else { Err(NetError::NoPart(part.to_owned())) }
    }

    /// The first tensor or unknown field that was not taken.
    pub(super) fn first_unread(&self) -> Option<&str> {
        self.found.iter().find(|(_, found)| !matches!(found, NamedValue::Number(_))).map(|(name, _)| name.as_str())
    }
}

/// The value of a field on the wire.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A wire type that weights do not use.
    Other,
}

fn next<'a>(rest: &mut &'a [u8], place: &str) -> Result<(u32, Value<'a>), NetError> {
    let place = place.trim_end_matches('.');
    let damaged =
        |error: prost::DecodeError| NetError::NoNetwork(format!("its weights are damaged in {place:?}: {error}"));
    let (number, wire) = decode_key(rest).map_err(damaged)?;
    let value = match wire {
        WireType::Varint => Value::Number(decode_varint(rest).map_err(damaged)?),
        WireType::LengthDelimited => {
            let len = usize::try_from(decode_varint(rest).map_err(damaged)?).unwrap_or(usize::MAX);
            Value::Bytes(cut(rest, len, place)?)
        }
        WireType::ThirtyTwoBit => cut(rest, size_of::<u32>(), place).map(|_| Value::Other)?,
        WireType::SixtyFourBit => cut(rest, size_of::<u64>(), place).map(|_| Value::Other)?,
        WireType::StartGroup | WireType::EndGroup => {
            return Err(NetError::NoNetwork(format!("its weights are damaged in {place:?}: a group")));
        }
    };
    Ok((number, value))
}

fn cut<'a>(rest: &mut &'a [u8], len: usize, place: &str) -> Result<&'a [u8], NetError> {
    let (head, tail) = rest
        .split_at_checked(len)
        .ok_or_else(|| NetError::NoNetwork(format!("its weights are damaged in {place:?}: they end too early")))?;
    *rest = tail;
    Ok(head)
}

/// Each name below a key repeats it, so its length multiplies with the number of fields.
const LONGEST_KEY: usize = 64;

/// Key and value of a map's entry.
fn entry<'a>(mut rest: &'a [u8], place: &str) -> Result<(String, &'a [u8]), NetError> {
    let (mut key, mut value) = (String::new(), &[][..]);
    while !rest.is_empty() {
        match next(&mut rest, place)? {
            (1, Value::Bytes(bytes)) => key = String::from_utf8_lossy(bytes).into_owned(),
            (2, Value::Bytes(bytes)) => value = bytes,
            _ => {}
        }
    }
    let named = (1..=LONGEST_KEY).contains(&key.len())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if named {
        Ok((key, value))
    } else {
        let start: String = key.chars().take(LONGEST_KEY).collect();
        Err(NetError::tensor(place.trim_end_matches('.'), format!("has a head called {start:?}")))
    }
}

fn decode(bytes: &[u8], name: &str) -> Result<Layer, NetError> {
    Layer::decode(bytes).map_err(|error| NetError::tensor(name, format!("cannot be read: {error}")))
}
