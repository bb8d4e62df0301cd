//! Derives a move and a policy from the scores of a search, as far as posenc's rules accept them.

use crate::engine::{Answer, EngineSearch, points};
use games::{Candidate, Position, Score};

/// Probabilities are multiples of 1/1024. Engine noise of one centipawn changes them by more than that, float sums are
/// exact, and a dataset takes a third of the space: float softmaxes hardly compress.
const PARTS: u32 = 1024;

/// The engine's search result, checked by the rules.
pub(super) struct Decision {
    pub(super) best: String,
    /// Its score, from the mover's point of view.
    pub(super) score: Option<Score>,
    /// The legal moves that the search compared, the chosen one first; empty if one move was requested.
    pub(super) lines: Vec<(String, Score)>,
    /// Whether the engine answered with something else, and the best legal move that it compared replaces it.
    pub(super) was_refused: bool,
}

impl Decision {
    /// The legal part of a search for the `most` best moves; `None` if it has no legal move.
    pub(super) fn of<P: Position>(position: &P, search: &EngineSearch, most: usize) -> Option<Self> {
        // In posenc's notation: engines write castling in two ways.
        let legal = |text: &str| position.parse_move(text).ok().map(|mv| position.move_text(mv));
        let compared = search.lines.compared(most).into_iter();
        let lines: Vec<(String, Score)> = compared.filter_map(|(mv, score)| Some((legal(&mv)?, score))).collect();
        let answered = match &search.answer {
            Answer::Move(mv) => legal(mv).map(|legal| (legal, search.lines.score_of(mv))),
            _ => None,
        };
        let was_refused = answered.is_none();
        let (best, score) = answered.or_else(|| lines.first().map(|(mv, score)| (mv.clone(), Some(*score))))?;
        let lines = if most > 1 { choice_first(lines, &best, most) } else { Vec::new() };
        Some(Self { best, score, lines, was_refused })
    }
}

/// The compared moves with the engine's choice first, at most `most`. The search may have changed its choice within an
/// iteration that it did not complete; the choice then gets the best score of those compared before, so that no policy
/// prefers another move.
fn choice_first(mut lines: Vec<(String, Score)>, choice: &str, most: usize) -> Vec<(String, Score)> {
    let top = lines.iter().map(|(_, score)| *score).max_by_key(|score| points(*score));
    lines.retain(|(mv, _)| mv != choice);
    if let Some(top) = top {
        lines.insert(0, (choice.to_owned(), top));
    }
    lines.truncate(most);
    lines
}

/// The softmax over `score / temperature`, both in centipawns of the mover's point of view, most probable first, in
/// 1024ths that sum to one: rounded down, and the remaining parts go to the largest remainders. Moves without a part
/// are left out: at usual temperatures they are blunders. Mates count as in [`points`]. Empty if no moves were
/// compared: the played move is the target then.
pub(super) fn policy(lines: &[(String, Score)], temperature: f64) -> Vec<Candidate> {
    let Some(best) = lines.iter().map(|(_, score)| points(*score)).max() else { return Vec::new() };
    let weights: Vec<f64> =
        lines.iter().map(|(_, score)| (f64::from(points(*score) - best) / temperature).exp()).collect();
    let parts = in_parts(&weights);
    let candidate = |((mv, _), parts): (&(String, Score), u32)| (mv.clone(), parts as f32 / PARTS as f32);
    lines.iter().zip(parts).filter(|(_, parts)| *parts > 0).map(candidate).collect()
}

/// Whole parts in proportion to the weights (largest remainder method; ties go to the first).
fn in_parts(weights: &[f64]) -> Vec<u32> {
    let total: f64 = weights.iter().sum();
    let exact: Vec<f64> = weights.iter().map(|weight| weight / total * f64::from(PARTS)).collect();
    let mut parts: Vec<u32> = exact.iter().map(|exact| exact.floor() as u32).collect();
    let left = PARTS.saturating_sub(parts.iter().sum());
    let mut by_loss: Vec<usize> = (0..exact.len()).collect();
    by_loss.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    for &i in by_loss.iter().take(left as usize) {
        parts[i] += 1;
    }
    parts
}

/// A move drawn uniformly among those whose score is at most `within` centipawns below the best; `None` if only one
/// move qualifies.
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
            assert!((probability - expected).abs() < 1.0 / 1024.0, "{policy:?}");
        }
    }

    #[test]
    fn hopeless_moves_are_left_out_and_the_rest_sums_to_one() {
        let policy = policy(&lines(&[MateIn(2), MateIn(3), Centipawns(900), MateIn(-1)]), 60.0);
        assert_eq!(policy.len(), 2);
        assert_eq!(policy.iter().map(|(_, probability)| probability).sum::<f32>(), 1.0);
        assert!(policy[0].1 > policy[1].1);
    }

    #[test]
    fn parts_are_whole_sum_to_one_and_go_to_the_largest_remainder() {
        // 1024 / 3 = 341 and a third for each: the first gets the part left over.
        assert_eq!(in_parts(&[1.0, 1.0, 1.0]), [342, 341, 341]);
        assert_eq!(in_parts(&[1.0]), [1024]);
        // 0.4 of a part is none.
        assert_eq!(in_parts(&[1023.6, 0.4]), [1024, 0]);
        assert_eq!(in_parts(&[1023.4, 0.6]), [1023, 1]);
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
