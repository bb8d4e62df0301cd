//! One cell on several processes: each rank differentiates its share of a batch's micro-batches, the gradients are added, and
//! every rank makes the same step. Evaluations are divided by batches. The first rank alone writes.
//!
//! Every rank loads every batch. The sum has the same order of additions for any number of ranks (`micro.rs`,
//! [`Group::sum`]), so a cell may resume with another number of them and ends with the same bits.

mod gpus;
mod rank_id;
mod watch;

pub use rank_id::{MOST_RANKS, RankId};

use crate::error::{TrainError, without_backtrace};
use config::{RunConfig, TrainConfig};
use nn::group::{Address, Group, Lost, Store};
use records::UserError;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tch::{Device, TchError, Tensor};
use watch::Watch;

/// How long ranks wait for each other at the start.
const JOIN_TIMEOUT: Duration = Duration::from_secs(120);

/// How long a rank waits for the first one to record a failure that all have.
const RECORDING_TIME: Duration = Duration::from_secs(1);

const HERE: &str = "127.0.0.1";

/// This process among the ranks of a cell.
#[derive(Debug)]
pub struct Ranks {
    group: Arc<Group>,
    watch: Watch,
    between_gpus: Option<String>,
}

impl Ranks {
    /// Meets the others, who must have the same `about`: build, arithmetic, cell, and whether `device` is a GPU.
    pub fn join(rank_id: &RankId, about: &str, device: Device) -> Result<Self, TrainError> {
        let RankId { rank, size, host, port, serves, network, run, attempt, .. } = rank_id;
        if !size.is_power_of_two() {
            let message = format!("{size} ranks do not add in the order of one process");
            return Err(UserError::new(message, "start a power of two: 2, 4, 8").into());
        }
        let address = Address { host, port: *port, is_server: *serves };
        let unreachable = |cause: TchError| {
            let cause = cause.to_string();
            let message = format!("rank {rank} cannot meet the others at {host}:{port}: {}", without_backtrace(&cause));
            UserError::new(message, "check MASTER_ADDR and MASTER_PORT, and that rank 0 runs")
        };
        let store = Store::open(address, &format!("posenc/{attempt}"), JOIN_TIMEOUT).map_err(unreachable)?;
        let own = format!("{about}, run {run}");
        let name = |rank: usize| format!("rank {rank}");
        store.set(&name(*rank), &own)?;
        for other in 0..*size {
            let missing = |cause: TchError| {
                let message = format!("rank {other} did not come: {}", without_backtrace(&cause.to_string()));
                UserError::new(message, "start all ranks of one run, and see the log of that one")
            };
            let its = store.get(&name(other)).map_err(missing)?;
            if its != own {
                let message =
                    format!("rank {other} is another program, run or cell: it has {its}; rank {rank} has {own}");
                return Err(UserError::new(message, "start all ranks by one command with the same binary").into());
            }
        }
        let group = Arc::new(Group::join(&store, *rank, *size, network, JOIN_TIMEOUT)?);
        let mut ranks = Self { watch: Watch::start(&group)?, group, between_gpus: None };
        let connected = gpus::connect(&ranks.group, &store, rank_id, device);
        ranks.between_gpus = connected.inspect_err(|_| ranks.leave())?;
        // The store is there until all have joined.
        ranks.any(false)?;
        Ok(ranks)
    }

    /// What moves gradients between the GPUs of ranks, for people; `None` on CPUs.
    pub fn between_gpus(&self) -> Option<&str> {
        self.between_gpus.as_deref()
    }

    pub(crate) fn rank(&self) -> usize {
        self.group.rank()
    }

    pub(crate) fn size(&self) -> usize {
        self.group.size()
    }

    /// Whether this rank writes, and has the results of evaluations.
    pub fn is_first(&self) -> bool {
        self.group.rank() == 0
    }

    /// Refuses micro-batches that the ranks cannot share equally.
    pub(crate) fn check(&self, train: &TrainConfig, micro: usize) -> Result<(), TrainError> {
        Ok(shares(self.size(), train.batch.div_ceil(micro))?)
    }

    /// The micro-batches of this rank, of `parts` in a step.
    pub(crate) fn share(&self, parts: usize) -> Range<usize> {
        let own = parts / self.group.size();
        self.group.rank() * own..(self.group.rank() + 1) * own
    }

    pub(crate) fn sum(&self, tensor: &mut Tensor) -> Result<(), TrainError> {
        self.group.sum(tensor).map_err(|lost| self.error_of(lost))
    }

    pub(crate) fn any(&self, yes: bool) -> Result<bool, TrainError> {
        let mut sum = Tensor::from_slice(&[f32::from(u8::from(yes))]);
        self.sum(&mut sum)?;
        Ok(f64::try_from(&sum)? > 0.0)
    }

    pub(crate) fn of_first(&self, number: usize) -> Result<usize, TrainError> {
        let mut sum = Tensor::from_slice(&[if self.is_first() { number as i64 } else { 0 }]);
        self.sum(&mut sum)?;
        Ok(i64::try_from(&sum)? as usize)
    }

    /// Refuses to go on unless a hash is the same on all ranks: then all of them refuse.
    pub(crate) fn compare(&self, what: &str, hash: &blake3::Hash) -> Result<(), TrainError> {
        let (words, _) = hash.as_bytes().as_chunks::<8>();
        let words: Vec<i64> = words.iter().map(|&word| i64::from_le_bytes(word)).collect();
        let same = self.group.agrees(&words).map_err(|lost| self.error_of(lost))?;
        if !self.any(!same)? {
            return Ok(());
        }
        let message = format!("the ranks do not have the same {what}");
        Err(UserError::new(message, "compute on machines of one kind; the last checkpoint is that of all ranks").into())
    }

    /// Gives the first rank the numbers of all ranks, in their order, each in as much room as the first needs. None may
    /// give more.
    pub(crate) fn gather(&self, own: &[f32]) -> Result<Vec<f32>, TrainError> {
        let length = self.of_first(own.len())?;
        if length == 0 {
            return Ok(Vec::new());
        }
        let mut all = vec![0; length * self.size()];
        // As whole numbers: a sum of f32 would lose the sign of a zero.
        for (slot, number) in all[self.group.rank() * length..].iter_mut().zip(own) {
            *slot = number.to_bits().cast_signed();
        }
        let mut all = Tensor::from_slice(&all);
        self.sum(&mut all)?;
        let all: Vec<i32> = Vec::try_from(all)?;
        Ok(all.into_iter().map(|bits| f32::from_bits(bits.cast_unsigned())).collect())
    }

    /// Trains this rank's share, then waits for the others. An error or a panic ends them, too.
    pub(crate) fn train<T>(&self, train: impl FnOnce() -> Result<T, TrainError>) -> Result<T, TrainError> {
        match panic::catch_unwind(AssertUnwindSafe(train)) {
            Ok(Ok(outcome)) => self.finish().map(|()| outcome),
            Ok(Err(error)) => {
                self.leave();
                Err(error)
            }
            // Its message is in the log.
            Err(panic) => {
                self.leave();
                panic::resume_unwind(panic)
            }
        }
    }

    fn finish(&self) -> Result<(), TrainError> {
        self.any(false)?;
        self.group.disconnect_gpus();
        self.watch.end();
        Ok(())
    }

    /// Ends the other ranks after an error of this one.
    fn leave(&self) {
        if !self.is_first() {
            // If all ranks have it, the first one records it and ends this one.
            thread::sleep(RECORDING_TIME);
        }
        self.watch.stop();
        self.group.disconnect_gpus();
    }

    /// The error of this rank; ends the process if another rank is lost.
    fn error_of(&self, lost: Lost) -> TrainError {
        if lost.rank == self.group.rank() { lost.cause.into() } else { self.watch.lose(lost.rank) }
    }
}

/// Refuses a run whose micro-batches this number of ranks cannot share equally; with `micro_batch: auto` the ranks find out.
pub fn check_shares(run: &RunConfig, ranks: usize) -> Result<(), UserError> {
    run.micro_batch().map_or(Ok(()), |micro| shares(ranks, run.train.batch.div_ceil(micro)))
}

fn shares(ranks: usize, parts: usize) -> Result<(), UserError> {
    if parts.is_multiple_of(ranks) {
        return Ok(());
    }
    let are = if parts == 1 { "is" } else { "are" };
    let message = format!("{ranks} ranks cannot share the micro-batches of a step equally: there {are} {parts}");
    Err(UserError::new(message, "write a smaller `train.micro_batch`, or start fewer ranks"))
}

/// Where ranks on this machine meet, while a runner keeps it open.
#[derive(Debug)]
pub struct Rendezvous {
    store: Store,
}

impl Rendezvous {
    pub fn open() -> Result<Self, TrainError> {
        Ok(Self { store: Store::open(Address { host: HERE, port: 0, is_server: true }, "posenc", JOIN_TIMEOUT)? })
    }

    /// The variables of a rank that meets the others here, as torchrun's agent sets them.
    pub fn variables(&self, rank: usize, size: usize) -> Vec<(&'static str, String)> {
        let (rank, size) = (rank.to_string(), size.to_string());
        vec![
            ("RANK", rank.clone()),
            ("LOCAL_RANK", rank),
            ("WORLD_SIZE", size.clone()),
            ("LOCAL_WORLD_SIZE", size),
            ("MASTER_ADDR", HERE.to_owned()),
            ("MASTER_PORT", self.store.port().to_string()),
            ("TORCHELASTIC_USE_AGENT_STORE", "True".to_owned()),
            ("TORCHELASTIC_RUN_ID", format!("runner {}", std::process::id())),
            ("TORCHELASTIC_RESTART_COUNT", "0".to_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nn::group::Network;
    use std::process::{Command, Output, Stdio};
    use std::time::Instant;
    use tch::Kind;

    /// Makes a test's process one of two ranks.
    const AS_RANK: &str = "POSENC_TEST_AS_RANK";

    const MINUTE: Duration = Duration::from_secs(60);

    /// Runs one of these tests as two ranks, each a process; returns their outputs.
    fn in_processes(test: &str) -> [Output; 2] {
        let rendezvous = Rendezvous::open().expect("a store");
        let start = |rank: usize| {
            let mut command = Command::new(std::env::current_exe().expect("this test's own path"));
            command.args(["--exact", &format!("ranks::tests::{test}"), "--nocapture"]);
            command.env(AS_RANK, "1").envs(rendezvous.variables(rank, 2));
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts")
        };
        [0, 1].map(start).map(|rank| rank.wait_with_output().expect("it ends"))
    }

    /// Joins the other rank; none in the process that starts both.
    fn joined() -> Option<Ranks> {
        std::env::var_os(AS_RANK)?;
        let rank_id = RankId::of_environment().expect("valid").expect("a launcher");
        Some(Ranks::join(&rank_id, "a cell", Device::Cpu).expect("both join"))
    }

    #[test]
    fn a_panic_of_one_rank_ends_the_other_and_is_the_only_message() {
        if let Some(ranks) = joined() {
            let ended = ranks.train(|| if ranks.is_first() { ranks.any(true) } else { panic!("a rule was broken") });
            unreachable!("{ended:?}");
        }
        let ended = in_processes("a_panic_of_one_rank_ends_the_other_and_is_the_only_message");
        let said = [0, 1].map(|rank| String::from_utf8_lossy(&ended[rank].stderr));
        assert_eq!([0, 1].map(|rank| ended[rank].status.code()), [Some(75), Some(101)], "{said:?}");
        assert!(!said[0].contains("posenc: ") && said[1].contains("a rule was broken"), "{said:?}");
    }

    /// The first rank alone computes an evaluation of one batch.
    #[test]
    fn a_first_rank_that_computes_alone_for_a_minute_is_not_taken_for_lost() {
        if std::env::var_os("POSENC_RANKS").is_none() {
            return;
        }
        if let Some(ranks) = joined() {
            let begun = Instant::now();
            let matrix = Tensor::eye(1024, (Kind::Float, Device::Cpu));
            let train = || {
                while ranks.is_first() && begun.elapsed() < MINUTE {
                    assert_eq!(matrix.matmul(&matrix), matrix);
                }
                ranks.any(ranks.is_first())
            };
            assert!(ranks.train(train).expect("nobody is lost"));
            return;
        }
        let begun = Instant::now();
        for rank in in_processes("a_first_rank_that_computes_alone_for_a_minute_is_not_taken_for_lost") {
            let said = String::from_utf8_lossy(&rank.stderr);
            assert!(rank.status.success() && !said.contains("posenc: "), "{said}");
        }
        assert!(begun.elapsed() >= MINUTE);
        println!("rank 0 computed alone for a minute while rank 1 waited: {:.0} s", begun.elapsed().as_secs_f64());
    }

    #[test]
    fn all_ranks_get_the_number_of_the_first_and_one_answer_to_a_comparison() {
        const SIZE: usize = 4;
        let rendezvous = Rendezvous::open().expect("a store");
        let of_rank = |rank: usize| {
            let (host, run) = (HERE.to_owned(), "test".to_owned());
            let (port, network, attempt) = (rendezvous.store.port(), Network::Loopback, "0".to_owned());
            let rank_id = RankId { rank, local: rank, size: SIZE, host, port, serves: false, network, run, attempt };
            let ranks = Ranks::join(&rank_id, "a cell", Device::Cpu).expect("all join");
            assert_eq!(ranks.between_gpus(), None);
            let first = ranks.of_first(10 + rank).expect("all are there");
            // The last rank has none, and the sign of zero stays.
            let own = [rank as f32, -0.0];
            let gathered = ranks.gather(if rank == SIZE - 1 { &[] } else { &own }).expect("all are there");
            let gathered: Vec<u32> = gathered.into_iter().map(f32::to_bits).collect();
            let zero = (-0.0f32).to_bits();
            assert_eq!(gathered, [0, zero, 1.0f32.to_bits(), zero, 2.0f32.to_bits(), zero, 0, 0]);
            // The first rank does not exchange numbers with the last one.
            let equal = |of_last: bool| {
                let number = [u8::from(of_last && rank == SIZE - 1)];
                ranks.compare("numbers", &blake3::hash(&number)).is_ok()
            };
            let answers = (first, equal(false), equal(true));
            ranks.finish().expect("all end");
            answers
        };
        let found: Vec<_> = thread::scope(|scope| {
            let ranks: Vec<_> = (0..SIZE).map(|rank| scope.spawn(move || of_rank(rank))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("it ends")).collect()
        });
        assert_eq!(found, [(10, true, false); SIZE]);
    }
}
