//! What moves gradients between the GPUs of ranks: NCCL, or LibTorch's Gloo through host memory. Either gives the same bits.

use super::rank_id::RankId;
use crate::environment::gpu_of;
use crate::error::TrainError;
use nn::group::{Group, Nccl, NcclError, Store, UniqueId};
use records::UserError;
use tch::{Device, TchError};

const VARIABLE: &str = "POSENC_NCCL";

/// Begins the entry of a rank that cannot use NCCL; the reason follows.
const WITHOUT: &str = "without ";

/// The name in the store of NCCL's name of the group.
const NAME: &str = "nccl";

/// Connects the GPUs of all ranks, if their devices are GPUs: they agree by their entries in the store. Returns what moves the
/// gradients, for people.
pub(super) fn connect(
    group: &Group,
    store: &Store,
    rank_id: &RankId,
    device: Device,
) -> Result<Option<String>, TrainError> {
    if device == Device::Cpu {
        return Ok(None);
    }
    let setting = std::env::var(VARIABLE).unwrap_or_default();
    let nccl = if is_off(&setting)? { Err(format!("{VARIABLE}=off")) } else { usable() };
    let own = match &nccl {
        Ok((_, version)) => format!("{version} on {}", gpu(rank_id, device)),
        Err(reason) => format!("{WITHOUT}{reason}"),
    };
    let name = |rank: usize| format!("gpu {rank}");
    store.set(&name(rank_id.rank), &own)?;
    let entries: Vec<String> = (0..rank_id.size).map(|rank| store.get(&name(rank))).collect::<Result<_, _>>()?;
    let (nccl, version) = match (nccl, refusal(&entries)?) {
        (Ok(found), None) => found,
        (_, reason) => {
            let reason = reason.unwrap_or_default();
            return Ok(Some(format!("gradients of GPUs pass through host memory, by Gloo: {reason}")));
        }
    };
    let failed = |error: NcclError| {
        let remedy = format!("NCCL_DEBUG=INFO prints details; {VARIABLE}=off sends gradients through host memory");
        TrainError::from(UserError::new(format!("rank {}: {error}", rank_id.rank), remedy))
    };
    if rank_id.rank == 0 {
        store.set(NAME, &nccl.unique_id().map_err(failed)?.to_hex())?;
    }
    let id = UniqueId::from_hex(&store.get(NAME)?);
    let id = id.ok_or_else(|| TchError::Torch("the store has no name of NCCL's".to_owned()))?;
    group.connect_gpus(nccl, id, device).map_err(failed)?;
    Ok(Some(format!("gradients go between GPUs by NCCL {version}, which posenc has not run on hardware yet")))
}

fn is_off(setting: &str) -> Result<bool, UserError> {
    match setting {
        "" => Ok(false),
        "off" => Ok(true),
        other => Err(UserError::new(format!("{VARIABLE} is {other:?}"), "set it to \"off\", or leave it out")),
    }
}

fn usable() -> Result<(Nccl, String), String> {
    Nccl::load().and_then(|nccl| Ok((nccl, nccl.version()?))).map_err(|error| error.to_string())
}

/// A GPU by its identifier; by its rank, if the driver does not answer.
fn gpu(rank_id: &RankId, device: Device) -> String {
    gpu_of(device).and_then(|gpu| gpu.uuid).unwrap_or_else(|| format!("GPU of rank {}", rank_id.rank))
}

/// Why NCCL cannot be used, the same for all ranks; an error if two have one GPU.
fn refusal(entries: &[String]) -> Result<Option<String>, UserError> {
    let without = |(rank, entry): (usize, &String)| Some(format!("rank {rank}: {}", entry.strip_prefix(WITHOUT)?));
    if let Some(reason) = entries.iter().enumerate().find_map(without) {
        return Ok(Some(reason));
    }
    let parts: Vec<(&str, &str)> = entries.iter().filter_map(|entry| entry.split_once(" on ")).collect();
    for (rank, (version, gpu)) in parts.iter().enumerate() {
        let (first, gpus) = (parts[0].0, &parts[..rank]);
        if let Some(other) = gpus.iter().position(|(_, its)| its == gpu) {
            let message = format!("ranks {other} and {rank} compute on one GPU ({gpu})");
            let remedy = format!("give each rank a GPU, as in --devices cuda:0,cuda:1, or set {VARIABLE}=off");
            return Err(UserError::new(message, remedy));
        }
        if *version != first {
            return Ok(Some(format!("rank 0 has NCCL {first}, rank {rank} has {version}")));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: &[&str]) -> Result<Option<String>, UserError> {
        refusal(&entries.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn all_ranks_use_nccl_or_none() {
        assert_eq!(of(&["2.28.9 on GPU-1", "2.28.9 on GPU-2"]).expect("no error"), None);
        let reason = |entries: &[&str]| of(entries).expect("no error").expect("a reason");
        let missing = "without NCCL: libnccl.so.2 cannot be loaded";
        assert_eq!(
            reason(&["2.28.9 on GPU-1", missing, "without POSENC_NCCL=off"]),
            "rank 1: NCCL: libnccl.so.2 cannot be loaded"
        );
        assert_eq!(reason(&["2.28.9 on GPU-1", "2.27.3 on GPU-2"]), "rank 0 has NCCL 2.28.9, rank 1 has 2.27.3");
    }

    #[test]
    fn two_ranks_on_one_gpu_are_named() {
        let error = of(&["2.28.9 on GPU-1", "2.28.9 on GPU-2", "2.28.9 on GPU-1"]).expect_err("one GPU").to_string();
        assert!(error.contains("ranks 0 and 2 compute on one GPU (GPU-1)"), "{error}");
        assert_eq!(of(&["without POSENC_NCCL=off"; 2]).expect("allowed"), Some("rank 0: POSENC_NCCL=off".to_owned()));
    }

    #[test]
    fn the_setting_is_off_or_nothing() {
        assert!(is_off("off").expect("a setting") && !is_off("").expect("a setting"));
        assert!(is_off("no").expect_err("not a setting").to_string().contains("POSENC_NCCL is \"no\""));
    }
}
