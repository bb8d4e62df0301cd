//! From the bytes of a record to a row that can be kept. Runs in parallel, so it depends on the record only.

use super::ImportOptions;
use super::format::{Format, Parsed};
use super::reading::Record;
use crate::build::{Draft, fingerprint, group, without_counters};
use crate::filter::{NO_MOVES, NO_POSITION};
use crate::playback::{Move, Stuck, play_through};
use crate::split::{Split, SplitBy};
use crate::store::GameRow;
use crate::time_control;
use crate::value::ValueCurve;
use games::record::Candidate;
use games::{Game, ParsedGame, ParsedPosition, Position as _, RejectKind, Rejected, Side};

/// What is wrong with a record: kind, ply, reason.
type Fault = (RejectKind, Option<u32>, String);

/// A record that was read.
pub(super) enum Examined {
    /// A row, and how many of its positions each filter left out.
    Row(Box<Draft>, Vec<(&'static str, u64)>),
    /// A filter left it out.
    Filtered(&'static str),
}

/// Reads a record and plays it through.
pub(super) fn examine<G: Game>(
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
    let place = Place { file, number };
    match format.parse(bytes, number)? {
        Parsed::Game(game) => of_game::<G>(*game, place, options).map_err(fault),
        Parsed::Position(position, chosen) => of_position::<G>(*position, chosen, place, options).map_err(fault),
    }
}

/// Where a record came from.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    number: u64,
}

fn of_game<G: Game>(mut game: ParsedGame, place: Place<'_>, options: &ImportOptions) -> Result<Examined, Fault> {
    if let Some(cap) = options.filters.ply_cap {
        game.cut_off_at(cap);
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
    let moves = game.moves.join(" ");
    let played = Played::through::<G>(&game, &moves, options)?;
    if played.used.iter().all(|&used| !used) {
        return Ok(Examined::Filtered(NO_POSITION));
    }
    let row = GameRow {
        id: 0,
        split: Split::Train,
        plies,
        result: game.result,
        termination: game.termination,
        policy_from_ply: options.policy_from_ply,
        value: played.value,
        clock: said(game.clocks),
        time: said(game.times),
        seen_in_train: None,
        ratings: game.ratings,
        source_file: place.file.to_owned(),
        source_game: place.number,
        used: played.used.contains(&false).then_some(played.used),
        policy: policy(game.candidates, usize::from(plies)),
        mean_result: None,
        count: None,
        group: None,
        rating_bucket: options.buckets.of(game.ratings),
        time_control: time_control::written(&game.tags).map(str::to_owned),
        start: game.start,
        moves,
    };
    let fingerprint = Some(fingerprint(row.start.as_deref(), &row.moves));
    let draft = Draft { row, keys: played.keys, fingerprint, together: played.opening };
    Ok(Examined::Row(Box::new(draft), played.filtered))
}

/// What playing a game through tells of each ply.
#[derive(Default)]
struct Played {
    value: Vec<Option<f32>>,
    keys: Vec<u64>,
    used: Vec<bool>,
    filtered: Vec<(&'static str, u64)>,
    /// The position that the game shares with others of its opening, where games are split by that.
    opening: Option<String>,
}

impl Played {
    /// Plays again from the text that will be stored: what the loader will read is known to be legal.
    fn through<G: Game>(game: &ParsedGame, moves: &str, options: &ImportOptions) -> Result<Self, Fault> {
        let curve = ValueCurve::of(G::KIND);
        let opening_ply = match options.split.by {
            SplitBy::Opening => Some(usize::from(options.split.opening_plies).min(game.moves.len() - 1)),
            SplitBy::Game | SplitBy::Position => None,
        };
        let mut out = Self::default();
        let mut legal: Vec<Move<G>> = Vec::new();
        play_through::<G>(game.start.as_deref(), moves, |line, _| {
            let (position, ply) = (line.position(), line.plies());
            let side: Side = position.side_to_move();
            out.value
                .push(game.values[ply].or_else(|| game.scores[ply].map(|score| curve.win_probability(score, side))));
            out.keys.push(line.key());
            let filter = options.filters.position::<G>(position, ply, game.result, &mut legal);
            out.used.push(filter.is_none());
            if let Some(name) = filter {
                match out.filtered.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, count)) => *count += 1,
                    None => out.filtered.push((name, 1)),
                }
            }
            if opening_ply == Some(ply) {
                out.opening = Some(without_counters(G::KIND, &position.to_text()));
            }
        })
        .map_err(|Stuck { ply, reason }| (RejectKind::IllegalMove, Some(ply as u32), reason))?;
        Ok(out)
    }
}

/// A row of one ply.
fn of_position<G: Game>(
    read: ParsedPosition,
    chosen: bool,
    place: Place<'_>,
    options: &ImportOptions,
) -> Result<Examined, Fault> {
    let position =
        G::Position::parse(&read.start).map_err(|error| (RejectKind::StartPosition, None, error.to_string()))?;
    let filters = &options.filters;
    let passes = |allowed: bool, name| (!allowed).then_some(name);
    let mut legal = Vec::new();
    let filtered = passes(filters.results.as_ref().is_none_or(|results| results.contains(&read.result)), "results")
        .or_else(|| {
            passes(filters.terminations.as_ref().is_none_or(|kinds| kinds.contains(&read.termination)), "terminations")
        })
        .or_else(|| {
            filters.position::<G>(&position, read.ply.map_or(usize::MAX, |ply| ply as usize), read.result, &mut legal)
        });
    if let Some(filter) = filtered {
        return Ok(Examined::Filtered(filter));
    }
    let best = || read.candidates.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(mv, _)| mv.clone());
    let known = read.mv.or_else(best);
    let is_known = known.is_some();
    let moves = known.or_else(|| {
        position.legal_moves(&mut legal);
        legal.first().map(|&first| position.move_text(first))
    });
    let Some(moves) = moves else {
        return Err((RejectKind::NoMoves, None, "the position has no legal move".to_owned()));
    };
    let side = position.side_to_move();
    let curve = ValueCurve::of(G::KIND);
    let value = read.value.or_else(|| read.score.map(|score| curve.win_probability(score, side)));
    let text = without_counters(G::KIND, &read.start);
    let row = GameRow {
        id: 0,
        split: Split::Train,
        plies: 1,
        result: read.result,
        termination: read.termination,
        // Where no move is known the first legal one stands in, and is no target.
        policy_from_ply: u16::from(!is_known || !chosen),
        moves,
        value: vec![value],
        clock: None,
        time: None,
        seen_in_train: None,
        ratings: [None; 2],
        source_file: place.file.to_owned(),
        source_game: place.number,
        used: None,
        policy: policy(vec![read.candidates], 1),
        mean_result: None,
        count: None,
        group: Some(group(&text)),
        rating_bucket: None,
        time_control: None,
        start: Some(read.start),
    };
    let draft = Draft { row, keys: vec![position.repetition_key()], fingerprint: None, together: Some(text) };
    Ok(Examined::Row(Box::new(draft), Vec::new()))
}

/// A per-ply column, if the record says anything in it.
fn said(column: Vec<Option<f32>>) -> Option<Vec<Option<f32>>> {
    column.iter().any(Option::is_some).then_some(column)
}

/// The candidates without those of probability 0, scaled to the sum 1; `None` if no ply has any.
fn policy(mut plies: Vec<Vec<Candidate>>, count: usize) -> Option<Vec<Vec<Candidate>>> {
    for candidates in &mut plies {
        candidates.retain(|&(_, probability)| probability > 0.0);
        let sum: f32 = candidates.iter().map(|&(_, probability)| probability).sum();
        candidates.iter_mut().for_each(|(_, probability)| *probability /= sum);
    }
    plies.resize(count, Vec::new());
    plies.iter().any(|candidates| !candidates.is_empty()).then_some(plies)
}
