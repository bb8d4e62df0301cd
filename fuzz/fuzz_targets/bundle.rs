#![no_main]

posenc_fuzz::target!(run_folders::packed);
