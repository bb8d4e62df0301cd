//! The GPUs that this process can use, as NVIDIA's driver lists them.
//!
//! Only the driver determines which GPU is `cuda:0`: it applies `CUDA_VISIBLE_DEVICES` (numbers in any order, UUIDs) and
//! `CUDA_DEVICE_ORDER`, and LibTorch counts as it does. `nvidia-smi` and `/proc` list all GPUs in another order.

use serde::{Deserialize, Serialize};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs;

/// Where the driver's version is, first as a number, then in a sentence.
const VERSION: [&str; 2] = ["/sys/module/nvidia/version", "/proc/driver/nvidia/version"];

/// The GPUs of this process in LibTorch's order: the first is `cuda:0`. Empty if there is no driver, or it does not start.
pub fn usable() -> Vec<Gpu> {
    let Some(driver) = Driver::load() else { return Vec::new() };
    let version = VERSION.iter().find_map(|path| version_in(&fs::read_to_string(path).ok()?));
    driver.gpus().into_iter().map(|gpu| Gpu { driver: version.clone(), ..gpu }).collect()
}

/// Whether NVIDIA's kernel driver lists a GPU, usable or not.
pub fn is_present() -> bool {
    fs::read_dir("/proc/driver/nvidia/gpus").is_ok_and(|mut gpus| gpus.next().is_some())
}

/// The first word of a text that is a version: numbers with dots between them.
fn version_in(text: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_version = |word: &&str| word.contains('.') && word.split('.').all(is_number);
    text.split_whitespace().find(is_version).map(str::to_owned)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpu {
    /// Its model; `None` if the driver does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its identifier, as nvidia-smi prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

const LIBRARY: &CStr = c"libcuda.so.1";

const NAME: usize = 256;

const SUCCESS: c_int = 0;

type Uuid = [u8; 16];

type Init = unsafe extern "C" fn(c_uint) -> c_int;
type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
type Get = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
type Name = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
type Identifier = unsafe extern "C" fn(*mut Uuid, c_int) -> c_int;
type Memory = unsafe extern "C" fn(*mut usize, c_int) -> c_int;

/// The functions of NVIDIA's driver library that are needed here. It is loaded where it is installed; nothing is linked
/// to it. These functions keep their interface over all versions, unlike the runtime's `cudaDeviceProp`.
struct Driver {
    init: Init,
    count: Count,
    get: Get,
    name: Name,
    identifier: Identifier,
    memory: Memory,
}

impl Driver {
    /// `None` if the driver is not installed, or lacks a function.
    fn load() -> Option<Self> {
        // SAFETY: the name is a C string; loading NVIDIA's library runs its constructors only. It stays loaded.
        let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return None;
        }
        let find = |name: &CStr| {
            // SAFETY: the library is loaded, and the name is a C string.
            let address = unsafe { libc::dlsym(library, name.as_ptr()) };
            (!address.is_null()).then_some(address)
        };
        // SAFETY: these are the types that cuda.h declares for the functions with these names.
        unsafe {
            Some(Self {
                init: std::mem::transmute::<*mut c_void, Init>(find(c"cuInit")?),
                count: std::mem::transmute::<*mut c_void, Count>(find(c"cuDeviceGetCount")?),
                get: std::mem::transmute::<*mut c_void, Get>(find(c"cuDeviceGet")?),
                name: std::mem::transmute::<*mut c_void, Name>(find(c"cuDeviceGetName")?),
                identifier: std::mem::transmute::<*mut c_void, Identifier>(find(c"cuDeviceGetUuid_v2")?),
                memory: std::mem::transmute::<*mut c_void, Memory>(find(c"cuDeviceTotalMem_v2")?),
            })
        }
    }

    /// The GPUs in the driver's order; empty if it does not start.
    fn gpus(&self) -> Vec<Gpu> {
        let mut count = 0;
        // SAFETY: the first argument must be 0; `count` is a place for a number.
        let starts = unsafe { (self.init)(0) == SUCCESS && (self.count)(&mut count) == SUCCESS };
        if starts { (0..count).map(|number| self.gpu(number)).collect() } else { Vec::new() }
    }

    fn gpu(&self, number: c_int) -> Gpu {
        let mut gpu = Gpu { model: None, uuid: None, bytes: None, driver: None };
        let mut handle = 0;
        // SAFETY: `handle` is a place for a number.
        if unsafe { (self.get)(&mut handle, number) } != SUCCESS {
            return gpu;
        }
        gpu.model = self.model(handle);
        let mut uuid = Uuid::default();
        // SAFETY: `uuid` is a place for 16 bytes, and the handle is the driver's.
        if unsafe { (self.identifier)(&mut uuid, handle) } == SUCCESS {
            gpu.uuid = Some(printed(&uuid, gpu.model.as_deref()));
        }
        let mut bytes = 0;
        // SAFETY: `bytes` is a place for a size, and the handle is the driver's.
        if unsafe { (self.memory)(&mut bytes, handle) } == SUCCESS {
            gpu.bytes = Some(bytes as u64);
        }
        gpu
    }

    fn model(&self, handle: c_int) -> Option<String> {
        let mut name = [0_u8; NAME];
        // SAFETY: the second argument is the size of the buffer, and the handle is the driver's.
        if unsafe { (self.name)(name.as_mut_ptr().cast(), NAME as c_int, handle) } != SUCCESS {
            return None;
        }
        let name = CStr::from_bytes_until_nul(&name).ok()?.to_string_lossy().trim().to_owned();
        (!name.is_empty()).then_some(name)
    }
}

/// An identifier as nvidia-smi prints it. Parts of a GPU (MIG) have names and identifiers of parts.
fn printed(uuid: &Uuid, model: Option<&str>) -> String {
    let hex: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    let is_part = model.is_some_and(|model| model.split_whitespace().any(|word| word == "MIG"));
    let prefix = if is_part { "MIG" } else { "GPU" };
    // Groups of 4, 2, 2, 2 and 6 bytes, two digits each.
    let mut rest = hex.as_str();
    let groups = [4, 2, 2, 2, 6].map(|bytes| {
        let (group, after) = rest.split_at(2 * bytes);
        rest = after;
        group
    });
    format!("{prefix}-{}", groups.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_version_is_found_in_either_file() {
        assert_eq!(version_in("580.95.05\n").as_deref(), Some("580.95.05"));
        let sentence = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (a@b-U22-3)\n\
                        GCC version:  gcc version 12.3.0 (Ubuntu)";
        assert_eq!(version_in(sentence).as_deref(), Some("580.95.05"));
        assert_eq!(version_in("no version"), None);
    }

    const NAMES: [&CStr; 3] = [c"NVIDIA H100 80GB HBM3", c"NVIDIA H100 80GB HBM3 MIG 1g.10gb", c""];

    unsafe extern "C" fn init(_flags: c_uint) -> c_int {
        SUCCESS
    }

    unsafe extern "C" fn no_init(_flags: c_uint) -> c_int {
        100
    }

    unsafe extern "C" fn count(count: *mut c_int) -> c_int {
        // SAFETY: the caller gives a place.
        unsafe { *count = NAMES.len() as c_int };
        SUCCESS
    }

    unsafe extern "C" fn get(handle: *mut c_int, number: c_int) -> c_int {
        // SAFETY: the caller gives a place.
        unsafe { *handle = 10 + number };
        SUCCESS
    }

    unsafe extern "C" fn name(name: *mut c_char, room: c_int, handle: c_int) -> c_int {
        let own = NAMES[(handle - 10) as usize].to_bytes_with_nul();
        assert!(own.len() <= room as usize);
        // SAFETY: the caller's buffer has this size.
        unsafe { std::ptr::copy_nonoverlapping(own.as_ptr(), name.cast(), own.len()) };
        SUCCESS
    }

    unsafe extern "C" fn identifier(uuid: *mut Uuid, handle: c_int) -> c_int {
        // SAFETY: the caller gives a place.
        unsafe { *uuid = std::array::from_fn(|i| if i == 0 { handle as u8 } else { 0xf0 + i as u8 }) };
        SUCCESS
    }

    unsafe extern "C" fn memory(bytes: *mut usize, handle: c_int) -> c_int {
        if handle == 12 {
            return 1;
        }
        // SAFETY: the caller gives a place.
        unsafe { *bytes = 80 << 30 };
        SUCCESS
    }

    fn driver(init: Init) -> Driver {
        Driver { init, count, get, name, identifier, memory }
    }

    #[test]
    fn every_gpu_is_described_at_its_place() {
        let gpus = driver(init).gpus();
        let models: Vec<Option<&str>> = gpus.iter().map(|gpu| gpu.model.as_deref()).collect();
        assert_eq!(models, [Some("NVIDIA H100 80GB HBM3"), Some("NVIDIA H100 80GB HBM3 MIG 1g.10gb"), None]);
        let uuids: Vec<&str> = gpus.iter().filter_map(|gpu| gpu.uuid.as_deref()).collect();
        assert_eq!(uuids[0], "GPU-0af1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
        assert!(uuids[1].starts_with("MIG-0bf1f2f3-"), "{uuids:?}");
        assert_eq!(gpus.iter().map(|gpu| gpu.bytes).collect::<Vec<_>>(), [Some(80 << 30), Some(80 << 30), None]);
    }

    #[test]
    fn a_driver_that_does_not_start_has_no_gpus() {
        assert!(driver(no_init).gpus().is_empty());
    }
}
