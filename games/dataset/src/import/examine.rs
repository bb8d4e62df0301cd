//! Parses and filters records in parallel; the result depends on the record only.

use super::format::{Format, Parsed};
use super::options::ImportOptions;
use super::reading::Record;
use crate::build::{Draft, fingerprint};
use crate::filter::{NO_MOVES, NO_POSITION};
use crate::playback::{Move, ReplayError, play_through};
use crate::split::{SplitBy, group, without_counters};
use crate::store::GameRow;
use crate::time_control;
use crate::value::{ValueCurve, mover};
use games::record::Candidate;
use games::{
    Game, MoveText, ParsedGame, ParsedPosition, Position as _, PositionFacts, Referee, RejectKind, Rejected, Side,
};
use std::collections::BTreeMap;

/// The fault of a record: kind, ply, reason.
type Fault = (RejectKind, Option<u32>, String);

pub(super) enum Examined {
    Row {
        draft: Box<Draft>,
        /// How many of its positions each filter excluded.
        filtered: BTreeMap<&'static str, u64>,
        /// Whether scores of Lichess, which follow a move, were taken as those of the position before it.
        misread: bool,
    },
    Filtered(&'static str),
}

/// Parses a record and replays it.
pub(super) fn examine<G: Referee>(
    record: &Record,
    format: Format,
    file: &str,
    number: u64,
    options: &ImportOptions,
) -> Result<Examined, Rejected> {
    let fault = |(kind, ply, reason): Fault| Rejected { game: number, ply, kind, reason };
    let bytes = record.as_ref().map_err(|reason| {
        let reason = format!("the file cannot be read on from here: {reason}");
        fault((RejectKind::Unreadable, None, reason))
    })?;
    let id = RecordId { file, number };
    match format.parse::<G>(bytes, number, options.value)? {
        Parsed::Game(game) => of_game::<G>(game, id, options).map_err(fault),
        Parsed::Position(position, chosen) => of_position::<G>(position, chosen, id, options).map_err(fault),
    }
}

#[derive(Clone, Copy)]
struct RecordId<'a> {
    file: &'a str,
    number: u64,
}

fn of_game<G: Game>(mut game: ParsedGame, id: RecordId<'_>, options: &ImportOptions) -> Result<Examined, Fault> {
    if let Some(cap) = options.filters.ply_cap {
        game.cut_off_at(cap);
    }
    let misread = !options.filters.eval_after && is_of_lichess(&game) && game.scores.iter().any(Option::is_some);
    if options.filters.eval_after {
        game.score_after_moves();
    }
    let plies = match u16::try_from(game.moves.len()) {
        Ok(0) => return Ok(Examined::Filtered(NO_MOVES)),
        Ok(plies) => plies,
        Err(_) => {
            let reason = format!("{} plies are more than the {} a dataset can hold", game.moves.len(), u16::MAX);
            return Err((RejectKind::TooLong, None, reason));
        }
    };
    if let Some(filter) = options.filters.game(&game) {
        return Ok(Examined::Filtered(filter));
    }
    let moves = MoveText::line(&game.moves);
    let played = Played::of::<G>(&mut game, &moves, options)?;
    if played.used.as_ref().is_some_and(|used| used.iter().all(|&used| !used)) {
        return Ok(Examined::Filtered(NO_POSITION));
    }
    let row = GameRow {
        plies,
        result: game.result,
        termination: game.termination,
        policy_from_ply: options.policy_from_ply,
        value: played.value,
        clock: non_empty(game.clocks),
        time: non_empty(game.times),
        ratings: game.ratings,
        used: played.used.filter(|used| used.contains(&false)),
        policy: policy(game.candidates, usize::from(plies)),
        rating_bucket: options.buckets.of(game.ratings),
        time_control: time_control::written(&game.tags).map(str::to_owned),
        draw: non_empty(game.draws),
        start: game.start,
        moves,
        ..GameRow::from_source(id.file, id.number)
    };
    let fingerprint = Some(fingerprint(row.start.as_deref(), &row.moves));
    let draft = Draft { row, keys: played.keys, fingerprint, together: played.opening };
    Ok(Examined::Row { draft: Box::new(draft), filtered: played.filtered, misread })
}

fn is_of_lichess(game: &ParsedGame) -> bool {
    game.tags.iter().any(|(name, value)| name == "Site" && value.contains("lichess.org"))
}

/// The result of replaying a game, by ply.
struct Played {
    value: Vec<Option<f32>>,
    keys: Vec<u64>,
    /// `None` if no filter examines positions.
    used: Option<Vec<bool>>,
    filtered: BTreeMap<&'static str, u64>,
    /// The position at the opening's last ply, if games are split by opening.
    opening: Option<String>,
}

impl Played {
    /// Uses the keys of the reader's own replay if possible. The game is replayed from its stored text only if a filter
    /// or a split needs positions, or if the reader kept no keys. A test of `games` (`damage/laws.rs`) checks that
    /// every stored text can be replayed with the same keys, for every format and any damage.
    fn of<G: Game>(game: &mut ParsedGame, moves: &str, options: &ImportOptions) -> Result<Self, Fault> {
        let asked = options.filters.looks_at_positions() || options.split.by == SplitBy::Opening;
        if asked || game.keys.len() != game.moves.len() {
            return Self::through::<G>(game, moves, options);
        }
        let first = match game.start.as_deref() {
            None => Side::First,
            Some(text) => {
                let start = G::Position::parse(text);
                start.map_err(|error| (RejectKind::IllegalMove, Some(0), error.to_string()))?.side_to_move()
            }
        };
        let curve = ValueCurve::of(G::KIND);
        let value = (0..game.moves.len()).map(|ply| value(&curve, game, ply, mover(first, ply))).collect();
        let keys = std::mem::take(&mut game.keys);
        Ok(Self { value, keys, used: None, filtered: BTreeMap::new(), opening: None })
    }

    fn through<G: Game>(game: &ParsedGame, moves: &str, options: &ImportOptions) -> Result<Self, Fault> {
        let curve = ValueCurve::of(G::KIND);
        let opening_ply = match options.split.by {
            SplitBy::Opening => Some(usize::from(options.split.opening_plies).min(game.moves.len() - 1)),
            SplitBy::Game | SplitBy::Position => None,
        };
        let mut out =
            Self { value: Vec::new(), keys: Vec::new(), used: None, filtered: BTreeMap::new(), opening: None };
        let mut used = Vec::with_capacity(game.moves.len());
        let mut legal: Vec<Move<G>> = Vec::new();
        play_through::<G>(game.start.as_deref(), moves, |line, _| {
            let (position, ply) = (line.position(), line.plies());
            out.value.push(value(&curve, game, ply, position.side_to_move()));
            out.keys.push(line.key());
            let filter = options.filters.position::<G>(position, ply, game.result, &mut legal);
            used.push(filter.is_none());
            if let Some(name) = filter {
                *out.filtered.entry(name).or_default() += 1;
            }
            if opening_ply == Some(ply) {
                out.opening = Some(without_counters(G::KIND, &position.to_text()));
            }
        })
        .map_err(|ReplayError { ply, reason }| (RejectKind::IllegalMove, Some(ply as u32), reason))?;
        out.used = Some(used);
        Ok(out)
    }
}

/// Winning probability of the mover, if the record has it.
fn value(curve: &ValueCurve, game: &ParsedGame, ply: usize, mover: Side) -> Option<f32> {
    game.values[ply].or_else(|| game.scores[ply].map(|score| curve.win_probability(score, mover)))
}

fn of_position<G: Game>(
    read: ParsedPosition,
    chosen: bool,
    id: RecordId<'_>,
    options: &ImportOptions,
) -> Result<Examined, Fault> {
    let filters = &options.filters;
    // The position is parsed only if it is needed and the reader did not provide the facts.
    let position =
        || G::Position::parse(&read.start).map_err(|error| (RejectKind::StartPosition, None, error.to_string()));
    let known = match read.known {
        Some(known) => known,
        None => PositionFacts::of(&position()?),
    };
    let passes = |allowed: bool, name| (!allowed).then_some(name);
    let mut legal = Vec::new();
    let mut filtered = passes(filters.results.as_ref().is_none_or(|results| results.contains(&read.result)), "results")
        .or_else(|| {
            passes(filters.terminations.as_ref().is_none_or(|kinds| kinds.contains(&read.termination)), "terminations")
        });
    if filtered.is_none() && filters.looks_at_positions() {
        let ply = read.ply.map_or(usize::MAX, |ply| ply as usize);
        filtered = filters.position::<G>(&position()?, ply, read.result, &mut legal);
    }
    if let Some(filter) = filtered {
        return Ok(Examined::Filtered(filter));
    }
    let best = || read.candidates.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(mv, _)| mv.clone());
    let named = read.mv.or_else(best);
    let is_known = named.is_some();
    let moves = match named {
        Some(mv) => mv,
        None => first_legal::<G>(&position()?, &mut legal)
            .ok_or_else(|| (RejectKind::NoMoves, None, "the position has no legal move".to_owned()))?,
    };
    let curve = ValueCurve::of(G::KIND);
    let value = read.value.or_else(|| read.score.map(|score| curve.win_probability(score, known.side_to_move)));
    let text = without_counters(G::KIND, &read.start);
    let row = GameRow {
        plies: 1,
        result: read.result,
        termination: read.termination,
        // If no move is known, the first legal one is stored, and is not a target.
        policy_from_ply: u16::from(!is_known || !chosen),
        moves,
        value: vec![value],
        policy: if read.candidates.is_empty() { None } else { policy(vec![read.candidates], 1) },
        group: Some(group(&text)),
        start: Some(read.start),
        ..GameRow::from_source(id.file, id.number)
    };
    let draft = Draft { row, keys: vec![known.key], fingerprint: None, together: Some(text) };
    Ok(Examined::Row { draft: Box::new(draft), filtered: BTreeMap::new(), misread: false })
}

fn first_legal<G: Game>(position: &G::Position, legal: &mut Vec<Move<G>>) -> Option<String> {
    position.legal_moves(legal);
    legal.first().map(|&first| position.move_text(first))
}

/// A per-ply column; `None` if it has no value.
fn non_empty(column: Vec<Option<f32>>) -> Option<Vec<Option<f32>>> {
    column.iter().any(Option::is_some).then_some(column)
}

/// The candidates without those of probability 0, scaled to sum to 1; `None` if no ply has any.
fn policy(mut plies: Vec<Vec<Candidate>>, count: usize) -> Option<Vec<Vec<Candidate>>> {
    if plies.iter().all(Vec::is_empty) {
        return None;
    }
    for candidates in &mut plies {
        candidates.retain(|&(_, probability)| probability > 0.0);
        let sum: f32 = candidates.iter().map(|&(_, probability)| probability).sum();
        candidates.iter_mut().for_each(|(_, probability)| *probability /= sum);
    }
    plies.resize(count, Vec::new());
    plies.iter().any(|candidates| !candidates.is_empty()).then_some(plies)
}
