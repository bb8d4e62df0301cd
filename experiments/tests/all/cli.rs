//! What the tests of the command line share: `posenc` itself, and small datasets that it makes.

use dataset::{ImportOptions, PerSplit, SplitPlan};
use games::GameKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `posenc` with these arguments, to be run in `dir`.
pub(crate) fn posenc(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
    command.current_dir(dir).args(args);
    command
}

/// What a run of `posenc` said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }
}

impl Answer {
    /// The answer, if it is a success.
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// The answer, if it is one complaint with exit code 1 that says all of this.
    pub(crate) fn fails_with(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(1), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in:\n{}", self.stderr);
        }
        assert_eq!(self.stderr.matches("posenc: ").count(), 1, "one message: {}", self.stderr);
        self
    }
}

pub(crate) fn run(dir: &Path, args: &[&str]) -> Answer {
    posenc(dir, args).output().expect("posenc starts").into()
}

/// Short chess games, all different: a first move of each pawn and an answer of each.
pub(crate) fn chess_records() -> String {
    let files = 'a'..='h';
    let game = |white: char, black: char| {
        format!("[Event \"t\"]\n[Result \"1/2-1/2\"]\n\n1. {white}3 {black}6 2. Nf3 Nf6 1/2-1/2\n\n")
    };
    let without_f = || files.clone().filter(|&file| file != 'f');
    without_f().flat_map(|white| without_f().map(move |black| game(white, black))).collect()
}

/// Short shogi games, all different, in one CSA file.
pub(crate) fn shogi_records() -> String {
    let game = |black: u32, white: u32| {
        format!("V2.2\nN+a\nN-b\nPI\n+\n+{black}7{black}6FU\n-{white}3{white}4FU\n+3948GI\n-7162GI\n%TORYO\n/\n")
    };
    (1..=9).flat_map(|black| (1..=9).map(move |white| game(black, white))).collect()
}

/// Makes small datasets `chess` and `shogi` in `dir`.
pub(crate) fn datasets(dir: &Path) {
    let records = [(GameKind::Chess, "chess.pgn", chess_records()), (GameKind::Shogi, "shogi.csa", shogi_records())];
    for (game, file, records) in records {
        std::fs::write(dir.join(file), records).expect("the folder can be written");
        let options = ImportOptions {
            source: "written for tests".to_owned(),
            licence: "CC0-1.0".to_owned(),
            made_by: "a test".to_owned(),
            split: SplitPlan::by_game(0, PerSplit { train: 0.6, validation: 0.2, test: 0.2 }),
            strict: true,
            ..ImportOptions::new(game, vec![dir.join(file)], dir.join(game.name()))
        };
        dataset::import(&options, &mut |_| {}).expect("the records are good");
    }
}

/// A small experiment over both games; every test of an error changes one thing in it.
pub(crate) const EXPERIMENT: &str = "\
name: small
question: does it work?
base:
  data: {chess: chess, shogi: shogi}
  input: piece_tokens
  model:
    chessformer: {layers: 2, width: 16, heads: 2, ff: 16}
  train:
    steps: 8
    batch: 4
    optimizer: nadam
    learning_rate: 1e-3
    mask: train
  eval:
    validation_positions: 8
    test_positions: 8
    every: 4
axes:
  game: [chess, shogi]
  encoding:
    - none
    - absolute: {at: input}
    - shaw: {terms: [q, k]}
seeds: [0, 1, 2]
reference: {encoding: none}
primary: {metric: policy_loss, at: last, weights: raw}
";

/// Three rows of chess with one seed, and a twin: four cells.
pub(crate) fn small() -> String {
    EXPERIMENT.replace("game: [chess, shogi]", "game: [chess]").replace("seeds: [0, 1, 2]", "seeds: [0]")
}

/// A folder with datasets and an experiment in it.
pub(crate) fn place(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder for the test");
    datasets(dir.path());
    write_experiment(dir.path(), text);
    dir
}

/// The folders of all cells of a run folder, sorted.
pub(crate) fn cells(run_dir: &Path) -> Vec<PathBuf> {
    let folders = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut cells: Vec<_> = folders(run_dir)
        .iter()
        .flat_map(|row| folders(row))
        .filter(|cell| cell.file_name().is_some_and(|name| name.to_string_lossy().starts_with("seed-")))
        .collect();
    cells.sort();
    cells
}

/// The cell of a row's label, e.g. `chess-shaw`, with the first seed.
pub(crate) fn cell_of(run_dir: &Path, label: &str) -> PathBuf {
    let named = |cell: &&PathBuf| {
        let row = cell.parent().and_then(Path::file_name).expect("the row").to_string_lossy().into_owned();
        row.rsplit_once('-').is_some_and(|(found, _)| found == label)
    };
    cells(run_dir).iter().find(named).expect("the cell").clone()
}

pub(crate) fn write_experiment(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("experiment.yaml");
    std::fs::write(&path, text).expect("the folder can be written");
    path
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
    let mut child = command.arg("schema").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}
