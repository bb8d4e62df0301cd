//! Ranks: processes that compute one thing together. c10d, which is a part of LibTorch, carries what they send: its
//! TCPStore is the place where they meet, its Gloo moves tensors between processors. Between GPUs NCCL moves them
//! ([`Group::connect_gpus`]), or Gloo does through host memory.
//!
//! tch does not reach c10d; the shim `shim/group.cpp` does. [`Group::sum`] adds in an order that does not depend on the number
//! of ranks, which c10d's own sum does not.

mod nccl;

pub use nccl::{Nccl, NcclError, UniqueId};

use crate::differentiable::{checked, taken};
use nccl::Communicator;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;
use std::time::Duration;
use tch::{Device, Kind, TchError, Tensor};
use torch_sys::C_tensor;

/// Below this many elements a sum sends all of them in each stage.
const WHOLE_BELOW: i64 = 4096;

/// Marks of messages: of sums and of numbers.
const SUMS: c_int = 1;
const NUMBERS: c_int = 2;

/// A wait that does not end by itself: whoever waits is told of ranks that are lost by another thread.
const WITHOUT_END: Duration = Duration::from_secs(30 * 24 * 3600);

/// Texts by name that several processes share.
#[derive(Debug)]
pub struct Store(NonNull<c_void>);

// SAFETY: c10d locks its stores.
unsafe impl Send for Store {}
// SAFETY: c10d locks its stores.
unsafe impl Sync for Store {}

/// Where processes find a store.
#[derive(Debug, Clone, Copy)]
pub struct Address<'a> {
    /// A name or a number of a machine.
    pub host: &'a str,
    /// 0 serves at a free port.
    pub port: u16,
    /// Whether this process serves the store; others connect. It listens at `host` alone if that means one address to all.
    pub is_server: bool,
}

impl Store {
    /// What is kept under `prefix` in the store at an address. `patience` limits every wait.
    pub fn open(at: Address<'_>, prefix: &str, patience: Duration) -> Result<Self, TchError> {
        let (host, prefix) = (text(at.host)?, text(prefix)?);
        let mut store = null_mut();
        // SAFETY: the strings live until the call returns, which writes the store.
        let message = unsafe {
            posenc_store(host.as_ptr(), at.port, at.is_server, prefix.as_ptr(), milliseconds(patience), &mut store)
        };
        checked(message)?;
        Ok(Self(made(store)?))
    }

    /// The port where it is served.
    pub fn port(&self) -> u16 {
        // SAFETY: the store lives.
        unsafe { posenc_store_port(self.0.as_ptr()) }
    }

    /// Gives a name a text.
    pub fn set(&self, name: &str, value: &str) -> Result<(), TchError> {
        let (name, value) = (text(name)?, text(value)?);
        // SAFETY: the store and the strings live until the call returns.
        checked(unsafe { posenc_store_set(self.0.as_ptr(), name.as_ptr(), value.as_ptr()) })
    }

    /// Waits until the name has a text.
    pub fn get(&self, name: &str) -> Result<String, TchError> {
        let (name, mut found) = (text(name)?, null_mut());
        // SAFETY: the store and the name live until the call returns.
        checked(unsafe { posenc_store_get(self.0.as_ptr(), name.as_ptr(), &mut found) })?;
        taken(found).ok_or_else(|| TchError::Torch("the store gave no text".to_owned()))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // SAFETY: the store is dropped once.
        unsafe { posenc_store_drop(self.0.as_ptr()) }
    }
}

/// On which network connections are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// Between processes of one machine.
    Loopback,
    /// The network of an interface, e.g. `eth0`.
    Interface(String),
    /// The network of the machine's name.
    Usual,
}

/// This process as one of several that are connected with each other.
#[derive(Debug)]
pub struct Group {
    raw: NonNull<c_void>,
    /// What moves the tensors of a device instead of Gloo.
    gpus: OnceLock<Communicator>,
    rank: usize,
    size: usize,
}

// SAFETY: Gloo locks what its connections share; the group itself does not change.
unsafe impl Send for Group {}
// SAFETY: Gloo locks what its connections share; the group itself does not change.
unsafe impl Sync for Group {}

impl Group {
    /// Connects with all others, which call this with the same store. The store is no longer needed afterwards.
    pub fn join(
        store: &Store,
        rank: usize,
        size: usize,
        network: &Network,
        patience: Duration,
    ) -> Result<Self, TchError> {
        let (interface, host) = match network {
            Network::Loopback => (None, Some(text("127.0.0.1")?)),
            Network::Interface(name) => (Some(text(name)?), None),
            Network::Usual => (None, None),
        };
        let pointer = |name: &Option<CString>| name.as_ref().map_or(null(), |name| name.as_ptr());
        let mut group = null_mut();
        // SAFETY: the store and the strings live until the call returns, which writes the group.
        let message = unsafe {
            let (interface, host) = (pointer(&interface), pointer(&host));
            let (store, rank, size) = (store.0.as_ptr(), rank as c_int, size as c_int);
            posenc_group(store, rank, size, interface, host, milliseconds(patience), &mut group)
        };
        checked(message)?;
        Ok(Self { raw: made(group)?, gpus: OnceLock::new(), rank, size })
    }

    /// Its number in the group.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Lets NCCL move the tensors of this rank's GPU from now on. All ranks call it once, with the same name.
    ///
    /// # Panics
    /// If it was called before.
    pub fn connect_gpus(&self, nccl: Nccl, id: UniqueId, device: Device) -> Result<(), NcclError> {
        let joined = Communicator::join(nccl, id, self.rank, self.size, device)?;
        assert!(self.gpus.set(joined).is_ok(), "the GPUs are already connected");
        Ok(())
    }

    /// Ends what NCCL has still to exchange with this rank.
    pub fn disconnect_gpus(&self) {
        if let Some(gpus) = self.gpus.get() {
            gpus.abort();
        }
    }

    /// Adds the tensors of all ranks, which have the same shape, element type and memory layout: (0 + 1) + (2 + 3) and so
    /// on, a power of two of them, so that 2n ranks add as n ranks do that each have added a pair. Every rank gets the sum.
    ///
    /// Neighbours first exchange halves, then quarters go farther, and the parts of the sum come back the same way. An error
    /// names the rank that did not answer.
    ///
    /// # Panics
    /// If the number of ranks is not a power of two.
    pub fn sum(&self, tensor: &mut Tensor) -> Result<(), Lost> {
        assert!(self.size.is_power_of_two(), "{} ranks", self.size);
        if tensor.device() != Device::Cpu && self.gpus.get().is_none() {
            let failed = |cause| self.lost(self.rank, cause);
            let mut copy = tensor.f_to_device(Device::Cpu).map_err(failed)?;
            self.sum(&mut copy)?;
            return tensor.f_copy_(&copy).map_err(failed);
        }
        let mut flat = tensor.view(-1);
        if flat.numel() as i64 >= WHOLE_BELOW.max(self.size as i64) {
            return self.sum_parts(&flat, 1);
        }
        let mut other = flat.empty_like();
        for distance in self.distances() {
            self.exchange(&flat, &mut other, self.rank ^ distance)?;
            let _sum = flat.f_add_(&other).map_err(|cause| self.lost(self.rank, cause))?;
        }
        Ok(())
    }

    fn sum_parts(&self, flat: &Tensor, distance: usize) -> Result<(), Lost> {
        if distance == self.size {
            return Ok(());
        }
        let (peer, length) = (self.rank ^ distance, flat.numel() as i64);
        let [low, high] = [flat.narrow(0, 0, length / 2), flat.narrow(0, length / 2, length - length / 2)];
        let (mut own, mut others) = if self.rank & distance == 0 { (low, high) } else { (high, low) };
        let mut received = own.empty_like();
        self.exchange(&others, &mut received, peer)?;
        let _sum = own.f_add_(&received).map_err(|cause| self.lost(self.rank, cause))?;
        drop(received);
        self.sum_parts(&own, 2 * distance)?;
        self.exchange(&own, &mut others, peer)
    }

    /// Whether these numbers are the same on all ranks; each rank may get another answer, unless all get yes.
    pub fn agrees(&self, numbers: &[i64]) -> Result<bool, Lost> {
        let (own, mut same) = (Tensor::from_slice(numbers), true);
        let mut other = own.empty_like();
        for distance in self.distances() {
            self.exchange(&own, &mut other, self.rank ^ distance)?;
            same &= own == other;
        }
        Ok(same)
    }

    /// The distances to the partners of a sum.
    fn distances(&self) -> impl Iterator<Item = usize> + use<> {
        let size = self.size;
        std::iter::successors(Some(1), |distance| Some(distance * 2)).take_while(move |&distance| distance < size)
    }

    fn exchange(&self, out: &Tensor, into: &mut Tensor, peer: usize) -> Result<(), Lost> {
        if let Some(gpus) = self.gpus.get().filter(|gpus| gpus.device() == out.device()) {
            let lost = |error: NcclError| {
                let rank = if error.is_remote() { peer } else { self.rank };
                self.lost(rank, TchError::Torch(error.to_string()))
            };
            return gpus.exchange(out, into, peer).map_err(lost);
        }
        // SAFETY: the group and the tensors live until the call returns; contiguous parts of one tensor do not overlap.
        let message = unsafe {
            let (group, wait) = (self.raw.as_ptr(), milliseconds(WITHOUT_END));
            posenc_group_exchange(group, out.as_ptr(), into.as_ptr(), peer as c_int, SUMS, wait)
        };
        checked(message).map_err(|cause| self.lost(peer, cause))
    }

    /// Sends a number to another rank, which receives it.
    pub fn send(&self, number: i64, to: usize, patience: Duration) -> Result<(), Lost> {
        let tensor = Tensor::from_slice(&[number]);
        let (group, wait) = (self.raw.as_ptr(), milliseconds(patience));
        // SAFETY: the group and the tensor live until the call returns.
        let message = unsafe { posenc_group_send(group, tensor.as_ptr(), to as c_int, NUMBERS, wait) };
        checked(message).map_err(|cause| self.lost(to, cause))
    }

    /// Waits for a number from another rank. After an error every later call fails, too.
    pub fn receive(&self, from: usize, patience: Duration) -> Result<i64, Lost> {
        let tensor = Tensor::zeros([1], (Kind::Int64, Device::Cpu));
        let (group, wait) = (self.raw.as_ptr(), milliseconds(patience));
        // SAFETY: the group and the tensor live until the call returns.
        let message = unsafe { posenc_group_receive(group, tensor.as_ptr(), from as c_int, NUMBERS, wait) };
        checked(message).map_err(|cause| self.lost(from, cause))?;
        i64::try_from(&tensor).map_err(|cause| self.lost(self.rank, cause))
    }

    fn lost(&self, rank: usize, cause: TchError) -> Lost {
        Lost { rank, cause }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // SAFETY: the group is dropped once.
        unsafe { posenc_group_drop(self.raw.as_ptr()) }
    }
}

/// A rank that could not be reached; this rank itself if an operation failed here.
#[derive(Debug, thiserror::Error)]
#[error("rank {rank}: {cause}")]
pub struct Lost {
    /// Its number in the group.
    pub rank: usize,
    /// LibTorch's words, or NCCL's.
    pub cause: TchError,
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn text(text: &str) -> Result<CString, TchError> {
    CString::new(text).map_err(|_| TchError::Torch(format!("{text:?} has a zero byte")))
}

fn made(pointer: *mut c_void) -> Result<NonNull<c_void>, TchError> {
    NonNull::new(pointer).ok_or_else(|| TchError::Torch("LibTorch made nothing".to_owned()))
}

// SAFETY: the shim is compiled with this crate and declares the same functions.
unsafe extern "C" {
    fn posenc_store(
        host: *const c_char,
        port: u16,
        serves: bool,
        prefix: *const c_char,
        timeout_ms: u64,
        store: *mut *mut c_void,
    ) -> *mut c_char;
    fn posenc_store_set(store: *mut c_void, key: *const c_char, text: *const c_char) -> *mut c_char;
    fn posenc_store_get(store: *mut c_void, key: *const c_char, text: *mut *mut c_char) -> *mut c_char;
    fn posenc_store_port(store: *mut c_void) -> u16;
    fn posenc_store_drop(store: *mut c_void);
    fn posenc_group(
        store: *mut c_void,
        rank: c_int,
        size: c_int,
        interface: *const c_char,
        host: *const c_char,
        timeout_ms: u64,
        group: *mut *mut c_void,
    ) -> *mut c_char;
    fn posenc_group_send(
        group: *mut c_void,
        tensor: *const C_tensor,
        peer: c_int,
        tag: c_int,
        timeout_ms: u64,
    ) -> *mut c_char;
    fn posenc_group_receive(
        group: *mut c_void,
        tensor: *const C_tensor,
        peer: c_int,
        tag: c_int,
        timeout_ms: u64,
    ) -> *mut c_char;
    fn posenc_group_exchange(
        group: *mut c_void,
        out: *const C_tensor,
        into: *const C_tensor,
        peer: c_int,
        tag: c_int,
        timeout_ms: u64,
    ) -> *mut c_char;
    fn posenc_group_drop(group: *mut c_void);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Instant;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// What each of several ranks, here threads, gives.
    fn of_ranks<T: Send>(size: usize, of: impl Fn(&Group) -> T + Sync) -> Vec<T> {
        let host = "127.0.0.1";
        let served = Store::open(Address { host, port: 0, is_server: true }, "test", PATIENCE).expect("a store");
        let address = Address { host, port: served.port(), is_server: false };
        let rank = |rank: usize| {
            let store = Store::open(address, "test", PATIENCE).expect("the store is served");
            let group = Group::join(&store, rank, size, &Network::Loopback, PATIENCE).expect("all join");
            let found = of(&group);
            // No rank may leave while another waits for it.
            group.sum(&mut Tensor::from_slice(&[0.0f32])).expect("all end");
            found
        };
        thread::scope(|scope| {
            let ranks: Vec<_> = (0..size).map(|number| scope.spawn(move || rank(number))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("it ends")).collect()
        })
    }

    /// Eight tensors with numbers of many sizes, so that the order of additions shows.
    fn parts(length: i64) -> Vec<Tensor> {
        let part = |number: i64| {
            let numbers = Tensor::arange(length, (Kind::Double, Device::Cpu)) * (number + 1);
            ((numbers.sin() * 9.0).exp() * (number as f64 - 3.5)).to_kind(Kind::Float)
        };
        (0..8).map(part).collect()
    }

    fn by_halves(parts: &[Tensor]) -> Tensor {
        match parts {
            [one] => one.shallow_clone(),
            _ => by_halves(&parts[..parts.len() / 2]) + by_halves(&parts[parts.len() / 2..]),
        }
    }

    /// Whether every rank's sum of eight tensors has the bits of one process.
    fn adds_as_one_process(length: i64, size: usize, connect: impl Fn(&Group) + Sync) {
        let whole = by_halves(&parts(length));
        let sums = of_ranks(size, |group| {
            connect(group);
            let share = parts(length).len() / size;
            let mut own = by_halves(&parts(length)[group.rank() * share..][..share]);
            group.sum(&mut own).expect("all are there");
            own
        });
        assert!(sums.iter().all(|sum| *sum == whole), "{length} numbers on {size} ranks");
    }

    #[test]
    fn any_number_of_ranks_adds_to_the_same_bits() {
        for length in [1, 7, 10_001] {
            for size in [2, 4, 8] {
                adds_as_one_process(length, size, |_| ());
            }
        }
    }

    /// 24 MB, once or `POSENC_SUMS` times.
    #[test]
    #[allow(clippy::print_stdout, reason = "for those who ask with --nocapture")]
    fn gradients_of_six_million_parameters_are_added() {
        tch::set_num_threads(1);
        let times = std::env::var("POSENC_SUMS").map_or(1, |text| text.parse().expect("a number"));
        for size in [2, 4] {
            let took = of_ranks(size, |group| {
                let sum = |_: usize| {
                    let mut own = Tensor::full([6_000_000], group.rank() as f64 + 1.0, (Kind::Float, Device::Cpu));
                    group.sum(&mut Tensor::from_slice(&[0.0f32])).expect("all begin together");
                    let begun = Instant::now();
                    group.sum(&mut own).expect("all are there");
                    let took = begun.elapsed();
                    let ends = [own.min(), own.max()].map(|end| end.double_value(&[]));
                    assert_eq!(ends, [(size * (size + 1) / 2) as f64; 2]);
                    took.as_secs_f64() * 1e3
                };
                let mut took: Vec<f64> = (0..times).map(sum).collect();
                took.sort_by(f64::total_cmp);
                took
            });
            let [least, median] = [0, times / 2].map(|place| took[0][place]);
            println!("{size} ranks add 24 MB in {median:.1} ms (median of {times}, least {least:.1})");
        }
    }

    #[test]
    fn nccl_moves_tensors_that_are_added_to_the_same_bits() {
        let nccl = nccl::tests::stand_in();
        for (length, size) in [(7, 2), (7, 8), (10_001, 2), (10_001, 4), (10_001, 8)] {
            let id = nccl.unique_id().expect("a name");
            adds_as_one_process(length, size, |group| {
                group.connect_gpus(nccl, id, Device::Cpu).expect("all join");
            });
        }
    }

    #[test]
    fn ranks_notice_that_one_has_other_numbers() {
        assert_eq!(of_ranks(4, |group| group.agrees(&[1, 2]).expect("all are there")), [true; 4]);
        let odd = of_ranks(4, |group| group.agrees(&[i64::from(group.rank() == 2)]).expect("all are there"));
        assert!(odd.contains(&false));
    }

    #[test]
    fn who_never_comes_is_not_waited_for_forever() {
        let at = Address { host: "127.0.0.1", port: 0, is_server: true };
        let store = Store::open(at, "test", Duration::from_millis(200)).expect("a store");
        store.set("here", "yes").expect("it is kept");
        assert_eq!(store.get("here").expect("it is there"), "yes");
        assert!(store.get("elsewhere").is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_store_is_served_at_the_given_address_only() {
        let table = |name: &str| std::fs::read_to_string(format!("/proc/self/net/{name}")).unwrap_or_default();
        // As the kernel writes addresses.
        let (four, six) = ("0100007F", "00000000000000000000000001000000");
        let listening = |port: u16| -> Vec<String> {
            let at_port = |line: &str| {
                let mut fields = line.split_whitespace().skip(1);
                let address = fields.next()?.strip_suffix(format!(":{port:04X}").as_str())?;
                (fields.nth(1)? == "0A").then(|| address.to_owned())
            };
            [table("tcp"), table("tcp6")].concat().lines().filter_map(at_port).collect()
        };
        let hosts = [("127.0.0.1", [four, four]), ("localhost", [four, six]), ("::1", [six, six])];
        let known = if table("if_inet6").contains("00000000000000000000000000000001") { 3 } else { 2 };
        for &(host, among) in &hosts[..known] {
            let open = |port, is_server| Store::open(Address { host, port, is_server }, "test", PATIENCE);
            let served = open(0, true).expect("a store");
            let (port, at) = (served.port(), listening(served.port()));
            assert!(at.len() == 1 && among.contains(&at[0].as_str()), "{host}: {at:?}");
            let error = open(port, true).expect_err("it is taken").to_string();
            assert!(error.contains("Address already in use"), "{error}");
            let reached = open(port, false).expect("it is served");
            served.set("here", host).expect("it is kept");
            assert_eq!(reached.get("here").expect("it is there"), host);
            drop((served, reached));
            let again = open(port, true).expect("the port is free again");
            assert_eq!((again.port(), listening(port)), (port, at));
        }
    }
}
