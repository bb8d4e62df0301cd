//! The split: by game, stable, and honest about what training has seen.

use crate::samples::{CHESS, LICHESS, SHOGI, identity, imported, imported_bytes, parsed, replayed, rows, sample_text};
use dataset::Split;
use dataset::store::GameRow;
use games::{Game, GameKind, Position, with_game};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn positions<G: Game>(row: &GameRow) -> Vec<String> {
    replayed::<G::Position, _>(row, |line, _| identity(G::KIND, &line.position().to_text()))
}

#[test]
fn seen_in_train_is_what_a_search_through_all_training_positions_finds() {
    for (game, file) in [(GameKind::Chess, CHESS), (GameKind::Chess, LICHESS), (GameKind::Shogi, SHOGI)] {
        let (dir, report) = imported(game, file);
        let rows = rows(dir.path());
        let positions = |row: &GameRow| with_game!(game, G => positions::<G>(row));
        let train: BTreeSet<String> =
            rows.iter().filter(|row| row.split == Split::Train).flat_map(&positions).collect();
        let mut novel = BTreeMap::from([(Split::Validation, (0, 0)), (Split::Test, (0, 0))]);
        for row in rows.iter().filter(|row| row.split != Split::Train) {
            let expected: Vec<bool> = positions(row).iter().map(|position| train.contains(position)).collect();
            assert_eq!(row.seen_in_train.as_ref(), Some(&expected), "{file}, game {}", row.id);
            assert!(expected[0], "all games of the samples begin with the same position");
            let (new, all) = novel.get_mut(&row.split).expect("not train");
            *new += expected.iter().filter(|&&seen| !seen).count();
            *all += expected.len();
        }
        let share = |split| novel[&split].0 as f64 / novel[&split].1 as f64;
        assert_eq!(report.manifest.split.novel_test_positions, share(Split::Test));
        assert_eq!(report.manifest.split.novel_validation_positions, share(Split::Validation));
    }
}

#[test]
fn no_game_is_in_two_splits() {
    let (dir, _) = imported(GameKind::Chess, CHESS);
    let rows = rows(dir.path());
    let games: BTreeSet<_> = rows.iter().map(|row| (&row.start, &row.moves)).collect();
    assert_eq!(games.len(), rows.len());
    for split in Split::ALL {
        assert!(rows.iter().any(|row| row.split == split), "{} is empty", split.name());
    }
}

/// The split of a game depends on the game and the seed, not on its neighbours or their order.
#[test]
fn other_games_do_not_move_a_game() {
    let split_of =
        |dir: &Path| -> BTreeMap<String, Split> { rows(dir).into_iter().map(|row| (row.moves, row.split)).collect() };
    let (all, _) = imported(GameKind::Chess, CHESS);
    let all = split_of(all.path());

    let text = String::from_utf8(sample_text(CHESS)).expect("ASCII");
    let mut games: Vec<&str> = text.split("\n\n[Event").collect();
    games.reverse();
    games.truncate(20);
    let text = format!("[Event{}", games.join("\n\n[Event"));
    let (some, _) = imported_bytes(GameKind::Chess, "some.pgn", text, |_| {});
    let some = split_of(some.path());
    assert_eq!(some.len(), 20);
    assert!(some.iter().all(|(moves, split)| all[moves] == *split));
}

#[test]
fn fractions_are_met_on_average() {
    let games = parsed(GameKind::Chess, &sample_text(LICHESS));
    let fractions = dataset::PerSplit { train: 0.7, validation: 0.1, test: 0.2 };
    let mut counts = BTreeMap::<Split, u32>::new();
    for (seed, game) in (0..100).flat_map(|seed| games.iter().flatten().map(move |game| (seed, game))) {
        let split = dataset::split::assign(seed, &fractions, None, &game.moves.join(" "));
        *counts.entry(split).or_default() += 1;
    }
    // 4,000 draws: the standard deviation of each share is below 0.008.
    for split in Split::ALL {
        let share = f64::from(counts[&split]) / 4000.0;
        assert!((share - fractions[split]).abs() < 0.03, "{}: {share}", split.name());
    }
}
