#![no_main]

posenc_fuzz::target!(settings::run_config);
