#![no_main]

posenc_fuzz::target!(cells::weights);
