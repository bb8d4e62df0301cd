//! A dataset's shard, opened although nothing vouches for its bytes: an error or rows that agree with themselves. The
//! store turns the panics of crate parquet into errors, so that here only a panic that leaves it is a crash.
#![no_main]

use dataset::store::{GameRow, ShardRows};
use std::panic;

libfuzzer_sys::fuzz_target!(
    init: {
        // libFuzzer's own hook ends the process before a panic can be caught.
        drop(panic::take_hook());
        panic::set_hook(Box::new(|_| {}));
    },
    |bytes: &[u8]| {
        let path = std::env::temp_dir().join(format!("posenc-fuzz-{}.parquet", std::process::id()));
        std::fs::write(&path, bytes).expect("the temporary folder can be written");
        let agrees = |row: GameRow| {
            let plies = usize::from(row.plies);
            assert_eq!((row.moves.split_ascii_whitespace().count(), row.value.len()), (plies, plies));
        };
        let read = ShardRows::open(&path).and_then(|mut rows| rows.try_for_each(|row| row.map(agrees)));
        std::fs::remove_file(&path).expect("it was written");
        if let Err(error) = read {
            assert!(!error.to_string().is_empty());
        }
    }
);
