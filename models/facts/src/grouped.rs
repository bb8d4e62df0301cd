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

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0u64, 999, 1000, 1_382_400].map(grouped), ["0", "999", "1,000", "1,382,400"]);
    }
}
