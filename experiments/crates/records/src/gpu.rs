//! The GPUs that this process can use, as NVIDIA's driver lists them.
//!
//! Only the driver determines which GPU is `cuda:0`: it applies `CUDA_VISIBLE_DEVICES` (numbers in any order, UUIDs) and
//! `CUDA_DEVICE_ORDER`, and LibTorch counts as it does. `nvidia-smi` and `/proc` list all GPUs in another order.

mod driver;

use driver::Driver;
pub use driver::Gpu;
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
}
