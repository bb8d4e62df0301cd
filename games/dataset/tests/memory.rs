//! Memory: an import needs the same however large its input. `scripts/long-check memory` imports 2 GB, which takes some minutes and
//! some GB of the disk; among the other tests it is a small file.
#![cfg(target_os = "linux")]

use dataset::{ImportOptions, import};
use games::chess::{Chess, pgn};
use games::{Game, GameKind, GameResult, Position};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

const MB: u64 = 1_000_000;

/// What an import may need at most.
const MOST: u64 = 1_000 * MB;

/// The input, unless `POSENC_MEMORY_MB` says otherwise.
const INPUT_MB: u64 = 5;

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

/// Writes so many bytes of games; returns how many games these are.
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

#[test]
fn memory_does_not_grow_with_the_input() {
    let megabytes = std::env::var("POSENC_MEMORY_MB").map_or(INPUT_MB, |text| text.parse().expect("megabytes"));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let input = dir.path().join("games.pgn");
    let games = write_games(&input, megabytes * MB);
    let before = peak();
    let (mut tenth, mut most) = (0, 0);
    let start = std::time::Instant::now();
    let report =
        import(&ImportOptions::new(GameKind::Chess, vec![input], dir.path().join("dataset")), &mut |progress| {
            most = most.max(peak());
            // Said as it goes, to see what grows.
            if progress.bytes * 10 / progress.total_bytes > tenth {
                tenth = progress.bytes * 10 / progress.total_bytes;
                println!(
                    "{:4} MB of the input: peak {} MB, {:.0} s",
                    progress.bytes / MB,
                    most / MB,
                    start.elapsed().as_secs_f64()
                );
            }
        })
        .expect("good games");
    let counts = &report.manifest.counts;
    println!(
        "{games} games, {} positions; {} MB before the import, peak {} MB; {:.0} s",
        counts.positions,
        before / MB,
        peak() / MB,
        start.elapsed().as_secs_f64()
    );
    assert_eq!((counts.read, counts.rejected), (games, 0));
    assert!(counts.duplicates * 1_000 < games, "the games differ: {} are equal", counts.duplicates);
    assert!(peak() < MOST, "{} bytes", peak());
}
