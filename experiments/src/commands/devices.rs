//! `posenc devices`: the processor, LibTorch, and GPUs, with what is missing and how to get it.

use super::options::{json_text, print};
use anyhow::{Context as _, bail};
use config::{RunConfig, Weights};
use records::gpu::{self, Gpu};
use records::machine::{Cpu, LibTorch};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tch::{Cuda, Device};
use train::environment;
use train::inference::Loaded;
use train::setup::device_name;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// The processor, libraries and GPUs of this machine.
struct MachineDevices {
    cpu: Cpu,
    libtorch: LibTorch,
    threads: i32,
    cuda_library: Option<PathBuf>,
    gpus: Vec<Gpu>,
    hint: Option<&'static str>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let found = MachineDevices::look();
    let text = if args.json { json_text(&found.json())? } else { found.text() };
    print(&text)
}

/// Reads `cpu`, `cuda` or `cuda:N`.
pub fn parse_device(text: &str) -> Result<Device, String> {
    let refused = || format!("expected cpu, cuda or cuda:N, got \"{text}\"");
    match text.split_once(':') {
        None if text == "cpu" => Ok(Device::Cpu),
        None if text == "cuda" => Ok(Device::Cuda(0)),
        // LibTorch keeps a device's number in 8 bits with a sign.
        Some(("cuda", index)) => match index.parse::<i8>() {
            Ok(index @ 0..) => Ok(Device::Cuda(index as usize)),
            _ => Err(refused()),
        },
        _ => Err(refused()),
    }
}

/// Which weights of a cell compute, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct CellNetwork {
    /// Use the averaged weights of a run that averages them.
    #[arg(long)]
    averaged: bool,
    /// The device: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
}

impl CellNetwork {
    /// Makes the device usable with one thread; call it before the first tensor.
    pub(crate) fn prepare(&self) -> anyhow::Result<(Weights, Device)> {
        prepare(self.device)?;
        environment::use_threads(1);
        Ok((if self.averaged { Weights::Averaged } else { Weights::Raw }, self.device))
    }

    /// Prepares the device and loads the cell.
    pub(crate) fn load(&self, cell: &Path) -> anyhow::Result<Loaded> {
        let (weights, device) = self.prepare()?;
        Ok(Loaded::cell(cell, weights, device)?)
    }
}

/// Starts this process again with the environment variables that these runs need on a device, if one is missing. Call it
/// before [`prepare`].
pub(super) fn ensure_environment<'a>(
    device: Device,
    mut runs: impl Iterator<Item = &'a RunConfig>,
) -> anyhow::Result<()> {
    let needed = environment::needed(device, runs.any(|run| run.train.deterministic));
    let names = || needed.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
    environment::ensure(&needed).with_context(|| format!("cannot start again with {}", names()))
}

/// The same for the variables that every run needs, on any device.
pub(crate) fn ensure_passive_threads() -> anyhow::Result<()> {
    ensure_environment(Device::Cpu, std::iter::empty())
}

/// Makes a device usable; call it before the first tensor.
pub fn prepare(device: Device) -> anyhow::Result<()> {
    let Device::Cuda(index) = device else { return Ok(()) };
    load_cuda(&LibTorch::detect());
    let count = Cuda::device_count();
    if index as i64 >= count {
        bail!("there is no device cuda:{index}: {count} GPUs can be used; `posenc devices` says what is missing");
    }
    Ok(())
}

fn load_cuda(libtorch: &LibTorch) -> Option<PathBuf> {
    nn::load_cuda(libtorch.library_dir()?)
}

impl MachineDevices {
    fn look() -> Self {
        let libtorch = LibTorch::detect();
        let cuda_library = load_cuda(&libtorch);
        let usable = usize::try_from(Cuda::device_count()).unwrap_or(0);
        Self {
            cpu: Cpu::detect(),
            threads: tch::get_num_threads(),
            hint: hint(!gpu::is_present(), cuda_library.is_some(), usable),
            gpus: gpu::usable(),
            libtorch,
            cuda_library,
        }
    }

    fn text(&self) -> String {
        let library =
            self.libtorch.library.as_ref().map_or_else(|| "not found".to_owned(), |p| p.display().to_string());
        let cuda = self.cuda_library.as_ref().map_or_else(|| "not installed".to_owned(), |p| p.display().to_string());
        let gpus: Vec<String> = self.gpus.iter().enumerate().map(|(index, gpu)| in_words(index, gpu)).collect();
        let gpus = if gpus.is_empty() { "none".to_owned() } else { gpus.join(", ") };
        let driver = self.gpus.iter().find_map(|gpu| gpu.driver.clone());
        let lines = [
            ("CPU", format!("{}, {} cores", self.cpu.model, self.cpu.cores)),
            ("instruction set", self.cpu.instruction_set()),
            ("LibTorch", format!("{} at {library}", self.libtorch.version.as_deref().unwrap_or("of unknown version"))),
            ("threads by default", self.threads.to_string()),
            ("CUDA library", cuda),
            ("GPUs", gpus),
            ("NVIDIA driver", driver.unwrap_or_else(|| "none".to_owned())),
        ];
        let mut text: String = lines.iter().map(|(name, value)| format!("{name:<20}{value}\n")).collect();
        text.extend(self.hint.map(|hint| format!("\n{hint}\n")));
        text
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "cpu": self.cpu,
            "libtorch": { "version": self.libtorch.version, "library": self.libtorch.library },
            "threads": self.threads,
            "cuda_library": self.cuda_library,
            "gpus": self.gpus,
            "hint": self.hint,
        })
    }
}

/// `cuda:0 NVIDIA H100 80GB HBM3 (GPU-…)`.
fn in_words(index: usize, gpu: &Gpu) -> String {
    let uuid = gpu.uuid.as_ref().map(|uuid| format!(" ({uuid})")).unwrap_or_default();
    format!("{} {}{uuid}", device_name(Device::Cuda(index)), gpu.model.as_deref().unwrap_or("of unknown model"))
}

/// What is missing. A kernel driver may list GPUs that LibTorch cannot use.
fn hint(no_driver: bool, library: bool, usable: usize) -> Option<&'static str> {
    match (no_driver, library, usable) {
        (_, true, 1..) | (true, false, _) => None,
        (false, false, _) => Some(
            "There is a GPU, but this LibTorch is for CPUs only: `scripts/setup --cuda` fetches the rest; the wheel takes PyTorch's.",
        ),
        (true, true, 0) => Some("LibTorch can use CUDA, but there is no NVIDIA driver: training runs on the CPU."),
        (false, true, 0) => Some(
            "There is a GPU and LibTorch's CUDA library, but CUDA does not start: the driver may be too old for \
                  CUDA 13 (nvidia-smi names the version that it supports), or another container owns the GPU.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read_by_name() {
        assert_eq!(parse_device("cpu"), Ok(Device::Cpu));
        assert_eq!(parse_device("cuda"), Ok(Device::Cuda(0)));
        assert_eq!(parse_device("cuda:3"), Ok(Device::Cuda(3)));
        assert!(parse_device("gpu").unwrap_err().contains("got \"gpu\""));
        for wrong in ["cuda:x", "cuda:", "cuda:-1", "cuda:128", "cuda:18446744073709551615"] {
            assert!(parse_device(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn gpus_are_listed_by_the_names_that_select_them() {
        let (model, uuid) = (Some("NVIDIA H100 80GB HBM3".to_owned()), Some("GPU-0a".to_owned()));
        let gpu = Gpu { model, uuid, bytes: None, driver: None };
        assert_eq!(in_words(1, &gpu), "cuda:1 NVIDIA H100 80GB HBM3 (GPU-0a)");
        assert_eq!(in_words(0, &Gpu { model: None, uuid: None, ..gpu }), "cuda:0 of unknown model");
    }

    #[test]
    fn a_hint_says_what_is_missing() {
        assert_eq!(hint(true, false, 0), None);
        assert_eq!(hint(false, true, 2), None);
        assert!(hint(false, false, 0).is_some_and(|text| text.contains("--cuda")));
        assert!(hint(true, true, 0).is_some());
    }
}
