//! What evaluated positions are said to be like, against what their batches show.

use crate::samples::{CHESS, SHOGI, dataset, evaluation};
use dataset::position_metrics::{PositionMetrics, PositionsError, encode, read};
use dataset::{Batch, MoveTraits, PositionTraits, Split, evaluation_traits};
use games::{Entry, Game, GameKind, InputName, Phase, Relation, with_game};
use std::collections::BTreeMap;

const MOST: u64 = 1_500;

/// The likeliest target's traits by way of the vocabulary and the packed board; none without a target.
fn expected<G: Game>(batch: &Batch, i: usize) -> Option<(&'static str, Option<(Relation, u8)>)> {
    let targets = i * batch.candidates..(i + 1) * batch.candidates;
    let mut likeliest: Option<(i64, f32)> = None;
    for (index, probability) in targets.map(|t| (batch.policy_index[t], batch.policy_prob[t])) {
        if index >= 0 && likeliest.is_none_or(|(_, most)| probability > most) {
            likeliest = Some((index, probability));
        }
    }
    let entry = G::from_to().entries()[usize::try_from(likeliest?.0).expect("an index")];
    let (from, to) = match entry {
        Entry::Drop { kind, .. } => return Some((G::from_to().drops[usize::from(kind)], None)),
        Entry::Plain { from, to } | Entry::Promotion { from, to, .. } => (usize::from(from), usize::from(to)),
    };
    let files = G::GEOMETRY.files();
    let (across, along) = ((from % files).abs_diff(to % files), (from / files).abs_diff(to / files));
    let relation = match (across, along) {
        (_, 0) => Relation::Rank,
        (0, _) => Relation::File,
        (1, 2) | (2, 1) => Relation::Knight,
        (x, y) if x == y => Relation::Diagonal,
        _ => Relation::Other,
    };
    let code = usize::from(batch.packed[i * batch.row_bytes + from]);
    Some((G::PIECES[code - 1], Some((relation, across.max(along) as u8))))
}

fn check(game: GameKind, file: &str) -> BTreeMap<&'static str, usize> {
    let dataset = dataset(game, file);
    let traits = evaluation_traits(&dataset, Split::Train, MOST).expect("training games");
    let (mut place, mut kinds) = (0, BTreeMap::new());
    for batch in evaluation(&dataset, Split::Train, InputName::PieceTokens, MOST) {
        for i in 0..batch.size {
            let own = &traits[place];
            assert_eq!((own.game, own.ply), (batch.game[i], batch.ply[i]));
            assert_eq!(own.phase, Phase::ALL[usize::from(batch.phase[i])]);
            let target = own.target.map(|MoveTraits { piece, way, .. }| (piece, way));
            assert_eq!(target, with_game!(game, G => expected::<G>(&batch, i)), "ply {} of game {}", own.ply, own.game);
            if let Some(MoveTraits { kind, way, .. }) = own.target {
                assert_eq!(kind == "drop", way.is_none());
                assert!(way.is_none_or(|(relation, _)| relation != Relation::Other), "no piece moves like this");
                *kinds.entry(kind).or_default() += 1;
            }
            place += 1;
        }
    }
    assert_eq!(place, traits.len());
    kinds
}

#[test]
fn traits_are_those_of_the_batches_positions() {
    let chess = check(GameKind::Chess, CHESS);
    assert!(["quiet", "capture", "castling"].iter().all(|kind| chess.contains_key(kind)), "{chess:?}");
    assert!(!chess.contains_key("drop"));
    let shogi = check(GameKind::Shogi, SHOGI);
    assert!(["quiet", "capture", "promotion", "drop"].iter().all(|kind| shogi.contains_key(kind)), "{shogi:?}");
}

#[test]
fn measurements_come_back_with_what_their_positions_are_like() {
    let target = MoveTraits { kind: "drop", piece: "pawn", way: None };
    let like = |ply, target| PositionTraits { game: 7, ply, phase: Phase::Opening, target };
    let traits = [like(0, None), like(1, Some(target))];
    let row = |ply, loss| PositionMetrics {
        game: 7,
        ply,
        novel: ply == 1,
        map_cells: None,
        values: [loss, loss, Some(0.5), None, loss],
    };
    let measured = [row(0, None), row(1, Some(2.25))];
    let bytes = encode(&measured, &traits).expect("the same positions");
    assert_eq!(bytes, encode(&measured, &traits).expect("the same positions"), "equal input, equal bytes");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("positions.parquet");
    std::fs::write(&path, bytes).expect("written");
    let rows = read(&path).expect("readable");
    assert_eq!((rows.len(), rows[0].target.clone(), rows[0].values), (2, None, [None, None, Some(0.5), None, None]));
    assert_eq!(rows[1].target.clone().expect("a move"), ["drop", "pawn", "drop"]);
    assert_eq!((rows[1].ply, rows[1].novel, rows[1].distance, rows[1].values[0]), (1, true, None, Some(2.25)));
    let other = encode(&[row(0, None), row(2, None)], &traits);
    assert!(matches!(other, Err(PositionsError::Other { place: 1, game: 7, ply: 2 })), "{other:?}");
    assert!(encode(&measured[..1], &traits).is_err());
}
