//! Messages of protocol buffers whose meaning is changed: up to four fields, at any depth, are removed, doubled,
//! exchanged, renumbered or get another value. Lengths stay right.

use proptest::prelude::*;
use proptest::sample::{Index, select};

#[derive(Debug, Clone)]
struct Field {
    number: u64,
    value: Value,
}

#[derive(Debug, Clone)]
enum Value {
    Varint(u64),
    Eight([u8; 8]),
    Bytes(Vec<u8>),
    Message(Vec<Field>),
    Four([u8; 4]),
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Replace,
    Drop,
    Double,
    Swap,
    Renumber,
}

const KINDS: &[Kind] = &[Kind::Replace, Kind::Replace, Kind::Drop, Kind::Double, Kind::Swap, Kind::Renumber];

type Change = (Index, Kind, Index);

const VARINTS: &[u64] = &[0, 1, 2, 3, 5, 9, 127, 1 << 24, 1 << 31, 1 << 63, u64::MAX];

const NUMBERS: &[f64] = &[0.0, -1.0, 3e38, -3e38, 1e308, f64::INFINITY, f64::NAN];

/// Changed copies of a message; one in eight is unchanged.
pub fn changed(message: &[u8]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let fields = parse(message).expect("a message");
    let change = (any::<Index>(), select(KINDS), any::<Index>());
    let changes = prop_oneof![7 => prop::collection::vec(change, 1..=4), 1 => Just(Vec::<Change>::new())];
    changes.prop_map(move |changes| {
        let mut copy = fields.clone();
        for (place, kind, other) in changes {
            let all = count(&copy);
            if all > 0 {
                apply(&mut copy, place.index(all), kind, other);
            }
        }
        written(&copy)
    })
}

/// A message that holds these byte strings, each as field 1.
pub fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let field = |part: &&[u8]| Field { number: 1, value: Value::Bytes(part.to_vec()) };
    written(&parts.iter().map(field).collect::<Vec<_>>())
}

/// The byte strings of a message, of whatever fields.
pub fn parts(message: &[u8]) -> Vec<Vec<u8>> {
    let fields = parse(message).unwrap_or_default();
    let part = |field: Field| match field.value {
        Value::Bytes(bytes) => Some(bytes),
        Value::Message(fields) => Some(written(&fields)),
        Value::Varint(_) | Value::Eight(_) | Value::Four(_) => None,
    };
    fields.into_iter().filter_map(part).collect()
}

/// The fields of a message; none if the bytes are not one. Byte strings that can be messages, written in the usual way, are taken for
/// such.
fn parse(mut rest: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let value = match key & 7 {
            0 => Value::Varint(varint(&mut rest)?),
            1 => Value::Eight(take(&mut rest, 8)?.try_into().ok()?),
            2 => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                let bytes = take(&mut rest, length)?;
                match parse(bytes).filter(|fields| !fields.is_empty() && written(fields) == bytes) {
                    Some(fields) => Value::Message(fields),
                    None => Value::Bytes(bytes.to_vec()),
                }
            }
            5 => Value::Four(take(&mut rest, 4)?.try_into().ok()?),
            _ => return None,
        };
        fields.push(Field { number: key >> 3, value });
    }
    Some(fields)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, left) = rest.split_first()?;
        *rest = left;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn written(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    let with_length = |out: &mut Vec<u8>, bytes: &[u8]| {
        put(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    };
    for Field { number, value } in fields {
        let kind = match value {
            Value::Varint(_) => 0,
            Value::Eight(_) => 1,
            Value::Bytes(_) | Value::Message(_) => 2,
            Value::Four(_) => 5,
        };
        put(&mut out, number << 3 | kind);
        match value {
            Value::Varint(number) => put(&mut out, *number),
            Value::Eight(bytes) => out.extend_from_slice(bytes),
            Value::Bytes(bytes) => with_length(&mut out, bytes),
            Value::Message(fields) => with_length(&mut out, &written(fields)),
            Value::Four(bytes) => out.extend_from_slice(bytes),
        }
    }
    out
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The number of fields at any depth.
fn count(fields: &[Field]) -> usize {
    let inside = |field: &Field| if let Value::Message(inner) = &field.value { count(inner) } else { 0 };
    fields.iter().map(|field| 1 + inside(field)).sum()
}

/// Changes the field at a place, counted as in [`count`].
fn apply(fields: &mut Vec<Field>, mut place: usize, kind: Kind, other: Index) {
    for i in 0..fields.len() {
        if place == 0 {
            return change(fields, i, kind, other);
        }
        place -= 1;
        if let Value::Message(inner) = &mut fields[i].value {
            let inside = count(inner);
            if place < inside {
                return apply(inner, place, kind, other);
            }
            place -= inside;
        }
    }
}

fn change(fields: &mut Vec<Field>, i: usize, kind: Kind, other: Index) {
    match kind {
        Kind::Replace => replace(&mut fields[i].value, other),
        Kind::Drop => drop(fields.remove(i)),
        Kind::Double => {
            let (to, copy) = (other.index(fields.len() + 1), fields[i].clone());
            fields.insert(to, copy);
        }
        Kind::Swap => {
            let other = other.index(fields.len());
            fields.swap(i, other);
        }
        Kind::Renumber => fields[i].number = other.index(50) as u64,
    }
}

fn replace(value: &mut Value, other: Index) {
    let number = *other.get(NUMBERS);
    *value = match value {
        Value::Varint(_) => Value::Varint(*other.get(VARINTS)),
        Value::Eight(_) => Value::Eight(number.to_le_bytes()),
        Value::Four(_) => Value::Four((number as f32).to_le_bytes()),
        Value::Bytes(bytes) => Value::Bytes(other_bytes(bytes, other)),
        Value::Message(fields) => Value::Bytes(other_bytes(&written(fields), other)),
    };
}

/// Other bytes: none, a half, twice as many, many, such as no text has, or a text that acts.
fn other_bytes(bytes: &[u8], other: Index) -> Vec<u8> {
    match other.index(6) {
        0 => Vec::new(),
        1 => bytes[..bytes.len() / 2].to_vec(),
        2 => bytes.repeat(2),
        3 => vec![0; 5000],
        4 => vec![0xff; 10],
        _ => b"../\x1b[2J".to_vec(),
    }
}
