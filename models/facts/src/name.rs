//! The names of experiments, which become names of folders.

const LONGEST: usize = 80;

pub const RULE: &str = "up to 80 letters, digits, `-`, `_` and `.`, beginning with a letter or digit";

/// Whether a text may be the name of an experiment.
pub fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= LONGEST && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(allowed)
}

/// Bytes of what follows the name in that of a run folder with overrides.
const LONGEST_OVERRIDES: usize = 120;

/// Whether a text may be the name of a run folder: an experiment's name, followed by the overrides of the command line,
/// `quickstart+train.steps=40`.
pub fn is_run_name(text: &str) -> bool {
    let (name, overrides) = text.split_once('+').unwrap_or((text, ""));
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.=+".contains(c);
    is_name(name) && overrides.len() <= LONGEST_OVERRIDES && overrides.chars().all(allowed)
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
        for name in ["quickstart", "quickstart+train.steps=40", "a+seed=1+train.batch=8-1f00abcd"] {
            assert!(is_run_name(name), "{name}");
        }
        for name in ["+x=1", "a+../b", "a+b/c", "../a+b=1", &format!("a+{}", "b".repeat(LONGEST_OVERRIDES + 1))] {
            assert!(!is_run_name(name), "{name}");
        }
    }
}
