//! Generated positions: rows of one ply, split by position.

use super::made::MadePosition;
use super::{GeneratedOptions, describe};
use crate::build::{Added, Builder, Draft, Output, fingerprint};
use crate::error::DatasetError;
use crate::manifest::{Counts, Manifest, MapInfo, Sampled, Unit};
use crate::split::{group, without_counters};
use crate::store::GameRow;
use crate::value::ValueCurve;
use games::{Game, ParsedPosition, Position as _, with_game};
use std::num::NonZeroU16;

/// Writes the first `wanted` distinct positions as a new dataset. Duplicates (clocks and move numbers ignored) are
/// counted and left out. The row's move is the position's own or, if it has none, the most probable of its candidates,
/// the last of equals.
pub fn write_positions(
    options: &GeneratedOptions,
    wanted: u64,
    positions: impl IntoIterator<Item = ParsedPosition>,
) -> Result<Manifest, DatasetError> {
    let checked = |(number, position)| with_game!(options.game, G => checked::<G>(position, number));
    write(options, None, None, wanted, positions.into_iter().enumerate().map(checked))
}

/// Writes the first `wanted` distinct positions that posenc's own rules made, as they are. `info` describes their maps, if
/// these are their labels. `every` is the number of plies between the positions of a game, if a game gives several.
pub fn write_made(
    options: &GeneratedOptions,
    info: Option<MapInfo>,
    every: Option<NonZeroU16>,
    wanted: u64,
    positions: impl IntoIterator<Item = MadePosition>,
) -> Result<Manifest, DatasetError> {
    write(options, info, every, wanted, positions.into_iter().map(Ok))
}

fn write(
    options: &GeneratedOptions,
    info: Option<MapInfo>,
    every: Option<NonZeroU16>,
    wanted: u64,
    mut positions: impl Iterator<Item = Result<MadePosition, DatasetError>>,
) -> Result<Manifest, DatasetError> {
    options.split.check(Unit::Position)?;
    let policy_from_ply = u16::from(info.is_some());
    let output = Output::create(&options.output)?;
    let mut builder = Builder::new(output.dir(), &options.split)?;
    let mut counts = Counts::default();
    let (mut games, mut last_game) = (0, None);
    while builder.kept() < wanted {
        let Some(made) = positions.next() else {
            let reason = format!("{wanted} are wanted, and there are {} different ones: ask for fewer", builder.kept());
            return Err(DatasetError::Option { option: "positions", reason });
        };
        let MadePosition { mut draft, game } = made?;
        draft.row.source_file.clone_from(&options.maker);
        draft.row.source_game = counts.read;
        draft.row.policy_from_ply = policy_from_ply;
        counts.read += 1;
        match builder.add(draft)? {
            Added::Duplicate(_) => counts.duplicates += 1,
            // Games come in the order of their numbers.
            Added::Kept if game != last_game => (games, last_game) = (games + 1, game),
            Added::Kept => {}
        }
    }
    let sampled = every.map(|every| Sampled { every, games });
    let manifest = Manifest { sampled, ..describe(options, Unit::Position, builder, counts, info)? };
    output.publish(&manifest)?;
    Ok(manifest)
}

/// A position from elsewhere, after its text and its moves were checked.
fn checked<G: Game>(made: ParsedPosition, number: usize) -> Result<MadePosition, DatasetError> {
    let ParsedPosition { start, mv, score, value, result, termination, candidates, .. } = made;
    let wrong = |reason: String| DatasetError::BadGame { game: number as u32, ply: 0, reason };
    let position = G::Position::parse(&start).map_err(|error| wrong(error.to_string()))?;
    let likeliest = candidates.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(mv, _)| mv.clone());
    let mv = mv.or(likeliest).ok_or_else(|| wrong("it has neither a move nor candidates".to_owned()))?;
    for text in candidates.iter().map(|(text, _)| text).chain([&mv]) {
        position.parse_move(text).map_err(|error| wrong(error.to_string()))?;
    }
    let scored = score.map(|score| ValueCurve::of(G::KIND).win_probability(score, position.side_to_move()));
    let text = without_counters(G::KIND, &start);
    let row = GameRow {
        plies: 1,
        result,
        termination,
        moves: mv,
        value: vec![value.or(scored)],
        policy: (!candidates.is_empty()).then(|| vec![candidates]),
        group: Some(group(&text)),
        start: Some(start),
        ..GameRow::default()
    };
    let fingerprint = Some(fingerprint(Some(&text), ""));
    let draft = Draft { row, keys: vec![position.repetition_key()], fingerprint, together: Some(text) };
    Ok(MadePosition { draft, game: None })
}
