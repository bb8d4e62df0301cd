//! Which rank this process is, by the variables of the launcher that started it: torchrun, Open MPI, Slurm, or posenc itself,
//! which sets those of torchrun.

use nn::group::Network;
use records::UserError;
use tch::Device;

struct Launcher {
    rank: &'static str,
    size: &'static str,
    /// The rank among those on this machine.
    local: &'static str,
    /// The number of ranks on this machine.
    local_size: &'static str,
    /// Names a run, the same for all its ranks.
    run: &'static str,
    /// Name a further attempt at it. What else starts the processes, such as `srun` for mpirun's on other machines, has
    /// numbers of its own, which ranks do not share.
    attempt: &'static [&'static str],
}

const LAUNCHERS: [Launcher; 3] = [
    Launcher {
        rank: "RANK",
        size: "WORLD_SIZE",
        local: "LOCAL_RANK",
        local_size: "LOCAL_WORLD_SIZE",
        run: "TORCHELASTIC_RUN_ID",
        attempt: &["TORCHELASTIC_RESTART_COUNT"],
    },
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        local: "OMPI_COMM_WORLD_LOCAL_RANK",
        local_size: "OMPI_COMM_WORLD_LOCAL_SIZE",
        // Each mpirun has its own.
        run: "PMIX_NAMESPACE",
        attempt: &[],
    },
    Launcher {
        rank: "SLURM_PROCID",
        size: "SLURM_NTASKS",
        local: "SLURM_LOCALID",
        local_size: "SLURM_NTASKS",
        run: "SLURM_JOB_ID",
        attempt: &["SLURM_STEP_ID", "SLURM_RESTART_COUNT"],
    },
];

const LOOPBACK: &str = "127.0.0.1";

/// The port that PyTorch uses by default.
const USUAL_PORT: u16 = 29_500;

/// Ports for Slurm's jobs, which get none from Slurm, so that two on one node seldom take the same.
const FIRST_PORT: u64 = 20_000;
const PORTS: u64 = 20_000;

pub const MOST_RANKS: usize = 1024;

/// A rank, and where it meets the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankId {
    pub rank: usize,
    /// The rank among those on its machine; 0 if the launcher does not number them.
    pub local: usize,
    pub size: usize,
    pub host: String,
    pub port: u16,
    /// Whether this process serves the store where ranks meet.
    pub serves: bool,
    pub network: Network,
    /// The launcher's name of the run.
    pub run: String,
    pub attempt: String,
}

impl RankId {
    /// Of several devices that a launcher's ranks were all given, that of this rank. An error if its machine has more ranks
    /// than devices, and more than one of these.
    pub fn device(&self, devices: &[Device]) -> Result<Device, UserError> {
        match devices {
            [] => Ok(Device::Cpu),
            [one] => Ok(*one),
            _ => devices.get(self.local).copied().ok_or_else(|| {
                let message = format!("rank {} of its machine has no device: there are {}", self.local, devices.len());
                UserError::new(message, "name a device for each rank of a machine, or one that all take")
            }),
        }
    }

    /// `None` if no launcher started this process.
    pub fn of_environment() -> Result<Option<Self>, UserError> {
        Self::of(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, UserError> {
        let by = |launcher: &&Launcher| variable(launcher.rank).is_some() && variable(launcher.size).is_some();
        let Some(launcher) = LAUNCHERS.iter().find(by) else { return Ok(None) };
        let number = |name: &str| {
            let value = variable(name).unwrap_or_default();
            let refused = || UserError::new(format!("{name} is \"{value}\", not a number"), "start it by its launcher");
            value.parse::<usize>().map_err(|_| refused())
        };
        let (rank, size) = (number(launcher.rank)?, number(launcher.size)?);
        let local = if variable(launcher.local).is_some() { number(launcher.local)? } else { 0 };
        if rank >= size {
            let message = format!("{} is {rank}, but there are {size} ranks", launcher.rank);
            return Err(UserError::new(message, "start it by its launcher"));
        }
        if size > MOST_RANKS {
            let message = format!("{} is {size}; a cell has at most {MOST_RANKS} ranks", launcher.size);
            return Err(UserError::new(message, "start fewer"));
        }
        let by_slurm = launcher.rank == "SLURM_PROCID";
        let nodes = if by_slurm { variable("SLURM_NNODES").map(|nodes| nodes == "1") } else { None };
        let here = variable(launcher.local_size).is_some_and(|local| local == size.to_string());
        let is_local = nodes.unwrap_or(here && !by_slurm);
        let of_slurm = || variable("SLURM_LAUNCH_NODE_IPADDR").filter(|_| by_slurm);
        let host = variable("MASTER_ADDR").or_else(|| is_local.then(|| LOOPBACK.to_owned())).or_else(of_slurm);
        let host = host.ok_or_else(|| {
            UserError::new("MASTER_ADDR is not set", "set it to the address of the machine of rank 0")
        })?;
        let port = match variable("MASTER_PORT") {
            // At port 0 a store is served where the other ranks do not look for it.
            Some(port) => port.parse().ok().filter(|&port| port > 0).ok_or_else(|| {
                UserError::new(format!("MASTER_PORT is \"{port}\", not a port"), "set a number from 1 to 65535")
            })?,
            None => variable("SLURM_JOB_ID")
                .and_then(|job| job.parse::<u64>().ok())
                .map_or(USUAL_PORT, |job| (FIRST_PORT + job % PORTS) as u16),
        };
        let attempt: Vec<String> = launcher.attempt.iter().filter_map(|name| variable(name)).collect();
        Ok(Some(Self {
            rank,
            local,
            size,
            port,
            serves: rank == 0 && variable("TORCHELASTIC_USE_AGENT_STORE").as_deref() != Some("True"),
            network: match variable("GLOO_SOCKET_IFNAME") {
                Some(name) => Network::Interface(name),
                None if is_local || [LOOPBACK, "localhost"].contains(&host.as_str()) => Network::Loopback,
                None => Network::Usual,
            },
            host,
            run: variable(launcher.run).unwrap_or_default(),
            attempt: attempt.join("/"),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank_id(variables: &str) -> Result<Option<RankId>, UserError> {
        let known = |wanted: &str| {
            let mut all = variables.split_whitespace().filter_map(|variable| variable.split_once('='));
            all.find_map(|(name, value)| (name == wanted).then(|| value.to_owned()))
        };
        RankId::of(&known)
    }

    fn found(variables: &str) -> RankId {
        rank_id(variables).expect("valid").expect("a launcher")
    }

    #[test]
    fn torchruns_agent_serves_the_store() {
        let launched = "RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=4 MASTER_ADDR=node3 MASTER_PORT=4321 TORCHELASTIC_RUN_ID=a \
                        TORCHELASTIC_RESTART_COUNT=1";
        let own = found(launched);
        assert_eq!((own.rank, own.size, &own.host[..], own.port, own.serves), (0, 4, "node3", 4321, true));
        assert_eq!((own.network, &own.run[..], &own.attempt[..]), (Network::Loopback, "a", "1"));
        assert!(!found(&format!("{launched} TORCHELASTIC_USE_AGENT_STORE=True")).serves);
        let wide = "RANK=5 WORLD_SIZE=8 LOCAL_WORLD_SIZE=4 MASTER_ADDR=node3 MASTER_PORT=1";
        assert_eq!(found(wide).network, Network::Usual);
        let by_name = found(&format!("{wide} GLOO_SOCKET_IFNAME=ib0"));
        assert_eq!((by_name.network, by_name.serves), (Network::Interface("ib0".to_owned()), false));
    }

    #[test]
    fn slurm_and_open_mpi_name_no_port() {
        let slurm = found("SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_NNODES=1 SLURM_JOB_ID=20007 SLURM_STEP_ID=3");
        assert_eq!((slurm.rank, slurm.size, &slurm.host[..], slurm.port), (1, 2, LOOPBACK, 20_007));
        assert_eq!((&slurm.run[..], &slurm.attempt[..]), ("20007", "3"));
        let nodes = "SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_NNODES=2";
        assert_eq!(found(&format!("{nodes} SLURM_LAUNCH_NODE_IPADDR=10.0.0.2")).host, "10.0.0.2");
        assert!(rank_id(nodes).unwrap_err().to_string().contains("MASTER_ADDR"));
        let mpi = found("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2");
        assert_eq!((&mpi.host[..], mpi.port, mpi.network), (LOOPBACK, USUAL_PORT, Network::Loopback));
    }

    #[test]
    fn ranks_of_one_launch_share_its_name_whichever_step_of_a_job_starts_them() {
        let named = |variables: &str| {
            let own = found(&format!("{variables} MASTER_ADDR=a MASTER_PORT=1 SLURM_JOB_ID=7"));
            (own.run, own.attempt)
        };
        // mpirun starts the ranks of its own machine, and srun the others; each machine's torchrun may be a step.
        let mpi = "OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=x OMPI_COMM_WORLD_RANK";
        let torch = "WORLD_SIZE=2 TORCHELASTIC_RUN_ID=x TORCHELASTIC_RESTART_COUNT=0 RANK";
        for launcher in [mpi, torch] {
            let first = named(&format!("{launcher}=0"));
            assert_eq!(first, named(&format!("{launcher}=1 SLURM_STEP_ID=1 SLURM_PROCID=0 SLURM_NTASKS=1")));
            assert_eq!(first, named(&format!("{launcher}=1 SLURM_STEP_ID=2 SLURM_PROCID=1 SLURM_NTASKS=2")));
            assert_ne!(first, named(&format!("{launcher}=1").replace("=x", "=y")), "another launch in the job");
        }
        let step = |number: u8| named(&format!("SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_STEP_ID={number}"));
        assert_ne!(step(0), step(1));
    }

    #[test]
    fn the_rank_on_a_machine_chooses_among_devices() {
        let gpus = [Device::Cuda(4), Device::Cuda(5)];
        for launched in [
            "RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 MASTER_ADDR=a MASTER_PORT=1",
            "OMPI_COMM_WORLD_RANK=9 OMPI_COMM_WORLD_SIZE=16 OMPI_COMM_WORLD_LOCAL_RANK=1 MASTER_ADDR=a",
            "SLURM_PROCID=9 SLURM_NTASKS=16 SLURM_NNODES=8 SLURM_LOCALID=1 MASTER_ADDR=a",
        ] {
            let own = found(launched);
            assert_eq!((own.rank, own.local), (9, 1));
            assert_eq!(own.device(&gpus).expect("a device"), gpus[1]);
            // Slurm may show a task its own GPU only.
            assert_eq!(own.device(&gpus[..1]).expect("a device"), gpus[0]);
        }
        let third = found("RANK=2 WORLD_SIZE=4 LOCAL_RANK=2 MASTER_ADDR=a MASTER_PORT=1");
        assert!(third.device(&gpus).expect_err("two devices").to_string().contains("rank 2 of its machine has no"));
        let unnumbered = found("RANK=3 WORLD_SIZE=4 MASTER_ADDR=a MASTER_PORT=1");
        assert_eq!(unnumbered.device(&gpus).expect("a device"), gpus[0]);
        assert!(rank_id("RANK=0 WORLD_SIZE=2 LOCAL_RANK=x").expect_err("no number").to_string().contains("LOCAL_RANK"));
    }

    #[test]
    fn other_processes_have_no_rank_and_wrong_numbers_are_refused() {
        assert_eq!(rank_id("PATH=/bin MASTER_PORT=1").expect("valid"), None);
        let at_port = |port: &str| format!("RANK=0 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT={port}");
        assert_eq!(found(&at_port("65535")).port, 65_535);
        for port in ["x", "0", "-1", "70000"] {
            let error = rank_id(&at_port(port)).expect_err(port).to_string();
            assert!(error.contains(&format!("MASTER_PORT is \"{port}\"")), "{error}");
        }
        for (wrong, part) in [
            ("RANK=2 WORLD_SIZE=2", "there are 2 ranks"),
            ("RANK=0 WORLD_SIZE=0", "there are 0 ranks"),
            ("RANK=x WORLD_SIZE=2", "not a number"),
            ("RANK=0 WORLD_SIZE=99999999999999999999", "not a number"),
            ("RANK=0 WORLD_SIZE=1073741824", "at most 1024"),
        ] {
            let error = rank_id(wrong).expect_err(wrong).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
