//! Filters: every count equals one that is made here from the text of the records, without the import's own code.

use crate::samples::{self, LICHESS_438, imported_with, replayed, rows, sample, sample_text};
use dataset::store::GameRow;
use dataset::{Buckets, Filters, ImportReport};
use games::chess::ChessPosition;
use games::{GameKind, GameResult, Position as _, Side, Termination};
use std::collections::{BTreeMap, BTreeSet};

/// Games of the sample that were given up before the first move.
const EMPTY: usize = 5;

/// The tags of a record, read line by line.
struct Header(BTreeMap<String, String>);

impl Header {
    fn rating(&self, side: &str) -> i32 {
        self.0[side].parse().expect("every game has ratings")
    }

    fn ratings(&self) -> (i32, i32) {
        (self.rating("WhiteElo"), self.rating("BlackElo"))
    }

    /// Seconds at the start and per move.
    fn time(&self) -> Option<(f64, f64)> {
        let (base, increment) = self.0["TimeControl"].split_once('+')?;
        Some((base.parse().ok()?, increment.parse().ok()?))
    }
}

fn headers() -> Vec<Header> {
    let text = String::from_utf8(sample_text(sample(LICHESS_438))).expect("UTF-8");
    let mut headers: Vec<Header> = Vec::new();
    for line in text.lines() {
        if line.starts_with("[Event ") {
            headers.push(Header(BTreeMap::new()));
        }
        if let Some((name, value)) = line.strip_prefix('[').and_then(|tag| tag.split_once(" \"")) {
            let value = value.trim_end_matches("\"]").to_owned();
            headers.last_mut().expect("a game began").0.insert(name.to_owned(), value);
        } else if line.trim().starts_with(['0', '1']) {
            let moves = if line.contains('.') { "some" } else { "0" };
            headers.last_mut().expect("a game began").0.insert("Moves".to_owned(), moves.to_owned());
        }
    }
    // Games without moves pass no filter: they are counted apart.
    let empty = |header: &Header| header.0["Moves"] == "0";
    assert_eq!(headers.iter().filter(|header| empty(header)).count(), EMPTY);
    headers
}

fn imported(filters: Filters) -> (tempfile::TempDir, ImportReport) {
    imported_with(GameKind::Chess, sample(LICHESS_438), |options| options.filters = filters)
}

/// The games that no earlier one equals, by the words of their movetext without comments and results, and how many
/// clocks stand in them.
fn firsts(movetexts: &[&str]) -> (Vec<usize>, usize) {
    let mut seen = BTreeSet::new();
    let words = |text: &str| {
        let mut depth = 0;
        let kept = text.chars().filter(|&c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0 && c != '}'
        });
        let kept: String = kept.collect();
        let is_move = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
        kept.split(' ').filter(is_move).map(|word| word.trim_end_matches(['!', '?']).to_owned()).collect::<Vec<_>>()
    };
    let played = (0..movetexts.len()).filter(|&i| movetexts[i].contains('.'));
    let firsts: Vec<usize> = played.filter(|&i| seen.insert(words(movetexts[i]))).collect();
    let clocks = firsts.iter().map(|&i| movetexts[i].matches("[%clk ").count()).sum();
    (firsts, clocks)
}

#[test]
fn all_games_are_kept_with_what_their_records_say() {
    let (dir, report) = imported(Filters::default());
    let counts = &report.manifest.counts;
    let text = String::from_utf8(sample_text(sample(LICHESS_438))).expect("UTF-8");
    let movetexts: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with(['0', '1'])).collect();
    let (firsts, clocks) = firsts(&movetexts);
    let (empty, duplicates) = (EMPTY as u64, 438 - EMPTY as u64 - firsts.len() as u64);
    assert_eq!(movetexts.iter().filter(|text| !text.contains('.')).count(), EMPTY);
    assert_eq!((counts.read, counts.rejected, counts.duplicates), (438, 0, duplicates));
    assert_eq!((counts.kept, counts.filtered_games["no_moves"]), (438 - empty - duplicates, empty));
    let rows = rows(dir.path());
    let kept: usize = rows.iter().flat_map(|row| row.clock.iter().flatten()).filter(|clock| clock.is_some()).count();
    assert_eq!(kept, clocks);
    let headers = headers();
    for (row, number) in rows.iter().zip(firsts) {
        let header = &headers[number];
        assert_eq!(row.source_game, number as u64);
        let (white, black) = header.ratings();
        assert_eq!(row.ratings, [Some(white), Some(black)]);
        let written = Some(header.0["TimeControl"].clone()).filter(|text| text != "-");
        assert_eq!(row.time_control, written);
    }
}

#[test]
fn filters_of_games_count_what_the_headers_say() {
    let headers = headers();
    let expect = |name: &str, filters: Filters, passes: &dyn Fn(&Header) -> bool| {
        let played = || headers.iter().filter(|header| header.0["Moves"] != "0");
        let (all, kept) = (played().count() as u64, played().filter(|header| passes(header)).count() as u64);
        assert!((1..all).contains(&kept), "{name} is tested on both sides");
        let (_dir, report) = imported(filters);
        let counts = &report.manifest.counts;
        let passed = counts.kept + counts.duplicates;
        assert_eq!((passed, counts.filtered_games.get(name).copied()), (kept, Some(all - kept)), "{name}");
        assert_eq!(counts.filtered_games.len(), 2, "{name}, and games without moves");
    };
    let range = |text: &str| Some(text.parse().expect("a range"));
    let average = |header: &Header| f64::from(header.rating("WhiteElo") + header.rating("BlackElo")) / 2.0;
    let all = Filters::default;
    expect("rating_each", Filters { rating_each: range("1500"), ..all() }, &|header| {
        header.rating("WhiteElo").min(header.rating("BlackElo")) >= 1500
    });
    expect("rating_average", Filters { rating_average: range("1200..1800"), ..all() }, &|header| {
        (1200.0..1800.0).contains(&average(header))
    });
    expect("rating_winner", Filters { rating_winner: range("1700"), ..all() }, &|header| match header.0["Result"]
        .as_str()
    {
        "1-0" => header.rating("WhiteElo") >= 1700,
        "0-1" => header.rating("BlackElo") >= 1700,
        _ => header.rating("WhiteElo").min(header.rating("BlackElo")) >= 1700,
    });
    expect("min_minutes", Filters { min_minutes: Some(10.0), ..all() }, &|header| {
        header.time().is_some_and(|(base, _)| base >= 600.0)
    });
    expect("min_increment", Filters { min_increment: Some(3.0), ..all() }, &|header| {
        header.time().is_some_and(|(_, increment)| increment >= 3.0)
    });
    let decisive = vec![GameResult::FirstWins, GameResult::SecondWins];
    expect("results", Filters { results: Some(decisive), ..all() }, &|header| header.0["Result"] != "1/2-1/2");
    // A mate on the board is one whatever the tag says, and a flag that fell is told by the tag alone.
    expect("terminations", Filters { terminations: Some(vec![Termination::Time]), ..all() }, &|header| {
        header.0["Termination"] == "Time forfeit"
    });
}

#[test]
fn a_game_is_counted_at_the_first_filter_that_it_fails() {
    let filters =
        Filters { rating_each: Some("1500".parse().expect("a range")), min_minutes: Some(5.0), ..Filters::default() };
    let (_dir, report) = imported(filters);
    let weak = |header: &Header| header.rating("WhiteElo").min(header.rating("BlackElo")) < 1500;
    let fast = |header: &Header| header.time().is_none_or(|(base, _)| base < 300.0);
    let mut headers = headers();
    headers.retain(|header| header.0["Moves"] != "0");
    let counts = &report.manifest.counts.filtered_games;
    assert_eq!(counts["rating_each"], headers.iter().filter(|header| weak(header)).count() as u64);
    assert_eq!(counts["min_minutes"], headers.iter().filter(|header| !weak(header) && fast(header)).count() as u64);
    let counts = &report.manifest.counts;
    assert_eq!(counts.read, counts.kept + counts.duplicates + counts.filtered_games.values().sum::<u64>());
}

/// Each ply of a game: who moves, whether in check, how many legal moves.
fn plies(row: &GameRow) -> Vec<(Side, bool, usize)> {
    replayed::<ChessPosition, _>(row, |line, _| {
        let position = line.position();
        (position.side_to_move(), position.in_check(), position.list_moves().len())
    })
}

#[test]
fn filters_of_positions_mark_plies_and_keep_the_games() {
    let (dir, _) = imported(Filters::default());
    let everything = rows(dir.path());
    let wins = |row: &GameRow, side| match row.result {
        GameResult::FirstWins => side == Side::First,
        GameResult::SecondWins => side == Side::Second,
        GameResult::Draw => true,
        GameResult::Unknown => false,
    };
    type Keeps<'a> = &'a dyn Fn(&GameRow, usize, (Side, bool, usize)) -> bool;
    let all = Filters::default;
    let cases: [(&str, Filters, Keeps<'_>); 4] = [
        ("skip_plies", Filters { skip_plies: Some(10), ..all() }, &|_, ply, _| ply >= 10),
        ("winner_only", Filters { winner_only: true, ..all() }, &|row, _, (side, ..)| wins(row, side)),
        ("drop_in_check", Filters { drop_in_check: true, ..all() }, &|_, _, (_, check, _)| !check),
        ("drop_forced", Filters { drop_forced: true, ..all() }, &|_, _, (_, _, legal)| legal != 1),
    ];
    for (name, filters, keeps) in cases {
        let (dir, report) = imported(filters);
        let (mut left_out, mut kept) = (0, 0);
        let mut expected: BTreeMap<u64, Vec<bool>> = BTreeMap::new();
        for row in &everything {
            let marks: Vec<bool> =
                plies(row).into_iter().enumerate().map(|(ply, facts)| keeps(row, ply, facts)).collect();
            if marks.contains(&true) {
                left_out += marks.iter().filter(|&&mark| !mark).count() as u64;
                kept += marks.iter().filter(|&&mark| mark).count() as u64;
                expected.insert(row.source_game, marks);
            }
        }
        let counts = &report.manifest.counts;
        assert_eq!(counts.filtered_positions[name], left_out, "{name}");
        assert_eq!((counts.kept, counts.positions), (expected.len() as u64, kept), "{name}");
        assert_eq!(
            counts.read,
            counts.kept + counts.duplicates + counts.filtered_games.values().sum::<u64>(),
            "{name}"
        );
        for row in rows(dir.path()) {
            let marks = &expected[&row.source_game];
            assert_eq!(row.used.unwrap_or_else(|| vec![true; marks.len()]), *marks, "{name}");
        }
        // The loader hands out the marked plies and no others, each with its whole history behind it.
        let dataset = samples::open(dir.path());
        let handed_out: u64 = dataset::Split::ALL.iter().map(|&split| dataset.positions(split)).sum();
        assert_eq!(handed_out, kept, "{name}");
    }
}

#[test]
fn rating_buckets_are_named_subsets() {
    let buckets = Buckets::new(vec![500, 1000, 1500, 2000, 2500]);
    let (dir, report) = imported_with(GameKind::Chess, sample(LICHESS_438), |options| options.buckets = buckets);
    let headers = headers();
    let average = |row: &GameRow| {
        let header = &headers[row.source_game as usize];
        f64::from(header.rating("WhiteElo") + header.rating("BlackElo")) / 2.0
    };
    let averages: Vec<f64> = rows(dir.path()).iter().map(average).collect();
    let inside = |from: f64, to: f64| averages.iter().filter(|&&a| from <= a && a < to).count() as u64;
    let found: Vec<(&str, u64)> =
        report.manifest.rating_buckets.iter().map(|bucket| (bucket.name.as_str(), bucket.games)).collect();
    let expected = [
        ("below-500", inside(0.0, 500.0)),
        ("500-1000", inside(500.0, 1000.0)),
        ("1000-1500", inside(1000.0, 1500.0)),
        ("1500-2000", inside(1500.0, 2000.0)),
        ("2000-2500", inside(2000.0, 2500.0)),
        ("2500-up", inside(2500.0, 9999.0)),
    ];
    assert_eq!(found, expected);
    let mut dataset = samples::opened(dir.path());
    dataset.restrict(&["1000-1500", "1500-2000"]).expect("they exist");
    let games: usize = dataset::Split::ALL.iter().map(|&split| dataset.games(split)).sum();
    assert_eq!(games as u64, expected[2].1 + expected[3].1);
    samples::refused(dataset.restrict(&["3000-up"]), &["\"3000-up\"", "2500-up"]);
}
