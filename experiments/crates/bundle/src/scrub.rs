//! Removes machine-specific text: absolute paths are cut to their last name, the host's name is replaced.

use serde_json::Value;

/// Replaces the folders of a path.
const ELIDED_DIRS: &str = "…/";

const HOST: &str = "host";

/// The name of this machine; `None` if it has none.
pub fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_owned();
    (!name.is_empty() && name != "localhost" && name != "(none)").then_some(name)
}

/// The text without absolute paths and without a host's name.
pub fn scrub(text: &str, host: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, path, after)) = next_path(rest, out.chars().last()) {
        out.push_str(before);
        out.push_str(ELIDED_DIRS);
        out.push_str(path.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    if let Some(host) = host { without_word(&out, host) } else { out }
}

/// Scrubs the strings of a JSON document; a string that is a path is cut to its last name.
pub fn scrub_json(value: &mut Value, host: Option<&str>) {
    match value {
        Value::String(text) if text.starts_with('/') && text.len() > 1 => {
            *text = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        }
        Value::String(text) => *text = scrub(text, host),
        Value::Array(list) => list.iter_mut().for_each(|value| scrub_json(value, host)),
        Value::Object(map) => map.values_mut().for_each(|value| scrub_json(value, host)),
        _ => {}
    }
}

/// The first remaining absolute path or host name.
pub fn leak(text: &str, host: Option<&str>) -> Option<String> {
    if let Some((_, path, _)) = next_path(text, None) {
        return Some(path.to_owned());
    }
    host.filter(|host| words(text, host).next().is_some()).map(str::to_owned)
}

/// The text before the next absolute path of at least two names, the path, and the rest.
fn next_path(text: &str, before: Option<char>) -> Option<(&str, &str, &str)> {
    let mut last = before;
    for (at, c) in text.char_indices() {
        // After a letter a slash divides (`positions/s`, `1/8`); after a colon and before another slash it belongs to a
        // URL.
        let begins = c == '/' && last.is_none_or(|last| !(last.is_alphanumeric() || "/._-~…)]}%+".contains(last)));
        last = Some(c);
        if !begins || text[at..].starts_with("//") {
            continue;
        }
        let end = text[at..].find(|c: char| c.is_whitespace() || "\"'`,;:()[]{}<>|*?".contains(c));
        let path = end.map_or(&text[at..], |end| &text[at..at + end]);
        if path.split('/').filter(|name| !name.is_empty()).count() > 1 {
            return Some((&text[..at], path, &text[at + path.len()..]));
        }
    }
    None
}

/// The places of a whole word.
fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| !inside(text[..at].chars().next_back()) && !inside(text[at + word.len()..].chars().next()))
}

fn without_word(text: &str, word: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in words(text, word) {
        out.push_str(&text[from..at]);
        out.push_str(HOST);
        from = at + word.len();
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_the_host_go_and_everything_else_stays() {
        let cases = [
            ("cannot write /home/eva/runs/x/metrics.jsonl: no room", "cannot write …/metrics.jsonl: no room"),
            ("data: /srv/data/chess", "data: …/chess"),
            ("(/a/b) \"/a/b c\" --dir=/a/b/", "(…/b) \"…/b c\" --dir=…/b"),
            ("step=4/8 positions/s 1/2-1/2 and/or", "step=4/8 positions/s 1/2-1/2 and/or"),
            ("https://example.org/a/b and ../x/y", "https://example.org/a/b and ../x/y"),
            ("on box7, not box77 or a-box7", "on host, not box77 or a-box7"),
            ("/", "/"),
        ];
        for (text, expected) in cases {
            assert_eq!(scrub(text, Some("box7")), expected);
            assert_eq!(leak(expected, Some("box7")), None, "{expected}");
        }
        assert_eq!(leak("x /home/eva/y", None).as_deref(), Some("/home/eva/y"));
        assert_eq!(leak("on box7", Some("box7")).as_deref(), Some("box7"));
    }

    #[test]
    fn json_keeps_its_shape() {
        let mut value = serde_json::json!({"data": "/srv/my data/chess", "list": ["see /a/b/c"], "n": 1});
        scrub_json(&mut value, None);
        assert_eq!(value, serde_json::json!({"data": "chess", "list": ["see …/c"], "n": 1}));
    }
}
