//! NCCL moves tensors between GPUs: its C interface, found at run time, so that nothing is linked to it. It adds nothing, the
//! group does.
//!
//! No GPU has run this. Tests exchange through a stand-in, `scripts/fake-gpu/nccl.c`.

use crate::differentiable::checked;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, PoisonError};
use tch::{Device, Tensor};

const LIBRARY: &CStr = c"libnccl.so.2";

/// Of nccl.h: `ncclSuccess`, `ncclInvalidUsage`, `ncclRemoteError`; the data type `ncclInt8`.
const SUCCESS: c_int = 0;
const INVALID_USAGE: c_int = 5;
const REMOTE_ERROR: c_int = 6;
const BYTES: c_int = 0;

/// The name of a group, the same for all its ranks.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniqueId([u8; 128]);

impl UniqueId {
    /// Two digits for each byte.
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Reads what [`Self::to_hex`] writes.
    pub fn from_hex(text: &str) -> Option<Self> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Vec<u8> = pairs.iter().map(byte).collect::<Option<_>>()?;
        if rest.is_empty() { Some(Self(bytes.try_into().ok()?)) } else { None }
    }
}

/// A failure of NCCL's, or of loading it.
#[derive(Debug, thiserror::Error)]
#[error("NCCL: {text}")]
pub struct NcclError {
    code: c_int,
    text: String,
}

impl NcclError {
    fn usage(text: String) -> Self {
        Self { code: INVALID_USAGE, text }
    }

    /// Whether another rank is the reason.
    pub fn is_remote(&self) -> bool {
        self.code == REMOTE_ERROR
    }
}

type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_int;
type GetUniqueId = unsafe extern "C" fn(*mut UniqueId) -> c_int;
type CommInitRank = unsafe extern "C" fn(*mut *mut c_void, c_int, UniqueId, c_int) -> c_int;
type CommAbort = unsafe extern "C" fn(*mut c_void) -> c_int;
type GroupCall = unsafe extern "C" fn() -> c_int;
type SendCall = unsafe extern "C" fn(*const c_void, usize, c_int, c_int, *mut c_void, *mut c_void) -> c_int;
type RecvCall = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, *mut c_void, *mut c_void) -> c_int;
type GetErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// The functions of the library that are needed here.
#[derive(Debug, Clone, Copy)]
pub struct Nccl {
    get_version: GetVersion,
    get_unique_id: GetUniqueId,
    init_rank: CommInitRank,
    abort: CommAbort,
    group_start: GroupCall,
    group_end: GroupCall,
    send: SendCall,
    recv: RecvCall,
    error_string: GetErrorString,
}

impl Nccl {
    /// The library beside LibTorch's CUDA library, which loads it, or on the linker's path. An error if there is none, or it
    /// lacks a function.
    pub fn load() -> Result<Self, NcclError> {
        Self::load_from(LIBRARY)
    }

    fn load_from(name: &CStr) -> Result<Self, NcclError> {
        // SAFETY: the name is a C string; loading NCCL runs its constructors only. It stays loaded.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        let shown = name.to_string_lossy();
        if library.is_null() {
            return Err(NcclError::usage(format!("{shown} cannot be loaded")));
        }
        let find = |name: &CStr| {
            // SAFETY: the library is loaded, and the name is a C string.
            let address = unsafe { libc::dlsym(library, name.as_ptr()) };
            let missing = || NcclError::usage(format!("{shown} has no {}", name.to_string_lossy()));
            if address.is_null() { Err(missing()) } else { Ok(address) }
        };
        // SAFETY: these are the types that nccl.h declares for the functions with these names, in every version 2.
        unsafe {
            Ok(Self {
                get_version: std::mem::transmute::<*mut c_void, GetVersion>(find(c"ncclGetVersion")?),
                get_unique_id: std::mem::transmute::<*mut c_void, GetUniqueId>(find(c"ncclGetUniqueId")?),
                init_rank: std::mem::transmute::<*mut c_void, CommInitRank>(find(c"ncclCommInitRank")?),
                abort: std::mem::transmute::<*mut c_void, CommAbort>(find(c"ncclCommAbort")?),
                group_start: std::mem::transmute::<*mut c_void, GroupCall>(find(c"ncclGroupStart")?),
                group_end: std::mem::transmute::<*mut c_void, GroupCall>(find(c"ncclGroupEnd")?),
                send: std::mem::transmute::<*mut c_void, SendCall>(find(c"ncclSend")?),
                recv: std::mem::transmute::<*mut c_void, RecvCall>(find(c"ncclRecv")?),
                error_string: std::mem::transmute::<*mut c_void, GetErrorString>(find(c"ncclGetErrorString")?),
            })
        }
    }

    /// Its version, such as 2.28.9.
    pub fn version(&self) -> Result<String, NcclError> {
        let mut number = 0;
        // SAFETY: `number` is a place for a number.
        self.checked(unsafe { (self.get_version)(&mut number) })?;
        Ok(format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100))
    }

    /// A new name of a group.
    pub fn unique_id(&self) -> Result<UniqueId, NcclError> {
        let mut id = UniqueId([0; 128]);
        // SAFETY: `id` is a place for a name, which NCCL writes.
        self.checked(unsafe { (self.get_unique_id)(&mut id) })?;
        Ok(id)
    }

    fn checked(&self, code: c_int) -> Result<(), NcclError> {
        if code == SUCCESS {
            return Ok(());
        }
        // SAFETY: NCCL's texts of errors are C strings that stay.
        let text = unsafe { CStr::from_ptr((self.error_string)(code)) }.to_string_lossy().into_owned();
        Err(NcclError { code, text })
    }
}

/// This rank's connections with the GPUs of the others.
#[derive(Debug)]
pub(super) struct Communicator {
    nccl: Nccl,
    /// NCCL's own; `None` after [`Self::abort`].
    raw: Mutex<Option<NonNull<c_void>>>,
    device: Device,
}

// SAFETY: NCCL may be called from any thread, and the lock lets in one at a time.
unsafe impl Send for Communicator {}
// SAFETY: NCCL may be called from any thread, and the lock lets in one at a time.
unsafe impl Sync for Communicator {}

impl Communicator {
    /// Waits for all ranks. The GPU becomes the current one of this thread, of which NCCL takes it.
    pub(super) fn join(nccl: Nccl, id: UniqueId, rank: usize, size: usize, device: Device) -> Result<Self, NcclError> {
        if let Device::Cuda(index) = device {
            // SAFETY: a plain value; the message is taken once.
            let message = unsafe { posenc_use_gpu(index as c_int) };
            checked(message).map_err(|error| NcclError::usage(error.to_string()))?;
        }
        let mut raw = null_mut();
        // SAFETY: `raw` is a place for NCCL's pointer, and the name is one of NCCL's.
        nccl.checked(unsafe { (nccl.init_rank)(&mut raw, size as c_int, id, rank as c_int) })?;
        Ok(Self { nccl, raw: Mutex::new(NonNull::new(raw)), device })
    }

    pub(super) fn device(&self) -> Device {
        self.device
    }

    /// Sends one tensor while another comes from the same rank. The GPU does it after what it was asked for before; the host
    /// does not wait.
    ///
    /// # Panics
    /// If a tensor has gaps or is on another device.
    pub(super) fn exchange(&self, out: &Tensor, into: &mut Tensor, peer: usize) -> Result<(), NcclError> {
        for tensor in [out, &*into] {
            assert!(tensor.is_contiguous() && tensor.device() == self.device, "{tensor:?}");
        }
        let bytes = |tensor: &Tensor| tensor.numel() * tensor.kind().elt_size_in_bytes();
        let raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(raw) = raw.map(NonNull::as_ptr) else {
            return Err(NcclError::usage("this rank has left".to_owned()));
        };
        let (nccl, peer) = (&self.nccl, peer as c_int);
        // The stream without a name, on which LibTorch computes unless it is given another.
        let stream = null_mut();
        // SAFETY: the tensors are contiguous and have these sizes. Memory that LibTorch frees before the GPU has come here is
        // reused on the same stream only, so later.
        let results = unsafe {
            let started = (nccl.group_start)();
            let sent = (nccl.send)(out.data_ptr(), bytes(out), BYTES, peer, raw, stream);
            let received = (nccl.recv)(into.data_ptr(), bytes(&*into), BYTES, peer, raw, stream);
            [started, sent, received, (nccl.group_end)()]
        };
        results.into_iter().try_for_each(|result| nccl.checked(result))
    }

    /// Leaves without a wait for the others, whatever the GPU still has to exchange.
    pub(super) fn abort(&self) {
        if let Some(raw) = self.raw.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: NCCL's pointer, taken and so given back once.
            unsafe { (self.nccl.abort)(raw.as_ptr()) };
        }
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        self.abort();
    }
}

// SAFETY: the shim is compiled with this crate and declares the same function.
unsafe extern "C" {
    fn posenc_use_gpu(index: c_int) -> *mut c_char;
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::ffi::CString;
    use std::path::Path;
    use std::process::Command;
    use std::thread;

    /// The stand-in, compiled; it takes tensors of the CPU.
    pub(in crate::group) fn stand_in() -> Nccl {
        let name = format!("posenc-nccl-{}-{:?}.so", std::process::id(), thread::current().id());
        let library = std::env::temp_dir().join(name);
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/fake-gpu/nccl.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-w", "-o"]).arg(&library).arg(source).arg("-ldl");
        assert!(compiler.status().expect("cc, which links every program of Rust").success());
        let name = CString::new(library.as_os_str().as_encoded_bytes()).expect("a path");
        let nccl = Nccl::load_from(&name).expect("a library");
        std::fs::remove_file(library).expect("its file is no longer needed");
        nccl
    }

    #[test]
    fn names_of_groups_are_read_as_they_are_written() {
        let id = UniqueId(std::array::from_fn(|place| (3 * place) as u8));
        assert_eq!(UniqueId::from_hex(&id.to_hex()), Some(id));
        for wrong in ["", "00", &"0".repeat(255), &"0".repeat(257), &"zz".repeat(128), &"é".repeat(128)] {
            assert_eq!(UniqueId::from_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_missing_library_and_one_without_the_functions_are_refused() {
        for (name, words) in [(c"libposenc-none.so.2", "cannot be loaded"), (c"libm.so.6", "has no ncclGetVersion")] {
            let error = Nccl::load_from(name).expect_err("not NCCL").to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn the_version_and_texts_of_errors_are_the_librarys() {
        let nccl = stand_in();
        assert_eq!(nccl.version().expect("a version"), "2.28.9");
        let error = nccl.checked(1).expect_err("an error");
        assert!(error.to_string().contains("NCCL: unhandled cuda error") && !error.is_remote(), "{error}");
    }

    #[test]
    fn a_rank_that_has_left_is_a_remote_error() {
        let nccl = stand_in();
        let id = nccl.unique_id().expect("a name");
        let join = move |rank: usize| Communicator::join(nccl, id, rank, 2, Device::Cpu).expect("both join");
        thread::scope(|scope| {
            scope.spawn(move || join(1).abort());
            let own = join(0);
            let (out, mut into) = (Tensor::from_slice(&[1.0f32]), Tensor::from_slice(&[0.0f32]));
            let error = own.exchange(&out, &mut into, 1).expect_err("nobody is there");
            assert!(error.is_remote(), "{error}");
            own.abort();
            let error = own.exchange(&out, &mut into, 1).expect_err("it has left").to_string();
            assert!(error.contains("this rank has left"), "{error}");
        });
    }
}
