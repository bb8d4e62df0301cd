//! Settings of a run by name: `train.clip`, or one of the short names below.

use serde_json::Value;

/// Short names, in the order in which rows are multiplied and named.
pub const SHORT: [(&str, &str); 11] = [
    ("game", "game"),
    ("encoding", "encoding"),
    ("model", "model"),
    ("input", "input"),
    ("moves", "moves"),
    ("mask", "train.mask"),
    ("optimizer", "train.optimizer"),
    ("learning_rate", "train.learning_rate"),
    ("batch", "train.batch"),
    ("steps", "train.steps"),
    ("phases", "train.phases"),
];

/// The keys that lead from a run to a setting, by its short name or its dotted one.
pub fn keys(name: &str) -> Vec<String> {
    let long = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| long);
    long.split('.').map(str::to_owned).collect()
}

/// The value of a setting in a run as JSON. In a list, a key is a number, or the name of the element.
pub fn value<'a>(run: &'a Value, keys: &[String]) -> Option<&'a Value> {
    keys.iter().try_fold(run, |value, key| match value {
        Value::Array(list) => list.get(element(list, key)?).map(|one| one.get(key).unwrap_or(one)),
        other => other.get(key),
    })
}

/// Takes a setting out of a run as JSON, and returns it if it was there.
pub fn remove(run: &mut Value, keys: &[String]) -> Option<Value> {
    let (last, way) = keys.split_last()?;
    let holder = way.iter().try_fold(run, |value, key| match value {
        Value::Array(list) => {
            let number = element(list, key)?;
            let one = &mut list[number];
            if one.get(key).is_some() { one.get_mut(key) } else { Some(one) }
        }
        other => other.get_mut(key),
    })?;
    holder.as_object_mut()?.remove(last)
}

/// The element of a list that a key names.
fn element(list: &[Value], key: &str) -> Option<usize> {
    key.parse().ok().or_else(|| list.iter().position(|one| one.get(key).is_some())).filter(|&i| i < list.len())
}
