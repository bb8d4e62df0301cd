//! Import: nothing gets lost, nothing is half done, and what is stored is what was read.

use crate::samples::{
    CHESS, LICHESS, SHOGI, imported, imported_bytes, imported_with, names, options, parsed, refused, rows, sample,
    sample_text,
};
use dataset::store::GameRow;
use dataset::{Format, ImportOptions, PerSplit, Split, SplitPlan, ValueCurve, import};
use games::{GameKind, GameResult, RejectKind, Side, Termination};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const SAMPLES: [(GameKind, &str); 3] = [(GameKind::Chess, CHESS), (GameKind::Chess, LICHESS), (GameKind::Shogi, SHOGI)];

#[test]
fn games_survive_the_store_unchanged() {
    for (game, file) in SAMPLES {
        let (dir, report) = imported(game, file);
        let curve = ValueCurve::of(game);
        let originals = parsed(game, &sample_text(file));
        let rows = rows(dir.path());
        assert_eq!(rows.len() as u64, report.manifest.counts.kept);
        for row in &rows {
            let original = originals[row.source_game as usize].as_ref().expect("only good games are kept");
            assert_eq!(original.moves, row.moves.split(' ').collect::<Vec<_>>());
            assert_eq!(
                (&row.start, row.result, row.termination),
                (&original.start, original.result, original.termination)
            );
            assert_eq!(usize::from(row.plies), original.moves.len());
            assert_eq!((row.ratings, row.source_file.as_str()), (original.ratings, file));
            for ply in 0..original.moves.len() {
                // Every game of the samples starts with the first player.
                let side = if ply % 2 == 0 { Side::First } else { Side::Second };
                let expected = original.scores[ply].map(|score| curve.win_probability(score, side));
                assert_eq!(row.value[ply], expected, "{file}, game {}, ply {ply}", row.source_game);
            }
            let said = |column: &[Option<f32>]| column.iter().any(Option::is_some).then(|| column.to_vec());
            assert_eq!((&row.clock, &row.time), (&said(&original.clocks), &said(&original.times)));
            assert_eq!(row.seen_in_train.is_some(), row.split != Split::Train);
        }
    }
}

#[test]
fn scores_after_moves_are_values_of_the_next_positions() {
    let values = |eval_after: bool| -> BTreeMap<u64, Vec<Option<f32>>> {
        let change = |options: &mut ImportOptions| options.filters.eval_after = eval_after;
        let (dir, report) = imported_with(GameKind::Chess, sample(LICHESS), change);
        assert_eq!((report.misread, report.manifest.filters.eval_after), (!eval_after, eval_after));
        rows(dir.path()).into_iter().map(|row| (row.source_game, row.value)).collect()
    };
    let (before, after) = (values(false), values(true));
    let mut moved = 0;
    for (game, said) in &before {
        let found = &after[game];
        assert_eq!(found[0], None);
        for (next, said) in found[1..].iter().zip(said) {
            // The same score, seen by the other player.
            assert_eq!(next.is_some(), said.is_some());
            assert!(next.zip(*said).is_none_or(|(next, said)| (next + said - 1.0).abs() < 1e-6), "game {game}");
            moved += usize::from(next.is_some());
        }
    }
    assert!(moved > 80, "one game was analysed: {moved} scores");
    assert!(!imported(GameKind::Chess, CHESS).1.misread, "no games of Lichess");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut csa = options(GameKind::Shogi, sample(SHOGI), dir.path());
    csa.filters.eval_after = true;
    refused(import(&csa, &mut |_| {}), &["is not PGN, which alone has [%eval]: leave it out"]);
}

#[test]
fn every_record_is_accounted_for() {
    let mut text = sample_text(LICHESS);
    text.extend_from_slice(b"\n\n[Event \"bad\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"empty\"]\n\n*\n\n");
    text.extend_from_slice(&sample_text(LICHESS));
    let (_dir, report) = imported_bytes(GameKind::Chess, "games.pgn", text, |_| {});
    let counts = &report.manifest.counts;
    assert_eq!((counts.read, counts.kept, counts.rejected, counts.duplicates), (82, 40, 1, 40));
    assert_eq!(counts.rejected_by_kind["illegal_move"], 1);
    assert_eq!(counts.filtered_games["no_moves"], 1);
    let (file, first) = report.first_rejected.as_ref().expect("two were rejected");
    assert_eq!((file.as_str(), first.game, first.ply, first.kind), ("games.pgn", 40, Some(2), RejectKind::IllegalMove));

    let list = fs::read_to_string(report.rejects.expect("there are some")).expect("a text");
    let lines: Vec<serde_json::Value> =
        list.lines().map(|line| serde_json::from_str(line).expect("JSON on every line")).collect();
    assert_eq!(lines.len(), 41);
    assert_eq!(lines[0]["game"], 40);
    assert_eq!(lines[0]["ply"], 2);
    assert!(lines[0]["reason"].as_str().expect("a text").contains("\"Ke3\" in position"));
    assert_eq!(lines[1]["kind"], "duplicate");
    assert_eq!(lines[1]["reason"], "the same start and moves as game 0 of the dataset");
}

#[test]
fn a_token_of_megabytes_is_shortened() {
    let mut text = sample_text(LICHESS);
    text.extend_from_slice(format!("\n\n[Event \"bad\"]\n\n1. e4 {} *\n", "x".repeat(1 << 20)).as_bytes());
    let (dir, report) = imported_bytes(GameKind::Chess, "games.pgn", text, |_| {});
    let (_, first) = report.first_rejected.as_ref().expect("one was rejected");
    assert!(first.reason.contains("characters left out") && first.reason.chars().count() < 400, "{}", first.reason);
    assert!(first.reason.contains("in position"), "the end stays: {}", first.reason);
    let list = fs::read_to_string(report.rejects.expect("one")).expect("a text");
    assert!(list.len() < 1000, "{list}");
    let again = tempfile::tempdir().expect("a temporary folder");
    let input = dir.path().join("games.pgn");
    let strict = ImportOptions { strict: true, ..options(GameKind::Chess, input, again.path()) };
    let error = import(&strict, &mut |_| {}).expect_err("an illegal move").to_string();
    assert!(error.len() < 1000, "{error}");
}

#[test]
fn text_may_begin_with_a_byte_order_mark() {
    let usi = b"# a comment\nposition startpos moves 7g7f 3c3d\n".to_vec();
    let kif = fs::read(sample("shogi_example.kif")).expect("the sample is part of the project");
    let texts = [
        (GameKind::Chess, "games.pgn", sample_text(CHESS)),
        (GameKind::Shogi, "games.csa", sample_text(SHOGI)),
        (GameKind::Shogi, "game.kif", kif),
        (GameKind::Shogi, "games.usi", usi),
    ];
    for (game, file, text) in texts {
        let counts = |text: &[u8]| {
            let (_dir, report) = imported_bytes(game, file, text, |_| {});
            (report.manifest.counts, report.manifest.content_hash)
        };
        assert_eq!(counts(&[b"\xef\xbb\xbf".as_slice(), &text].concat()), counts(&text), "{file}");
    }
}

#[test]
fn progress_reaches_the_end() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut last = None;
    import(&options(GameKind::Shogi, sample(SHOGI), dir.path()), &mut |progress| last = Some(progress))
        .expect("good games");
    let last = last.expect("at least one report");
    assert_eq!((last.bytes, last.read, last.kept, last.rejected), (last.total_bytes, 41, 41, 0));
}

#[test]
fn a_file_that_breaks_off_keeps_its_whole_games() {
    let frame = |file: &str| zstd::encode_all(sample_text(file).as_slice(), 1).expect("zstd");
    let (whole, broken) = (frame(CHESS), frame(LICHESS));
    let bytes = [&whole, &broken[..broken.len() / 2]].concat();
    let (_dir, report) = imported_bytes(GameKind::Chess, "games.pgn.zst", bytes, |_| {});
    let counts = &report.manifest.counts;
    assert_eq!(counts.kept, 36);
    assert_eq!(counts.rejected_by_kind.get("unreadable"), Some(&1));
    assert_eq!((counts.read, counts.rejected), (37, 1));
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let good = || options(GameKind::Chess, sample(CHESS), dir.path());
    let split = SplitPlan::by_game(1, PerSplit { train: 0.5, validation: 0.2, test: 0.2 });
    let fails = |options: ImportOptions, part: &str| refused(import(&options, &mut |_| {}), &[part]);
    fails(ImportOptions { split, ..good() }, "fractions: the shares of train, validation and test must lie in 0…1");
    fails(options(GameKind::Chess, sample(SHOGI), dir.path()), "is this a PGN file?");
    let other_game = ImportOptions { format: Some(Format::Hcpe), ..good() };
    fails(other_game, "format: hcpe is not a format of chess; valid: pgn, lc0, ");
    assert_eq!(names(dir.path()), [""; 0], "nothing was left behind");
}

#[test]
fn max_games_counts_what_is_kept() {
    let limited = imported_with(GameKind::Chess, sample(CHESS), |options| options.filters.max_games = Some(5));
    let counts = limited.1.manifest.counts;
    assert_eq!((counts.read, counts.kept), (5, 5));
}

#[test]
fn the_ply_cap_is_told_apart_from_draws() {
    let (dir, _) = imported_with(GameKind::Shogi, sample(SHOGI), |options| options.filters.ply_cap = Some(320));
    let long: Vec<GameRow> = rows(dir.path()).into_iter().filter(|row| row.plies == 320).collect();
    assert_eq!(long.len(), 1);
    assert_eq!((long[0].result, long[0].termination), (GameResult::Unknown, Termination::PlyCap));
}

#[test]
fn the_manifest_counts_what_the_shards_hold() {
    for (game, file) in SAMPLES {
        let (dir, report) = imported(game, file);
        let manifest = report.manifest;
        let rows = rows(dir.path());
        assert_eq!(rows.iter().map(|row| row.id).collect::<BTreeSet<_>>().len(), rows.len(), "ids are unique");
        for split in Split::ALL {
            let of_split: Vec<_> = rows.iter().filter(|row| row.split == split).collect();
            assert_eq!(manifest.split.games[split], of_split.len() as u64);
            let positions: u64 = of_split.iter().map(|row| u64::from(row.plies)).sum();
            assert_eq!(manifest.split.positions[split], positions);
        }
        assert_eq!(manifest.counts.results.values().sum::<u64>(), manifest.counts.kept);
        assert_eq!(manifest.counts.terminations.values().sum::<u64>(), manifest.counts.kept);
    }
}

/// The bytes of a dataset are a function of its records and options: what was published can be made again.
#[test]
fn the_content_is_pinned() {
    for ((game, file), content) in SAMPLES.into_iter().zip(PINNED_CONTENT) {
        let (_dir, report) = imported(game, file);
        let mut manifest = report.manifest;
        // The pinned hashes are those of a seed that is not part of them.
        manifest.split.seed = 0;
        assert_eq!(&manifest.hash_of_content()[..16], content, "{file}");
    }
}

const PINNED_CONTENT: [&str; 3] = ["f5d8cb8fdb4e584e", "0f804648cea6a8b4", "b31ca596cbf51eed"];
