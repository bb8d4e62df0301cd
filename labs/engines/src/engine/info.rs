//! An engine's output during a search: `info depth 9 multipv 2 score cp -31 … pv e7e5 …`.

use games::{Notation, Score};
use std::collections::BTreeMap;

/// The scored moves of one search, by depth. Scores are from the side to move's point of view, as engines give them.
///
/// A search that stops at its limit has compared some moves one ply deeper than the others, and scores of different
/// depths cannot be compared (odd and even depths differ systematically). So the last score of each move and the
/// [deepest complete iteration](Lines::compared) are kept separately.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines {
    by_depth: BTreeMap<u32, Vec<(String, Score)>>,
    last: Vec<(String, Score)>,
}

/// The most bytes of a move in UCI or USI.
pub(super) const LONGEST_MOVE: usize = 16;

/// The most moves that are kept: a position of shogi has up to 593.
const MOST_MOVES: usize = 600;

const MOST_DEPTHS: usize = 256;

impl Lines {
    /// Records one line of output; lines without a scored move and scores that are only bounds are skipped, and so is what
    /// no search of a position can have.
    pub(super) fn record(&mut self, notation: Notation, line: &str) {
        let Some(Info { depth, score, mv }) = Info::parse(notation, line) else { return };
        if mv.len() > LONGEST_MOVE {
            return;
        }
        if self.by_depth.len() < MOST_DEPTHS || self.by_depth.contains_key(&depth) {
            note(self.by_depth.entry(depth).or_default(), mv, score);
        }
        note(&mut self.last, mv, score);
    }

    /// The moves of the deepest iteration with the largest number of compared moves, at most `most`, the best first.
    pub fn compared(&self, most: usize) -> Vec<(String, Score)> {
        let width = self.by_depth.values().map(Vec::len).max().unwrap_or(0).min(most);
        let deepest = self.by_depth.values().rev().find(|moves| moves.len() >= width);
        let mut moves = deepest.cloned().unwrap_or_default();
        moves.sort_by_key(|(_, score)| std::cmp::Reverse(points(*score)));
        moves.truncate(most);
        moves
    }

    /// The last score of a move.
    pub fn score_of(&self, mv: &str) -> Option<Score> {
        self.last.iter().find(|(other, _)| other == mv).map(|(_, score)| *score)
    }
}

fn note(moves: &mut Vec<(String, Score)>, mv: &str, score: Score) {
    if let Some((_, old)) = moves.iter_mut().find(|(other, _)| other == mv) {
        *old = score;
    } else if moves.len() < MOST_MOVES {
        moves.push((mv.to_owned(), score));
    }
}

/// The score of an immediate mate, above every other score.
const MATE_POINTS: i32 = 30_000;

/// Points by which each further move reduces a mate's score, up to [`SLOWEST_MATE`] moves.
const POINTS_A_MOVE: i32 = 100;
const SLOWEST_MATE: i32 = 90;

/// The largest score that is not a mate.
const MAX_SCORE: i32 = 20_000;

/// A score in centipawns, so that mates can be compared with other scores: a mate in n moves counts 30,000 − 100·n
/// points (n up to 90), and all other scores are limited to ±20,000.
pub(crate) fn points(score: Score) -> i32 {
    match score {
        Score::Centipawns(points) => points.clamp(-MAX_SCORE, MAX_SCORE),
        Score::MateIn(moves) => {
            let size = MATE_POINTS - POINTS_A_MOVE * moves.saturating_abs().min(SLOWEST_MATE);
            if moves > 0 { size } else { -size }
        }
    }
}

/// The used parts of an `info` line.
struct Info<'a> {
    depth: u32,
    score: Score,
    mv: &'a str,
}

impl<'a> Info<'a> {
    fn parse(notation: Notation, line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return None;
        }
        let (mut depth, mut score) = (0, None);
        while let Some(word) = words.next() {
            match word {
                "depth" => depth = words.next()?.parse().ok()?,
                "score" => score = Some(scored(notation, words.next()?, words.next()?)?),
                "lowerbound" | "upperbound" => return None,
                "string" => return None,
                "pv" => return Some(Self { depth, score: score?, mv: words.next()? }),
                _ => {}
            }
        }
        None
    }
}

/// `cp -31`, `mate 3`; USI also has `mate +` and `mate -` for a mate of unknown length.
fn scored(notation: Notation, kind: &str, number: &str) -> Option<Score> {
    match (kind, number) {
        ("cp", number) => number.parse().ok().map(Score::Centipawns),
        ("mate", "+") => Some(Score::MateIn(SLOWEST_MATE)),
        ("mate", "-") => Some(Score::MateIn(-SLOWEST_MATE)),
        ("mate", number) => number.parse().ok().map(|number| Score::MateIn(moves_to_mate(notation, number))),
        _ => None,
    }
}

/// Moves to mate, from the number in `score mate`: UCI counts moves, USI plies.
const fn moves_to_mate(notation: Notation, number: i32) -> i32 {
    match notation {
        Notation::Uci => number,
        Notation::Usi => number / 2 + number % 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Score::{Centipawns, MateIn};

    fn recorded(lines: &[&str]) -> Lines {
        let mut recorded = Lines::default();
        lines.iter().for_each(|line| recorded.record(Notation::Usi, line));
        recorded
    }

    #[test]
    fn moves_are_compared_at_one_depth() {
        // The end of a search that was cut off within depth 2: the last line repeats one of depth 1 under another
        // number, as Stockfish does.
        let lines = recorded(&[
            "info depth 1 seldepth 1 multipv 1 score cp -23 nodes 92 pv a",
            "info depth 1 seldepth 1 multipv 2 score cp -25 nodes 92 pv b x",
            "info depth 1 seldepth 1 multipv 3 score cp -29 nodes 92 pv c",
            "info depth 2 seldepth 2 multipv 1 score cp 9 nodes 200 pv b",
            "info depth 2 seldepth 2 multipv 2 score cp -96 nodes 200 pv d",
            "info depth 1 seldepth 1 multipv 3 score cp -23 nodes 200 pv a",
        ]);
        let named = |moves: Vec<(String, Score)>| moves.into_iter().map(|(mv, _)| mv).collect::<Vec<_>>();
        assert_eq!(named(lines.compared(3)), ["a", "b", "c"]);
        assert_eq!(named(lines.compared(2)), ["b", "d"]);
        assert_eq!(lines.score_of("b"), Some(Centipawns(9)));
        assert_eq!(lines.score_of("z"), None);
    }

    #[test]
    fn what_says_nothing_is_passed_over() {
        let nothing = [
            "",
            "info",
            "info string pv a score cp 3",
            "info depth 3 score cp",
            "info depth x score cp 1 pv a",
            "info depth 3 score cp 10 lowerbound pv a",
            "info depth 3 currmove a currmovenumber 1",
            "info depth 3 score cp 99999999999 pv a",
            "info depth 3 score cp 1 pv",
            "depth 3 score cp 1 pv a",
        ];
        assert_eq!(recorded(&nothing), Lines::default());
        assert!(Lines::default().compared(3).is_empty());
    }

    #[test]
    fn output_without_end_is_not_kept() {
        let mut lines = Lines::default();
        let long = "a".repeat(LONGEST_MOVE + 1);
        lines.record(Notation::Usi, &format!("info depth 1 score cp 1 pv {long}"));
        assert_eq!(lines, Lines::default());
        for depth in 0..1_000 {
            lines.record(Notation::Usi, &format!("info depth {depth} score cp 1 pv a"));
        }
        for mv in 0..1_000 {
            lines.record(Notation::Usi, &format!("info depth 1 score cp 1 pv m{mv}"));
        }
        assert_eq!((lines.by_depth.len(), lines.by_depth[&1].len(), lines.last.len()), (256, 600, 600));
        lines.record(Notation::Usi, "info depth 1 score cp 7 pv a");
        assert_eq!(lines.score_of("a"), Some(Centipawns(7)));
    }

    #[test]
    fn mates_are_beyond_all_other_scores_and_counted_in_moves() {
        let lines = recorded(&[
            "info depth 5 score mate -4 pv a",
            "info depth 5 score mate 3 pv b",
            "info depth 5 score mate + pv c",
            "info depth 5 score cp 1000000 pv d",
        ]);
        let expected = [("b", MateIn(2)), ("c", MateIn(90)), ("d", Centipawns(1_000_000)), ("a", MateIn(-2))]
            .map(|(mv, score)| (mv.to_owned(), score));
        assert_eq!(lines.compared(9), expected);
        assert_eq!(points(MateIn(i32::MIN)), -21_000);
        assert_eq!(points(MateIn(0)), -30_000);
        assert_eq!([1, 3, -2, -4].map(|plies| moves_to_mate(Notation::Usi, plies)), [1, 2, -1, -2]);
        assert_eq!(moves_to_mate(Notation::Uci, -3), -3);
    }
}
