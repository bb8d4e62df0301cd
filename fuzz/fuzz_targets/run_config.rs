#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    posenc_fuzz::settings::run_config(bytes);
});
