//! Memory: import, verify, split, merge and average need the same however large their input. `scripts/long-check memory` takes 2 GB of
//! games, much of an hour and some GB of the disk; among the other tests it is a small file.
#![cfg(target_os = "linux")]

use dataset::{
    DatasetFolder, Filters, ImportOptions, Merge, PerSplit, RemakeOptions, SplitPlan, average, import, remake, verify,
};
use games::chess::{Chess, pgn};
use games::{Game, GameKind, GameResult, Position};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

const MB: u64 = 1_000_000;

/// Bytes of memory that each step stays below.
const MOST: u64 = 1_000 * MB;

/// Megabytes of the input, unless `POSENC_MEMORY_MB` says otherwise.
const INPUT_MB: u64 = 5;

/// One in N games is averaged.
const AVERAGED: u64 = 8;

const SORTED: usize = 2 << 20;

/// Games that are made at a time.
const BATCH: u64 = 1 << 14;

type ChessPosition = <Chess as Game>::Position;

/// A game of random legal moves with the tags of a large collection: about 600 bytes, no two alike.
fn game(number: u64) -> String {
    let mut stream = streams::stream(number, &["a game for the memory test"]);
    let mut position = ChessPosition::start();
    let (mut legal, mut moves) = (Vec::new(), Vec::new());
    for _ in 0..24 + streams::below(&mut stream, 17) {
        position.legal_moves(&mut legal);
        if legal.is_empty() {
            break;
        }
        let mv = legal[streams::below(&mut stream, legal.len() as u64) as usize];
        moves.push(position.move_text(mv));
        position.play(mv);
    }
    position.legal_moves(&mut legal);
    if legal.is_empty() {
        // Without its mate the game can have any result.
        moves.pop();
    }
    let (site, players) = (format!("https://example.org/games/{number:016x}"), number.wrapping_mul(0x9e37_79b9));
    let (white, black) = (format!("player{:08x}", players as u32), format!("player{:08x}", (players >> 7) as u32));
    let tags = [
        ("Event", "Rated rapid game of a synthetic collection"),
        ("Site", site.as_str()),
        ("Date", "2026.11.20"),
        ("Round", "-"),
        ("White", &white),
        ("Black", &black),
        ("UTCDate", "2026.11.20"),
        ("UTCTime", "14:30:00"),
        ("WhiteElo", "1843"),
        ("BlackElo", "1902"),
        ("ECO", "A00"),
        ("Opening", "Random moves, no variation of anything"),
        ("TimeControl", "600+5"),
        ("Termination", "Normal"),
    ];
    let result = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw][(number % 3) as usize];
    pgn::write(None, moves.iter().map(|mv| &**mv), result, &tags, &[]).expect("legal moves")
}

/// Writes `bytes` bytes of games or more; returns the number of games.
fn write_games(path: &Path, bytes: u64) -> u64 {
    let mut file = File::create(path).expect("room for the games");
    let (mut written, mut games) = (0, 0);
    while written < bytes {
        let texts: Vec<String> = (games..games + BATCH).into_par_iter().map(game).collect();
        for text in texts {
            file.write_all(text.as_bytes()).expect("room for the games");
            written += text.len() as u64;
        }
        games += BATCH;
    }
    games
}

/// The most memory that this process has had so far.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux says what a process uses");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak is among it");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kibibytes * 1024
}

/// Works, prints the most memory that it took, and checks it.
#[allow(clippy::print_stdout, reason = "for those who ask with --nocapture")]
fn bounded<T>(what: &str, work: impl FnOnce() -> T) -> T {
    // Resets the peak; where that is not allowed, it is that of all work so far.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let (start, before) = (std::time::Instant::now(), peak());
    let done = work();
    let most = peak();
    println!("{what}: {} MB before, peak {} MB, {:.0} s", before / MB, most / MB, start.elapsed().as_secs_f64());
    assert!(most < MOST, "{what}: {most} bytes");
    done
}

#[test]
fn memory_does_not_grow_with_the_input() {
    let megabytes = std::env::var("POSENC_MEMORY_MB").map_or(INPUT_MB, |text| text.parse().expect("megabytes"));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = |name: &str| dir.path().join(name);
    let input = folder("games.pgn");
    let games = write_games(&input, megabytes * MB);
    let options = |name: &str| ImportOptions::new(GameKind::Chess, vec![input.clone()], folder(name));
    let mut tenth = 0;
    let report = bounded("import", || {
        import(&options("whole"), &mut |progress| {
            // Said as it goes, to see what grows.
            if progress.bytes * 10 / progress.total_bytes > tenth {
                tenth = progress.bytes * 10 / progress.total_bytes;
                println!("{:4} MB of the input: peak {} MB", progress.bytes / MB, peak() / MB);
            }
        })
        .expect("good games")
    });
    let counts = &report.manifest.counts;
    println!("{games} games, {} positions", counts.positions);
    assert_eq!((counts.read, counts.rejected), (games, 0));
    assert!(counts.duplicates * 1_000 < games, "the games differ: {} are equal", counts.duplicates);

    let (_, found) = bounded("verify", || verify(&folder("whole"), false, &mut |_| {})).expect("good games");
    assert_eq!((found.rows, found.problems), (counts.kept, 0));

    let remade = |sources: &[&str], output: &str, seed: u64| RemakeOptions {
        sources: sources.iter().map(|name| DatasetFolder::read(&folder(name)).expect("a dataset")).collect(),
        output: folder(output),
        name: "remade".to_owned(),
        made_by: "a test".to_owned(),
        split: SplitPlan::by_game(seed, PerSplit { train: 0.8, validation: 0.1, test: 0.1 }),
    };
    let split = bounded("split", || remake(&remade(&["whole"], "split", 1), &mut |_| {})).expect("good games");
    assert_eq!((split.counts.kept, split.counts.duplicates), (counts.kept, 0));

    let filters = Filters { max_games: Some(games / AVERAGED), ..Filters::default() };
    let part = import(&ImportOptions { filters, ..options("part") }, &mut |_| {}).expect("good games").manifest.counts;
    let merge = remade(&["part", "whole"], "merged", 0);
    let merged = bounded("merge", || remake(&merge, &mut |_| {})).expect("good games");
    assert_eq!((merged.counts.kept, merged.counts.duplicates), (counts.kept, part.kept));

    let options = remade(&["part"], "average", 0);
    let averaged = bounded("average", || average(&options, Merge::Mean, SORTED, &mut |_| {})).expect("good games");
    assert!(averaged.positions == part.positions && averaged.runs > 0, "{} runs", averaged.runs);
}
