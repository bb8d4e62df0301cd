//! The parts of a cell before its first step: configuration, dataset, declared network.

use super::error::TrainError;
use super::evaluate::Subject;
use super::tensors::required_targets;
use dataset::Dataset;
use models::{AverageConfig, Network};
use nn::Layout;
use records::folder::CONFIG_FILE;
use records::identity::Identity;
use records::machine::{Cpu, LibTorch};
use spec::identity::{NUMERICS_VERSION, hash};
use spec::{MicroBatch, RunConfig};
use std::path::Path;
use std::sync::Arc;
use tch::Device;

/// Steps and evaluation batches of a smoke run: enough to reach every part of the code.
const SMOKE_STEPS: u64 = 4;
const SMOKE_BATCHES: usize = 2;

/// A cell without its parameters.
#[derive(Debug)]
pub struct Setup {
    /// The run.
    pub config: RunConfig,
    /// Its data.
    pub dataset: Arc<Dataset>,
    /// Its network.
    pub network: Network,
    /// The network's parameters.
    pub layout: Arc<Layout>,
    /// The device.
    pub device: Device,
    /// Threads inside an operation.
    pub threads: usize,
    /// Positions that go through the network at once.
    pub micro_batch: usize,
}

impl Setup {
    /// Reads a cell's `config.yaml`, opens its dataset and declares its network.
    ///
    /// # Errors
    /// If any of them cannot be used.
    pub fn load(cell: &Path, device: Device, threads: usize, smoke: bool) -> Result<Self, TrainError> {
        let mut config = read_config(&cell.join(CONFIG_FILE))?;
        if smoke {
            shorten(&mut config);
        }
        let dataset = Arc::new(open_data(&config)?);
        let (network, layout) = declare(&config)?;
        let micro_batch = config.train.batch;
        Ok(Self { config, dataset, network, layout: Arc::new(layout), device, threads, micro_batch })
    }

    /// What an evaluation looks at.
    #[must_use]
    pub fn subject(&self) -> Subject<'_> {
        Subject { config: &self.config, network: &self.network, dataset: &self.dataset, device: self.device }
    }

    /// What its results depend on, on this machine.
    #[must_use]
    pub fn identity(&self) -> Identity {
        let cpu = Cpu::detect();
        Identity {
            config: format!("{}, seed {}", hash(&self.config, self.dataset.content_hash()), self.config.seed),
            dataset: self.dataset.content_hash().to_owned(),
            numerics: NUMERICS_VERSION,
            libtorch: LibTorch::detect().version.unwrap_or_else(|| "unknown".to_owned()),
            instruction_set: cpu.instruction_set(),
            threads: self.threads,
            device: device_name(self.device),
            dtype: self.config.train.dtype.name().to_owned(),
            micro_batch: (self.config.train.micro_batch == Some(MicroBatch::Auto)).then_some(self.micro_batch),
        }
    }
}

/// A run's dataset, with the targets that the run trains on.
///
/// # Errors
/// If it cannot be opened, is of another game or lacks a target.
pub fn open_data(config: &RunConfig) -> Result<Dataset, TrainError> {
    let mut dataset = Dataset::open(&config.data).map_err(TrainError::Open)?;
    if dataset.game() != config.game {
        return Err(TrainError::OtherGame {
            dataset: dataset.manifest().name.clone(),
            found: dataset.game().name(),
            expected: config.game.name(),
        });
    }
    if !config.view.bucket.is_empty() {
        dataset.restrict(&config.view.bucket)?;
    }
    dataset.set_moves(config.moves)?;
    dataset.set_sequence(config.plies())?;
    dataset.set_targets(required_targets(config))?;
    Ok(dataset)
}

/// The network of a run.
///
/// # Errors
/// If its sizes contradict each other or an encoding refuses its options.
pub fn declare(config: &RunConfig) -> Result<(Network, Layout), TrainError> {
    Ok(Network::declare(&config.model, &config.encoding, &config.spec())?)
}

/// A device's name in manifests.
#[must_use]
pub fn device_name(device: Device) -> String {
    match device {
        Device::Cpu => "cpu".to_owned(),
        Device::Cuda(index) => format!("cuda:{index}"),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// The configuration of a cell.
///
/// # Errors
/// If the file is missing or cannot be read as one.
pub(crate) fn read_config(path: &Path) -> Result<RunConfig, TrainError> {
    let refused = |reason: String| TrainError::Config { path: path.to_owned(), reason };
    let text = RunConfig::read_text(path)
        .map_err(|error| refused(format!("cannot be read: {error}; `posenc run` makes the folders of cells")))?;
    let mut run = RunConfig::from_yaml(&text)
        .map_err(|error| refused(format!("{error}; `posenc run` with the experiment's file writes it again")))?;
    if run.imported.is_some() {
        // An imported network is evaluated, not trained.
        run.train.steps = 0;
    }
    Ok(run)
}

fn shorten(config: &mut RunConfig) {
    let positions = SMOKE_BATCHES * config.eval.batch;
    config.train.steps = config.train.steps.min(SMOKE_STEPS);
    config.train.log_every = 1;
    if let Some(AverageConfig::Swa(swa)) = &mut config.train.averaging {
        swa.every = swa.every.min(SMOKE_STEPS);
    }
    config.eval.validation_positions = config.eval.validation_positions.min(positions);
    config.eval.test_positions = config.eval.test_positions.min(positions);
}
