//! From the scores of a search to a move and to a policy.

use crate::engines::points;
use games::{Candidate, Score};

/// Candidates that are less probable are left out: at any useful temperature they are blunders.
const LEAST_PROBABILITY: f64 = 1e-6;

/// The compared moves with the engine's choice in front, at most `most`. The search may have changed its mind within an
/// iteration that it did not complete; then its choice counts as much as the best of those compared before, so that no
/// policy prefers another move to the one that the engine would play.
pub(super) fn choice_first(mut lines: Vec<(String, Score)>, choice: &str, most: usize) -> Vec<(String, Score)> {
    let top = lines.iter().map(|(_, score)| *score).max_by_key(|score| points(*score));
    lines.retain(|(mv, _)| mv != choice);
    if let Some(top) = top {
        lines.insert(0, (choice.to_owned(), top));
    }
    lines.truncate(most);
    lines
}

/// The softmax over `score / temperature`, both in centipawns of the mover's point of view, most probable first.
/// Mates count as in [`points`]. No policy where only one move was scored because only one was asked for: then the
/// move played says as much.
pub(super) fn policy(lines: &[(String, Score)], temperature: f64) -> Vec<Candidate> {
    let Some(best) = lines.iter().map(|(_, score)| points(*score)).max() else { return Vec::new() };
    let weight = |score: Score| (f64::from(points(score) - best) / temperature).exp();
    let total: f64 = lines.iter().map(|(_, score)| weight(*score)).sum();
    let kept: Vec<(&String, f64)> = lines
        .iter()
        .map(|(mv, score)| (mv, weight(*score)))
        .filter(|(_, weight)| *weight >= LEAST_PROBABILITY * total)
        .collect();
    let total: f64 = kept.iter().map(|(_, weight)| weight).sum();
    kept.into_iter().map(|(mv, weight)| (mv.clone(), (weight / total) as f32)).collect()
}

/// A move drawn uniformly among those whose score is at most `within` centipawns below the best; none where there
/// is nothing to choose from.
pub(super) fn near_best<'a>(
    lines: &'a [(String, Score)],
    within: u16,
    stream: &mut streams::Stream,
) -> Option<&'a str> {
    let best = lines.iter().map(|(_, score)| points(*score)).max()?;
    let near: Vec<&str> = lines
        .iter()
        .filter(|(_, score)| points(*score) >= best - i32::from(within))
        .map(|(mv, _)| mv.as_str())
        .collect();
    Some(near[streams::below(stream, near.len() as u64) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use Score::{Centipawns, MateIn};

    fn lines(scores: &[Score]) -> Vec<(String, Score)> {
        scores.iter().enumerate().map(|(i, score)| (format!("m{i}"), *score)).collect()
    }

    #[test]
    fn a_policy_is_the_softmax_of_its_scores() {
        let policy = policy(&lines(&[Centipawns(50), Centipawns(0), Centipawns(-50)]), 50.0);
        // e^0, e^-1, e^-2 over their sum.
        for ((_, probability), expected) in policy.iter().zip([0.665_240_96, 0.244_728_47, 0.090_030_57]) {
            assert!((probability - expected).abs() < 1e-6, "{policy:?}");
        }
    }

    #[test]
    fn hopeless_moves_are_left_out_and_the_rest_sums_to_one() {
        let policy = policy(&lines(&[MateIn(2), MateIn(3), Centipawns(900), MateIn(-1)]), 60.0);
        assert_eq!(policy.len(), 2);
        assert!((policy.iter().map(|(_, probability)| probability).sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(policy[0].1 > policy[1].1);
    }

    #[test]
    fn the_engines_choice_is_never_worse_than_another_move() {
        let compared = lines(&[Centipawns(40), Centipawns(10), Centipawns(9)]);
        assert_eq!(choice_first(compared.clone(), "m0", 3), compared);
        let changed = choice_first(compared.clone(), "m2", 3);
        let expected = [("m2", 40), ("m0", 40), ("m1", 10)].map(|(mv, score)| (mv.to_owned(), Centipawns(score)));
        assert_eq!(changed, expected);
        let unheard = choice_first(compared, "m9", 3);
        let expected = [("m9", 40), ("m0", 40), ("m1", 10)].map(|(mv, score)| (mv.to_owned(), Centipawns(score)));
        assert_eq!(unheard, expected);
        assert!(choice_first(Vec::new(), "m0", 3).is_empty());
    }

    #[test]
    fn nothing_gives_no_policy() {
        assert!(policy(&[], 50.0).is_empty());
        assert_eq!(near_best(&[], 30, &mut streams::stream(0, &["test"])), None);
    }

    #[test]
    fn every_near_move_is_drawn_and_no_other() {
        let lines = lines(&[Centipawns(40), Centipawns(10), Centipawns(9), MateIn(-4)]);
        let mut stream = streams::stream(1, &["test"]);
        let drawn: Vec<&str> = (0..100).filter_map(|_| near_best(&lines, 30, &mut stream)).collect();
        let count = |mv: &str| drawn.iter().filter(|drawn| **drawn == mv).count();
        assert!(count("m0") > 30 && count("m1") > 30, "{drawn:?}");
        assert_eq!(count("m0") + count("m1"), 100);
    }
}
