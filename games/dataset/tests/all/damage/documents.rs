//! Documents of JSON, YAML and protocol buffers whose meaning is changed: up to four values, keys and entries of lists are
//! replaced by hostile ones, removed, doubled, exchanged or renamed.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// What happens at a place of a document.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A hostile value takes its place.
    Replace,
    /// The value of another place takes its place.
    Copy,
    /// It and another place exchange their values.
    Swap,
    Reverse,
    /// A text loses its second half.
    Halve,
    /// A text is followed by itself.
    Repeat,
    /// It is removed from its list or map.
    Drop,
    /// It stands twice in its list or map.
    Double,
    /// Its key becomes another one.
    Rename,
}

/// Each kind, as often as it occurs.
fn kinds() -> Vec<Kind> {
    let elsewhere = [Kind::Copy, Kind::Swap, Kind::Drop, Kind::Double, Kind::Rename];
    let inside = [Kind::Reverse, Kind::Halve, Kind::Repeat];
    [[Kind::Replace; 4].as_slice(), &elsewhere, &inside].concat()
}

/// A change: its place, its kind, and what it takes from elsewhere.
type Change = (Index, Kind, Index);

/// Values that JSON has no words for, or that a parser reads in its own way.
const RAW: &[&str] = &[".nan", "-.inf", "1e999", "-0", "0x10", "123456789012345678901234567890", "2024-01-01"];

/// Begins a text that is written without quotes.
const UNQUOTED: &str = "@unquoted ";

/// Begins a key that stands in its map already.
const DOUBLED: &str = "@doubled ";

const TEXTS: &[&str] = &[
    "",
    " ",
    "x",
    ".",
    "..",
    "../victim",
    "/etc/passwd",
    "/dev/zero",
    "a/b",
    "a\\b",
    "C:",
    "a\u{0}b",
    "\u{1b}[2J",
    "\u{202e}x",
    "\r\n",
    "=1+1",
    "<b>",
    "NaN",
    "inf",
    "1e3",
    "-1",
    "true",
    "none",
    "last",
    "from",
    "policy_loss.novel",
];

static HOSTILE: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let small = [0_u64, 1, 2, 3, 5, 7, 9, 100, 127, 4096].map(Value::from);
    let large = [1 << 24, 1 << 31, u64::from(u32::MAX), 1 << 53, u64::MAX].map(Value::from);
    let below = [-1, -2, i64::from(i32::MIN), i64::MIN].map(Value::from);
    let least = f64::from_bits(1);
    let parts = [0.5, -0.5, 1.0, 1e-320, least, 1e16, 1e38, 3e38, -3e38, 1e308, f64::MAX, -f64::MAX].map(Value::from);
    let words = TEXTS.iter().copied().map(Value::from);
    let raw = RAW.iter().map(|raw| Value::from(format!("{UNQUOTED}{raw}")));
    let nested = |depth: usize| (0..depth).fold(Value::Null, |inner, _| json!([inner]));
    let others = [
        Value::Null,
        json!(true),
        json!(false),
        json!([]),
        json!({}),
        json!([[]]),
        json!([null, null]),
        json!({"": {}}),
        json!({"none": {}}),
        json!("x".repeat(5000)),
        json!("\0".repeat(5000)),
        json!("\u{ff}".repeat(10)),
        json!("[".repeat(1000)),
        // A field of protocol buffers that ends before its 127 bytes.
        json!("\n\u{7f}"),
        nested(20),
        nested(200),
    ];
    small.into_iter().chain(large).chain(below).chain(parts).chain(words).chain(raw).chain(others).collect()
});

/// Changed copies of a document; one in eight is unchanged.
pub fn values(document: Value) -> impl Strategy<Value = Value> {
    let change = (any::<Index>(), select(kinds()), any::<Index>());
    let changes = prop_oneof![7 => prop::collection::vec(change, 1..=4), 1 => Just(Vec::<Change>::new())];
    changes.prop_map(move |changes| {
        let mut copy = document.clone();
        changes.iter().for_each(|change| apply(&mut copy, change));
        copy
    })
}

/// The texts of changed copies of a document.
pub fn texts(document: Value) -> impl Strategy<Value = Vec<u8>> {
    values(document).prop_map(|copy| text(&copy).into_bytes())
}

/// The text of a document: JSON, with the words of YAML that JSON lacks. A text of one line.
pub fn text(document: &Value) -> String {
    let quoted = document.to_string().replace(&format!("\"{DOUBLED}"), "\"");
    RAW.iter().fold(quoted, |text, raw| text.replace(&format!("\"{UNQUOTED}{raw}\""), raw))
}

fn apply(document: &mut Value, (place, kind, other): &Change) {
    let mut all = Vec::new();
    places(document, "", &mut all);
    let (here, there) = (place.get(&all), other.get(&all));
    let at = |document: &Value, place: &str| document.pointer(place).cloned().unwrap_or_default();
    match kind {
        Kind::Replace => put(document, here, other.get(HOSTILE.as_slice()).clone()),
        Kind::Copy => {
            let copy = at(document, there);
            put(document, here, copy);
        }
        Kind::Swap => {
            let (one, two) = (at(document, here), at(document, there));
            put(document, here, two);
            put(document, there, one);
        }
        Kind::Reverse | Kind::Halve | Kind::Repeat => match (document.pointer_mut(here), kind) {
            (Some(Value::Array(list)), Kind::Reverse) => list.reverse(),
            (Some(Value::String(text)), Kind::Halve) => *text = text.chars().take(text.chars().count() / 2).collect(),
            (Some(Value::String(text)), Kind::Repeat) => *text = text.repeat(2),
            _ => {}
        },
        Kind::Drop | Kind::Double | Kind::Rename => in_parent(document, here, *kind, other),
    }
}

/// The places of all values (RFC 6901), those of lists and maps before those in them.
pub fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| places(value, &format!("{here}/{i}"), found));
        }
        Value::Object(map) => {
            for (key, value) in map {
                places(value, &format!("{here}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}

/// Writes a value to a place, if that is still there.
fn put(document: &mut Value, place: &str, value: Value) {
    if let Some(old) = document.pointer_mut(place) {
        *old = value;
    }
}

/// Removes, doubles or renames an entry of a list or map. The document itself is in neither.
fn in_parent(document: &mut Value, place: &str, kind: Kind, other: &Index) {
    let Some((parent, last)) = place.rsplit_once('/') else { return };
    match document.pointer_mut(parent) {
        Some(Value::Array(list)) => {
            let at: usize = last.parse().expect("a place in a list");
            if matches!(kind, Kind::Drop) {
                list.remove(at);
            } else {
                let (to, copy) = (other.index(list.len() + 1), list[at].clone());
                list.insert(to, copy);
            }
        }
        Some(Value::Object(map)) => {
            let key = last.replace("~1", "/").replace("~0", "~");
            let value = map.remove(&key).expect("a place in a map");
            match kind {
                Kind::Drop => {}
                Kind::Rename => drop(map.insert((*other.get(TEXTS)).to_owned(), value)),
                _ => {
                    map.insert(format!("{DOUBLED}{key}"), value.clone());
                    map.insert(key, value);
                }
            }
        }
        _ => unreachable!("the place {place} was in the document"),
    }
}
