//! "Did you mean": the valid name that is nearest to a wrong one.

/// The candidate that a typing mistake most probably meant, if any is near enough: at most one edit in three
/// characters.
#[must_use]
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(wrong, candidate), candidate))
        .filter(|(edits, candidate)| *edits <= candidate.chars().count().max(3) / 3)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap neighbours) from one word to the other, case left out (the restricted
/// Damerau–Levenshtein distance).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    table[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        table[i][0] = i;
        for j in 1..=b.len() {
            let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = best;
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_understood() {
        let names = ["encoding", "game", "learning_rate", "steps"];
        assert_eq!(nearest("encodng", names), Some("encoding"));
        assert_eq!(nearest("learnign_rate", names), Some("learning_rate"));
        assert_eq!(nearest("Steps", names), Some("steps"));
        assert_eq!(nearest("width", names), None);
    }

    #[test]
    fn the_distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }
}
