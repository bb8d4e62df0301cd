//! The scores of a policy on a position: its loss, and whether its likeliest move is a best one.

/// A policy's score on one position, or the mean over several.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    /// Cross-entropy with the target in nats, renormalised over the legal moves.
    pub loss: f64,
    /// Whether the likeliest move is one of the target's best; a share where several moves are equally likely.
    pub accuracy: f64,
}

/// The scores of the three baselines on one test position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PositionScores {
    /// The game's id in the dataset: what positions are clustered by.
    pub game: u32,
    pub ply: u16,
    pub entropy: f64,
    /// A uniform choice among the legal moves.
    pub uniform: Score,
    pub static_prior: Score,
    pub log_linear: Score,
}

impl Score {
    /// The score of a policy with these logits of the legal moves.
    pub fn of(logits: &[f64], target: &[f64]) -> Self {
        let log_total = log_sum_exp(logits);
        let loss = target.iter().zip(logits).map(|(target, logit)| target * (log_total - logit)).sum();
        let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (likeliest, best) = (most(logits), most(target));
        let chosen = || logits.iter().zip(target).filter(|(logit, _)| **logit == likeliest);
        let hits = chosen().filter(|(_, target)| **target == best).count();
        Self { loss, accuracy: hits as f64 / chosen().count().max(1) as f64 }
    }

    /// The mean of several; zero if there are none.
    pub fn mean(scores: impl Iterator<Item = Self>) -> Self {
        let (mut sum, mut count) = (Self::default(), 0_u64);
        for score in scores {
            sum = Self { loss: sum.loss + score.loss, accuracy: sum.accuracy + score.accuracy };
            count += 1;
        }
        let count = count.max(1) as f64;
        Self { loss: sum.loss / count, accuracy: sum.accuracy / count }
    }
}

pub(crate) fn log_sum_exp(numbers: &[f64]) -> f64 {
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + numbers.iter().map(|number| (number - most).exp()).sum::<f64>().ln()
}

pub(crate) fn entropy(target: &[f64]) -> f64 {
    -target.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_definition() {
        let uniform = Score::of(&[0.0; 4], &[0.5, 0.5, 0.0, 0.0]);
        assert!((uniform.loss - 4.0_f64.ln()).abs() < 1e-15);
        assert_eq!(uniform.accuracy, 0.5);
        let sure = Score::of(&[3.0_f64.ln(), 0.0], &[1.0, 0.0]);
        assert!((sure.loss - (4.0_f64 / 3.0).ln()).abs() < 1e-15);
        assert_eq!(sure.accuracy, 1.0);
        assert!((entropy(&[0.5, 0.5, 0.0]) - 2.0_f64.ln()).abs() < 1e-15);
        assert_eq!(Score::mean([uniform, sure].into_iter()).accuracy, 0.75);
    }
}
