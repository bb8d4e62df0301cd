//! Reads YAML from outside.
//!
//! The parser's time grows with the product of a text's length and the number of its open brackets, so that 100 KB of
//! `[` take 20 s. Texts that may take so long are refused before they are parsed.

use serde::de::{DeserializeOwned, Error as _};
use serde_yaml::with::singleton_map_recursive;

/// The most that a text's length times its open brackets may be; about two seconds.
const MOST_WORK: usize = 1 << 28;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} has more than {most} brackets open, too many for a text of this length: write lists as lines with `-`, \
     and maps as lines with `key:`"
)]
struct TooNested {
    /// The line of the first bracket too many, from 1.
    line: usize,
    /// How many may be open in a text of this length.
    most: usize,
}

/// Checks that a text opens few enough brackets.
///
/// This is an upper bound, without the parser's knowledge of what a character means. A bracket counts as closed only if
/// no character that could change the meaning of the closing one (a line's end, a quote, `#`, `!`) stands between the
/// two.
fn check_nesting(text: &str) -> Result<(), TooNested> {
    let most = MOST_WORK / text.len().max(1);
    let (mut before, mut here, mut line) = (0, 0usize, 1);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => here += 1,
            b']' | b'}' => here = here.saturating_sub(1),
            b'\n' | b'\r' | b'"' | b'\'' | b'#' | b'!' => {
                before += std::mem::take(&mut here);
                line += usize::from(byte == b'\n');
            }
            _ => {}
        }
        if before + here > most {
            return Err(TooNested { line, most });
        }
    }
    Ok(())
}

/// Reads a text in which enums are names, or maps of a name to its content.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, serde_yaml::Error> {
    check_nesting(text).map_err(serde_yaml::Error::custom)?;
    singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Deep nesting, plain and with closing brackets that the parser does not see.
    #[test]
    fn deep_nesting_is_refused_at_once() {
        let start = Instant::now();
        let hidden = ["[", "[ # ]\n", "[']', ", "[\"]\", ", "[!<]> ", "- [\n", "{[ # ]}\n"];
        for text in hidden.map(|part| part.repeat(100_000)) {
            let error = check_nesting(&text).expect_err("too deep");
            assert!(error.most < 3000, "{error}");
            let read = from_text::<serde_yaml::Value>(&text).expect_err("too deep").to_string();
            assert!(read.contains("brackets open"), "{read}");
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }

    #[test]
    fn long_flat_texts_are_read() {
        let maps = "- {name: a, terms: [q, k], steps: 100}\n".repeat(20_000);
        let json = format!("[{}]", ["{\"name\": \"a\", \"terms\": [\"q\", \"k\"]}"; 1000].join(", "));
        for text in [maps, json, String::new(), "a: ".to_owned() + &"]".repeat(1000)] {
            assert_eq!(check_nesting(&text), Ok(()));
        }
    }
}
