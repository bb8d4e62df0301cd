//! One cell from its folder to its end: start or resume, train, evaluate, record.

use super::checkpoint::{self, Checkpoint, Prefix, load_final, save_averaged, save_final, weights_hash};
use super::environment::use_threads;
use super::error::TrainError;
use super::events::hparams;
use super::fit;
use super::manifest;
use super::recorder::{Note, Recorder};
use super::setup::{CellOptions, Setup, declare};
use super::trainer::{SplitEvaluation, Trainer, first_weights};
use crate::pictures::PictureFolder;
use crate::sinks::Sink;
use crate::sinks::tensorboard;
use config::identity::hash;
use config::{Pictures, Products, RunConfig, Weights};
use dataset::{Split, evaluation_traits};
use nn::Arena;
use records::folder::{CHECKPOINTS, METRICS_FILE, planned_hash};
use records::identity::Identity;
use records::positions::{self, PositionMetrics};
use records::status::{Fingerprints, State};
use records::{CellLock, Manifest, Part, Status, UserError, atomic, files, lines};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tch::Device;

/// The log line that follows the final status.
pub const DONE: &str = "the cell is done";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellOutcome {
    Done,
    AlreadyDone,
    /// At a checkpoint, as requested.
    Interrupted {
        step: u64,
    },
}

/// Trains the cell in a folder that holds its `config.yaml`, from its last checkpoint if it has one, until it is done
/// or `stop` is set. `sinks` get every line, in addition to `metrics.jsonl` and TensorBoard's event files; `note` gets
/// log messages.
///
/// `status.json` always holds the cell's state, including a failure (unless the disk is full). After an error the last
/// checkpoint stays valid.
pub fn run_cell(
    dir: &Path,
    options: &CellOptions,
    sinks: Vec<Box<dyn Sink>>,
    note: Note<'_>,
    stop: &AtomicBool,
) -> Result<CellOutcome, TrainError> {
    let train = || train_cell(dir, options, sinks, note, stop);
    if let Some(ranks) = &options.ranks { ranks.train(train) } else { train() }
}

fn train_cell(
    dir: &Path,
    options: &CellOptions,
    sinks: Vec<Box<dyn Sink>>,
    note: Note<'_>,
    stop: &AtomicBool,
) -> Result<CellOutcome, TrainError> {
    let is_done = |status: &Option<Status>| status.as_ref().is_some_and(|status| status.state == State::Done);
    if is_done(&Status::read(dir)?) {
        return Ok(CellOutcome::AlreadyDone);
    }
    use_threads(options.threads);
    if options.ranks.as_ref().is_some_and(|ranks| !ranks.is_first()) {
        let trainer = CellStart::of(dir, options, &mut |_| {})?.trainer()?;
        return TrainingCell { trainer, output: None }.train(stop);
    }
    let _lock = if options.is_locked { None } else { Some(locked(dir)?) };
    let before = Status::read(dir)?;
    // It may have ended before the lock was taken.
    if is_done(&before) {
        return Ok(CellOutcome::AlreadyDone);
    }
    let (step, steps) = before.map_or((0, 0), |status| (status.step, status.steps));
    let mut status = Status::new(State::Running, step, steps);
    let outcome = TrainingCell::begin(dir, options, sinks, &mut *note, &mut status).and_then(|cell| cell.train(stop));
    if let Err(error) = &outcome {
        let recorded = status.with_failure(error.failure());
        status = Status { state: State::Failed, resumable: error.resumable(), ..recorded };
        if let Err(also) = status.write(dir) {
            note(&format!("the failure cannot be written to {} either: {also}", records::status::FILE));
        }
    }
    outcome
}

fn locked(dir: &Path) -> Result<CellLock, TrainError> {
    let lock = CellLock::try_take(dir).map_err(TrainError::io("lock", dir))?;
    let elsewhere = || UserError::new(format!("another process trains {}", dir.display()), "wait until it has ended");
    Ok(lock.ok_or_else(elsewhere)?)
}

/// What a cell begins with, new or at a checkpoint.
struct CellStart {
    setup: Setup,
    identity: Identity,
    first: Arena,
    checkpoint: Option<Checkpoint>,
    /// The conditions that changed since the checkpoint.
    forced: Vec<String>,
}

impl CellStart {
    fn of(dir: &Path, options: &CellOptions, note: Note<'_>) -> Result<Self, TrainError> {
        let mut setup = Setup::load(dir, options.device, options.threads, options.smoke)?;
        setup.config.train.arithmetic().set();
        setup.ranks.clone_from(&options.ranks);
        let checkpoint = newest_checkpoint(dir, &dir.join(METRICS_FILE), &setup, note)?;
        let first = match &setup.config.imported {
            None => first_weights(&setup)?,
            Some(_) => Arena::from_values(Arc::clone(&setup.layout), &load_final(dir, &setup.layout)?, setup.device)?,
        };
        let known = checkpoint.as_ref().and_then(|checkpoint| checkpoint.identity.micro_batch);
        setup.micro_batch = fit::micro_batch(&setup, &first, known)?;
        if let Some(ranks) = &options.ranks {
            setup.micro_batch = ranks.of_first(setup.micro_batch)?;
            ranks.check(&setup.config.train, setup.micro_batch)?;
        }
        let identity = setup.identity();
        if let Some(ranks) = &options.ranks {
            ranks.compare("conditions of bits", &blake3::hash(format!("{identity:?}").as_bytes()))?;
        }
        let forced = match &checkpoint {
            Some(checkpoint) => changed_identity(checkpoint, &identity, options.force)?,
            None => changed_plan(dir, &setup, options)?,
        };
        Ok(Self { setup, identity, first, checkpoint, forced })
    }

    fn trainer(self) -> Result<Trainer, TrainError> {
        let trainer = Trainer::new(self.setup, self.identity, self.first, self.checkpoint)?;
        trainer.compare_ranks()?;
        Ok(trainer)
    }
}

/// The weights of an evaluation, in the order of their lines.
const WEIGHTS: [Weights; 2] = [Weights::Raw, Weights::Averaged];

/// A cell that trains. Every rank takes the same steps in this order; the first one alone writes.
struct TrainingCell<'a> {
    trainer: Trainer,
    output: Option<Output<'a>>,
}

struct Output<'a> {
    dir: &'a Path,
    metrics: PathBuf,
    recorder: Recorder,
    manifest: Manifest,
    status: &'a mut Status,
    note: Note<'a>,
}

impl<'a> TrainingCell<'a> {
    fn begin(
        dir: &'a Path,
        options: &CellOptions,
        sinks: Vec<Box<dyn Sink>>,
        note: Note<'a>,
        status: &'a mut Status,
    ) -> Result<Self, TrainError> {
        let start = CellStart::of(dir, options, &mut *note)?;
        let CellStart { setup, first, checkpoint, .. } = &start;
        status.steps = setup.config.train.steps;
        if setup.device == Device::Cpu && setup.config.train.products != Products::Ieee {
            note("train.products changes nothing on a CPU, which computes in f32");
        }
        let metrics = dir.join(METRICS_FILE);
        let (step, bytes) = checkpoint.as_ref().map_or((0, 0), |c| (c.progress.step, c.progress.metrics.bytes));
        let known = if checkpoint.is_some() { Manifest::read(dir)? } else { None };
        let mut manifest = match known {
            Some(manifest) => manifest,
            None => manifest::describe(dir, setup, first, options)?,
        };
        let session = manifest::session(&manifest, setup, step, start.forced.clone(), options.revision.as_ref());
        manifest.sessions.push(session);
        manifest::write(&manifest, dir)?;
        let mut recorder = Recorder::open(&metrics, bytes)?;
        recorder.add("the folder of pictures", Box::new(PictureFolder::of(dir)));
        let next = checkpoint.as_ref().map_or(0, |_| step + 1);
        match tensorboard::sinks(dir, next, hparams(dir, &setup.config)) {
            Ok(sinks) => sinks.into_iter().for_each(|(name, sink)| recorder.add(name, sink)),
            Err(error) => note(&format!("TensorBoard gets no lines ({error}); {METRICS_FILE} has all lines")),
        }
        sinks.into_iter().for_each(|sink| recorder.add("the progress display", sink));
        let trainer = start.trainer()?;
        Ok(Self { trainer, output: Some(Output { dir, metrics, recorder, manifest, status, note }) })
    }

    fn train(mut self, stop: &AtomicBool) -> Result<CellOutcome, TrainError> {
        let (train, eval) = (self.trainer.setup().config.train.clone(), self.trainer.setup().config.eval.clone());
        self.write_status(State::Running)?;
        let is_new = self.output.as_ref().is_some_and(|output| output.recorder.is_empty());
        if self.trainer.of_first(is_new)? {
            self.evaluate(Part::Validation)?;
            self.draw();
        }
        while self.trainer.steps_done() < train.steps {
            if self.trainer.stops(stop)? {
                return self.interrupt();
            }
            self.trainer.step()?;
            let step = self.trainer.steps_done();
            if let Some(output) = &mut self.output {
                output.status.step = step;
            }
            let due = |every: u64| step == train.steps || step.is_multiple_of(every);
            if due(train.log_every) {
                let line = self.trainer.train_line()?;
                if let Some(output) = &mut self.output {
                    output.recorder.line(&line, output.note)?;
                }
                self.write_status(State::Running)?;
            }
            if due(eval.every) {
                self.evaluate(Part::Validation)?;
            }
            if step < train.steps && eval.pictures.is_due(step) {
                self.draw();
            }
            if due(train.checkpoint_every) {
                self.checkpoint()?;
            }
        }
        self.evaluate(Part::TrainSample)?;
        self.evaluate(Part::Test)?;
        self.draw();
        self.finish()
    }

    /// Draws the encodings' maps. A failure only logs a message.
    fn draw(&mut self) {
        let Some(output) = &mut self.output else { return };
        if self.trainer.setup().config.eval.pictures == Pictures::None {
            return;
        }
        match self.trainer.pictures() {
            Ok(pictures) => pictures.iter().for_each(|picture| output.recorder.picture(picture, output.note)),
            Err(error) => (output.note)(&format!("no pictures of step {}: {error}", self.trainer.steps_done())),
        }
    }

    fn evaluate(&mut self, part: Part) -> Result<(), TrainError> {
        for weights in WEIGHTS {
            let evaluation = self.trainer.evaluation(part, weights)?;
            if let (Some(output), Some(SplitEvaluation { line, positions })) = (&mut self.output, evaluation) {
                output.recorder.line(&line, output.note)?;
                if part == Part::Test {
                    output.write_positions(self.trainer.setup(), weights, &positions)?;
                }
            }
        }
        Ok(())
    }

    /// Compares the ranks. The first one syncs `metrics.jsonl` before writing the checkpoint that records its length.
    fn checkpoint(&mut self) -> Result<(), TrainError> {
        self.trainer.compare_ranks()?;
        let Some(output) = &mut self.output else { return Ok(()) };
        output.recorder.sync()?;
        let checkpoint = self.trainer.checkpoint(Prefix::of(&output.metrics)?)?;
        checkpoint.save(output.dir, &self.trainer.setup().layout)?;
        Ok(())
    }

    fn interrupt(mut self) -> Result<CellOutcome, TrainError> {
        self.checkpoint()?;
        self.write_status(State::Interrupted)?;
        let step = self.trainer.steps_done();
        if let Some(output) = &mut self.output {
            (output.note)(&format!("interrupted at step {step}; the next run resumes from there"));
        }
        Ok(CellOutcome::Interrupted { step })
    }

    fn finish(mut self) -> Result<CellOutcome, TrainError> {
        let Some(output) = &mut self.output else { return Ok(CellOutcome::Done) };
        output.recorder.sync()?;
        let (weights, layout) = (self.trainer.weights()?, &self.trainer.setup().layout);
        let mut files = vec![save_final(output.dir, layout, &weights)?];
        if let Some(averaged) = self.trainer.averaged()? {
            files.push(save_averaged(output.dir, layout, &averaged)?);
        }
        let weights = weights_hash(&weights);
        output.manifest.finish = Some(self.trainer.finish(weights.clone(), hashes(&files)?));
        manifest::write(&output.manifest, output.dir)?;
        let metrics = Some(lines::hash(&output.metrics)?);
        output.status.result = Some(Fingerprints { weights, batches: self.trainer.batches(), metrics });
        output.write_status(State::Done, self.trainer.steps_done())?;
        (output.note)(DONE);
        output.recorder.end(output.note);
        // Checkpoints take three times the space of the weights, and a finished cell is never resumed.
        if let Err(error) = checkpoint::remove_all_except(&output.dir.join(CHECKPOINTS), &[]) {
            (output.note)(&format!("old checkpoints cannot be removed: {error}"));
        }
        Ok(CellOutcome::Done)
    }

    fn write_status(&mut self, state: State) -> Result<(), TrainError> {
        let step = self.trainer.steps_done();
        self.output.as_mut().map_or(Ok(()), |output| output.write_status(state, step))
    }
}

impl Output<'_> {
    /// Writes the metrics of each test position. A failure only logs a message.
    fn write_positions(
        &mut self,
        setup: &Setup,
        weights: Weights,
        measured: &[PositionMetrics],
    ) -> Result<(), TrainError> {
        let traits = evaluation_traits(&setup.dataset, Split::Test, setup.config.eval.test_positions as u64)?;
        let path = self.dir.join(positions::file(weights));
        match positions::encode(measured, &traits) {
            Ok(bytes) => atomic::replace(&path, &bytes).map_err(TrainError::io("write", &path)),
            Err(error) => {
                (self.note)(&format!(
                    "{} is not written, so reports have no slices: {error}",
                    positions::file(weights)
                ));
                Ok(())
            }
        }
    }

    fn write_status(&mut self, state: State, step: u64) -> Result<(), TrainError> {
        self.status.state = state;
        self.status.step = step;
        self.status.write(self.dir).map_err(TrainError::io("write", &self.dir.join(records::status::FILE)))
    }
}

fn newest_checkpoint(
    dir: &Path,
    metrics: &Path,
    setup: &Setup,
    note: Note<'_>,
) -> Result<Option<Checkpoint>, TrainError> {
    let Some((checkpoint, skipped)) = Checkpoint::newest(dir, metrics, &setup.layout)? else { return Ok(None) };
    for skipped in skipped {
        note(&format!("the checkpoint of step {} is skipped: {}", skipped.step, skipped.reason));
    }
    note(&format!("resuming from the checkpoint of step {}", checkpoint.progress.step));
    Ok(Some(checkpoint))
}

/// What differs from the checkpoint's identity, if resuming is forced; otherwise an error.
fn changed_identity(checkpoint: &Checkpoint, now: &Identity, force: bool) -> Result<Vec<String>, TrainError> {
    let differences = checkpoint.identity.differences(now);
    if differences.is_empty() || force {
        return Ok(differences);
    }
    Err(TrainError::OtherBits { step: checkpoint.progress.step, differences })
}

/// How a new cell differs from the hash in the name of its row's folder, if that is forced; otherwise an error. A smoke run is
/// shortened, and an imported network has no plan.
fn changed_plan(dir: &Path, setup: &Setup, options: &CellOptions) -> Result<Vec<String>, TrainError> {
    let row = manifest::row_of(dir);
    let found = hash(&setup.config, &setup.dataset.content());
    let is_planned = !options.smoke && setup.config.imported.is_none();
    let Some(planned) = planned_hash(&row).filter(|&planned| is_planned && planned != found) else {
        return Ok(Vec::new());
    };
    if options.force {
        return Ok(vec![format!("configuration or dataset: planned as {planned}, now {found}")]);
    }
    let message = format!(
        "{row} was planned as {planned}, and the cell is {found} now: after planning, the content of its dataset changed, or \
         its configuration or posenc's numerics version"
    );
    let help = "restore what changed, or run the experiment's file again, which plans new folders; `--force` trains the cell \
                here, which the manifest will say";
    Err(UserError::new(message, help).into())
}

fn hashes(files: &[PathBuf]) -> Result<Vec<(String, String)>, TrainError> {
    let hash = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, files::hash(path).map_err(TrainError::io("read", path))?))
    };
    files.iter().map(hash).collect()
}

/// The hash of the final weights in the folder of a cell with this configuration, as in `status.json`.
pub fn final_weights_hash(dir: &Path, config: &RunConfig) -> Result<String, TrainError> {
    let (_, layout) = declare(config)?;
    Ok(weights_hash(&load_final(dir, &layout)?))
}
