//! The options of every command that trains cells: how cells share a machine.

use super::cell::{RANKED, check_ranks, check_shares};
use super::devices::{parse_device, prepare};
use super::options::cores;
use anyhow::Context as _;
use grid::limits::HumanDuration;
use grid::{Interrupt, Outcome, RunLimits, Scheduler, Task, Worker, progress};
use records::CellState;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tch::Device;
use train::setup::device_name;

/// The number of cells at a time, their threads and devices, and their limits.
#[derive(Debug, clap::Args)]
pub(super) struct Slots {
    /// Number of cells at a time [default: as many as fit the cores, or one per GPU].
    #[arg(long)]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Divide each step of a cell among this many processes: 2, 4, 8. On GPUs each has a device. The bits stay the same.
    #[arg(long, default_value_t = NonZeroUsize::MIN)]
    pub(super) ranks: NonZeroUsize,
    /// OpenMP threads of each cell. The bits of the results depend on it.
    #[arg(long, default_value_t = NonZeroUsize::MIN)]
    pub(super) threads: NonZeroUsize,
    /// The devices: cpu, or GPUs such as cuda:0,cuda:1, which are assigned to cells in turn.
    #[arg(long, value_delimiter = ',', default_value = "cpu", value_parser = parse_device)]
    pub(super) devices: Vec<Device>,
    /// Stop everything at the first failure.
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// How often a cell is retried that was killed or ran out of memory; other failures would repeat.
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    retries: u32,
    /// Stop with checkpoints after this time: 90s, 30m, 8h, 2d.
    #[arg(long, value_name = "TIME")]
    time_limit: Option<HumanDuration>,
    /// Stop a cell with a checkpoint after this time, and count it as failed.
    #[arg(long, value_name = "TIME")]
    cell_time_limit: Option<HumanDuration>,
    /// Resume interrupted cells even if threads, instruction set or LibTorch changed: the bits will differ from an
    /// undisturbed run, and the manifest records it.
    #[arg(long)]
    pub(super) force: bool,
    /// When the first cells could begin: the time limit covers trials and rows.
    #[arg(skip)]
    began: OnceLock<Instant>,
}

impl Slots {
    /// Checks that the devices exist and are of one kind, because a grid's cells are compared with each other.
    pub(super) fn check_devices(&self) -> anyhow::Result<()> {
        let on_cpu = self.devices.iter().filter(|&&device| device == Device::Cpu).count();
        anyhow::ensure!(
            on_cpu == 0 || on_cpu == self.devices.len(),
            "--devices mixes the CPU with GPUs; no verdict compares across the two, so give either"
        );
        check_ranks(self.ranks, self.devices.len() - on_cpu)?;
        let (ranks, cores) = (self.ranks, cores());
        // Two may try ranks on any machine.
        anyhow::ensure!(
            on_cpu == 0 || ranks.get() <= cores.max(2),
            "--ranks {ranks}: each takes a core, and this machine has {cores}"
        );
        self.devices.iter().try_for_each(|&device| prepare(device))
    }

    /// The device for work beside the cells.
    pub(super) fn first_device(&self) -> Device {
        self.devices.first().copied().unwrap_or(Device::Cpu)
    }

    /// Trains cells, with progress on stderr. Their processes get these flags, too.
    pub(super) fn train(
        &self,
        tasks: &[Task],
        flags: &[&'static str],
        interrupt: &Interrupt,
    ) -> anyhow::Result<Vec<Outcome>> {
        if self.ranks.get() > 1 {
            let mut open = tasks.iter().filter(|task| CellState::of(&task.dir) != CellState::Done);
            open.try_for_each(|task| check_shares(&task.dir, self.ranks))?;
        }
        let devices = self.devices.iter().map(|&device| device_name(device)).collect();
        let mut worker =
            Worker::this_program(self.threads.get(), devices).context("cannot find this program itself")?;
        worker.ranks = self.ranks.get();
        worker.flags.extend(flags);
        worker.flags.extend(self.force.then_some("--force"));
        let used = self.began.get_or_init(Instant::now).elapsed();
        let limits = RunLimits {
            // Finished cells are found in the last second.
            run: self.time_limit.map(|span| span.0.saturating_sub(used).max(Duration::from_secs(1))),
            cell: self.cell_time_limit.map(|span| span.0),
            // A launcher starts all ranks again.
            retries: if flags.contains(&RANKED) { 0 } else { self.retries },
        };
        let scheduler = Scheduler { worker: &worker, jobs: self.jobs(), fail_fast: self.fail_fast, interrupt, limits };
        Ok(scheduler.run(tasks, &mut progress::on_stderr(tasks)))
    }

    /// How many cells run at a time.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.map_or_else(|| self.usual_jobs(), NonZeroUsize::get)
    }

    /// One cell for each GPU, or for each `--ranks` of them; on the CPU as many as the cores have room for.
    fn usual_jobs(&self) -> usize {
        if self.devices.contains(&Device::Cpu) {
            (cores() / self.threads / self.ranks).max(1)
        } else {
            (self.devices.len() / self.ranks).max(1)
        }
    }
}
