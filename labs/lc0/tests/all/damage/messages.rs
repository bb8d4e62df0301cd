//! Messages of protocol buffers as documents of JSON, whose values can be changed, and back. Lengths stay right.

use serde_json::Value;

/// A message as the list of its fields, each with its number, its wire type and its value; none if the bytes are not one. Fixed
/// numbers are their bits. Byte strings that can be messages, written in the usual way, are taken for such; of others each
/// byte is a character.
pub fn document(mut rest: &[u8]) -> Option<Value> {
    let mut fields: Vec<Value> = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let value = match key & 7 {
            0 => Value::from(varint(&mut rest)?),
            1 => Value::from(u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                let bytes = take(&mut rest, length)?;
                let inner = document(bytes).filter(|inner| !bytes.is_empty() && written(inner) == bytes);
                inner.unwrap_or_else(|| Value::from(bytes.iter().copied().map(char::from).collect::<String>()))
            }
            5 => Value::from(u32::from_le_bytes(take(&mut rest, 4)?.try_into().ok()?)),
            _ => return None,
        };
        fields.push(Value::from(vec![Value::from(key >> 3), Value::from(key & 7), value]));
    }
    Some(Value::from(fields))
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

/// The message of a document, whatever stands in it: what has no number or no wire type is left out.
pub fn written(document: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    for field in document.as_array().into_iter().flatten() {
        let Some([number, kind, value]) = field.as_array().map(Vec::as_slice) else { continue };
        let (Some(number), Some(kind)) = (number.as_u64(), kind.as_u64()) else { continue };
        let kind = kind & 7;
        put(&mut out, number << 3 | kind);
        let whole = value.as_u64().or_else(|| value.as_i64().map(|below| below as u64));
        match kind {
            0 => put(&mut out, whole.unwrap_or_else(|| number_of(value) as u64)),
            1 => out.extend(whole.unwrap_or_else(|| number_of(value).to_bits()).to_le_bytes()),
            2 => {
                let text = value.as_str().map(|text| text.chars().map(|character| character as u8).collect());
                let bytes: Vec<u8> = text.unwrap_or_else(|| written(value));
                put(&mut out, bytes.len() as u64);
                out.extend(bytes);
            }
            5 => {
                let bits = whole.map_or_else(|| (number_of(value) as f32).to_bits(), |bits| bits as u32);
                out.extend(bits.to_le_bytes());
            }
            _ => {}
        }
    }
    out
}

/// The number that a value is or spells.
fn number_of(value: &Value) -> f64 {
    let spelt = value.as_str().and_then(|text| text.parse().ok());
    value.as_f64().or(spelt).unwrap_or_default()
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
