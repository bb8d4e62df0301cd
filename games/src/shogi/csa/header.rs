//! The header of a CSA record.

type Tags = [(String, String)];

/// A player's name: `N+name` without the `N`.
pub(super) fn name(text: &str) -> (String, String) {
    let at = text.chars().next().map_or(0, char::len_utf8);
    (format!("N{}", &text[..at]), text[at..].to_owned())
}

/// `$KEY:value` or `'key:value`, without the mark; a comment without a colon has no key.
pub(super) fn field(mark: char, text: &str) -> (String, String) {
    match text.split_once(':') {
        Some((key, value)) => (format!("{mark}{key}"), value.to_owned()),
        None => (mark.to_string(), text.to_owned()),
    }
}

pub(super) fn ratings(tags: &Tags) -> [Option<i32>; 2] {
    ["'black_rate", "'white_rate"].map(|key| {
        let rate: f64 = value(tags, key)?.rsplit(':').next()?.trim().parse().ok()?;
        (rate.abs() < 1e6).then_some(rate.round() as i32)
    })
}

/// The cap on plies in the record.
pub(super) fn ply_cap(tags: &Tags) -> Option<u32> {
    let named = value(tags, "'Max_Moves").or_else(|| value(tags, "$MAX_MOVES"))?;
    named.trim().parse().ok().filter(|&cap| cap > 0)
}

fn value<'a>(tags: &'a Tags, key: &str) -> Option<&'a str> {
    tags.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}
