//! "Did you mean": the valid name that is nearest to a wrong one.

/// The candidate that a typing mistake most probably meant, if any is near enough: at most one edit in three
/// characters. An edit inserts, deletes or replaces a character, or swaps two neighbours; case does not count.
pub(crate) fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&wrong, &candidate.to_lowercase()), candidate))
        .filter(|(edits, candidate)| *edits <= candidate.chars().count().max(3) / 3)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
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
}
