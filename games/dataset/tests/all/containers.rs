//! Containers: the same games come out of every one, and every file of an archive has its name.

use crate::samples::{self, CHESS, LICHESS, imported, imported_bytes, names, options, rows, sample_text};
use dataset::store::GameRow;
use dataset::{ImportOptions, ImportReport, import};
use games::GameKind;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory")
}

/// Two copies, each packed by itself, one behind the other: what a parallel compressor writes.
fn in_two_pieces(pack: fn(&[u8]) -> Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    let middle = bytes.len() / 2;
    [pack(&bytes[..middle]), pack(&bytes[middle..])].concat()
}

fn tar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, bytes.as_slice()).expect("memory");
    }
    archive.into_inner().expect("memory")
}

fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(*name, zip::write::FileOptions::default()).expect("memory");
        archive.write_all(bytes).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

fn import_bytes(name: &str, bytes: &[u8]) -> (tempfile::TempDir, ImportReport) {
    imported_bytes(GameKind::Chess, name, bytes, |_| {})
}

#[test]
fn every_compression_holds_the_same_games() {
    let text = sample_text(CHESS);
    let rows = |dir: &Path| -> Vec<GameRow> {
        rows(dir).into_iter().map(|row| GameRow { source_file: String::new(), ..row }).collect()
    };
    let (dir, plain) = import_bytes("games.pgn", &text);
    let expected = rows(dir.path());
    assert_eq!(expected.len(), 36);
    // The endings say nothing: the first bytes do.
    for (name, packed) in [
        ("zstd", in_two_pieces(zstd, &text)),
        ("gzip", in_two_pieces(gzip, &text)),
        ("bzip2", in_two_pieces(bzip2, &text)),
        ("twice", gzip(&zstd(&text))),
        ("zstd with a frame to skip", [&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7][..], &zstd(&text)].concat()),
    ] {
        let (dir, report) = import_bytes(name, &packed);
        assert_eq!(rows(dir.path()), expected, "{name}");
        assert_eq!(report.manifest.counts, plain.manifest.counts, "{name}");
    }
}

#[test]
fn archives_name_their_files() {
    let (chess, lichess) = (sample_text(CHESS), sample_text(LICHESS));
    let bad = b"1. e4 e5 2. Ke3 *\n".to_vec();
    let members = [
        ("LICENSE", b"free to use".to_vec()),
        ("a/engine.pgn", chess),
        ("lichess.pgn.gz", gzip(&lichess)),
        ("bad.pgn", bad),
    ];
    let archive = tar(&members);
    for (name, bytes) in [
        ("all.tar", archive.clone()),
        ("all.tar.gz", gzip(&archive)),
        ("all.tar.zst", zstd(&archive)),
        ("all.tar.bz2", bzip2(&archive)),
        ("all.zip", zip(&members)),
    ] {
        let (dir, report) = import_bytes(name, &bytes);
        let mut files = BTreeMap::<String, u64>::new();
        rows(dir.path()).into_iter().for_each(|row| *files.entry(row.source_file).or_default() += 1);
        let expected = [(format!("{name}/a/engine.pgn"), 36), (format!("{name}/lichess.pgn.gz"), 40)];
        assert_eq!(files.into_iter().collect::<Vec<_>>(), expected);
        let (file, rejected) = report.first_rejected.expect("one game is bad");
        assert_eq!((file, rejected.game, rejected.ply), (format!("{name}/bad.pgn"), 0, Some(2)));
        assert_eq!(report.manifest.counts.read, 77, "{name}");
    }
}

#[test]
fn a_solid_7z_is_read_file_by_file() {
    let (dir, report) = imported(GameKind::Shogi, "shogi_three.7z");
    let files: Vec<String> = rows(dir.path()).into_iter().map(|row| row.source_file).collect();
    assert_eq!(files, ["shogi_three.7z/csa/a.csa", "shogi_three.7z/csa/b.csa"]);
    let (file, rejected) = report.first_rejected.expect("one game is bad");
    assert_eq!((file.as_str(), rejected.game), ("shogi_three.7z/csa/b.csa", 1));
}

#[test]
fn a_container_that_breaks_off_is_named_and_the_next_file_is_read() {
    let whole = zip(&[("a.pgn", sample_text(CHESS))]);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let broken = [
        ("cut.zip", whole[..whole.len() / 2].to_vec()),
        ("cut.7z", b"7z\xbc\xaf\x27\x1c\x00\x04 and nothing more".to_vec()),
        ("cut.tar", tar(&[("a.pgn", sample_text(CHESS))])[..700].to_vec()),
    ];
    let mut inputs = Vec::new();
    for (name, bytes) in &broken {
        inputs.push(dir.path().join(name));
        fs::write(dir.path().join(name), bytes).expect("a temporary file");
    }
    inputs.push(samples::sample(LICHESS));
    let good = options(GameKind::Chess, samples::sample(LICHESS), dir.path());
    let report = import(&ImportOptions { inputs, ..good }, &mut |_| {}).expect("the last file is good");
    assert_eq!(report.manifest.counts.kept, 40);
    let list = fs::read_to_string(report.rejects.expect("there are some")).expect("a text");
    for (name, _) in broken {
        assert!(list.contains(name), "{name} is not in:\n{list}");
    }
}

#[test]
fn a_short_member_that_breaks_off_keeps_its_whole_games_and_the_next_is_read() {
    let game = format!("1. e4 {{{}}} e5 *\n\n", "x".repeat(600));
    let broken = [&gzip(game.as_bytes())[..], &gzip(b"")[..10]].concat();
    let members = [("a.pgn", sample_text(CHESS)), ("cut.pgn.gz", broken), ("b.pgn", sample_text(LICHESS))];
    let (_dir, report) = import_bytes("all.tar", &tar(&members));
    let counts = &report.manifest.counts;
    assert_eq!((counts.read, counts.kept, counts.rejected), (78, 77, 1));
    let (file, rejected) = report.first_rejected.expect("one breaks off");
    assert_eq!((file.as_str(), rejected.game), ("all.tar/cut.pgn.gz", 1));
}

/// Every file of a dataset, by name.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let dir = dir.join("dataset");
    names(&dir).into_iter().map(|name| (name.clone(), fs::read(dir.join(name)).expect("readable"))).collect()
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let bad = tempfile::tempdir().expect("a temporary folder");
    let bad = (bad.path().join("bad.pgn"), bad);
    fs::write(&bad.0, "1. e4 e5 2. Ke3 *\n\n1. d4 d5 *\n").expect("a temporary file");
    let made = |threads: usize| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let inputs = vec![samples::sample(CHESS), bad.0.clone(), samples::sample(LICHESS), samples::sample(CHESS)];
        let options = ImportOptions { inputs, threads, ..options(GameKind::Chess, bad.0.clone(), dir.path()) };
        import(&options, &mut |_| {}).expect("good games");
        files(dir.path())
    };
    let one = made(1);
    assert!(one.contains_key("rejects.jsonl") && one.contains_key("00000-train.parquet"));
    for threads in [2, 3, 8] {
        assert!(one == made(threads), "{threads} threads");
    }
}

/// What is read lies in memory until its turn comes, so only as many files are begun as there are threads.
#[test]
fn many_files_are_not_read_ahead_of_their_turn() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = sample_text(LICHESS);
    let inputs: Vec<PathBuf> = (0..24).map(|number| dir.path().join(format!("{number}.pgn"))).collect();
    inputs.iter().for_each(|input| fs::write(input, &text).expect("a temporary file"));
    let threads = 3;
    let options = ImportOptions { inputs, threads, ..options(GameKind::Chess, PathBuf::new(), dir.path()) };
    let mut files = 0;
    import(&options, &mut |progress| {
        let number = options.inputs.iter().position(|input| *input == progress.file).expect("one of them");
        assert!(progress.bytes <= (number + threads) as u64 * text.len() as u64, "{} bytes", progress.bytes);
        files += 1;
        // Time for a thread that would read on.
        std::thread::sleep(std::time::Duration::from_millis(5));
    })
    .expect("good games");
    assert_eq!(files, 24);
}

#[test]
fn what_a_killed_import_left_behind_is_cleared_away() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let hidden = dir.path().join(".dataset.importing");
    fs::create_dir(&hidden).expect("a folder");
    fs::write(hidden.join("00000-train.parquet"), "half").expect("a file");
    // While its writer lives it is left alone.
    let lock = fs::File::create(hidden.join(".lock")).expect("a file");
    lock.lock().expect("nobody else has it");
    let good = options(GameKind::Chess, samples::sample(CHESS), dir.path());
    samples::refused(import(&good, &mut |_| {}), &["another process is writing"]);
    drop(lock);
    import(&good, &mut |_| {}).expect("nobody writes any more");
    assert_eq!(names(dir.path()), ["dataset"]);
    assert!(files(dir.path()).keys().all(|name| !name.starts_with('.')));
}
