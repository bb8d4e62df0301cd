//! A tiny dataset of legal chess games, tiny cells on it, and comparisons of cells; and cells that were never trained, as a
//! finished run leaves them.

use crate::{EXPERIMENT, imported, place};
use config::{Experiment, Mask, RunConfig, Weights};
use dataset::ValueTarget;
use encodings::EncodingConfig;
use games::chess::{Chess, pgn};
use games::{Game, GameKind, GameResult, Position};
use models::Schedule;
use records::status::Status;
use records::{Manifest, MetricLine, lines};
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tch::Device;
use tempfile::TempDir;
use train::checkpoint::save_final;
use train::inference::Loaded;
use train::sinks::Sink;
use train::{CellOptions, CellOutcome, TrainError, run_cell};

const GAMES: usize = 40;
pub const GAME_PLIES: usize = 24;

/// [`Bench::run`] gives it a dataset's folder, a number of steps and a schedule.
const RUN: &str = "\
game: chess
data: data
input: piece_tokens
moves: from_to
model: {chessformer: {layers: 1, width: 16, heads: 2, ff: 16}}
encoding: [{absolute: {at: input}}]
train:
  steps: 1
  batch: 8
  optimizer: {nadam: {}}
  learning_rate: {values: [0.003]}
  clip: 1.0
  mask: train
  log_every: 4
  checkpoint_every: 10
eval: {validation_positions: 60, test_positions: 60, every: 10, batch: 32, pictures: none}
seed: 1
";

/// A folder with a dataset in it, and cells beside.
pub struct Bench {
    dir: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder for the test");
        let pgn = dir.path().join("games.pgn");
        fs::write(&pgn, random_games()).expect("the games are written");
        imported(GameKind::Chess, pgn, dir.path().join("data"), 2);
        Self { dir }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A run of `steps` steps of a network of width 16.
    pub fn run(&self, steps: u64) -> RunConfig {
        let mut run = RunConfig::from_yaml(RUN).expect("a run");
        run.data = self.dir.path().join("data");
        run.train.steps = steps;
        run.train.learning_rate = Schedule::new(3, vec![3e-3, 1e-3], vec![steps / 2]).expect("a schedule");
        run
    }

    /// The folder of a cell with this configuration. Its row's name ends in no hash, because nothing planned it.
    pub fn cell(&self, name: &str, run: &RunConfig) -> PathBuf {
        let dir = self.dir.path().join("runs/test").join(format!("{name}-unplanned")).join("seed-1");
        fs::create_dir_all(&dir).expect("the cell's folder");
        fs::write(dir.join("config.yaml"), run.to_yaml().expect("YAML")).expect("config.yaml");
        dir
    }

    /// A cell of 29 steps whose process crashed while it recorded step 28: it has checkpoints of steps 10 and 20, and later
    /// lines.
    pub fn crashed(&self, name: &str) -> PathBuf {
        self.crashed_of(name, &self.run(29), 28)
    }

    /// A cell of any run whose process crashed while it recorded a line of step `at`.
    pub fn crashed_of(&self, name: &str, run: &RunConfig, at: u64) -> PathBuf {
        let dir = self.cell(name, run);
        let crash = || {
            let stop = AtomicBool::new(false);
            run_cell(&dir, &options(), vec![Box::new(CrashAt(at))], &mut |_| {}, &stop)
        };
        catch_unwind(AssertUnwindSafe(crash)).expect_err("it crashes");
        dir
    }

    /// A cell that was trained to its end, and one that crashed at a line of step `at` and resumed: they have the same bits.
    pub fn resumed(&self, run: &RunConfig, at: u64) -> [PathBuf; 2] {
        let cells = [self.trained("whole", run), self.crashed_of("resumed", run, at)];
        assert_eq!(train(&cells[1]).expect("it resumes"), CellOutcome::Done);
        assert_same_bits(&cells[0], &cells[1]);
        cells
    }

    pub fn trained(&self, name: &str, run: &RunConfig) -> PathBuf {
        let dir = self.cell(name, run);
        assert_eq!(train(&dir).expect("the cell trains"), CellOutcome::Done);
        dir
    }
}

/// A sink that panics at this step.
struct CrashAt(u64);

impl Sink for CrashAt {
    fn line(&mut self, line: &MetricLine) -> std::io::Result<()> {
        assert_ne!(line.step, self.0, "the crash of this test");
        Ok(())
    }
}

pub fn options() -> CellOptions {
    CellOptions {
        threads: 1,
        device: Device::Cpu,
        smoke: false,
        force: false,
        revision: None,
        ranks: None,
        is_locked: false,
    }
}

pub fn train(dir: &Path) -> Result<CellOutcome, TrainError> {
    train_with(dir, &options()).0
}

/// Trains; returns the outcome and the notes.
pub fn train_with(dir: &Path, options: &CellOptions) -> (Result<CellOutcome, TrainError>, Vec<String>) {
    let mut notes = Vec::new();
    let outcome = run_cell(dir, options, Vec::new(), &mut |text| notes.push(text.to_owned()), &AtomicBool::new(false));
    (outcome, notes)
}

pub fn encoding(yaml: &str) -> EncodingConfig {
    serde_yaml::with::singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(yaml))
        .expect("an encoding")
}

pub fn status(dir: &Path) -> Status {
    Status::read(dir).expect("a status that can be read").expect("a status")
}

pub fn manifest(dir: &Path) -> Manifest {
    Manifest::read(dir).expect("a manifest that can be read").expect("a manifest")
}

/// The hash of a finished cell's batches.
pub fn batches(dir: &Path) -> String {
    status(dir).result.expect("the cell is done").batches
}

pub fn lines(dir: &Path) -> Vec<MetricLine> {
    lines::read(&dir.join("metrics.jsonl")).expect("metrics that can be read")
}

/// The bits of `metrics.jsonl`: its text without the times.
fn bits(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("metrics.jsonl")).expect("metrics");
    text.lines().map(|line| lines::without_times(line).to_owned()).collect()
}

/// Everything that two runs of one cell must share to the last bit.
pub fn assert_same_bits(a: &Path, b: &Path) {
    assert_eq!(bits(a), bits(b), "{} and {}", a.display(), b.display());
    assert_eq!(status(a), status(b));
    let weights = |dir: &Path| fs::read(dir.join("checkpoints/final.safetensors")).expect("final weights");
    assert_eq!(weights(a), weights(b));
}

const DLSHOGI: &str = r#"{"resnet_transformer": {
    "resnet": {"blocks": 1, "channels": 8, "stem": "parted", "policy": "planes", "init": "torch",
        "value": {"channels": 2, "hidden": 4}, "outputs": {"policy": {}, "win_rate": {}}},
    "attention": {"layers": 2, "heads": 2, "ff": 8, "qkv_groups": 2}}}"#;

/// dlshogi's transformer on chess, which learns the result twice.
pub fn dlshogi(bench: &Bench, steps: u64) -> RunConfig {
    let mut run = bench.run(steps);
    run.model = serde_json::from_str(DLSHOGI).expect("a model");
    run.encoding = vec![encoding("absolute: {at: input}"), encoding("dynamic_relative: {bottleneck: 3}")];
    run.view.value = Some(ValueTarget::Result);
    run.train.mask = Mask::Eval;
    run
}

pub fn random_games() -> String {
    let mut stream = streams::stream(7, &["test games"]);
    let mut text = String::new();
    for number in 0..GAMES {
        let result = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins][number % 3];
        let mut position = <Chess as Game>::Position::start();
        let (mut moves, mut played) = (Vec::new(), Vec::new());
        for ply in 0..GAME_PLIES {
            position.legal_moves(&mut moves);
            moves.sort_by_key(|&mv| position.move_index(mv));
            if moves.is_empty() {
                break;
            }
            // White plays at random, Black by a rule that can be learned.
            let choices = if ply % 2 == 0 { moves.len() as u64 } else { 1 };
            let mv = moves[streams::below(&mut stream, choices) as usize];
            played.push(position.move_text(mv));
            position.play(mv);
        }
        let event = number.to_string();
        let game = pgn::write(None, played.iter().map(String::as_str), result, &[("Event", event.as_str())], &[]);
        let game = game.expect("the moves are legal");
        // The moves in one line, without numbers: a test counts the words of a line as plies.
        let (tags, movetext) = game.split_once("\n\n").expect("tags come before the moves");
        let words: Vec<&str> = movetext.split_ascii_whitespace().filter(|word| !word.ends_with('.')).collect();
        let _ = write!(text, "{tags}\n\n{}\n\n", words.join(" "));
    }
    text
}

/// A folder with small datasets and a cell of each game.
pub struct Finished {
    dir: TempDir,
}

impl Finished {
    pub fn new() -> Self {
        let dir = place(EXPERIMENT);
        let experiment = Experiment::load(&dir.path().join("experiment.yaml")).expect("an experiment");
        for cell in experiment.cells().iter().filter(|cell| cell.run.seed == 0 && cell.label.contains("shaw")) {
            save(&dir.path().join("runs").join(cell.run.game.name()).join("seed-0"), &cell.run);
        }
        Self { dir }
    }

    /// Another cell of a game, whose network has these outputs (JSON), relative to the folder.
    pub fn with_outputs(&self, game: &str, outputs: &str) -> String {
        let mut run = self.loaded(game).config;
        *run.model.outputs_mut() = serde_json::from_str(outputs).expect("outputs");
        let cell = self.cell(&format!("{game}-outputs"));
        save(&self.path().join(&cell), &run);
        cell
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The cell of a game, relative to the folder.
    pub fn cell(&self, game: &str) -> String {
        format!("runs/{game}/seed-0")
    }

    pub fn loaded(&self, game: &str) -> Loaded {
        Loaded::cell(&self.path().join(self.cell(game)), Weights::Raw, Device::Cpu).expect("a cell")
    }
}

/// Writes a cell with random weights.
fn save(folder: &Path, run: &RunConfig) {
    fs::create_dir_all(folder).expect("the cell's folder");
    fs::write(folder.join("config.yaml"), run.to_yaml().expect("YAML")).expect("written");
    let loaded = Loaded::random(run.clone(), 7, Device::Cpu).expect("a network");
    save_final(folder, loaded.layout(), &loaded.arena.values().expect("weights")).expect("written");
}
