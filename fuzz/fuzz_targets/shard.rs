//! The store turns the panics of crate parquet into errors, so that only a panic that leaves it is a crash.
#![no_main]

use std::panic;

libfuzzer_sys::fuzz_target!(
    init: {
        // libFuzzer's own hook ends the process before a panic can be caught.
        drop(panic::take_hook());
        panic::set_hook(Box::new(|_| {}));
    },
    |bytes: &[u8]| {
        let path = std::env::temp_dir().join(format!("posenc-fuzz-{}.parquet", std::process::id()));
        posenc_fuzz::shards::shard(&path, bytes);
        std::fs::remove_file(&path).expect("it was written");
    }
);
