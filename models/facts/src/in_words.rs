//! Numbers, durations and lists as people read them.

use std::borrow::Borrow;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A whole number with commas: `1,382,400`.
pub fn grouped(value: impl Into<u128>) -> String {
    let digits = value.into().to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 game`, `1,024 games`.
pub fn counted(count: impl Into<u128>, noun: &str) -> String {
    let count = count.into();
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A duration in its largest two units: `2 d 3 h`, `5 min 10 s`.
pub fn in_words(seconds: f64) -> String {
    let seconds = seconds.round().max(0.0) as u64;
    let units = [(DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (1, "s")];
    let first = units.iter().position(|&(unit, _)| seconds >= unit).unwrap_or(units.len() - 1);
    let mut rest = seconds;
    let words = units[first..].iter().take(2).filter_map(|&(unit, name)| {
        let count = rest / unit;
        rest %= unit;
        (count > 0 || seconds == 0).then(|| format!("{count} {name}"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Names in a sentence: `chess, shogi and minishogi`.
pub fn listed(names: &[impl Borrow<str>]) -> String {
    match names {
        [] => String::new(),
        [name] => name.borrow().to_owned(),
        [first @ .., last] => format!("{} and {}", first.join(", "), last.borrow()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_their_largest_units() {
        let cases = [(0.0, "0 s"), (59.6, "1 min"), (310.0, "5 min 10 s"), (7200.0, "2 h"), (90_061.0, "1 d 1 h")];
        for (seconds, words) in cases {
            assert_eq!(in_words(seconds), words);
        }
    }

    #[test]
    fn the_last_of_a_list_comes_after_and() {
        let cases: [(&[&str], &str); 3] = [(&["a"], "a"), (&["a", "b"], "a and b"), (&["a", "b", "c"], "a, b and c")];
        for (names, words) in cases {
            assert_eq!(listed(names), words);
        }
    }

    #[test]
    fn one_is_singular() {
        assert_eq!([0u64, 1, 1024].map(|count| counted(count, "game")), ["0 games", "1 game", "1,024 games"]);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0u64, 999, 1000, 1_382_400].map(grouped), ["0", "999", "1,000", "1,382,400"]);
    }
}
