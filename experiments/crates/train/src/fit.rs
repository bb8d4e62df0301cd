//! `micro_batch: auto`: the number of positions that fit into the device's memory at once.
//!
//! On a GPU this is tried: a forward and backward pass of the whole batch, then of half as many positions, until one
//! does not run out of memory. On a CPU it is estimated: activations of a position against a quarter of the free
//! memory, since other cells run on the same machine. Manifest and checkpoint record the choice, and a resumed cell
//! keeps it.

mod activations;

use super::error::TrainError;
use super::learner::masks_of;
use super::micro::{Gradient, Model, Objective};
use super::random_batch::random_batch;
use super::setup::Setup;
use super::tensors::on_device;
use models::ModelError;
use models::input::Expander;
use nn::Arena;
use std::iter::successors;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tch::{Device, Tensor};

/// Flat tensors of a step in addition to weights and gradient: two moments, two temporaries, an average. Each doubling of the
/// number of micro-batches adds a gradient that waits to be added.
const RESERVED: i64 = 5;

/// A cell on a CPU uses at most 1/4 of the free memory for activations.
const CPU_SHARE: u64 = 4;

/// The number of positions that go through the network at once. `known`: the value in the checkpoint.
pub(super) fn micro_batch(setup: &Setup, arena: &Arena, known: Option<usize>) -> Result<usize, TrainError> {
    let (batch, plies) = (setup.config.train.batch, setup.config.plies());
    // Each rank needs a part.
    let ranks = setup.ranks.as_ref().map_or(1, |ranks| ranks.size());
    let share = batch.div_ceil(ranks);
    let are_shared = |positions: usize| batch.div_ceil(setup.config.whole_sequences(positions)).is_multiple_of(ranks);
    // If no number of parts can be shared, the check of the ranks says so.
    let can_be_shared = successors(Some(share), |&half| (half > 1).then(|| half.div_ceil(2))).any(are_shared);
    let is_shared = |positions: usize| !can_be_shared || are_shared(positions);
    match setup.config.micro_batch().or(known) {
        Some(positions) => Ok(positions),
        None if setup.device == Device::Cpu => {
            // Ranks may be on one machine.
            let room = free_memory().map(|free| free / CPU_SHARE / ranks as u64);
            let largest = largest_within(share, room, activation_bytes(setup)?, is_shared);
            Ok(setup.config.whole_sequences(largest))
        }
        None => {
            let fits =
                |sequences: usize| Ok(is_shared(sequences * plies) && fits_on_device(setup, arena, sequences * plies)?);
            Ok(halved(share / plies, fits)? * plies)
        }
    }
}

/// The largest of `batch`, `batch`/2, … that fits.
fn halved(batch: usize, mut fits: impl FnMut(usize) -> Result<bool, TrainError>) -> Result<usize, TrainError> {
    let mut positions = batch.max(1);
    while !fits(positions)? {
        if positions == 1 {
            return Err(TrainError::NoRoom);
        }
        positions = positions.div_ceil(2);
    }
    Ok(positions)
}

/// The largest of `batch`, `batch`/2, …, 1 that ranks can share and whose activations fit into `room` bytes, if that is known.
fn largest_within(batch: usize, room: Option<u64>, bytes: u64, is_shared: impl Fn(usize) -> bool) -> usize {
    let fits = |positions: usize| room.is_none_or(|room| positions as u64 * bytes <= room);
    halved(batch, |positions| Ok(is_shared(positions) && fits(positions))).unwrap_or(1)
}

/// Whether a forward and backward pass of this many positions succeeds.
fn fits_on_device(setup: &Setup, arena: &Arena, positions: usize) -> Result<bool, TrainError> {
    let batch = random_batch(&setup.config, positions);
    let waiting = setup.config.train.batch.div_ceil(positions).next_power_of_two().ilog2();
    let reserved = (RESERVED + i64::from(waiting)) * arena.layout().len() as i64;
    let pass = || -> Result<(), TrainError> {
        let _reserved = Tensor::f_zeros([reserved], (tch::Kind::Float, setup.device))?;
        let masks = Some(masks_of(&setup.config, 1));
        let model = Model { network: &setup.network, arena, kind: setup.config.train.dtype.kind(), masks };
        let tensors = on_device(&batch, setup.device)?;
        Gradient::of(&Objective::of(&setup.config), model, &tensors, positions, None).map(drop)
    };
    // Layers call LibTorch's infallible functions, which panic when memory runs out.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let outcome = catch_unwind(AssertUnwindSafe(pass));
    std::panic::set_hook(hook);
    match outcome {
        Ok(Ok(())) => Ok(true),
        Ok(Err(error)) if out_of_memory(&error.to_string()) => Ok(false),
        Ok(Err(error)) => Err(error),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            match words.filter(|words| out_of_memory(words)) {
                Some(_) => Ok(false),
                None => std::panic::resume_unwind(panic),
            }
        }
    }
}

fn out_of_memory(message: &str) -> bool {
    message.contains("out of memory")
}

fn activation_bytes(setup: &Setup) -> Result<u64, ModelError> {
    let channels = Expander::new(setup.config.spec().input).channels();
    Ok(activations::bytes(&setup.config.model, setup.network.tokens().len(), channels))
}

/// Free memory as Linux reports it, or less if a control group allows less.
fn free_memory() -> Option<u64> {
    let kilobytes = std::fs::read_to_string("/proc/meminfo")
        .ok()?
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())?;
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let allowed = number("/sys/fs/cgroup/memory.max").zip(number("/sys/fs/cgroup/memory.current"));
    let allowed = allowed.map_or(u64::MAX, |(most, used)| most.saturating_sub(used));
    Some((kilobytes << 10).min(allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_until_it_fits() {
        let mut tried = Vec::new();
        let chosen = halved(100, |positions| {
            tried.push(positions);
            Ok(positions <= 13)
        });
        assert_eq!((chosen.unwrap(), tried), (13, vec![100, 50, 25, 13]));
        assert!(matches!(halved(4, |_| Ok(false)), Err(TrainError::NoRoom)));
        assert!(matches!(halved(4, |_| Err(TrainError::NoRoom)), Err(TrainError::NoRoom)));
    }

    #[test]
    fn fills_the_room_that_there_is() {
        let largest = |room: Option<u64>| largest_within(64, room, 100, |_| true);
        assert_eq!([Some(6400), Some(6399), Some(1), None].map(largest), [64, 32, 1, 64]);
        // The halves of 40 are 40, 20, 10, 5, 3, 2 and 1; 107 parts of 3 are not shared among 8 ranks, 160 of 2 are.
        let among_8 = |positions: usize| 320_usize.div_ceil(positions).is_multiple_of(8);
        assert_eq!(largest_within(40, Some(300), 100, among_8), 2);
    }

    #[test]
    fn this_machine_says_what_is_free() {
        assert!(free_memory().is_some_and(|free| free > 1 << 20));
    }

    #[test]
    fn libtorchs_words_for_no_memory_are_known() {
        assert!(out_of_memory("CUDA out of memory. Tried to allocate 2.00 GiB."));
        assert!(!out_of_memory("mat1 and mat2 shapes cannot be multiplied"));
    }
}
