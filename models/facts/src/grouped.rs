//! Whole numbers as people read them.

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

#[cfg(test)]
mod tests {
    use super::{counted, grouped};

    #[test]
    fn one_is_singular() {
        assert_eq!([0u64, 1, 1024].map(|count| counted(count, "game")), ["0 games", "1 game", "1,024 games"]);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0u64, 999, 1000, 1_382_400].map(grouped), ["0", "999", "1,000", "1,382,400"]);
    }
}
