//! The names of experiments, which become names of folders.

/// Bytes of a name.
const LONGEST: usize = 80;

/// What a name may be.
pub const RULE: &str = "up to 80 letters, digits, `-`, `_` and `.`, beginning with a letter or digit";

/// Whether a text may be the name of an experiment.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= LONGEST && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_folder_and_nothing_else() {
        assert!(RULE.contains(&format!("up to {LONGEST} ")));
        for name in ["quickstart", "study-1_b.c", "0", &"a".repeat(LONGEST)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", "../victim", "/abs", "a/b", ".hidden", "-x", "a b", "a\0", "é"] {
            assert!(!is_name(name), "{name:?}");
        }
        assert!(!is_name(&"a".repeat(LONGEST + 1)));
    }
}
