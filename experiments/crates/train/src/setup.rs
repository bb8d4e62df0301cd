//! The parts of a cell before its first step: configuration, dataset, declared network.

use crate::environment::{arithmetic, gpu_of};
use crate::error::TrainError;
use crate::evaluate::Subject;
use crate::ranks::Ranks;
use crate::tensors::required_targets;
use config::identity::hash;
use config::{MicroBatch, RunConfig, Source};
use dataset::{Dataset, LoaderConfig};
use models::{AverageConfig, Network};
use nn::{Arithmetic, Backend, Layout};
use records::folder::CONFIG_FILE;
use records::gpu::Gpu;
use records::identity::Identity;
use records::machine::{Cpu, LibTorch};
use records::{Revision, UserError, device};
use std::path::Path;
use std::sync::Arc;
use tch::Device;

/// Steps and evaluation batches of a smoke run: enough to reach every part of the code.
const SMOKE_STEPS: u64 = 4;
const SMOKE_BATCHES: usize = 2;

const CUDA: &str = "cuda";

/// The default of `train.workers` on a GPU: threads that replay games.
const GPU_WORKERS: usize = 2;

/// Options of training besides the configuration.
#[derive(Debug, Clone)]
pub struct CellOptions {
    /// Threads inside an operation; results depend on it, as on the device.
    pub threads: usize,
    pub device: Device,
    /// Take a few steps and a small evaluation only.
    pub smoke: bool,
    /// Resume even if the result will differ from an uninterrupted run; the manifest records it.
    pub force: bool,
    /// The source of the program, for the manifest only.
    pub revision: Option<Revision>,
    /// The processes that divide each step, if there are several.
    pub ranks: Option<Arc<Ranks>>,
    /// Whether the process that started this one holds the lock of the cell's folder.
    pub is_locked: bool,
}

#[derive(Debug)]
pub struct Setup {
    pub config: RunConfig,
    pub dataset: Arc<Dataset>,
    pub network: Network,
    pub layout: Arc<Layout>,
    pub device: Device,
    /// The driver's description, if it is a GPU.
    pub gpu: Option<Gpu>,
    pub threads: usize,
    /// Positions that go through the network at once.
    pub micro_batch: usize,
    pub(crate) ranks: Option<Arc<Ranks>>,
}

impl Setup {
    /// Reads a cell's `config.yaml`, opens its dataset and declares its network.
    pub fn load(cell: &Path, device: Device, threads: usize, smoke: bool) -> Result<Self, TrainError> {
        let mut config = read_config(&cell.join(CONFIG_FILE))?;
        if smoke {
            shorten(&mut config);
        }
        use_arithmetic(&config);
        let dataset = Arc::new(open_data(&config)?);
        let (network, layout) = declare(&config)?;
        let micro_batch = config.train.batch;
        let (layout, gpu) = (Arc::new(layout), gpu_of(device));
        Ok(Self { config, dataset, network, layout, device, gpu, threads, micro_batch, ranks: None })
    }

    pub fn subject(&self) -> Subject<'_> {
        let Self { config, network, dataset, device, ranks, .. } = self;
        Subject { config, network, dataset, device: *device, ranks: ranks.as_deref() }
    }

    /// The conditions of its results, on this machine.
    pub fn identity(&self) -> Identity {
        let cpu = Cpu::detect();
        let chosen = (self.config.train.micro_batch == Some(MicroBatch::Auto)).then_some(self.micro_batch);
        Identity {
            config: format!("{}, seed {}", hash(&self.config, &self.dataset.content()), self.config.seed),
            dataset: self.dataset.content(),
            numerics: self.config.clone().with_micro_batch(chosen).numerics(),
            libtorch: libtorch(self.device),
            instruction_set: instruction_set(&cpu),
            threads: self.threads,
            device: recorded_name(self.device, self.gpu.as_ref()),
            dtype: self.config.train.dtype.name().to_owned(),
            micro_batch: chosen,
            environment: arithmetic(self.device),
        }
    }
}

/// LibTorch's version, and on a GPU whether its elementary operations were asked for; of a CPU the instruction set tells that.
fn libtorch(device: Device) -> String {
    let version = LibTorch::detect().version.unwrap_or_else(|| "unknown".to_owned());
    let elementary = device != Device::Cpu && Backend::on(device) == Backend::Operations;
    if elementary { format!("{version}, elementary operations") } else { version }
}

/// LibTorch's kernels for a processor, and posenc's own unless others were asked for.
fn instruction_set(cpu: &Cpu) -> String {
    let found = cpu.instruction_set();
    match Backend::of_process() {
        Backend::Kernels => found,
        Backend::Operations => format!("{found}, LibTorch's operations only"),
        Backend::Fused => format!("{found}, LibTorch's fused operations only"),
    }
}

/// A run's dataset, with the targets of the run.
pub fn open_data(config: &RunConfig) -> Result<Dataset, TrainError> {
    // As `posenc data import-net` writes it without `--data`.
    if config.imported.is_some() && config.data == Path::new(".") {
        let help =
            "`posenc predict` and `posenc play` need none; for the rest import the network again with --data DATASET";
        return Err(UserError::new("an imported network names no dataset", help).into());
    }
    let mut dataset = config.open_dataset().map_err(TrainError::Open)?;
    if dataset.game() != config.game {
        let (name, found, expected) = (&dataset.manifest().name, dataset.game().name(), config.game.name());
        let message = format!("the dataset {name} is of {found}, the cell is of {expected}");
        return Err(UserError::new(message, format!("name a dataset of {expected} under `data`")).into());
    }
    if !config.view.bucket.is_empty() {
        dataset.restrict(&config.view.bucket)?;
    }
    if let Some(test) = &config.test_data {
        dataset.set_test(Dataset::open(test).map_err(TrainError::Open)?)?;
    }
    if let Some(task) = config.view.map {
        dataset.set_map(task)?;
    }
    dataset.set_moves(config.moves)?;
    dataset.set_sequence(config.plies())?;
    dataset.set_targets(required_targets(config))?;
    Ok(dataset)
}

pub fn declare(config: &RunConfig) -> Result<(Network, Layout), TrainError> {
    Ok(Network::declare(&config.model, &config.encoding, &config.spec())?)
}

/// Sets LibTorch's arithmetic to the run's; only training needs it to be deterministic, too.
pub(super) fn use_arithmetic(config: &RunConfig) {
    Arithmetic { deterministic: false, ..config.train.arithmetic() }.set();
}

/// The loader of training batches for a device. While a GPU computes, the next games are replayed.
pub(super) fn loader(run: &RunConfig, device: Device) -> LoaderConfig {
    let usual = if device == Device::Cpu { 1 } else { GPU_WORKERS };
    LoaderConfig {
        input: run.input,
        batch: run.train.batch,
        seed: run.seed,
        workers: run.train.workers.unwrap_or(usual),
        block_games: LoaderConfig::BLOCK_GAMES,
    }
}

/// A device's name in records: a GPU by kind and model, since its number changes nothing.
pub fn recorded_name(device: Device, gpu: Option<&Gpu>) -> String {
    match device {
        Device::Cpu => device::CPU.to_owned(),
        Device::Cuda(_) => device::gpu(CUDA, gpu.and_then(|gpu| gpu.model.as_deref())),
        other => device::gpu(&format!("{other:?}").to_lowercase(), None),
    }
}

/// A device's name on the command line.
pub fn device_name(device: Device) -> String {
    match device {
        Device::Cpu => device::CPU.to_owned(),
        Device::Cuda(index) => format!("{CUDA}:{index}"),
        other => format!("{other:?}").to_lowercase(),
    }
}

pub(crate) fn read_config(path: &Path) -> Result<RunConfig, TrainError> {
    let text = RunConfig::read_text(path).map_err(|error| TrainError::Config {
        path: path.to_owned(),
        reason: format!("cannot be read: {error}; `posenc run` makes the folders of cells"),
    })?;
    let mut run = RunConfig::from_source(&Source::new(path, text)).map_err(Box::new)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtorch_is_found_among_the_loaded_libraries() {
        // Touches LibTorch, so that it is loaded.
        assert!(tch::get_num_threads() > 0);
        let found = LibTorch::detect();
        assert!(found.library_dir().is_some_and(Path::is_dir), "{found:?}");
        assert!(found.version.is_some_and(|version| version.starts_with("2.")));
    }

    #[test]
    fn elementary_operations_on_a_gpu_are_recorded() {
        let of = |backend: Backend| backend.run(|| [Device::Cpu, Device::Cuda(0)].map(libtorch));
        let [on_cpu, on_gpu] = of(Backend::Kernels);
        assert_eq!((&on_cpu, of(Backend::Fused)), (&on_gpu, [on_cpu.clone(), on_gpu.clone()]));
        assert_eq!(of(Backend::Operations), [on_cpu, format!("{on_gpu}, elementary operations")]);
    }

    #[test]
    fn a_gpu_is_recorded_by_its_model_and_asked_for_by_its_number() {
        let model = Some("NVIDIA H100 80GB HBM3".to_owned());
        let gpu = Gpu { model, uuid: None, bytes: None, driver: None };
        for index in [0, 1] {
            assert_eq!(recorded_name(Device::Cuda(index), Some(&gpu)), "cuda, NVIDIA H100 80GB HBM3");
            assert_eq!(device_name(Device::Cuda(index)), format!("cuda:{index}"));
        }
        assert_eq!(recorded_name(Device::Cuda(1), None), "cuda");
        assert_eq!((recorded_name(Device::Cpu, None), device_name(Device::Cpu)), ("cpu".to_owned(), "cpu".to_owned()));
    }
}
