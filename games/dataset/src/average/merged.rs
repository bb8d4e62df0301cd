//! Occurrences of a position, and their merged row.

use crate::split::group;
use crate::store::GameRow;
use games::record::Candidate;
use games::{GameKind, GameResult};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Merge {
    /// Means of policies, values and results.
    #[default]
    Mean,
    /// The move with the highest value, and that value: for records with a value for every legal move (DeepMind's
    /// action values).
    Best,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The position without move counters.
    pub(super) text: String,
    pub(super) count: u32,
    /// Winning probability of the side to move; NaN where unknown.
    pub(super) value: f32,
    /// Probability of a draw; NaN where unknown.
    pub(super) draw: f32,
    /// Points of the side to move; NaN where unknown.
    pub(super) result: f32,
    pub(super) outcome: GameResult,
    /// The policy; empty if the position has no policy target.
    pub(super) candidates: Vec<Candidate>,
}

impl Entry {
    /// A hash of the position, by which runs are sorted.
    pub(super) fn key(&self) -> u128 {
        let mut bytes = [0; 16];
        blake3::Hasher::new().update(self.text.as_bytes()).finalize_xof().fill(&mut bytes);
        u128::from_le_bytes(bytes)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let text = |out: &mut Vec<u8>, text: &str| {
            out.push(text.len() as u8);
            out.extend_from_slice(text.as_bytes());
        };
        text(out, &self.text);
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&self.value.to_le_bytes());
        out.extend_from_slice(&self.draw.to_le_bytes());
        out.extend_from_slice(&self.result.to_le_bytes());
        out.push(GameResult::ALL.iter().position(|&result| result == self.outcome).unwrap_or(0) as u8);
        for (mv, probability) in &self.candidates {
            text(out, mv);
            out.extend_from_slice(&probability.to_le_bytes());
        }
    }

    /// Deserialises it; `None` if the bytes are invalid.
    pub(super) fn read(mut bytes: &[u8]) -> Option<Self> {
        let position = take_text(&mut bytes)?;
        let count = u32::from_le_bytes(take(&mut bytes)?);
        let value = f32::from_le_bytes(take(&mut bytes)?);
        let draw = f32::from_le_bytes(take(&mut bytes)?);
        let result = f32::from_le_bytes(take(&mut bytes)?);
        let [outcome] = take::<1>(&mut bytes)?;
        let mut candidates = Vec::new();
        while !bytes.is_empty() {
            candidates.push((take_text(&mut bytes)?, f32::from_le_bytes(take(&mut bytes)?)));
        }
        let outcome = *GameResult::ALL.get(usize::from(outcome))?;
        Some(Self { text: position, count, value, draw, result, outcome, candidates })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let [length] = take::<1>(bytes)?;
    let (text, rest) = bytes.split_at_checked(length.into())?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

/// A running mean: sums in f64, in the order of the sources.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: f32, weight: f64) {
        if !value.is_nan() {
            self.sum += f64::from(value) * weight;
            self.weight += weight;
        }
    }

    fn get(self) -> Option<f32> {
        (self.weight > 0.0).then_some((self.sum / self.weight) as f32)
    }
}

/// The move with the highest value.
#[derive(Debug)]
struct Best {
    mv: String,
    value: f32,
    /// Probability of a draw; NaN where unknown.
    draw: f32,
}

#[derive(Debug, Default)]
pub(super) struct Merged {
    merge: Merge,
    pub(super) text: String,
    count: u64,
    value: Mean,
    draw: Mean,
    result: Mean,
    outcome: GameResult,
    policy: Vec<(String, f64)>,
    policy_weight: f64,
    best: Option<Best>,
}

impl Merged {
    pub(super) fn new(first: Entry, merge: Merge) -> Self {
        let mut merged = Self { merge, text: first.text.clone(), outcome: first.outcome, ..Self::default() };
        merged.add(first);
        merged
    }

    pub(super) fn is(&self, entry: &Entry) -> bool {
        self.text == entry.text
    }

    pub(super) fn add(&mut self, entry: Entry) {
        let weight = f64::from(entry.count);
        self.count += u64::from(entry.count);
        self.value.add(entry.value, weight);
        self.draw.add(entry.draw, weight);
        self.result.add(entry.result, weight);
        if self.outcome != entry.outcome {
            self.outcome = GameResult::Unknown;
        }
        let better = self.best.as_ref().is_none_or(|best| entry.value > best.value);
        if let Some((mv, _)) = entry.candidates.first().filter(|_| better && !entry.value.is_nan()) {
            self.best = Some(Best { mv: mv.clone(), value: entry.value, draw: entry.draw });
        }
        if !entry.candidates.is_empty() {
            self.policy_weight += weight;
        }
        for (mv, probability) in entry.candidates {
            let share = f64::from(probability) * weight;
            match self.policy.iter_mut().find(|(known, _)| *known == mv) {
                Some((_, sum)) => *sum += share,
                None => self.policy.push((mv, share)),
            }
        }
    }

    /// The policy, most probable move first, ties by text, with the value and the draw probability that belong to it.
    fn decided(&self) -> (Vec<Candidate>, Option<f32>, Option<f32>) {
        if let (Merge::Best, Some(Best { mv, value, draw })) = (self.merge, &self.best) {
            return (vec![(mv.clone(), 1.0)], Some(*value), Some(*draw).filter(|draw| !draw.is_nan()));
        }
        let share = |(mv, sum): &(String, f64)| (mv.clone(), (sum / self.policy_weight) as f32);
        let mut policy: Vec<Candidate> = self.policy.iter().map(share).collect();
        policy.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        (policy, self.value.get(), self.draw.get())
    }

    /// The row; `None` if no move is known and the position has no legal move.
    pub(super) fn row(self, game: GameKind, name: &str, number: u64, first_legal: Option<String>) -> Option<GameRow> {
        let (policy, value, draw) = self.decided();
        let known = policy.first().map(|(mv, _)| mv.clone());
        Some(GameRow {
            start: Some(with_counters(game, &self.text)),
            plies: 1,
            result: self.outcome,
            policy_from_ply: u16::from(known.is_none()),
            moves: known.or(first_legal)?,
            value: vec![value],
            policy: (policy.len() > 1).then(|| vec![policy]),
            mean_result: Some(vec![self.result.get()]),
            count: Some(u32::try_from(self.count).unwrap_or(u32::MAX)),
            group: Some(group(&self.text)),
            draw: draw.map(|draw| vec![Some(draw)]),
            ..GameRow::from_source(name, number)
        })
    }
}

/// The text with the counters of a game's start.
pub(super) fn with_counters(game: GameKind, text: &str) -> String {
    format!("{text} {}", game.notation().first_counters())
}
