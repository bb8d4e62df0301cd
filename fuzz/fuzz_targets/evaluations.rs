#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    posenc_fuzz::laws::evaluations(bytes);
});
